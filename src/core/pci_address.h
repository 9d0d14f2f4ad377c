// SPDX-License-Identifier: MIT
// PCI addresses, "domain:bus:device.function".
#pragma once

#include <string>

namespace rocdiag {

// "0000:03:00.1" → "0000:03:00". KFD counts the partitions of a GPU as its functions, so the function says nothing
// about which GPU it is.
inline std::string slot_of(const std::string& address) { return address.substr(0, address.find('.')); }

}  // namespace rocdiag
