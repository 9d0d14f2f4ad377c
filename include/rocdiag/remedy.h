// SPDX-License-Identifier: MIT
// One change that cures a finding, with the exact commands.
#pragma once

#include <string>
#include <vector>

namespace rocdiag {

struct Remedy {
  std::string kind;                   // "command", "firmware-setting", "hardware", "relogin", "look"
  std::string summary;                // one sentence without commands
  std::vector<std::string> commands;  // ready to paste, one a line
  std::vector<std::string> needs;     // "root", "reboot", "relogin"
  std::string risk;                   // empty: none worth a word
  std::vector<std::string> undo;
  std::string trial = "not-possible";  // "passed", "failed", "not-possible", "not-run"

  bool operator==(const Remedy&) const = default;
};

}  // namespace rocdiag
