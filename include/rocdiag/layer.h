// SPDX-License-Identifier: MIT
// The rungs of the ladder, lowest first. A rung that is broken explains the ones above it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace rocdiag {

enum class Layer { pci, kernel, kfd, rocm, hsa, hip, framework, app };

inline constexpr std::array kLayers{Layer::pci, Layer::kernel, Layer::kfd,       Layer::rocm,
                                    Layer::hsa, Layer::hip,    Layer::framework, Layer::app};

std::string_view layer_name(Layer layer);
std::optional<Layer> layer_from_name(std::string_view name);

enum class LayerStatus {
  pass,
  warn,
  fail,
  blocked,  // a lower layer failed, so this one cannot work
  skipped,  // not asked: the source cannot hold it, or the user left it out
  unknown,  // it should have answered and did not
};
std::string_view layer_status_name(LayerStatus status);

// What one layer amounts to by its own facts, before findings and lower layers are considered.
struct LayerView {
  LayerStatus status = LayerStatus::unknown;
  std::string summary;  // one line without a full stop
};

}  // namespace rocdiag
