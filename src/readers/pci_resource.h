// SPDX-License-Identifier: MIT
// The `resource` attribute of a PCI device: one line "start end flags" for each resource, the BARs first.
// Flags: the kernel's include/linux/ioport.h.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "rocdiag/facts/pci.h"

namespace rocdiag {

// The BARs that are implemented, in order. Nothing when a line is not of that form or the six lines of BARs are not
// all there. A BAR whose size the kernel dropped when it found no room looks like one that is not implemented.
//   0x000000f800000000 0x000000fbffffffff 0x000000000014220c  →  BAR 0, 16 GiB, memory, prefetchable, assigned
std::optional<std::vector<PciBar>> read_pci_resource(std::string_view text);

}  // namespace rocdiag
