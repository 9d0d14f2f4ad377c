// SPDX-License-Identifier: MIT
// Small steps that every reader needs. Contents are bytes: nothing here trusts their encoding.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rocdiag {

// Without blanks, line ends and NUL bytes at both ends: old sysfs copies are padded with NULs.
std::string trim(std::string_view text);
// Lines without their ends ("\n" or "\r\n").
std::vector<std::string> split_lines(std::string_view text);
std::vector<std::string> split_words(std::string_view text);               // at runs of blanks
std::vector<std::string> split_at(std::string_view text, char delimiter);  // empty parts kept
// The whole of `text`, trimmed, or nothing: no sign, no overflow.
std::optional<std::uint64_t> parse_decimal(std::string_view text);
std::optional<std::uint64_t> parse_hex(std::string_view text);  // with or without 0x
std::optional<int> parse_int(std::string_view text);            // with a sign
std::optional<double> parse_double(std::string_view text);      // plain decimals: "16.0"
// "key value" lines, as KFD and AER print them; lines of another form are skipped.
std::map<std::string, std::uint64_t> parse_properties(std::string_view text);
// Bytes of the UTF-8 sequence at the front of `text`, which is not empty; 0 when there is none or it is over-long.
std::size_t utf8_length(std::string_view text);
// Safe to print on one line: control characters and bytes that are not UTF-8 become "?"; at most `limit` bytes.
std::string printable(std::string_view text, std::size_t limit = 400);

}  // namespace rocdiag
