// SPDX-License-Identifier: MIT
#include "rules/pci_gpu.h"

#include <fmt/format.h>

#include <algorithm>

namespace rocdiag {
namespace {

bool is_amd(const PciPort& port) { return port.device_id && port.device_id->rfind("1002:", 0) == 0; }

// "Navi 22 [Radeon RX 6700 XT]" → "Radeon RX 6700 XT"; "AMD Radeon RX 6700 XT" → the same.
std::string short_name(std::string name) {
  const std::size_t open = name.find('[');
  const std::size_t close = name.rfind(']');
  if (open != std::string::npos && close != std::string::npos && close > open + 1)
    name = name.substr(open + 1, close - open - 1);
  if (name.rfind("AMD ", 0) == 0) name.erase(0, 4);
  return name;
}

}  // namespace

std::string gpu_name(const PciGpu& gpu, const Knowledge& knowledge) {
  const auto model = model_of(gpu, knowledge);
  return model && !model->name.empty() ? short_name(model->name) : "AMD GPU";
}

std::optional<std::string> gfx_of(const PciGpu& gpu, const Facts& facts, const Knowledge& knowledge) {
  for (const KfdNode& node : facts.kfd.nodes)
    if (node.gfx && is_node_of(node, gpu)) return *node.gfx;
  if (gpu.gc_version)
    if (auto gfx = knowledge.gfx_of_gc(*gpu.gc_version)) return gfx;
  const auto model = model_of(gpu, knowledge);
  return model && !model->gfx.empty() ? std::optional(model->gfx) : std::nullopt;
}

KfdTook kfd_took(const PciGpu& gpu, const KfdFacts& kfd) {
  bool all_read = kfd.driver_present.is(true) && kfd.node_ids && kfd.node_ids->size() == kfd.nodes.size();
  for (const KfdNode& node : kfd.nodes) {
    if (node.is_gpu.is(true) && is_node_of(node, gpu)) return KfdTook::yes;
    const bool is_another = node.is_gpu.is(false) || (node.is_gpu.is(true) && node.address);
    all_read = all_read && !node.hidden && is_another;
  }
  return all_read ? KfdTook::no : KfdTook::unknown;
}

std::vector<PciLink> links_of(const PciGpu& gpu) {
  // Ports alternate on the way up: each switch has a downstream and an upstream port, and on top is the root port.
  // So a whole path has an even length.
  if (gpu.path.size() < 2 || gpu.path.size() % 2 != 0) return {};
  const bool own_switch = gpu.path.size() >= 4 && is_amd(gpu.path[1]) && is_amd(gpu.path[2]);
  std::vector<PciLink> links;
  for (std::size_t i = own_switch ? 2 : 0; i + 1 < gpu.path.size(); i += 2)
    links.push_back({&gpu.path[i], &gpu.path[i + 1]});
  return links;
}

Draft draft_about(const PciGpu& gpu, const std::string& id, const Knowledge& knowledge) {
  Draft draft;
  draft.id = id;
  draft.subject = gpu.address;
  draft.values = {{"address", gpu.address},
                  {"name", gpu_name(gpu, knowledge)},
                  {"device_id", gpu.device_id.optional().value_or("1002:????")}};
  return draft;
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::uint64_t kMebi = 1U << 20U;
  constexpr std::uint64_t kGibi = 1U << 30U;
  const auto number = [&](std::uint64_t unit) { return static_cast<double>(bytes) / static_cast<double>(unit); };
  if (bytes >= kGibi) return fmt::format("{:.4g} GiB", number(kGibi));
  if (bytes >= kMebi) return fmt::format("{:.4g} MiB", number(kMebi));
  return fmt::format("{} bytes", bytes);
}

}  // namespace rocdiag
