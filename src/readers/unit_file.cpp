// SPDX-License-Identifier: MIT
#include "readers/unit_file.h"

#include "readers/text.h"

namespace rocdiag {
namespace {

bool is_yes(const std::string& value) { return value == "yes" || value == "true" || value == "on" || value == "1"; }

void assign(const std::string& key, const std::string& value, UnitAccount& account) {
  if (key == "User") account.user = value;
  if (key == "Group") account.group = value;
  if (key == "DynamicUser") account.dynamic = is_yes(value);
  if (key != "SupplementaryGroups") return;
  if (value.empty()) account.supplementary_groups.clear();
  for (std::string& name : split_words(value)) account.supplementary_groups.push_back(std::move(name));
}

}  // namespace

void read_unit_account(const std::string& text, UnitAccount& account) {
  bool in_service = false;
  for (const std::string& raw : split_lines(text)) {
    const std::string line = trim(raw);
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    const std::size_t equals = line.find('=');
    if (line[0] == '[')
      in_service = line == "[Service]";
    else if (in_service && equals != std::string::npos)
      assign(trim(line.substr(0, equals)), trim(line.substr(equals + 1)), account);
  }
}

}  // namespace rocdiag
