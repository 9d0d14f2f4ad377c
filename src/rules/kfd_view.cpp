// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "rules/kfd_rules.h"
#include "rules/rules.h"

namespace rocdiag {
namespace {

using namespace kfd;

constexpr std::size_t kMostNodesNamed = 4;

// The words that programs print for these, so that a report and an error message look alike.
std::string in_words(const std::string& errno_name) {
  if (errno_name == "EACCES") return "permission denied";
  if (errno_name == "EPERM") return "operation not permitted";
  if (errno_name == "EINVAL") return "invalid argument";
  if (errno_name == "ENOMEM") return "cannot allocate memory: KFD has no usable GPU";
  if (errno_name == "EBUSY") return "device or resource busy";
  if (errno_name == "ENODEV") return "no such device";
  if (errno_name == "ENXIO") return "no such device or address";
  if (errno_name == "EIO") return "input/output error";
  return errno_name;
}

std::string count(std::size_t number, const std::string& noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

// Fail or unknown for a node that does not open; nothing for one that does.
std::optional<LayerView> view_refusal(const DeviceNode& node) {
  if (node.open.is("ok")) return std::nullopt;
  if (node.open) return LayerView{LayerStatus::fail, node.path + ": " + in_words(*node.open)};
  if (node.open.is_absent()) return LayerView{LayerStatus::fail, node.path + " does not exist"};
  return LayerView{LayerStatus::unknown,
                   fmt::format("whether {} opens is not known: {}", node.path, node.open.reason())};
}

const DeviceNode* find_render_node(const KfdFacts& kfd, int minor) {
  const std::string path = "/dev/dri/renderD" + std::to_string(minor);
  const auto it = std::find_if(kfd.render_nodes.begin(), kfd.render_nodes.end(),
                               [&](const DeviceNode& node) { return node.path == path; });
  return it == kfd.render_nodes.end() ? nullptr : &*it;
}

// Why the topology cannot carry a pass.
std::optional<LayerView> view_topology(const KfdFacts& kfd, const Topology& topology) {
  const auto unknown = [](std::string why) { return LayerView{LayerStatus::unknown, std::move(why)}; };
  if (topology.changed) return unknown("/dev/kfd opens; the KFD topology changed while it was read");
  if (kfd.node_ids.is_absent()) return LayerView{LayerStatus::fail, "/dev/kfd opens, and KFD has no topology"};
  if (!kfd.node_ids) return unknown("/dev/kfd opens; KFD topology: " + kfd.node_ids.reason());
  if (topology.unread > 0)
    return unknown(fmt::format("/dev/kfd opens; {} of {} could not be read", topology.unread,
                               count(kfd.nodes.size(), "KFD node")));
  if (!topology.gpus.empty()) return std::nullopt;
  if (topology.hidden > 0)
    return LayerView{LayerStatus::fail, count(topology.hidden, "GPU") + " in KFD, all hidden by a device cgroup"};
  return LayerView{LayerStatus::fail, "/dev/kfd opens, and KFD lists no GPU"};
}

LayerView view_render_nodes(const KfdFacts& kfd, const Topology& topology) {
  std::vector<std::string> names;
  std::optional<LayerView> unknown;
  for (const KfdNode* gpu : topology.gpus) {
    const DeviceNode* node = gpu->render_minor ? find_render_node(kfd, *gpu->render_minor) : nullptr;
    if (node == nullptr) {
      unknown = LayerView{LayerStatus::unknown, fmt::format("KFD names no render node for node {}", gpu->id)};
      continue;
    }
    const auto refusal = view_refusal(*node);
    if (refusal && refusal->status == LayerStatus::fail) return *refusal;  // a failure outranks an unknown
    if (refusal) unknown = refusal;
    names.push_back(node->path.substr(node->path.rfind('/') + 1));
  }
  if (unknown) return *unknown;
  std::string summary = "/dev/kfd";
  if (names.size() > kMostNodesNamed)
    summary += " and " + count(names.size(), "render node");
  else
    for (const std::string& name : names) summary += ", " + name;
  summary += " open";
  if (topology.hidden > 0)
    summary += fmt::format("; {} of {} {} hidden by a device cgroup", topology.hidden,
                           count(topology.gpus.size() + topology.hidden, "GPU"), topology.hidden == 1 ? "is" : "are");
  return {LayerStatus::pass, summary};
}

}  // namespace

LayerView view_kfd(const Facts& facts, const Knowledge&) {
  if (facts.host.wsl.is(true)) return {LayerStatus::skipped, "under WSL the GPU is reached through /dev/dxg"};
  const KfdFacts& kfd = facts.kfd;
  if (const auto refusal = view_refusal(kfd.kfd)) return *refusal;
  const Topology topology = topology_of(kfd);
  if (const auto view = view_topology(kfd, topology)) return *view;
  return view_render_nodes(kfd, topology);
}

}  // namespace rocdiag
