// SPDX-License-Identifier: MIT
// Names that came from a machine, made safe inside a command that a person will paste.
#pragma once

#include <string>
#include <string_view>

namespace rocdiag {

// `text` as one word of a POSIX shell: unchanged where nothing in it is special, else in single quotes.
std::string shell_word(std::string_view text);

}  // namespace rocdiag
