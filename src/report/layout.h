// SPDX-License-Identifier: MIT
// Text in columns. Widths count characters as a terminal shows the ones used here: one column a code point.
#pragma once

#include <string>
#include <vector>

namespace rocdiag {

std::size_t columns(const std::string& text);
std::string pad(const std::string& text, std::size_t width);  // with blanks on the right; never cut
// Words onto lines of at most `width` columns; a longer word stands alone, so that commands stay whole.
std::vector<std::string> wrap(const std::string& text, std::size_t width);
// The signs and punctuation we print, in ASCII, for a terminal without UTF-8; anything else unchanged.
std::string to_ascii(const std::string& text);

}  // namespace rocdiag
