// SPDX-License-Identifier: MIT
// The container domain: devices that a container, a sandbox or a batch job withholds (container_devices.cpp), and
// owners that mean something else inside than outside (container_owners.cpp). The list of its rules is container.cpp.
#pragma once

#include <string>
#include <vector>

#include "knowledge/knowledge.h"
#include "rocdiag/rule.h"

namespace rocdiag::container {

// Why a node that answers EACCES is the container's doing and not the account's.
enum class Misowned {
  no,        // it opens, or its owner means inside what it means outside
  unmapped,  // the node's group is not in this user namespace
  foreign,   // the group is the host's; its number decides, and this process was not given it
  lxc,       // the container's configuration gives the node to the wrong owner
};
Misowned misowned(const DeviceNode& node, const Facts& facts);

// firejail and flatpak: they hide devices, and no engine passes any in.
bool is_sandbox(const std::string& kind);
// Which of the variants of the texts speaks of this kind: how devices are passed into it.
std::string variant_of(const std::string& kind);
// "a docker container", "a firejail sandbox".
std::string in_words(const std::string& kind);
// A draft with what every text of this domain may use, and the mark of the container as evidence.
Draft draft_inside(const std::string& id, const ContainerFacts& container);

std::vector<Draft> judge_owners(const Facts& facts, const Knowledge& knowledge);
std::vector<Draft> judge_kfd_not_passed(const Facts& facts, const Knowledge& knowledge);
std::vector<Draft> judge_dri_not_passed(const Facts& facts, const Knowledge& knowledge);
std::vector<Draft> judge_forbidden(const Facts& facts, const Knowledge& knowledge);

}  // namespace rocdiag::container
