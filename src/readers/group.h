// SPDX-License-Identifier: MIT
// The account databases, group(5) and passwd(5), and what `getent` prints of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rocdiag/facts/kfd.h"

namespace rocdiag {

// Lines of another form are skipped: comments, NIS entries ("+::"), ids out of range.
//   render:x:992:ollama,dev  →  {992, "render", {"ollama", "dev"}}
std::vector<GroupEntry> read_group(const std::string& text);

struct PasswdEntry {
  std::string name;
  std::uint32_t uid = 0, gid = 0;

  bool operator==(const PasswdEntry&) const = default;
};

//   ollama:x:997:984::/usr/share/ollama:/bin/false  →  {"ollama", 997, 984}
std::vector<PasswdEntry> read_passwd(const std::string& text);

}  // namespace rocdiag
