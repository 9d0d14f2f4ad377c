// SPDX-License-Identifier: MIT
#include "report/layout.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "readers/text.h"

namespace rocdiag {

std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80;  // not a continuation byte
  }));
}

std::string pad(const std::string& text, std::size_t width) {
  const std::size_t used = columns(text);
  return used >= width ? text : text + std::string(width - used, ' ');
}

std::vector<std::string> wrap(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  for (const std::string& word : split_words(text)) {
    if (!line.empty() && columns(line) + 1 + columns(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

std::string to_ascii(const std::string& text) {
  struct Pair {
    std::string_view from, to;
  };
  constexpr std::array kPairs{Pair{"✓", "+"}, Pair{"✗", "x"},   Pair{"–", "-"}, Pair{"·", "|"},
                              Pair{"×", "x"}, Pair{"…", "..."}, Pair{"→", "->"}};
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = std::string_view(text).substr(at);
    const auto pair = std::find_if(kPairs.begin(), kPairs.end(),
                                   [&](const Pair& p) { return rest.substr(0, p.from.size()) == p.from; });
    out += pair == kPairs.end() ? rest.substr(0, 1) : pair->to;
    at += pair == kPairs.end() ? 1 : pair->from.size();
  }
  return out;
}

}  // namespace rocdiag
