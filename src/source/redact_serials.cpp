// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/pattern.h"
#include "readers/text.h"
#include "source/redact_text.h"

namespace rocdiag {
namespace {

constexpr std::size_t kShortest = 5;

void find_all(const std::string& text, const RE2& pattern, std::vector<std::string>& values) {
  re2::StringPiece rest(text);
  std::string value;
  while (RE2::FindAndConsume(&rest, pattern, &value))
    if (is_real_serial(value)) values.push_back(value);
}

}  // namespace

bool is_serial_file(const std::string& path) {
  static const std::set<std::string> names{"unique_id",      "serial_number", "product_serial", "board_serial",
                                           "chassis_serial", "fru_id",        "product_uuid",   "machine-id"};
  return names.count(name_of(path)) > 0;
}

// What vendors write where there is no number.
bool is_placeholder(const std::string& value) {
  static const RE2 words(
      R"((?i)|[0x.\-: ]+|n/?a|none|unknown|not (?:specified|available|applicable)|default string|to be filled by o\.e\.m\.|)"
      R"(system serial number|chassis serial number|base board serial number|type.*serial.*|[xf]+)",
      RE2::Latin1);
  return RE2::FullMatch(value, words) || Pseudonyms::is_one(PseudonymKind::serial, value);
}

// Distinct enough to be looked for everywhere: no version, no PCI address, no pseudonym, no plain word, no short
// number.
bool is_real_serial(const std::string& value) {
  static const RE2 other(R"((?i)[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]|[0-9]+(?:\.[0-9]+)+|[0-9]{1,7}|tty.*|gfx.*)",
                         RE2::Latin1);
  if (value.size() < kShortest || is_placeholder(value) || RE2::FullMatch(value, other)) return false;
  for (const PseudonymKind kind : {PseudonymKind::mac, PseudonymKind::ipv4, PseudonymKind::ipv6, PseudonymKind::mail})
    if (Pseudonyms::is_one(kind, value)) return false;
  return std::any_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> labelled_serials(const std::string& text) {
  static const RE2 label(
      R"((?i)(?:(?:serial(?:[ _\-]?(?:number|num|no))?|unique[ _\-]id|fru[ _\-]id)\.?["']?[ \t]*[:=]|uuid["']?[ \t]*:)[ \t]*["']?)"
      R"((?:GPU-)?([0-9A-Za-z][0-9A-Za-z_.:\-]*[0-9A-Za-z]))",
      RE2::Latin1);
  static const RE2 pci(R"((?i)serial number ([0-9a-f]{2}(?:-[0-9a-f]{2}){7}))", RE2::Latin1);
  static const RE2 properties(R"(\bunique_id[ \t]+([0-9]{6,20})\b)", RE2::Latin1);
  static const RE2 uuid(R"(\bGPU-([0-9A-Fa-f]{8,16})\b)", RE2::Latin1);
  std::vector<std::string> values;
  find_all(text, label, values);
  find_all(text, pci, values);
  find_all(text, properties, values);
  find_all(text, uuid, values);
  return values;
}

// The KFD prints in decimal what amdgpu and the runtime print in hexadecimal.
std::vector<std::string> spellings_of_serial(const std::string& value, std::string& canonical) {
  std::vector<std::string> spellings{value};
  const bool prefixed = value.rfind("0x", 0) == 0 || value.rfind("0X", 0) == 0;
  const bool decimal = std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
  canonical = value;
  auto number = prefixed || value.size() == 16 ? parse_hex(value) : std::nullopt;
  if (!number && decimal && value.size() >= 15) number = parse_decimal(value);
  constexpr std::uint64_t kDistinct = 1ULL << 40U;  // below, the decimal form could be any count
  if (!number || *number < kDistinct) return spellings;
  canonical = fmt::format("{:016x}", *number);
  for (const std::string& hex : {fmt::format("{:x}", *number), canonical}) {
    std::string upper = hex;
    std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
    for (const std::string& spelt : {hex, upper}) {
      spellings.push_back(spelt);
      spellings.push_back("0x" + spelt);
    }
  }
  spellings.push_back(fmt::format("{}", *number));
  return spellings;
}

}  // namespace rocdiag
