// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "rules/pci_gpu.h"

namespace rocdiag {
namespace {

constexpr std::size_t kNamedAddresses = 2;  // of several equal GPUs; then "… (8)"

// "x16 16 GT/s"; "x4 of x16, 2.5 of 16 GT/s" where the card can do more. Empty where the slot is not known.
std::string link_text(const PciGpu& gpu) {
  const std::vector<PciLink> links = links_of(gpu);
  if (links.empty()) return {};
  const PciPort& card = *links.front().child;
  const PciPort& port = *links.front().parent;
  const Observed<int>& width = port.width_now ? port.width_now : card.width_now;
  const Observed<double>& speed = port.speed_now ? port.speed_now : card.speed_now;
  if (!width) return {};
  const bool narrower = card.width_max && *card.width_max > *width;
  const bool slower = speed && card.speed_max && *card.speed_max > *speed;
  std::string text = fmt::format("x{}", *width);
  if (narrower) text += fmt::format(" of x{}", *card.width_max);
  if (!speed) return text;
  text += fmt::format("{}{:g}", narrower && slower ? ", " : " ", *speed);
  if (slower) text += fmt::format(" of {:g}", *card.speed_max);
  return text + " GT/s";
}

// Equal GPUs, in the order of the bus.
struct Group {
  std::string what;  // "Radeon RX 6700 XT [1002:73df] gfx1031"
  std::string link;
  std::vector<std::string> addresses;
};

std::vector<Group> group_gpus(const Facts& facts, const Knowledge& knowledge) {
  std::vector<Group> groups;
  for (const PciGpu& gpu : facts.pci.gpus) {
    if (!gpu.device_id) continue;
    std::string what = fmt::format("{} [{}]", gpu_name(gpu, knowledge), *gpu.device_id);
    if (const auto gfx = gfx_of(gpu, facts, knowledge)) what += " " + *gfx;
    const auto same = [&](const Group& group) { return group.what == what; };
    auto group = std::find_if(groups.begin(), groups.end(), same);
    if (group == groups.end()) {
      const auto model = model_of(gpu, knowledge);
      group = groups.insert(groups.end(), {what, model && model->integrated ? "" : link_text(gpu), {}});
    }
    group->addresses.push_back(gpu.address);
  }
  return groups;
}

std::string group_text(const Group& group) {
  const std::size_t count = group.addresses.size();
  std::string text = count > 1 ? fmt::format("{} × {}", count, group.what) : group.what;
  for (std::size_t i = 0; i < std::min(count, kNamedAddresses); ++i)
    text += (i == 0 ? " at " : ", ") + group.addresses[i];
  if (count > kNamedAddresses) text += fmt::format(" … ({})", count);
  if (count == 1 && !group.link.empty()) text += ", " + group.link;
  return text;
}

LayerView view_without_gpu(const Facts& facts) {
  if (facts.host.wsl.is(true)) return {LayerStatus::skipped, "WSL has no PCI GPU"};
  const Observed<int>& functions = facts.pci.functions;
  if (functions) return {LayerStatus::fail, "no AMD GPU on the bus"};
  if (functions.is_absent()) return {LayerStatus::unknown, "/sys/bus/pci/devices is not there"};
  return {LayerStatus::unknown, "PCI listing: " + functions.reason()};
}

}  // namespace

LayerView view_pci(const Facts& facts, const Knowledge& knowledge) {
  if (facts.pci.gpus.empty()) return view_without_gpu(facts);
  std::string summary;
  for (const Group& group : group_gpus(facts, knowledge)) summary += (summary.empty() ? "" : "; ") + group_text(group);
  if (summary.empty())
    return {LayerStatus::unknown, "AMD GPU at " + facts.pci.gpus.front().address + ", device id not read"};
  return {LayerStatus::pass, summary};
}

}  // namespace rocdiag
