// SPDX-License-Identifier: MIT
#include "rocdiag/layer.h"

namespace rocdiag {

std::string_view layer_name(Layer layer) {
  switch (layer) {
    case Layer::pci:
      return "pci";
    case Layer::kernel:
      return "kernel";
    case Layer::kfd:
      return "kfd";
    case Layer::rocm:
      return "rocm";
    case Layer::hsa:
      return "hsa";
    case Layer::hip:
      return "hip";
    case Layer::framework:
      return "framework";
    case Layer::app:
      return "app";
  }
  return "";
}

std::optional<Layer> layer_from_name(std::string_view name) {
  for (Layer layer : kLayers)
    if (layer_name(layer) == name) return layer;
  return std::nullopt;
}

std::string_view layer_status_name(LayerStatus status) {
  switch (status) {
    case LayerStatus::pass:
      return "pass";
    case LayerStatus::warn:
      return "warn";
    case LayerStatus::fail:
      return "fail";
    case LayerStatus::blocked:
      return "blocked";
    case LayerStatus::skipped:
      return "skipped";
    case LayerStatus::unknown:
      return "unknown";
  }
  return "";
}

}  // namespace rocdiag
