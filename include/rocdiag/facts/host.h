// SPDX-License-Identifier: MIT
// What every layer may need to know of the machine and of who asks.
#pragma once

#include <cstdint>
#include <string>

#include "rocdiag/observed.h"

namespace rocdiag {

struct HostFacts {
  Observed<std::string> os_name;         // PRETTY_NAME of os-release
  Observed<std::string> os_id;           // ID of os-release: "ubuntu"
  Observed<std::string> os_version;      // VERSION_ID of os-release: "24.04"
  Observed<std::string> kernel_release;  // uname -r
  Observed<std::string> machine;         // uname -m
  Observed<std::uint32_t> uid;           // of the process that asked
  Observed<bool> wsl;                    // a kernel of Microsoft's: no PCI GPU, no amdgpu, no /dev/kfd by design
};

}  // namespace rocdiag
