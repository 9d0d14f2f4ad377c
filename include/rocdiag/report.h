// SPDX-License-Identifier: MIT
// The diagnosis as it is told: `rocdiag.report/1`. Text and JSON are both made from this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rocdiag/facts/facts.h"
#include "rocdiag/finding.h"
#include "rocdiag/layer.h"

namespace rocdiag {

enum class Verdict { healthy, degraded, broken, unknown };
std::string verdict_name(Verdict verdict);

struct LayerReport {
  Layer layer = Layer::pci;
  LayerStatus status = LayerStatus::unknown;
  std::optional<Layer> blocked_by;
  std::string summary;
  std::int64_t duration_ms = 0;
};

// A KFD node of a GPU; more than one when the GPU is partitioned.
struct GpuNode {
  int id = 0;
  std::optional<int> render_minor;
  std::optional<int> compute_units;
  std::optional<std::uint64_t> vram_bytes;
};

struct GpuReport {
  std::string pci;                       // empty: only KFD knows this GPU and not where it is
  std::optional<std::string> device_id;  // "1002:73df"
  std::optional<std::string> name;       // marketing name, from the tables
  std::optional<std::string> gfx;
  std::string gfx_from;  // "kfd", "ip_discovery", "device id"; empty without gfx
  std::optional<std::uint64_t> vram_bytes;
  std::optional<int> numa_node;
  std::optional<std::string> driver;
  std::vector<GpuNode> nodes;
};

struct Report {
  std::string source_kind;  // "live", "bundle", "ticket", "mixed"
  Verdict verdict = Verdict::unknown;
  std::vector<LayerReport> layers;
  std::vector<GpuReport> gpus;
  std::vector<Finding> findings;   // root causes first, most certain first
  std::vector<std::string> notes;  // what could not be seen, and why; what happened while asking
  Facts facts;
  std::int64_t duration_ms = 0;
};

}  // namespace rocdiag
