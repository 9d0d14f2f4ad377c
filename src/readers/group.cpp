// SPDX-License-Identifier: MIT
#include "readers/group.h"

#include <limits>
#include <optional>

#include "readers/text.h"

namespace rocdiag {
namespace {

std::optional<std::uint32_t> parse_id(const std::string& text) {
  const auto value = parse_decimal(text);
  if (!value || *value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

}  // namespace

std::vector<GroupEntry> read_group(const std::string& text) {
  std::vector<GroupEntry> groups;
  for (const std::string& line : split_lines(text)) {
    const auto fields = split_at(line, ':');
    if (fields.size() < 3 || fields[0].empty() || fields[0][0] == '#') continue;
    const auto id = parse_id(fields[2]);
    if (!id) continue;
    GroupEntry group{*id, printable(fields[0]), {}};
    if (fields.size() > 3)
      for (const std::string& member : split_at(fields[3], ','))
        if (const std::string name = trim(member); !name.empty()) group.members.push_back(name);
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<PasswdEntry> read_passwd(const std::string& text) {
  std::vector<PasswdEntry> accounts;
  for (const std::string& line : split_lines(text)) {
    const auto fields = split_at(line, ':');
    if (fields.size() < 4 || fields[0].empty() || fields[0][0] == '#') continue;
    const auto uid = parse_id(fields[2]);
    const auto gid = parse_id(fields[3]);
    if (uid && gid) accounts.push_back({fields[0], *uid, *gid});
  }
  return accounts;
}

}  // namespace rocdiag
