// SPDX-License-Identifier: MIT
// What several facts together say of one GPU, for the rules of the pci domain.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "knowledge/knowledge.h"
#include "rocdiag/facts/facts.h"
#include "rocdiag/finding.h"
#include "rules/rules.h"
#include "rules/subjects.h"

namespace rocdiag {

// "Radeon RX 6700 XT"; "AMD GPU" for one that the tables do not know.
std::string gpu_name(const PciGpu& gpu, const Knowledge& knowledge);
// From KFD, else from the graphics core in ip_discovery, else from the device id.
std::optional<std::string> gfx_of(const PciGpu& gpu, const Facts& facts, const Knowledge& knowledge);

// Whether KFD has a node for this GPU. `no` only where the whole topology was read and none can be it.
enum class KfdTook { yes, no, unknown };
KfdTook kfd_took(const PciGpu& gpu, const KfdFacts& kfd);

// A link between two chips: the child's upstream end and the port above it. The first one is the slot's.
struct PciLink {
  const PciPort* child = nullptr;
  const PciPort* parent = nullptr;
};
// The links from the GPU up to the root port that are not on the card itself (cards since Vega carry a switch of
// vendor 1002, and behind it a link that is always at full width). Empty where the path is not known.
std::vector<PciLink> links_of(const PciGpu& gpu);

// A draft about this GPU with the values that every text may use: address, name, device_id.
Draft draft_about(const PciGpu& gpu, const std::string& id, const Knowledge& knowledge);

template <class T>
Evidence quote(const Observed<T>& observed, std::string text) {
  return {observed.where().source, observed.where().line, std::move(text)};
}

// "256 MiB", "7.98 GiB".
std::string bytes_text(std::uint64_t bytes);

// The rules, by what they are about. pci.cpp lists them.
std::vector<Draft> judge_no_atomics(const Facts& facts, const Knowledge& knowledge);
std::vector<Draft> judge_bar_unassigned(const Facts& facts, const Knowledge& knowledge);
std::vector<Draft> judge_small_bar(const Facts& facts, const Knowledge& knowledge);
std::vector<Draft> judge_link_degraded(const Facts& facts, const Knowledge& knowledge);
std::vector<Draft> judge_link_errors(const Facts& facts, const Knowledge& knowledge);

}  // namespace rocdiag
