// SPDX-License-Identifier: MIT
#include "readers/os_release.h"

#include "readers/text.h"

namespace rocdiag {

std::map<std::string, std::string> read_os_release(const std::string& text) {
  std::map<std::string, std::string> values;
  for (const std::string& raw : split_lines(text)) {
    const std::string line = trim(raw);
    const std::size_t equals = line.find('=');
    if (line.empty() || line[0] == '#' || equals == std::string::npos) continue;
    std::string value = line.substr(equals + 1);
    const bool quoted =
        value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front();
    if (quoted) value = value.substr(1, value.size() - 2);
    values[line.substr(0, equals)] = value;
  }
  return values;
}

}  // namespace rocdiag
