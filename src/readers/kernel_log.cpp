// SPDX-License-Identifier: MIT
#include "readers/kernel_log.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "readers/text.h"

namespace rocdiag {
namespace {

// No prefix is longer, and no line has more parts of one: a bound for lines that only look like prefixes.
constexpr std::size_t kMaxPrefix = 160;
constexpr int kMaxParts = 6;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view without_leading_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

// The text after a part of the prefix: one blank parts them, further ones belong to the text.
std::string_view after(std::string_view text, std::size_t end) {
  text.remove_prefix(end);
  if (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

// "11:18:32" anywhere.
bool has_clock(std::string_view text) {
  constexpr std::string_view kForm = "00:00:00";
  for (std::size_t at = 0; at + kForm.size() <= text.size(); ++at) {
    const std::string_view part = text.substr(at, kForm.size());
    if (std::equal(part.begin(), part.end(), kForm.begin(),
                   [](char c, char form) { return form == '0' ? is_digit(c) : c == form; }))
      return true;
  }
  return false;
}

// "4.017407", also as dmesg -d prints it: "4.017407 <    0.000012>".
std::optional<double> seconds_in(std::string_view bracket) {
  if (bracket.empty() || !is_digit(bracket.front())) return std::nullopt;
  const std::string_view number = bracket.substr(0, bracket.find_first_of(" <"));
  if (number.find('.') == std::string_view::npos) return std::nullopt;
  return parse_double(number);
}

// "T349", "C3": the thread or CPU that printed the line (CONFIG_PRINTK_CALLER).
bool is_caller(std::string_view bracket) {
  if (bracket.size() < 2 || (bracket.front() != 'T' && bracket.front() != 'C')) return false;
  return std::all_of(bracket.begin() + 1, bracket.end(), is_digit);
}

bool take_bracket(KernelLine& line) {
  const std::string_view text = without_leading_blanks(line.text);
  if (text.empty() || text.front() != '[') return false;
  const std::size_t close = text.substr(0, kMaxPrefix).find(']');
  if (close == std::string_view::npos) return false;
  const std::string_view content = without_leading_blanks(text.substr(1, close - 1));
  const auto seconds = seconds_in(content);
  if (!seconds && !is_caller(content) && !has_clock(content)) return false;
  if (seconds) line.seconds = seconds;
  line.text = after(text, close + 1);
  return true;
}

// "<6>", and "kern  :info  : " of dmesg -x.
bool take_level(KernelLine& line) {
  const std::string_view text = line.text.substr(0, kMaxPrefix);
  if (starts_with(text, "<")) {
    const std::size_t close = text.find('>');
    if (close == std::string_view::npos || close < 2 || close > 4) return false;
    if (!std::all_of(text.begin() + 1, text.begin() + close, is_digit)) return false;
    line.text.remove_prefix(close + 1);
    return true;
  }
  if (!starts_with(text, "kern ") && !starts_with(text, "kern:")) return false;
  const std::size_t facility = text.find(':');
  const std::size_t level = facility == std::string_view::npos ? facility : text.find(':', facility + 1);
  if (level == std::string_view::npos) return false;
  line.text = after(line.text, level + 1);
  return true;
}

// What stands before "kernel: " in a journal: nothing, a date and a host, or a host where the time was taken already.
bool is_journal_head(std::string_view head, bool time_is_known) {
  const auto words = split_words(head);
  if (words.empty()) return true;
  if (words.size() == 1) return time_is_known;
  return words.size() <= 7 && (has_clock(head) || (words.size() == 2 && parse_double(words[0])));
}

bool take_journal(KernelLine& line) {
  constexpr std::string_view kName = "kernel: ";
  const std::size_t at = line.text.substr(0, kMaxPrefix).find(kName);
  if (at == std::string_view::npos || (at > 0 && line.text[at - 1] != ' ')) return false;
  if (!is_journal_head(line.text.substr(0, at), line.seconds.has_value())) return false;
  line.text.remove_prefix(at + kName.size());
  return true;
}

// "2026-01-19T11:18:32,017407+01:00 " of dmesg --time-format=iso.
bool take_iso_date(KernelLine& line) {
  if (line.text.size() < 20 || !is_digit(line.text[0]) || line.text[4] != '-' || line.text[10] != 'T') return false;
  const std::size_t end = line.text.substr(0, kMaxPrefix).find(' ');
  if (end == std::string_view::npos || !has_clock(line.text.substr(0, end))) return false;
  line.text = after(line.text, end);
  return true;
}

// The domain as sysfs writes it: four digits, more only where they count ("0000000d" → "000d").
std::string address_from(std::string_view domain, std::string_view rest) {
  while (domain.size() > 4 && domain.front() == '0') domain.remove_prefix(1);
  std::string address = std::string(domain) + ":" + std::string(rest);
  for (char& c : address) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return address;
}

}  // namespace

KernelLine take_apart(std::string_view line) {
  constexpr std::array kParts{take_level, take_bracket, take_journal, take_iso_date};
  KernelLine apart{line, std::nullopt};
  for (int n = 0; n < kMaxParts; ++n)
    if (std::none_of(kParts.begin(), kParts.end(), [&](auto* take) { return take(apart); })) break;
  return apart;
}

std::string without_colours(std::string_view line) {
  std::string plain;
  plain.reserve(line.size());
  std::size_t at = 0;
  while (at < line.size()) {
    if (line[at] != '\x1b') {
      plain += line[at++];
      continue;
    }
    ++at;
    if (at == line.size() || line[at] != '[') continue;
    ++at;  // ECMA-48: parameters and intermediates are 0x20-0x3f, the byte after them ends the sequence
    while (at < line.size() && line[at] >= 0x20 && line[at] <= 0x3f) ++at;
    if (at < line.size()) ++at;
  }
  return plain;
}

std::optional<std::string> pci_address_in(std::string_view text) {
  static const RE2 full(R"(\b([0-9a-fA-F]{4,8}):([0-9a-fA-F]{2}:[01][0-9a-fA-F]\.[0-7])\b)", RE2::Latin1);
  static const RE2 without_domain(R"((?:device=|[Dd]evice \[)([0-9a-fA-F]{2}:[01][0-9a-fA-F]\.[0-7])\b)", RE2::Latin1);
  const re2::StringPiece piece(text.data(), text.size());
  std::string domain, rest;
  if (RE2::PartialMatch(piece, full, &domain, &rest)) return address_from(domain, rest);
  if (RE2::PartialMatch(piece, without_domain, &rest)) return address_from("0000", rest);
  return std::nullopt;
}

}  // namespace rocdiag
