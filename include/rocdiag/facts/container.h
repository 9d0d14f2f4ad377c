// SPDX-License-Identifier: MIT
// What stands between this process and the host's devices: a container, a sandbox, a user namespace, a batch job.
#pragma once

#include <string>
#include <vector>

#include "rocdiag/observed.h"

namespace rocdiag {

struct ContainerFacts {
  // "docker", "podman", "toolbox", "distrobox", "kubernetes", "lxc", "systemd-nspawn", "apptainer", "firejail",
  // "flatpak", "snap", or "other". Absent only when every marker was looked at and none is there.
  Observed<std::string> kind;
  // uid_map or gid_map is not the identity: ids outside the map look like 65534 (user_namespaces(7)).
  Observed<bool> user_namespace;
  Observed<std::string> scheduler;         // "slurm": this process belongs to a job of that scheduler
  Observed<std::string> job_gpus;          // the variable that says the job was given GPUs; absent: none says so
  Observed<std::vector<std::string>> dri;  // names in /dev/dri; absent: there is no such folder

  bool operator==(const ContainerFacts&) const = default;
};

}  // namespace rocdiag
