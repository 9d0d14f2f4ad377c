// SPDX-License-Identifier: MIT
// Everything known about one machine. Probes and readers fill it, rules read it.
#pragma once

#include "rocdiag/facts/container.h"
#include "rocdiag/facts/host.h"
#include "rocdiag/facts/kfd.h"
#include "rocdiag/facts/pci.h"

namespace rocdiag {

struct Facts {
  HostFacts host;
  PciFacts pci;
  KfdFacts kfd;
  ContainerFacts container;
};

}  // namespace rocdiag
