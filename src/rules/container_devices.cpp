// SPDX-License-Identifier: MIT
// ENOENT inside while the host's KFD shows in /sys: not passed in. EPERM: the device cgroup, whatever mode and groups.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "rules/container_rules.h"
#include "rules/kfd_rules.h"

namespace rocdiag::container {
namespace {

constexpr const char* kDri = "/dev/dri";

bool is_render(const std::string& name) { return name.rfind("renderD", 0) == 0; }

std::string joined(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

// What in /sys shows that the host has a GPU with KFD.
std::vector<Evidence> gpus_of_the_host(const Facts& facts) {
  std::vector<Evidence> evidence;
  const kfd::Topology topology = kfd::topology_of(facts.kfd);
  if (!topology.gpus.empty())
    evidence.push_back({kfd::kNodesPath, 0, fmt::format("GPUs in the KFD of the host: {}", topology.gpus.size())});
  else if (topology.hidden > 0)
    evidence.push_back({kfd::kNodesPath, 0,
                        fmt::format("GPUs in the KFD of the host, hidden from this process: {}", topology.hidden)});
  for (const PciGpu& gpu : facts.pci.gpus)
    if (gpu.driver.is("amdgpu"))
      evidence.push_back({gpu.driver.where().source.empty() ? gpu.address : gpu.driver.where().source, 0,
                          fmt::format("{} is bound to amdgpu", gpu.address)});
  return evidence;
}

void add(const std::vector<Evidence>& more, Draft& draft) {
  draft.evidence.insert(draft.evidence.end(), more.begin(), more.end());
}

// Render nodes that belong to GPUs this process is meant to have: those KFD shows it, or, where KFD shows it none,
// those of every GPU that amdgpu drives.
std::vector<std::string> wanted_render_nodes(const Facts& facts) {
  std::set<std::string> names;
  const kfd::Topology topology = kfd::topology_of(facts.kfd);
  for (const KfdNode* node : topology.gpus)
    if (node->render_minor) names.insert("renderD" + std::to_string(*node->render_minor));
  if (topology.gpus.empty() && topology.hidden > 0)
    for (const PciGpu& gpu : facts.pci.gpus)
      if (gpu.driver.is("amdgpu") && gpu.drm_nodes)
        std::copy_if(gpu.drm_nodes->begin(), gpu.drm_nodes->end(), std::inserter(names, names.end()), is_render);
  return {names.begin(), names.end()};
}

// Names of `wanted` that /dev/dri does not hold; nothing where nobody looked.
std::optional<std::vector<std::string>> missing_of(const std::vector<std::string>& wanted, const Facts& facts) {
  const auto& dri = facts.container.dri;
  if (dri.is_unobserved()) return std::nullopt;
  std::vector<std::string> missing;
  for (const std::string& name : wanted)
    if (dri.is_absent() || std::find(dri->begin(), dri->end(), name) == dri->end()) missing.push_back(name);
  return missing;
}

bool none_was_passed(const Facts& facts) {
  const auto wanted = wanted_render_nodes(facts);
  const auto missing = missing_of(wanted, facts);
  return !wanted.empty() && missing && missing->size() == wanted.size();
}

// What the device cgroup forbids: /dev/kfd, a render node of a GPU that KFD shows, or every GPU in KFD.
std::vector<Evidence> forbidden(const Facts& facts) {
  std::vector<Evidence> evidence;
  const kfd::Topology topology = kfd::topology_of(facts.kfd);
  std::set<std::string> paths{facts.kfd.kfd.path};
  for (const KfdNode* node : topology.gpus)
    if (node->render_minor) paths.insert(fmt::format("{}/renderD{}", kDri, *node->render_minor));
  for (const DeviceNode* node : kfd::gpu_device_nodes(facts))
    if (node->open.is("EPERM") && paths.count(node->path) > 0)
      evidence.push_back({node->path, 0, "open for reading and writing: EPERM"});
  const bool all_hidden = topology.hidden > 0 && topology.gpus.empty() && topology.unread == 0 && !topology.changed;
  if (all_hidden && facts.kfd.kfd.open && !none_was_passed(facts))
    evidence.push_back(
        {kfd::kNodesPath, 0, fmt::format("GPUs hidden from this process by EPERM: {}, others: none", topology.hidden)});
  return evidence;
}

Draft forbidden_draft(const std::string& id, const Facts& facts, const std::vector<Evidence>& evidence) {
  Draft draft = draft_inside(id, facts.container);
  draft.confidence = Confidence::likely;
  draft.values["what"] = evidence.front().source == kfd::kNodesPath ? "every GPU in KFD" : evidence.front().source;
  add(evidence, draft);
  return draft;
}

// A job's draft names no container: the scheduler forbids.
Draft job_draft(const std::string& id, const Facts& facts, const std::vector<Evidence>& evidence) {
  Draft draft = forbidden_draft(id, facts, evidence);
  draft.variant = id == "container.device-cgroup" ? "slurm" : "";
  draft.values["place"] = "a Slurm job";
  draft.evidence.push_back({facts.container.scheduler.where().source, 0, "this process belongs to a Slurm job"});
  const auto& gpus = facts.container.job_gpus;
  draft.evidence.push_back(
      {gpus.where().source, 0,
       gpus ? *gpus + " is set: the job was given GPUs" : "no variable of Slurm's says that it was given a GPU"});
  return draft;
}

}  // namespace

std::vector<Draft> judge_kfd_not_passed(const Facts& facts, const Knowledge&) {
  const ContainerFacts& container = facts.container;
  if (!container.kind || facts.host.wsl.is(true)) return {};
  if (!facts.kfd.kfd.open.is_absent() || !facts.kfd.driver_present.is(true)) return {};
  const auto gpus = gpus_of_the_host(facts);
  if (gpus.empty()) return {};
  Draft draft = draft_inside(is_sandbox(*container.kind) ? "container.sandbox" : "container.kfd-not-passed", container);
  draft.confidence = Confidence::confirmed;
  draft.evidence.push_back({facts.kfd.kfd.path, 0, "ENOENT"});
  add(gpus, draft);
  return {draft};
}

std::vector<Draft> judge_dri_not_passed(const Facts& facts, const Knowledge&) {
  const ContainerFacts& container = facts.container;
  const Observed<std::string>& opened = facts.kfd.kfd.open;
  if (!container.kind || is_sandbox(*container.kind) || facts.host.wsl.is(true) || !opened) return {};
  const auto wanted = wanted_render_nodes(facts);
  const auto missing = missing_of(wanted, facts);
  if (!missing || missing->empty()) return {};
  const bool all = missing->size() == wanted.size();
  Draft draft = draft_inside(all ? "container.dri-not-passed" : "container.rootless-device-subset", container);
  draft.confidence = all ? Confidence::confirmed : Confidence::likely;
  draft.values["missing"] = joined(*missing);
  draft.values["count"] = std::to_string(missing->size());
  draft.values["all"] = std::to_string(wanted.size());
  draft.evidence.push_back({kDri, 0, container.dri.is_absent() ? "ENOENT" : joined(*missing) + ": not there"});
  draft.evidence.push_back({facts.kfd.kfd.path, 0, fmt::format("open for reading and writing: {}", *opened)});
  add(gpus_of_the_host(facts), draft);
  return {draft};
}

std::vector<Draft> judge_forbidden(const Facts& facts, const Knowledge&) {
  const ContainerFacts& container = facts.container;
  const bool in_job = container.scheduler.is("slurm");
  if (facts.host.wsl.is(true) || (!container.kind && !in_job)) return {};
  const auto evidence = forbidden(facts);
  if (evidence.empty()) return {};
  if (in_job && container.job_gpus.is_absent()) return {job_draft("container.job-without-gpu", facts, evidence)};
  if (in_job && container.job_gpus) return {job_draft("container.device-cgroup", facts, evidence)};
  if (!container.kind) return {};
  if (is_sandbox(*container.kind)) return {forbidden_draft("container.sandbox", facts, evidence)};
  if (*container.kind != "lxc") return {forbidden_draft("container.device-cgroup", facts, evidence)};
  Draft draft = forbidden_draft("container.lxc-devices", facts, evidence);
  draft.variant = "cgroup";
  return {draft};
}

}  // namespace rocdiag::container
