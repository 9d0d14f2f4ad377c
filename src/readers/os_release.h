// SPDX-License-Identifier: MIT
// /etc/os-release, as os-release(5) describes it.
#pragma once

#include <map>
#include <string>

namespace rocdiag {

// Assignments by name, quotes taken off. Lines that are no assignment are skipped.
//   PRETTY_NAME="Ubuntu 24.04.1 LTS"  →  {"PRETTY_NAME", "Ubuntu 24.04.1 LTS"}
std::map<std::string, std::string> read_os_release(const std::string& text);

}  // namespace rocdiag
