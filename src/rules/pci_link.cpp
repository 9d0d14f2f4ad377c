// SPDX-License-Identifier: MIT
// The way from a GPU up to the processor: width, errors, atomics.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/pattern.h"
#include "readers/text.h"
#include "rules/pci_gpu.h"
#include "rules/subjects.h"

namespace rocdiag {
namespace {

constexpr std::uint64_t kManyCorrectable = 1000;  // a few are normal over weeks of uptime
constexpr int kNarrowSlot = 2;                    // lanes: nobody gives a GPU so few on purpose
constexpr int kWideCard = 8;

// ---- atomics

// The ports that the GPU's AtomicOps would have to pass, by the first that does not let them.
const PciPort* port_without_atomics(const PciGpu& gpu) {
  for (std::size_t i = 1; i < gpu.path.size(); ++i) {
    const bool is_root = i + 1 == gpu.path.size();
    const Observed<bool>& able = is_root ? gpu.path[i].atomics_completer : gpu.path[i].atomics_routing;
    if (able.is(false)) return &gpu.path[i];
  }
  return nullptr;
}

bool is_emulated(const PciPort& port) {
  static const std::set<std::string> vendors{"1b36", "15ad"};  // QEMU, VMware
  return port.device_id && vendors.count(port.device_id->substr(0, 4)) > 0;
}

// ---- width

// Lanes of each level of pp_dpm_pcie, and of the widest one that is starred (0: none is).
struct Levels {
  std::set<int> widths;
  int current = 0;
};

Levels read_levels(const std::string& text) {
  Levels levels;
  for (const std::string& line : split_lines(text)) {  // "1: 16.0GT/s, x16 619Mhz *"
    for (const std::string& word : split_words(line)) {
      const auto lanes = word.size() > 1 && word[0] == 'x' ? parse_int(word.substr(1)) : std::nullopt;
      if (!lanes) continue;
      levels.widths.insert(*lanes);
      if (line.find('*') != std::string::npos) levels.current = std::max(levels.current, *lanes);
    }
  }
  return levels;
}

// Power management narrows the links of idle GPUs: then, and where that cannot be told, a width says nothing.
bool width_counts(const PciGpu& gpu) {
  const auto is_another_state = [](const Observed<std::string>& state, const std::set<std::string>& good) {
    return state && good.count(*state) == 0;
  };
  if (is_another_state(gpu.runtime_status, {"active", "unsupported"})) return false;
  if (is_another_state(gpu.power_state, {"D0", "unknown"})) return false;
  if (gpu.physical_function || gpu.pcie_levels.is_unobserved()) return false;
  if (gpu.pcie_levels.is_absent()) return true;
  const Levels levels = read_levels(*gpu.pcie_levels);
  return levels.widths.size() < 2 || levels.current == *levels.widths.rbegin();
}

// What is wrong with one link; `possible` is what the wider end can do where the slot is the narrow one.
struct Narrow {
  PciLink link;
  Observed<int> now;
  int possible = 0;
  bool slot = false;
};

std::optional<Narrow> judge_link(const PciLink& link) {
  const Observed<int>& now = link.parent->width_now ? link.parent->width_now : link.child->width_now;
  if (!now || !link.parent->width_max || !link.child->width_max) return std::nullopt;
  const int both = std::min(*link.parent->width_max, *link.child->width_max);
  if (*now < both) return Narrow{link, now, both, false};
  if (*link.parent->width_max <= kNarrowSlot && *link.child->width_max >= kWideCard)
    return Narrow{link, now, *link.child->width_max, true};
  return std::nullopt;
}

// ---- errors

std::uint64_t serious(const AerCounters& counters) {
  return counters.nonfatal - std::min(counters.nonfatal, counters.unsupported_requests);
}

// The file that holds a total, beside the one that was quoted.
Evidence quote_total(const Observed<AerCounters>& aer, const std::string& file, const std::string& text) {
  const std::string& seen = aer.where().source;
  return {name_of(seen).rfind("aer_dev_", 0) == 0 ? parent_of(seen) + "/" + file : seen, 0, text};
}

// Adds the totals that are over what is normal; returns whether there are any.
bool add_errors(const std::string& address, const Observed<AerCounters>& aer, Draft& draft) {
  if (!aer) return false;
  const std::size_t before = draft.evidence.size();
  if (aer->fatal > 0)
    draft.evidence.push_back(quote_total(aer, "aer_dev_fatal", fmt::format("TOTAL_ERR_FATAL {}", aer->fatal)));
  if (serious(*aer) > 0)
    draft.evidence.push_back(quote_total(aer, "aer_dev_nonfatal",
                                         fmt::format("TOTAL_ERR_NONFATAL {}, of them {} unsupported requests",
                                                     aer->nonfatal, aer->unsupported_requests)));
  if (aer->correctable >= kManyCorrectable)
    draft.evidence.push_back(
        quote_total(aer, "aer_dev_correctable", fmt::format("TOTAL_ERR_COR {}", aer->correctable)));
  if (draft.evidence.size() == before) return false;
  std::string& ports = draft.values["ports"];
  ports += (ports.empty() ? "" : ", ") + address;
  return true;
}

}  // namespace

std::vector<Draft> judge_no_atomics(const Facts& facts, const Knowledge& knowledge) {
  return for_each_gpu(facts, [&](const PciGpu& gpu) -> std::optional<Draft> {
    const auto model = model_of(gpu, knowledge);
    // Inside an APU and for a virtual function the driver has other ways, so the bit stays off there.
    if (!model || model->integrated || !model->needs_atomics || !gpu.physical_function.is_absent()) return std::nullopt;
    if (!gpu.driver.is("amdgpu") || !gpu.atomics_enabled.is(false)) return std::nullopt;
    if (kfd_took(gpu, facts.kfd) != KfdTook::no) return std::nullopt;
    Draft draft = draft_about(gpu, "pci.no-atomics", knowledge);
    draft.evidence.push_back(
        quote(gpu.atomics_enabled, "Device Control 2: AtomicOp Requester Enable is off (lspci: AtomicOpsCtl: ReqEn-)"));
    draft.evidence.push_back(quote(facts.kfd.node_ids, "KFD has no node for " + gpu.address));
    draft.values["hop"] = "a port above it";
    if (const PciPort* port = port_without_atomics(gpu)) {
      draft.confidence = Confidence::confirmed;
      const bool is_root = port == &gpu.path.back();
      const Observed<bool>& able = is_root ? port->atomics_completer : port->atomics_routing;
      draft.evidence.push_back(quote(able, is_root ? "root port completes no 32 and 64 bit AtomicOps"
                                                   : "switch port does not route AtomicOps (AtomicOpsCap: Routing-)"));
      draft.values["hop"] = port->address;
      if (is_emulated(*port)) draft.variant = "guest";
    }
    return draft;
  });
}

std::vector<Draft> judge_link_degraded(const Facts& facts, const Knowledge& knowledge) {
  return for_each_gpu(facts, [&](const PciGpu& gpu) -> std::optional<Draft> {
    const auto model = model_of(gpu, knowledge);
    if ((model && model->integrated) || !may_compute(gpu, knowledge) || !width_counts(gpu)) return std::nullopt;
    for (const PciLink& link : links_of(gpu)) {
      const auto narrow = judge_link(link);
      if (!narrow) continue;
      Draft draft = draft_about(gpu, "pci.link-degraded", knowledge);
      draft.confidence = Confidence::confirmed;
      draft.values["port"] = link.parent->address;
      draft.values["now"] = std::to_string(*narrow->now);
      draft.values["possible"] = std::to_string(narrow->possible);
      draft.evidence.push_back(quote(narrow->now, fmt::format("current_link_width {}", *narrow->now)));
      for (const PciPort* end : {link.parent, link.child})
        draft.evidence.push_back(quote(end->width_max, fmt::format("max_link_width {}", *end->width_max)));
      if (narrow->slot) draft.variant = "narrow-slot";
      return draft;
    }
    return std::nullopt;
  });
}

std::vector<Draft> judge_link_errors(const Facts& facts, const Knowledge& knowledge) {
  return for_each_gpu(facts, [&](const PciGpu& gpu) -> std::optional<Draft> {
    Draft draft = draft_about(gpu, "pci.link-errors", knowledge);
    draft.confidence = Confidence::confirmed;
    bool any = add_errors(gpu.address, gpu.aer, draft);
    for (std::size_t i = 1; i < gpu.path.size(); ++i)
      any = add_errors(gpu.path[i].address, gpu.path[i].aer, draft) || any;
    return any ? std::optional(draft) : std::nullopt;
  });
}

}  // namespace rocdiag
