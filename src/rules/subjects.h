// SPDX-License-Identifier: MIT
// What rules ask of a GPU, whatever their domain; and the one helper that runs a rule once per GPU.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "knowledge/knowledge.h"
#include "rocdiag/facts/facts.h"
#include "rocdiag/finding.h"

namespace rocdiag {

// `judge`: const PciGpu& → std::optional<Draft>.
template <class Judge>
std::vector<Draft> for_each_gpu(const Facts& facts, Judge judge) {
  std::vector<Draft> drafts;
  for (const PciGpu& gpu : facts.pci.gpus)
    if (std::optional<Draft> draft = judge(gpu)) drafts.push_back(std::move(*draft));
  return drafts;
}

std::optional<GpuModel> model_of(const PciGpu& gpu, const Knowledge& knowledge);

// A GPU that ROCm could use: unknown models count as such, for nothing speaks against them.
bool may_compute(const PciGpu& gpu, const Knowledge& knowledge);

// The node is this GPU, or a partition of it. Old kernels print no domain: then bus and device have to do.
bool is_node_of(const KfdNode& node, const PciGpu& gpu);

}  // namespace rocdiag
