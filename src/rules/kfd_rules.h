// SPDX-License-Identifier: MIT
// The kfd domain in parts: who may open the nodes (kfd_access.cpp), which GPUs KFD took (kfd_topology.cpp), what the
// layer amounts to (kfd_view.cpp). The list of its rules is kfd.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "knowledge/knowledge.h"
#include "rocdiag/rule.h"

namespace rocdiag::kfd {

inline constexpr std::uint32_t kOverflowId = 65534;  // an id that this user namespace does not map
inline constexpr const char* kNodesPath = "/sys/class/kfd/kfd/topology/nodes";

// As the kernel decides: exactly one of the three sets of bits counts. Needs mode, gid and the account's groups.
bool mode_allows(const DeviceNode& node, const Account& account);

// Why an account may not open a node, as far as owner, mode and groups tell.
enum class Refusal {
  none,             // they would allow it, or they do not decide: an ACL, an LSM, or a container's doing
  group_shut_out,   // the mode gives the node's group nothing, so no membership helps
  stale_login,      // the database has the account in the group, the process does not have it yet
  not_a_member,     // neither has it
  database_unseen,  // the process does not have it, and the database was not seen
};
Refusal refusal_of(const DeviceNode& node, const Account& account);

// /dev/kfd, then the render nodes of the GPUs in KFD or on the PCI bus; those of other vendors' GPUs are left out.
std::vector<const DeviceNode*> gpu_device_nodes(const Facts& facts);

// What the topology as read can carry. `whole`: every node was read, nothing changed meanwhile.
struct Topology {
  bool whole = false, changed = false;
  std::vector<const KfdNode*> gpus;  // nodes: a partition counts
  int hidden = 0, unread = 0;
};
Topology topology_of(const KfdFacts& kfd);

std::vector<Draft> judge_access(const Facts& facts, const Knowledge& knowledge);
std::vector<Draft> judge_other_accounts(const Facts& facts, const Knowledge& knowledge);
std::vector<Draft> judge_missing(const Facts& facts, const Knowledge& knowledge);
std::vector<Draft> judge_wedged(const Facts& facts, const Knowledge& knowledge);
std::vector<Draft> judge_render_missing(const Facts& facts, const Knowledge& knowledge);
std::vector<Draft> judge_left_out(const Facts& facts, const Knowledge& knowledge);
std::vector<Draft> judge_unplugged(const Facts& facts, const Knowledge& knowledge);

}  // namespace rocdiag::kfd
