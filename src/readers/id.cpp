// SPDX-License-Identifier: MIT
#include "readers/id.h"

#include <limits>
#include <string_view>

#include "readers/text.h"

namespace rocdiag {
namespace {

// Takes "992(render)" or "992" off the front of `rest`.
std::optional<Group> take_group(std::string_view& rest) {
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  const auto id = parse_decimal(rest.substr(0, digits));
  if (!id || *id > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  rest.remove_prefix(digits);
  Group group{static_cast<std::uint32_t>(*id), {}};
  if (rest.empty() || rest.front() != '(') return group;
  const std::size_t close = rest.find(')');
  if (close == std::string_view::npos) return std::nullopt;
  group.name = printable(rest.substr(1, close - 1));
  rest.remove_prefix(close + 1);
  return group;
}

bool take_word(std::string_view& rest, std::string_view word) {
  if (rest.substr(0, word.size()) != word) return false;
  rest.remove_prefix(word.size());
  return true;
}

}  // namespace

std::optional<Identity> read_id(const std::string& text) {
  std::string_view rest = text;
  if (!take_word(rest, "uid=")) return std::nullopt;
  const auto user = take_group(rest);
  if (!user || !take_word(rest, " gid=")) return std::nullopt;
  const auto group = take_group(rest);
  if (!group) return std::nullopt;
  Identity identity{user->id, group->id, user->name, {}};
  // A set-uid program's "euid=… egid=…" may stand before the groups; an SELinux context after them.
  for (std::size_t equals = rest.find('='); equals != std::string_view::npos; equals = rest.find('=')) {
    const std::string_view before = rest.substr(0, equals);
    const bool is_groups = before != " euid" && before != " egid" && before != " context";
    rest.remove_prefix(equals + 1);
    if (!is_groups) continue;
    for (auto next = take_group(rest); next; next = take_group(rest)) {
      identity.groups.push_back(*next);
      if (!take_word(rest, ",")) break;
    }
    return identity;
  }
  identity.groups.push_back(*group);
  return identity;
}

}  // namespace rocdiag
