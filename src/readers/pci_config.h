// SPDX-License-Identifier: MIT
// PCI configuration space, as the `config` attribute gives it: bytes. Layout: PCI Express Base Specification, chapter
// 7; register names as in the kernel's include/uapi/linux/pci_regs.h.
#pragma once

#include <optional>
#include <string_view>

namespace rocdiag {

// Of Device Capabilities 2 and Device Control 2.
struct PciAtomics {
  bool routing = false;  // a switch port or root port passes AtomicOps on
  bool completer_32 = false, completer_64 = false;
  bool requester_enabled = false;  // the driver switched AtomicOps on: it found a way to the root port

  bool operator==(const PciAtomics&) const = default;
};

struct PciConfig {
  bool answers = true;  // false: the first dword is all ones, so no device answers
  bool capabilities_read =
      false;  // false: cut short before the list of capabilities ends (64 bytes for ordinary users)
  std::optional<PciAtomics> atomics;  // with capabilities_read: nothing where the device has no such registers
};

// Nothing for less than a header of 64 bytes.
std::optional<PciConfig> read_pci_config(std::string_view bytes);

}  // namespace rocdiag
