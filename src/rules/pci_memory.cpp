// SPDX-License-Identifier: MIT
// BARs: the windows through which the CPU reaches a GPU. 0 is its memory, 2 the doorbells, 5 the registers.
#include <fmt/format.h>

#include <algorithm>

#include "rules/pci_gpu.h"
#include "rules/subjects.h"

namespace rocdiag {
namespace {

constexpr int kMemoryBar = 0;
constexpr int kRegisterBar = 5;

const PciBar* find_bar(const std::vector<PciBar>& bars, int index) {
  const auto it = std::find_if(bars.begin(), bars.end(), [&](const PciBar& bar) { return bar.index == index; });
  return it == bars.end() ? nullptr : &*it;
}

struct Unplaced {
  int index = 0;
  std::string text;
};

// BARs without an address. The kernel sets the line of one that it gave up to zeros, so a BAR that every such GPU has
// and that is not listed beside others is one of them.
std::vector<Unplaced> unplaced_bars(const std::vector<PciBar>& bars) {
  std::vector<Unplaced> found;
  for (const PciBar& bar : bars)
    if (bar.memory && !bar.assigned)
      found.push_back({bar.index, fmt::format("BAR {}: {}, no address", bar.index, bytes_text(bar.size))});
  for (const int index : {kMemoryBar, kRegisterBar})
    if (!bars.empty() && find_bar(bars, index) == nullptr)
      found.push_back({index, fmt::format("BAR {}: no size, no address", index)});
  std::sort(found.begin(), found.end(), [](const Unplaced& a, const Unplaced& b) { return a.index < b.index; });
  return found;
}

// The CPU reaches all of an APU's memory anyway, and the window of a virtual function is its host's business.
bool window_matters(const PciGpu& gpu, const Knowledge& knowledge) {
  const auto model = model_of(gpu, knowledge);
  const bool integrated = model && model->integrated;
  return !integrated && may_compute(gpu, knowledge) && !gpu.physical_function;
}

std::string offer_text(const Observed<bool>& resizable_bar) {
  if (!resizable_bar) return {};
  return *resizable_bar ? " The GPU offers a resizable BAR."
                        : " The GPU offers no resizable BAR to Linux as it stands.";
}

}  // namespace

std::vector<Draft> judge_bar_unassigned(const Facts& facts, const Knowledge& knowledge) {
  return for_each_gpu(facts, [&](const PciGpu& gpu) -> std::optional<Draft> {
    // amdgpu does not stay bound without its BARs, so where it is, they have their place.
    if (!gpu.bars || gpu.driver.is_unobserved() || gpu.driver.is("amdgpu")) return std::nullopt;
    const bool virtual_function = gpu.physical_function.has_value();
    const auto model = model_of(gpu, knowledge);
    if (virtual_function || !model || !model->kfd_supported || kfd_took(gpu, facts.kfd) == KfdTook::yes)
      return std::nullopt;
    const std::vector<Unplaced> unplaced = unplaced_bars(*gpu.bars);
    if (unplaced.empty()) return std::nullopt;
    Draft draft = draft_about(gpu, "pci.bar-unassigned", knowledge);
    draft.confidence = Confidence::confirmed;
    std::string names;
    for (const Unplaced& bar : unplaced) {
      draft.evidence.push_back(quote(gpu.bars, bar.text));
      draft.evidence.back().line = bar.index + 1;
      names += fmt::format("{}BAR {}", names.empty() ? "" : ", ", bar.index);
    }
    draft.values["bars"] = names;
    if (unplaced.size() == 1 && unplaced.front().index == kRegisterBar) draft.variant = "below-4g";
    return draft;
  });
}

std::vector<Draft> judge_small_bar(const Facts& facts, const Knowledge& knowledge) {
  return for_each_gpu(facts, [&](const PciGpu& gpu) -> std::optional<Draft> {
    if (!window_matters(gpu, knowledge) || !gpu.vram_bytes) return std::nullopt;
    const PciBar* bar = gpu.bars ? find_bar(*gpu.bars, kMemoryBar) : nullptr;
    std::optional<std::uint64_t> visible = gpu.visible_vram_bytes.optional();
    if (!visible && bar != nullptr) visible = bar->size;
    if (!visible || *visible >= *gpu.vram_bytes) return std::nullopt;
    Draft draft = draft_about(gpu, "pci.small-bar", knowledge);
    draft.confidence = Confidence::confirmed;
    draft.evidence.push_back(quote(gpu.vram_bytes, std::to_string(*gpu.vram_bytes)));
    if (gpu.visible_vram_bytes)
      draft.evidence.push_back(quote(gpu.visible_vram_bytes, std::to_string(*gpu.visible_vram_bytes)));
    if (bar != nullptr) {
      const std::string text = fmt::format("BAR 0: {} at {:#x}", bytes_text(bar->size), bar->start);
      draft.evidence.push_back({gpu.bars.where().source, kMemoryBar + 1, text});
    }
    draft.values["visible"] = bytes_text(*visible);
    draft.values["vram"] = bytes_text(*gpu.vram_bytes);
    draft.values["offer"] = offer_text(gpu.resizable_bar);
    return draft;
  });
}

}  // namespace rocdiag
