// SPDX-License-Identifier: MIT
// The ordered list of probes: what rocdiag asks a machine, on one screen. A new probe is a folder here and a line
// below.
#include "probes/container/container.h"
#include "probes/host/host.h"
#include "probes/kfd/kfd.h"
#include "probes/pci/pci.h"
#include "rocdiag/probe.h"

namespace rocdiag {

const std::vector<Probe>& probe_catalogue() {
  static const std::vector<Probe> probes = {
      {"host", std::nullopt, "operating system, kernel release, who asks", {}, host_questions, gather_host},
      {"pci", Layer::pci, "GPUs on the PCI bus: ids, driver, link, BARs, errors, power", {}, pci_questions, gather_pci},
      // kernel: the amdgpu module, firmware, Secure Boot, the kernel log
      {"kfd", Layer::kfd, "/dev/kfd, render nodes, KFD topology, groups", {"pci"}, kfd_questions, gather_kfd},
      {"container",
       Layer::kfd,
       "container, sandbox, user namespace, batch job",
       {},
       container_questions,
       gather_container},
      // rocm, env, hsa, hip, framework, app
  };
  return probes;
}

}  // namespace rocdiag
