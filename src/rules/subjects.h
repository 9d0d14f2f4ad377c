// SPDX-License-Identifier: MIT
// One helper for every rule that speaks of a GPU: it runs once per subject.
#pragma once

#include <optional>
#include <utility>
#include <vector>

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

}  // namespace rocdiag
