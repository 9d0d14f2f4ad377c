// SPDX-License-Identifier: MIT
// What the compute half of amdgpu offers: /dev/kfd, the render nodes, the KFD topology, and who may use them.
// Keys and formats: the kernel's drivers/gpu/drm/amd/amdkfd/kfd_topology.c.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "rocdiag/observed.h"

namespace rocdiag {

struct DeviceNode {
  std::string path;                  // "/dev/kfd", "/dev/dri/renderD128"
  Observed<std::string> type;        // "char", "file", "folder" …; absent: the node is not there
  Observed<std::uint32_t> mode;      // permission bits
  Observed<std::uint32_t> uid, gid;  // numeric owner
  Observed<std::string> group_name;  // of gid in the group database; absent: it has none
  Observed<std::string> open;        // "ok" or the errno's name ("EACCES"); absent: ENOENT

  bool operator==(const DeviceNode&) const = default;
};

struct KfdMemoryBank {
  int index = 0;
  std::map<std::string, std::uint64_t> properties;  // heap_type, size_in_bytes …

  bool operator==(const KfdMemoryBank&) const = default;
};

struct KfdLink {
  int index = 0;
  bool peer = false;                                // from p2p_links, else from io_links
  std::map<std::string, std::uint64_t> properties;  // type, node_to, weight …

  bool operator==(const KfdLink&) const = default;
};

// One folder under topology/nodes. CPU nodes come first, then GPU nodes; a partition is a node of its own.
struct KfdNode {
  int id = 0;
  bool hidden = false;             // EPERM: the device cgroup hides this GPU from us
  Observed<std::uint64_t> gpu_id;  // 0: a CPU node
  Observed<std::string> name;      // "navi21", "ip discovery"
  Observed<std::map<std::string, std::uint64_t>> properties;
  std::vector<KfdMemoryBank> memory;
  std::vector<KfdLink> links;
  // Read out of the properties; absent where this kernel does not print the key.
  Observed<bool> is_gpu;
  Observed<std::string> gfx;      // "gfx1031"
  Observed<std::string> address;  // "0000:03:00.0"; the function number counts partitions
  Observed<int> render_minor;     // 128: /dev/dri/renderD128
  Observed<int> compute_units;
  Observed<std::uint64_t> vram_bytes;  // sum of the node's local memory banks

  bool operator==(const KfdNode&) const = default;
};

// A line of the group database.
struct GroupEntry {
  std::uint32_t id = 0;
  std::string name;
  std::vector<std::string> members;

  bool operator==(const GroupEntry&) const = default;
};

// Somebody whose access is judged: the process that asked, or the account of a service.
struct Account {
  std::string subject;  // empty: the process that asked; else "unit:ollama.service"
  Observed<std::uint32_t> uid;
  Observed<std::string> user;
  Observed<std::vector<std::uint32_t>> groups;           // the process holds these; for a service: will hold these
  Observed<std::vector<std::uint32_t>> database_groups;  // the database gives these to a new login
  Observed<std::string> sudo_user;                       // who called sudo; absent: nobody did

  bool operator==(const Account&) const = default;
};

struct KfdFacts {
  DeviceNode kfd;
  std::vector<DeviceNode> render_nodes;  // every node under /dev/dri of the form renderD*, and those that KFD names
  Observed<bool> driver_present;         // /sys/class/kfd/kfd is there: KFD is initialised in this kernel
  Observed<std::vector<int>> node_ids;   // a value: the listing of nodes was whole
  std::vector<KfdNode> nodes;
  Observed<std::uint64_t> generation_before, generation_after;  // differ: the topology changed while it was read
  Account account;                                              // the process that asked
  std::vector<Account> services;  // compute services that systemd starts under an account of their own;
                                  // under sudo also the account that called it, as "sudo"
  Observed<std::vector<GroupEntry>> group_database;
  Observed<std::vector<std::string>> udev_rules;  // rule files that name kfd, paths; empty: none does

  bool operator==(const KfdFacts&) const = default;
};

}  // namespace rocdiag
