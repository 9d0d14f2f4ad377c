// SPDX-License-Identifier: MIT
// Our own standard output: what it can show, and writing to it.
#pragma once

#include <cstddef>
#include <string_view>

namespace rocdiag {

struct Terminal {
  bool is_terminal = false;    // standard output is one
  bool allows_colour = false;  // it is, TERM is not "dumb" and NO_COLOR is unset or empty
  bool utf8 = true;            // the locale's character set, or the output is no terminal
  std::size_t width = 80;      // columns; 80 without a terminal
};
Terminal look_at_terminal();

// The whole text, or false: a closed pipe or a full disk.
bool write_stdout(std::string_view text);
void write_stderr(std::string_view text);

}  // namespace rocdiag
