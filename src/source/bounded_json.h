// SPDX-License-Identifier: MIT
// JSON from outside. Strings in it stand for bytes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "rocdiag/result.h"

namespace rocdiag {

// Errc::too_large beyond 64 levels or 200,000 keys and values, before memory is spent on them; else Errc::malformed.
Result<nlohmann::json> parse_bounded_json(std::string_view text);

// JSON text is UTF-8 and a path need not be. A byte that is not part of valid UTF-8 becomes U+F700 + byte, and so do
// the bytes of a character from U+F780 to U+F7FF, so that every string comes back as it was.
std::string json_text_from(std::string_view bytes);
std::string bytes_from_json_text(std::string_view text);

}  // namespace rocdiag
