// SPDX-License-Identifier: MIT
#include "source/bounded_json.h"

#include <fmt/format.h>

#include "readers/text.h"

namespace rocdiag {
namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxValues = 200'000;

// Counts without keeping anything. Returning false stops the parser, which does not recurse.
class Scan : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return count(); }
  bool boolean(bool) override { return count(); }
  bool number_integer(number_integer_t) override { return count(); }
  bool number_unsigned(number_unsigned_t) override { return count(); }
  bool number_float(number_float_t, const string_t&) override { return count(); }
  bool string(string_t&) override { return count(); }
  bool binary(binary_t&) override { return count(); }
  bool key(string_t&) override { return count(); }
  bool start_object(std::size_t) override { return count() && deeper(); }
  bool start_array(std::size_t) override { return count() && deeper(); }
  bool end_object() override { return --depth_, true; }
  bool end_array() override { return --depth_, true; }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    error = {Errc::malformed, 0, fmt::format("no valid JSON at byte {}", position)};
    return false;
  }

  Error error;

 private:
  bool count() {
    if (++values_ <= kMaxValues) return true;
    error = {Errc::too_large, 0, fmt::format("more than {} keys and values", kMaxValues)};
    return false;
  }
  bool deeper() {
    if (++depth_ <= kMaxDepth) return true;
    error = {Errc::too_large, 0, fmt::format("nested deeper than {} levels", kMaxDepth)};
    return false;
  }

  std::size_t values_ = 0, depth_ = 0;
};

// U+F780 … U+F7FF as UTF-8: EF 9E 80 … EF 9F BF.
std::string escape_of(unsigned char byte) {
  return {'\xef', byte < 0xc0 ? '\x9e' : '\x9f', static_cast<char>(0x80U | (byte & 0x3fU))};
}

// The byte that the sequence stands for; 0 when it is no escape.
unsigned char escaped_byte(std::string_view sequence) {
  if (sequence.size() != 3 || sequence[0] != '\xef' || (sequence[1] != '\x9e' && sequence[1] != '\x9f')) return 0;
  const unsigned low = static_cast<unsigned char>(sequence[2]) & 0x3fU;
  return static_cast<unsigned char>((sequence[1] == '\x9e' ? 0x80U : 0xc0U) | low);
}

}  // namespace

Result<nlohmann::json> parse_bounded_json(std::string_view text) {
  Scan scan;
  if (!nlohmann::json::sax_parse(text, &scan)) return scan.error;
  return nlohmann::json::parse(text, nullptr, false);
}

std::string json_text_from(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    const std::string_view sequence = bytes.substr(0, length == 0 ? 1 : length);
    if (length == 0 || escaped_byte(sequence) != 0)
      for (const char byte : sequence) text += escape_of(static_cast<unsigned char>(byte));
    else
      text += sequence;
    bytes.remove_prefix(sequence.size());
  }
  return text;
}

std::string bytes_from_json_text(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char byte = escaped_byte(text.substr(i, 3));
    if (byte == 0) {
      bytes += text[i];
      continue;
    }
    bytes += static_cast<char>(byte);
    i += 2;
  }
  return bytes;
}

}  // namespace rocdiag
