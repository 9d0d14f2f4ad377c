// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/pci_address.h"
#include "rules/kfd_rules.h"
#include "rules/subjects.h"

namespace rocdiag::kfd {
namespace {

constexpr const char* kPciPath = "/sys/bus/pci/devices";

// GPUs that amdgpu drives.
std::vector<const PciGpu*> driven_gpus(const PciFacts& pci) {
  std::vector<const PciGpu*> gpus;
  for (const PciGpu& gpu : pci.gpus)
    if (gpu.driver.is("amdgpu")) gpus.push_back(&gpu);
  return gpus;
}

Evidence driven_evidence(const PciGpu& gpu) {
  const std::string& source = gpu.driver.where().source;
  return {source.empty() ? fmt::format("{}/{}", kPciPath, gpu.address) : source, 0,
          fmt::format("{} {} is bound to amdgpu", gpu.address, gpu.device_id ? *gpu.device_id : "1002")};
}

std::string addresses_of(const std::vector<const PciGpu*>& gpus) {
  std::string list;
  for (const PciGpu* gpu : gpus) list += (list.empty() ? "" : ", ") + gpu->address;
  return list;
}

Draft no_gpu_node(const Facts& facts, const std::vector<const PciGpu*>& gpus) {
  Draft draft;
  draft.id = "kfd.no-gpu-node";
  draft.values["count"] = std::to_string(facts.kfd.nodes.size());
  draft.values["gpus"] = addresses_of(gpus);
  draft.evidence.push_back({kNodesPath, 0, fmt::format("{} nodes, none of them a GPU", facts.kfd.nodes.size())});
  for (const PciGpu* gpu : gpus) draft.evidence.push_back(driven_evidence(*gpu));
  if (facts.kfd.kfd.open.is("ENOMEM"))
    draft.evidence.push_back({facts.kfd.kfd.path, 0, "open for reading and writing: ENOMEM"});
  return draft;
}

Draft left_out(const KfdFacts& kfd, const Topology& topology, const PciGpu& gpu) {
  Draft draft;
  draft.id = "kfd.gpu-left-out";
  draft.subject = gpu.address;
  draft.values["pci"] = gpu.address;
  draft.evidence.push_back(driven_evidence(gpu));
  draft.evidence.push_back({kNodesPath, 0,
                            fmt::format("{} nodes, {} of them GPUs, none at {}", kfd.nodes.size(), topology.gpus.size(),
                                        slot_of(gpu.address))});
  return draft;
}

bool all_addresses_known(const Topology& topology) {
  return std::all_of(topology.gpus.begin(), topology.gpus.end(),
                     [](const KfdNode* node) { return node->address.has_value(); });
}

}  // namespace

Topology topology_of(const KfdFacts& kfd) {
  Topology topology;
  topology.changed = kfd.generation_before && kfd.generation_after && *kfd.generation_before != *kfd.generation_after;
  for (const KfdNode& node : kfd.nodes) {
    if (node.hidden)
      ++topology.hidden;
    else if (!node.properties || !node.is_gpu)
      ++topology.unread;
    else if (*node.is_gpu)
      topology.gpus.push_back(&node);
  }
  topology.whole = kfd.node_ids && !topology.changed && topology.hidden == 0 && topology.unread == 0;
  return topology;
}

std::vector<Draft> judge_missing(const Facts& facts, const Knowledge&) {
  if (!facts.kfd.kfd.open.is_absent() || facts.kfd.driver_present.is_unobserved()) return {};
  // With KFD in the kernel, only a machine known to be no container can have lost the node.
  const bool in_kernel = facts.kfd.driver_present.has_value();
  if (in_kernel && !facts.container.kind.is_absent()) return {};
  const auto gpus = driven_gpus(facts.pci);
  if (gpus.empty()) return {};
  Draft draft;
  draft.id = "kfd.missing";
  draft.confidence = in_kernel ? Confidence::likely : Confidence::confirmed;
  if (in_kernel) draft.variant = "node-gone";
  draft.values["gpus"] = addresses_of(gpus);
  draft.evidence.push_back({facts.kfd.kfd.path, 0, "ENOENT"});
  draft.evidence.push_back({facts.kfd.driver_present.where().source, 0,
                            in_kernel ? "it is there: this kernel runs KFD" : "ENOENT: this kernel runs no KFD"});
  for (const PciGpu* gpu : gpus) draft.evidence.push_back(driven_evidence(*gpu));
  return {draft};
}

std::vector<Draft> judge_wedged(const Facts& facts, const Knowledge&) {
  if (!facts.kfd.kfd.open.is("EINVAL")) return {};
  Draft draft;
  draft.id = "kfd.wedged-after-rebind";
  draft.evidence.push_back({facts.kfd.kfd.path, 0, "open for reading and writing: EINVAL"});
  return {draft};
}

namespace {

// The driver made this GPU's render node, and /dev has lost it. In a container it was merely not passed in.
std::optional<Draft> lost_render_node(const PciGpu& gpu, const ContainerFacts& container) {
  if (!container.kind.is_absent() || container.dri.is_unobserved()) return std::nullopt;
  const auto& names = *gpu.drm_nodes;
  const auto made =
      std::find_if(names.begin(), names.end(), [](const std::string& name) { return name.rfind("renderD", 0) == 0; });
  if (made == names.end()) return std::nullopt;
  if (container.dri && std::find(container.dri->begin(), container.dri->end(), *made) != container.dri->end())
    return std::nullopt;
  Draft draft;
  draft.id = "kfd.render-missing";
  draft.subject = gpu.address;
  draft.variant = "node-gone";
  draft.values["pci"] = gpu.address;
  draft.values["node"] = "/dev/dri/" + *made;
  draft.evidence.push_back({draft.values["node"], 0, "ENOENT"});
  draft.evidence.push_back({fmt::format("{}/{}/drm", kPciPath, gpu.address), 0, *made + " is there"});
  return draft;
}

}  // namespace

std::vector<Draft> judge_render_missing(const Facts& facts, const Knowledge&) {
  std::vector<Draft> drafts;
  for (const PciGpu* gpu : driven_gpus(facts.pci)) {
    if (!gpu->drm_nodes) continue;
    const bool has_render = std::any_of(gpu->drm_nodes->begin(), gpu->drm_nodes->end(),
                                        [](const std::string& name) { return name.rfind("renderD", 0) == 0; });
    if (has_render) {
      if (auto lost = lost_render_node(*gpu, facts.container)) drafts.push_back(std::move(*lost));
      continue;
    }
    std::string names;
    for (const std::string& name : *gpu->drm_nodes) names += (names.empty() ? "" : ", ") + name;
    Draft draft;
    draft.id = "kfd.render-missing";
    draft.subject = gpu->address;
    draft.confidence = Confidence::confirmed;
    draft.values["pci"] = gpu->address;
    draft.evidence.push_back(driven_evidence(*gpu));
    draft.evidence.push_back({fmt::format("{}/{}/drm", kPciPath, gpu->address), 0,
                              names.empty() ? "no node at all" : names + ", and no render node"});
    drafts.push_back(std::move(draft));
  }
  return drafts;
}

std::vector<Draft> judge_left_out(const Facts& facts, const Knowledge& knowledge) {
  const Topology topology = topology_of(facts.kfd);
  if (!topology.whole || facts.kfd.nodes.empty()) return {};
  std::vector<const PciGpu*> expected;
  for (const PciGpu* gpu : driven_gpus(facts.pci))
    if (may_compute(*gpu, knowledge)) expected.push_back(gpu);
  if (expected.empty()) return {};
  if (topology.gpus.empty()) return {no_gpu_node(facts, expected)};
  if (!all_addresses_known(topology)) return {};
  std::vector<Draft> drafts;
  for (const PciGpu* gpu : expected) {
    const bool listed = std::any_of(topology.gpus.begin(), topology.gpus.end(),
                                    [&](const KfdNode* node) { return is_node_of(*node, *gpu); });
    if (!listed) drafts.push_back(left_out(facts.kfd, topology, *gpu));
  }
  return drafts;
}

std::vector<Draft> judge_unplugged(const Facts& facts, const Knowledge&) {
  const Topology topology = topology_of(facts.kfd);
  if (topology.changed || !facts.pci.functions) return {};
  std::vector<Draft> drafts;
  std::set<std::string> told;
  for (const KfdNode* node : topology.gpus) {
    if (!node->address) continue;
    const bool on_bus = std::any_of(facts.pci.gpus.begin(), facts.pci.gpus.end(),
                                    [&](const PciGpu& gpu) { return is_node_of(*node, gpu); });
    if (on_bus || !told.insert(slot_of(*node->address)).second) continue;
    Draft draft;
    draft.id = "kfd.stale-after-unplug";
    draft.subject = *node->address;
    draft.values["pci"] = *node->address;
    draft.values["node"] = std::to_string(node->id);
    draft.evidence.push_back(
        {fmt::format("{}/{}/properties", kNodesPath, node->id), 0, fmt::format("a GPU at {}", *node->address)});
    draft.evidence.push_back(
        {kPciPath, 0,
         fmt::format("{} functions, none of AMD's GPUs at {}", *facts.pci.functions, slot_of(*node->address))});
    drafts.push_back(std::move(draft));
  }
  return drafts;
}

}  // namespace rocdiag::kfd
