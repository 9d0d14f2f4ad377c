// SPDX-License-Identifier: MIT
#include "source/identity.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include "readers/text.h"
#include "source/files.h"

namespace rocdiag {
namespace {

std::string content_or_nothing(const std::string& path) {
  auto content = read_regular_file(path);
  return content ? std::move(content->bytes) : std::string();
}

}  // namespace

std::string name_in_table(const std::string& table, std::uint32_t id) {
  for (const std::string& line : split_lines(table)) {
    const auto fields = split_at(line, ':');
    if (fields.size() > 2 && parse_decimal(fields[2]) == id) return fields[0];
  }
  return {};
}

Observed<Identity> own_identity() {
  const Where where{"identity", 0};
  const int count = getgroups(0, nullptr);
  std::vector<gid_t> ids(static_cast<std::size_t>(std::max(count, 0)));
  if (count < 0 || getgroups(count, ids.data()) < 0) return Observed<Identity>::unobserved(errno_name(errno), where);
  ids.insert(ids.begin(), getegid());
  const std::string groups = content_or_nothing("/etc/group");
  Identity identity{geteuid(), getegid(), name_in_table(content_or_nothing("/etc/passwd"), geteuid()), {}};
  for (auto id = ids.begin(); id != ids.end(); ++id)
    if (std::find(ids.begin(), id, *id) == id) identity.groups.push_back({*id, name_in_table(groups, *id)});
  return Observed<Identity>::of(std::move(identity), where);
}

Observed<Uname> own_uname() {
  const Where where{"uname", 0};
  utsname names{};
  if (uname(&names) != 0) return Observed<Uname>::unobserved(errno_name(errno), where);
  return Observed<Uname>::of({names.sysname, names.release, names.version, names.machine}, where);
}

std::string host_name() {
  utsname names{};
  return uname(&names) == 0 ? names.nodename : "";
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), length};
}

}  // namespace rocdiag
