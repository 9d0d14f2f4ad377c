// SPDX-License-Identifier: MIT
#include "readers/text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace rocdiag {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0'; }

template <class T>
std::optional<T> parse_whole(std::string_view text, int base) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// What a UTF-8 sequence may start with, and the range of its second byte: over-long forms, surrogates and what lies
// beyond U+10FFFF are excluded there (Unicode 15, table 3-7).
struct Utf8Form {
  unsigned char first_low, first_high, second_low, second_high;
  std::size_t length;
};
constexpr std::array kUtf8Forms{
    Utf8Form{0x00, 0x7f, 0x00, 0xff, 1}, Utf8Form{0xc2, 0xdf, 0x80, 0xbf, 2}, Utf8Form{0xe0, 0xe0, 0xa0, 0xbf, 3},
    Utf8Form{0xe1, 0xec, 0x80, 0xbf, 3}, Utf8Form{0xed, 0xed, 0x80, 0x9f, 3}, Utf8Form{0xee, 0xef, 0x80, 0xbf, 3},
    Utf8Form{0xf0, 0xf0, 0x90, 0xbf, 4}, Utf8Form{0xf1, 0xf3, 0x80, 0xbf, 4}, Utf8Form{0xf4, 0xf4, 0x80, 0x8f, 4},
};

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80; }

// C0, DEL and C1 controls, and the marks that reorder text on a terminal (U+200E…, U+202A…, U+2066…).
bool is_control(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
  if (sequence.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7f;
  if (sequence.size() == 2) return byte(0) == 0xc2 && byte(1) < 0xa0;
  if (sequence.size() != 3 || byte(0) != 0xe2) return false;
  if (byte(1) == 0x80) return byte(2) == 0x8e || byte(2) == 0x8f || (byte(2) >= 0xa8 && byte(2) <= 0xae);
  return byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9;
}

}  // namespace

std::string trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while (at < text.size()) {
    while (at < text.size() && is_blank(text[at])) ++at;
    std::size_t end = at;
    while (end < text.size() && !is_blank(text[end])) ++end;
    if (end > at) words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::vector<std::string> split_at(std::string_view text, char delimiter) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(delimiter);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::uint64_t> parse_decimal(std::string_view text) { return parse_whole<std::uint64_t>(trim(text), 10); }

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  std::string digits = trim(text);
  if (digits.rfind("0x", 0) == 0 || digits.rfind("0X", 0) == 0) digits.erase(0, 2);
  return parse_whole<std::uint64_t>(digits, 16);
}

std::optional<int> parse_int(std::string_view text) { return parse_whole<int>(trim(text), 10); }

std::optional<double> parse_double(std::string_view text) {
  const std::string digits = trim(text);
  double value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) return std::nullopt;
  if (digits[0] != '-' && (digits[0] < '0' || digits[0] > '9')) return std::nullopt;  // "nan", "inf"
  return value;
}

std::map<std::string, std::uint64_t> parse_properties(std::string_view text) {
  std::map<std::string, std::uint64_t> properties;
  for (const std::string& line : split_lines(text)) {
    const auto words = split_words(line);
    if (words.size() != 2) continue;
    if (const auto value = parse_decimal(words[1])) properties.insert_or_assign(words[0], *value);
  }
  return properties;
}

std::size_t utf8_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  for (const Utf8Form& form : kUtf8Forms) {
    if (first < form.first_low || first > form.first_high) continue;
    if (form.length == 1) return 1;
    if (text.size() < form.length) return 0;
    const auto second = static_cast<unsigned char>(text[1]);
    if (second < form.second_low || second > form.second_high) return 0;
    const std::string_view rest = text.substr(2, form.length - 2);
    return std::all_of(rest.begin(), rest.end(), is_continuation) ? form.length : 0;
  }
  return 0;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view sequence = text.substr(0, length == 0 ? 1 : length);
    const bool bad = length == 0 || is_control(sequence);
    if (out.size() + sequence.size() > limit) return out + "…";
    if (bad)
      out += sequence == "\t" ? ' ' : '?';
    else
      out += sequence;
    text.remove_prefix(sequence.size());
  }
  return out;
}

}  // namespace rocdiag
