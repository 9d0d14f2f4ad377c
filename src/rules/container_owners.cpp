// SPDX-License-Identifier: MIT
// Device nodes carry the host's numbers. Inside, a number can have no name, another name, or no mapping at all.
#include <fmt/format.h>

#include <algorithm>

#include "rules/container_rules.h"
#include "rules/kfd_rules.h"

namespace rocdiag::container {
namespace {

constexpr std::uint32_t kRoot = 0;
constexpr std::uint32_t kGroupReadWrite = 0060;

bool holds(const Account& account, std::uint32_t gid) {
  return std::find(account.groups->begin(), account.groups->end(), gid) != account.groups->end();
}

// The process is in the group `render` of this container, and the node belongs to another one.
bool belongs_to_another_group_than_render(const DeviceNode& node, const KfdFacts& kfd) {
  if (!kfd.group_database) return false;
  return std::any_of(kfd.group_database->begin(), kfd.group_database->end(), [&](const GroupEntry& group) {
    return group.name == "render" && group.id != *node.gid && holds(kfd.account, group.id);
  });
}

bool hands_on_host_numbers(const std::string& kind) {
  return kind == "docker" || kind == "podman" || kind == "kubernetes";
}

// Who holds 65534 holds an unmapped group, and which one nobody inside can tell.
Misowned without_mapping(const std::string& kind, const Account& account) {
  if (holds(account, kfd::kOverflowId)) return Misowned::no;
  if (kind == "lxc") return Misowned::lxc;
  // apptainer keeps the groups of its user, so there it is the host's matter.
  return kind == "apptainer" ? Misowned::no : Misowned::unmapped;
}

std::string owner_of(const DeviceNode& node) {
  std::string group = std::to_string(*node.gid);
  if (node.group_name) group = fmt::format("{} ({})", *node.gid, *node.group_name);
  if (node.group_name.is_absent()) group += ", which has no name here";
  return fmt::format("mode {:04o}, owner {}, group {}", *node.mode, node.uid ? std::to_string(*node.uid) : "?", group);
}

std::string held_groups(const Account& account) {
  std::string list;
  for (const std::uint32_t gid : *account.groups) list += (list.empty() ? "" : ", ") + std::to_string(gid);
  return list.empty() ? "no group" : list;
}

Draft draft_about(const std::string& id, const std::vector<const DeviceNode*>& nodes, const Facts& facts) {
  Draft draft = draft_inside(id, facts.container);
  draft.confidence = Confidence::likely;
  const DeviceNode& node = *nodes.front();
  draft.values["node"] = node.path;
  draft.values["gid"] = std::to_string(*node.gid);
  draft.values["owner"] = owner_of(node);
  draft.values["held"] = held_groups(facts.kfd.account);
  for (const DeviceNode* each : nodes)
    draft.evidence.push_back({each->path, 0, fmt::format("{}, open for reading and writing: EACCES", owner_of(*each))});
  draft.evidence.push_back({facts.kfd.account.groups.where().source, 0,
                            fmt::format("the groups of this process by number: {}", draft.values["held"])});
  const auto& mapped = facts.container.user_namespace;
  if (mapped.is(true)) draft.evidence.push_back({mapped.where().source, 0, "the ids of this namespace are mapped"});
  return draft;
}

}  // namespace

Misowned misowned(const DeviceNode& node, const Facts& facts) {
  const Account& account = facts.kfd.account;
  const Observed<std::string>& kind = facts.container.kind;
  if (!kind || is_sandbox(*kind) || !node.open.is("EACCES")) return Misowned::no;
  if (!node.mode || !node.gid || !account.groups || !account.uid) return Misowned::no;
  if (node.type && *node.type != "char") return Misowned::no;
  if (*node.gid == kfd::kOverflowId) return without_mapping(*kind, account);
  // Not a matter of groups: root, a mode that lets this process in, a mode that gives the group nothing.
  if (*account.uid == kRoot || kfd::mode_allows(node, account) || (*node.mode & kGroupReadWrite) != kGroupReadWrite)
    return Misowned::no;
  if (*kind == "lxc") {
    const bool wrong =
        *node.gid == kRoot || node.group_name.is_absent() || belongs_to_another_group_than_render(node, facts.kfd);
    return wrong ? Misowned::lxc : Misowned::no;
  }
  const bool foreign = hands_on_host_numbers(*kind) && !facts.container.user_namespace.is(true) && *node.gid != kRoot;
  return foreign ? Misowned::foreign : Misowned::no;
}

std::vector<Draft> judge_owners(const Facts& facts, const Knowledge&) {
  if (facts.host.wsl.is(true)) return {};
  std::vector<Draft> drafts;
  for (const auto& [reason, id] :
       {std::pair{Misowned::unmapped, "container.rootless-groups"},
        std::pair{Misowned::foreign, "container.group-mismatch"}, std::pair{Misowned::lxc, "container.lxc-devices"}}) {
    std::vector<const DeviceNode*> nodes;
    for (const DeviceNode* node : kfd::gpu_device_nodes(facts))
      if (misowned(*node, facts) == reason) nodes.push_back(node);
    if (nodes.empty()) continue;
    drafts.push_back(draft_about(id, nodes, facts));
    if (reason == Misowned::lxc) drafts.back().variant = "owner";
  }
  return drafts;
}

}  // namespace rocdiag::container
