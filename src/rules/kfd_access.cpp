// SPDX-License-Identifier: MIT
// Decides by numbers, not by names: the node's owner and mode, the groups of the process, the group database.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/shell.h"
#include "readers/text.h"
#include "rules/container_rules.h"
#include "rules/kfd_rules.h"

namespace rocdiag::kfd {
namespace {

constexpr std::uint32_t kRoot = 0;
constexpr std::uint32_t kReadWrite = 06;
constexpr std::size_t kMostNodesNamed = 4;
constexpr const char* kSudo = "sudo";  // the subject of the account that called it

bool contains(const std::vector<std::uint32_t>& ids, std::uint32_t id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// Owners that say nothing about this machine's accounts: a user namespace, or a container's device mapping.
bool owner_decides(const DeviceNode& node) {
  if (!node.mode || !node.gid || *node.gid == kOverflowId || node.uid.is(kOverflowId)) return false;
  return !node.type || *node.type == "char";
}

std::string group_of(const DeviceNode& node) {
  if (node.group_name) return *node.group_name;
  return *node.gid == kRoot ? "root" : std::to_string(*node.gid);
}

std::string owner_of(const DeviceNode& node) {
  std::string owner = "?";
  if (node.uid) owner = *node.uid == kRoot ? "root" : std::to_string(*node.uid);
  return fmt::format("{}:{} {:04o}", owner, group_of(node), *node.mode);
}

struct Refused {
  const DeviceNode* node = nullptr;
  Refusal refusal = Refusal::none;
};

std::vector<Refused> refused_nodes(const Facts& facts) {
  std::vector<Refused> refused;
  for (const DeviceNode* node : gpu_device_nodes(facts)) {
    if (!node->open.is("EACCES") || container::misowned(*node, facts) != container::Misowned::no) continue;
    const Refusal refusal = refusal_of(*node, facts.kfd.account);
    if (refusal != Refusal::none) refused.push_back({node, refusal});
  }
  return refused;
}

std::string group_label(const KfdFacts& kfd, std::uint32_t gid) {
  if (kfd.group_database)
    for (const GroupEntry& group : *kfd.group_database)
      if (group.id == gid) return group.name;
  return std::to_string(gid);
}

// "groups sudo, video". The account's own group carries its name, which belongs in no report.
std::string groups_in_words(const KfdFacts& kfd, const Account& account) {
  std::string list;
  for (const std::uint32_t gid : *account.groups) {
    const std::string label = group_label(kfd, gid);
    if (!account.user.is(label) && !account.uid.is(gid)) list += (list.empty() ? "" : ", ") + label;
  }
  if (list.empty()) return "no group but its own";
  return (list.find(',') == std::string::npos ? "group " : "groups ") + list;
}

// "/dev/kfd is root:render 0660, /dev/dri/renderD128 is root:render 0660 and 7 more"
std::string nodes_in_words(const std::vector<const DeviceNode*>& nodes) {
  std::string words;
  for (std::size_t i = 0; i < std::min(nodes.size(), kMostNodesNamed); ++i)
    words += fmt::format("{}{} is {}", i == 0 ? "" : ", ", nodes[i]->path, owner_of(*nodes[i]));
  if (nodes.size() > kMostNodesNamed) words += fmt::format(" and {} more", nodes.size() - kMostNodesNamed);
  return words;
}

void add_node_evidence(const std::vector<const DeviceNode*>& nodes, Draft& draft) {
  for (std::size_t i = 0; i < std::min(nodes.size(), kMostNodesNamed); ++i)
    draft.evidence.push_back({nodes[i]->path, 0,
                              fmt::format("{}, open for reading and writing: {}", owner_of(*nodes[i]),
                                          nodes[i]->open ? *nodes[i]->open : "not tried")});
}

void add_group_values(const DeviceNode& node, Draft& draft) {
  draft.values["group"] = group_of(node);
  draft.values["group_arg"] = shell_word(group_of(node));
}

// A draft about nodes that refuse the process that asked.
Draft draft_about(const Facts& facts, const std::string& id, const std::vector<const DeviceNode*>& nodes) {
  const Account& account = facts.kfd.account;
  Draft draft;
  draft.id = id;
  draft.confidence = Confidence::confirmed;
  draft.values["nodes"] = nodes_in_words(nodes);
  draft.values["node"] = nodes.front()->path;
  draft.values["groups"] = groups_in_words(facts.kfd, account);
  add_group_values(*nodes.front(), draft);
  add_node_evidence(nodes, draft);
  draft.evidence.push_back({account.groups.where().source, 0, "this process is in " + draft.values["groups"]});
  return draft;
}

Draft membership_draft(const Facts& facts, const std::string& id, Refusal refusal,
                       const std::vector<const DeviceNode*>& nodes) {
  Draft draft = draft_about(facts, id, nodes);
  const std::string source = facts.kfd.account.database_groups.where().source;
  if (refusal == Refusal::database_unseen) {
    draft.variant = "database-unseen";
    draft.confidence = Confidence::likely;
  } else {
    const bool member = refusal == Refusal::stale_login;
    draft.evidence.push_back(
        {source, 0,
         fmt::format("the group {} {} this account", draft.values["group"], member ? "has" : "does not have")});
  }
  return draft;
}

Draft udev_draft(const Facts& facts, const std::vector<const DeviceNode*>& nodes) {
  Draft draft = draft_about(facts, "kfd.udev-rule-missing", nodes);
  std::string group = "video";  // where a distribution has no group render, DRM nodes belong to video
  if (!facts.kfd.group_database) group = "render";
  if (facts.kfd.group_database)
    for (const GroupEntry& entry : *facts.kfd.group_database)
      if (entry.name == "render") group = entry.name;
  draft.values["group"] = draft.values["group_arg"] = group;
  if (!facts.kfd.udev_rules || facts.kfd.udev_rules->empty()) return draft;
  draft.variant = "rule-present";
  draft.values["rule"] = printable(facts.kfd.udev_rules->front());
  draft.evidence.push_back({facts.kfd.udev_rules->front(), 0, "this rule file names kfd"});
  return draft;
}

// The render nodes that membership in other groups than /dev/kfd's would open.
void judge_render_permission(const Facts& facts, const std::vector<Refused>& nodes, std::vector<Draft>& drafts) {
  std::map<std::uint32_t, std::vector<Refused>> by_group;
  for (const Refused& r : nodes) by_group[*r.node->gid].push_back(r);
  for (const auto& [gid, members] : by_group) {
    std::vector<const DeviceNode*> paths;
    for (const Refused& r : members) paths.push_back(r.node);
    drafts.push_back(membership_draft(facts, "kfd.render-permission", members.front().refusal, paths));
    if (by_group.size() > 1) drafts.back().subject = paths.front()->path;
  }
}

bool is_plain_member_case(Refusal refusal) {
  return refusal == Refusal::not_a_member || refusal == Refusal::database_unseen;
}

std::vector<const DeviceNode*> with_refusal(const std::vector<Refused>& refused, Refusal refusal) {
  std::vector<const DeviceNode*> nodes;
  for (const Refused& r : refused)
    if (r.refusal == refusal) nodes.push_back(r.node);
  return nodes;
}

// Warnings: an ACL may let in who sits at the machine, and whether a service wants this GPU at all is not known.
Draft other_account_draft(const DeviceNode& node, const Account& account) {
  const bool is_sudo = account.subject == kSudo;
  Draft draft;
  draft.id = "kfd.permission";
  draft.subject = account.subject;
  draft.variant = is_sudo ? kSudo : "service";
  draft.confidence = is_sudo ? Confidence::possible : Confidence::likely;
  draft.severity = Severity::warning;
  draft.values["nodes"] = nodes_in_words({&node});
  add_group_values(node, draft);
  add_node_evidence({&node}, draft);
  draft.evidence.push_back({account.groups.where().source, 0,
                            fmt::format("the group {} does not have the account {}", draft.values["group"],
                                        is_sudo ? "that called sudo" : "of this service")});
  return draft;
}

Draft service_draft(const DeviceNode& node, const Account& account) {
  Draft draft = other_account_draft(node, account);
  const std::string unit = account.subject.substr(account.subject.find(':') + 1);
  const std::string user = printable(*account.user);
  draft.values["unit"] = unit;
  draft.values["unit_arg"] = shell_word(unit);
  draft.values["service_user"] = user;
  draft.values["service_user_arg"] = shell_word(user);
  return draft;
}

}  // namespace

bool mode_allows(const DeviceNode& node, const Account& account) {
  const std::uint32_t mode = *node.mode;
  if (account.uid && node.uid && *account.uid == *node.uid) return (mode >> 6U & kReadWrite) == kReadWrite;
  if (contains(*account.groups, *node.gid)) return (mode >> 3U & kReadWrite) == kReadWrite;
  return (mode & kReadWrite) == kReadWrite;
}

Refusal refusal_of(const DeviceNode& node, const Account& account) {
  if (!owner_decides(node) || !account.groups || !account.uid || *account.uid == kRoot) return Refusal::none;
  if (mode_allows(node, account)) return Refusal::none;
  if (node.group_name.is_absent() || account.user.is_absent()) return Refusal::none;  // a container's numbers
  if ((*node.mode >> 3U & kReadWrite) != kReadWrite) return Refusal::group_shut_out;
  if (*node.gid == kRoot) return Refusal::none;  // root:root 0660 is how a device is mapped into a container
  if (!account.database_groups) return Refusal::database_unseen;
  return contains(*account.database_groups, *node.gid) ? Refusal::stale_login : Refusal::not_a_member;
}

std::vector<const DeviceNode*> gpu_device_nodes(const Facts& facts) {
  std::set<std::string> names;
  for (const KfdNode& node : facts.kfd.nodes)
    if (node.render_minor) names.insert("renderD" + std::to_string(*node.render_minor));
  for (const PciGpu& gpu : facts.pci.gpus)
    if (gpu.drm_nodes) names.insert(gpu.drm_nodes->begin(), gpu.drm_nodes->end());
  std::vector<const DeviceNode*> nodes{&facts.kfd.kfd};
  for (const DeviceNode& node : facts.kfd.render_nodes)
    if (names.count(node.path.substr(node.path.rfind('/') + 1)) > 0) nodes.push_back(&node);
  return nodes;
}

std::vector<Draft> judge_access(const Facts& facts, const Knowledge&) {
  const std::vector<Refused> refused = refused_nodes(facts);
  std::vector<Draft> drafts;
  if (const auto nodes = with_refusal(refused, Refusal::group_shut_out); !nodes.empty())
    drafts.push_back(udev_draft(facts, nodes));
  if (const auto nodes = with_refusal(refused, Refusal::stale_login); !nodes.empty())
    drafts.push_back(membership_draft(facts, "kfd.groups-stale", Refusal::stale_login, nodes));
  std::vector<const DeviceNode*> with_kfd;  // /dev/kfd, and what the same group would open as well
  std::vector<Refused> others;
  Refusal refusal = Refusal::none;
  for (const Refused& r : refused) {
    if (!is_plain_member_case(r.refusal)) continue;
    const bool is_kfd = r.node == &facts.kfd.kfd;
    if (is_kfd) refusal = r.refusal;
    if (is_kfd || (!with_kfd.empty() && *with_kfd.front()->gid == *r.node->gid))
      with_kfd.push_back(r.node);
    else
      others.push_back(r);
  }
  if (!with_kfd.empty()) drafts.push_back(membership_draft(facts, "kfd.permission", refusal, with_kfd));
  judge_render_permission(facts, others, drafts);
  return drafts;
}

std::vector<Draft> judge_other_accounts(const Facts& facts, const Knowledge&) {
  const DeviceNode& node = facts.kfd.kfd;
  std::vector<Draft> drafts;
  if (!node.type.is("char") || !node.group_name) return drafts;
  // The caller of sudo matters while we are root and root gets in: "works with sudo" is about access.
  const bool through_sudo = facts.kfd.account.uid.is(kRoot) && node.open.is("ok");
  for (const Account& account : facts.kfd.services) {
    if (refusal_of(node, account) != Refusal::not_a_member) continue;
    if (account.subject != kSudo)
      drafts.push_back(service_draft(node, account));
    else if (through_sudo)
      drafts.push_back(other_account_draft(node, account));
  }
  return drafts;
}

}  // namespace rocdiag::kfd
