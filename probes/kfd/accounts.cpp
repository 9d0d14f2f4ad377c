// SPDX-License-Identifier: MIT
#include "probes/kfd/accounts.h"

#include <algorithm>
#include <set>

#include "core/pattern.h"
#include "probes/kfd/paths.h"
#include "readers/id.h"
#include "readers/text.h"
#include "readers/unit_file.h"

namespace rocdiag::kfd {
namespace {

constexpr int kGetentNotFound = 2;

bool is_program(const RecordedCommand& command, const std::string& name) {
  return !command.argv.empty() && name_of(command.argv[0]) == name && command.outcome && command.outcome->exit;
}

std::string joined(const std::vector<std::string>& argv) {
  std::string line;
  for (const std::string& word : argv) line += (line.empty() ? "" : " ") + word;
  return line;
}

void add_entry(std::vector<GroupEntry>& groups, const GroupEntry& entry) {
  const auto known = std::find_if(groups.begin(), groups.end(),
                                  [&](const GroupEntry& g) { return g.id == entry.id && g.name == entry.name; });
  if (known == groups.end()) {
    groups.push_back(entry);
    return;
  }
  for (const std::string& member : entry.members)
    if (std::find(known->members.begin(), known->members.end(), member) == known->members.end())
      known->members.push_back(member);
}

// `getent passwd UID` finds the accounts of a name service, which /etc/passwd does not hold.
void read_getent_users(const Snapshot& snapshot, AccountDatabases& databases) {
  if (!databases.users) return;
  std::vector<PasswdEntry> users = *databases.users;
  for (const RecordedCommand& command : snapshot.commands) {
    if (!is_program(command, "getent") || command.argv.size() < 2 || command.argv[1] != "passwd") continue;
    for (PasswdEntry& entry : read_passwd(command.outcome->out)) users.push_back(std::move(entry));
  }
  databases.users = Observed<std::vector<PasswdEntry>>::of(std::move(users), databases.users.where());
}

void read_getent(const Snapshot& snapshot, AccountDatabases& databases) {
  for (const RecordedCommand& command : snapshot.commands) {
    if (!is_program(command, "getent") || command.argv.size() < 2 || command.argv[1] != "group") continue;
    const CommandOutcome& outcome = *command.outcome;
    const bool whole = command.argv.size() == 2;
    if (whole && outcome.exit == 0 && !databases.groups)
      databases.groups = Observed<std::vector<GroupEntry>>::of({}, {joined(command.argv), 0});
    if (outcome.exit == 0 || (outcome.exit == kGetentNotFound && !whole))
      for (const GroupEntry& entry : read_group(outcome.out)) add_entry(databases.lookups, entry);
    if (outcome.exit != kGetentNotFound || command.argv.size() != 3) continue;
    if (const auto gid = parse_decimal(command.argv[2]); gid && *gid <= UINT32_MAX)
      databases.nameless.push_back(static_cast<std::uint32_t>(*gid));
  }
}

// A recorded identity may carry names that /etc/group does not hold. Members stay unknown, and nobody needs them: the
// process holds these groups.
void add_names_of_own_groups(const Snapshot& snapshot, std::vector<GroupEntry>& groups) {
  if (!snapshot.identity) return;
  for (const Group& own : snapshot.identity->groups) {
    const bool known = std::any_of(groups.begin(), groups.end(), [&](const GroupEntry& g) { return g.id == own.id; });
    if (!known && !own.name.empty()) groups.push_back({own.id, printable(own.name), {}});
  }
}

const PasswdEntry* find_user(const AccountDatabases& databases, const std::string& name) {
  if (!databases.users) return nullptr;
  for (const PasswdEntry& entry : *databases.users)
    if (entry.name == name) return &entry;
  return nullptr;
}

void sort_unique(std::vector<std::uint32_t>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

using Gids = std::vector<std::uint32_t>;

// The groups that a new login of `user` gets: its own and those that list it.
Observed<Gids> groups_of_user(const AccountDatabases& databases, const std::string& user,
                              std::optional<std::uint32_t> own_group) {
  if (!databases.groups)
    return Observed<Gids>::unobserved("group database: " + databases.groups.reason(), databases.groups.where());
  Gids ids;
  if (own_group) ids.push_back(*own_group);
  for (const GroupEntry& group : *databases.groups)
    if (std::find(group.members.begin(), group.members.end(), user) != group.members.end()) ids.push_back(group.id);
  sort_unique(ids);
  return Observed<Gids>::of(std::move(ids), databases.groups.where());
}

// `id NAME` asks every account database, /etc/group is but one of them.
Observed<Gids> groups_by_id_command(const Snapshot& snapshot, std::uint32_t uid) {
  for (const RecordedCommand& command : snapshot.commands) {
    if (!is_program(command, "id") || command.argv.size() != 2 || command.argv[1].rfind('-', 0) == 0) continue;
    const auto said = read_id(command.outcome->out);
    if (!said || said->uid != uid) continue;
    Gids ids{said->gid};
    for (const Group& group : said->groups) ids.push_back(group.id);
    sort_unique(ids);
    return Observed<Gids>::of(std::move(ids), {"id", 0});  // the whole line would carry the user's name into reports
  }
  return Observed<Gids>::unobserved("not recorded");
}

struct SeenIdentity {
  Identity identity;
  Where where;
};

// A bundle made by hand may hold `id`'s output instead of an identity, or an identity without its groups.
std::optional<SeenIdentity> process_identity(const Snapshot& snapshot) {
  if (snapshot.identity && !snapshot.identity->groups.empty())
    return SeenIdentity{*snapshot.identity, snapshot.identity.where()};
  for (const RecordedCommand& command : snapshot.commands) {
    if (!is_program(command, "id") || command.argv.size() != 1) continue;
    const auto said = read_id(command.outcome->out);
    if (said) return SeenIdentity{*said, {"id", 0}};
  }
  if (snapshot.identity) return SeenIdentity{*snapshot.identity, snapshot.identity.where()};
  return std::nullopt;
}

Observed<std::string> user_name(const AccountDatabases& databases, const Identity& identity) {
  const Where where{kPasswdFile, 0};
  if (!identity.user.empty()) return Observed<std::string>::of(identity.user, {"identity", 0});
  if (!databases.users) return Observed<std::string>::unobserved(databases.users.reason(), where);
  for (const PasswdEntry& entry : *databases.users)
    if (entry.uid == identity.uid) return Observed<std::string>::of(entry.name, where);
  return Observed<std::string>::absent(where);
}

std::optional<std::uint32_t> group_id(const AccountDatabases& databases, const std::string& name) {
  if (const auto number = parse_decimal(name); number && *number <= UINT32_MAX)
    return static_cast<std::uint32_t>(*number);
  if (!databases.groups) return std::nullopt;
  for (const GroupEntry& group : *databases.groups)
    if (group.name == name) return group.id;
  return std::nullopt;
}

// Somebody else's account, whose groups can only be worked out from the databases.
Account account_from_databases(const AccountDatabases& databases, std::string subject, const std::string& user) {
  Account account;
  account.subject = std::move(subject);
  account.user = Observed<std::string>::of(user);
  const PasswdEntry* entry = find_user(databases, user);
  if (entry == nullptr) {
    account.uid = Observed<std::uint32_t>::unobserved("not in " + kPasswdFile);
    account.groups = Observed<Gids>::unobserved("not in " + kPasswdFile);
    account.database_groups = account.groups;
    return account;
  }
  account.uid = Observed<std::uint32_t>::of(entry->uid, {kPasswdFile, 0});
  account.database_groups = groups_of_user(databases, user, entry->gid);
  account.groups = account.database_groups;
  return account;
}

Observed<Gids> with_unit_groups(const AccountDatabases& databases, const UnitAccount& unit, const Account& account) {
  if (!account.groups) return account.groups;
  Gids ids = *account.groups;
  std::vector<std::string> names = unit.supplementary_groups;
  if (!unit.group.empty()) names.push_back(unit.group);
  for (const std::string& name : names) {
    const auto id = group_id(databases, name);
    if (!id) return Observed<Gids>::unobserved("the unit names a group that the database does not hold");
    ids.push_back(*id);
  }
  sort_unique(ids);
  return Observed<Gids>::of(std::move(ids), account.groups.where());
}

std::optional<Account> service_account(const Snapshot& snapshot, const AccountDatabases& databases,
                                       const std::string& unit_path) {
  const auto content = snapshot.read(unit_path);
  if (!content) return std::nullopt;
  UnitAccount unit;
  read_unit_account(*content, unit);
  for (const std::string& drop_in : snapshot.matches(unit_path + ".d/*.conf")) {
    const auto over = snapshot.read(drop_in);
    if (!over) return std::nullopt;  // it may name another user
    read_unit_account(*over, unit);
  }
  // root needs no group, a dynamic user is in no database, and an instance's %i is known only when it runs.
  if (unit.user.empty() || unit.user == "root" || unit.user == "0" || unit.dynamic) return std::nullopt;
  if (unit.user.find('%') != std::string::npos) return std::nullopt;
  Account account = account_from_databases(databases, "unit:" + printable(name_of(unit_path)), unit.user);
  account.groups = with_unit_groups(databases, unit, account);
  return account;
}

}  // namespace

AccountDatabases read_databases(const Snapshot& snapshot) {
  AccountDatabases databases;
  databases.groups =
      observe<std::vector<GroupEntry>>(snapshot.read(kGroupFile), {kGroupFile, 0},
                                       [](const std::string& text) { return std::optional(read_group(text)); });
  databases.users =
      observe<std::vector<PasswdEntry>>(snapshot.read(kPasswdFile), {kPasswdFile, 0},
                                        [](const std::string& text) { return std::optional(read_passwd(text)); });
  read_getent(snapshot, databases);
  read_getent_users(snapshot, databases);
  if (!databases.groups) return databases;
  std::vector<GroupEntry> all = *databases.groups;
  for (const GroupEntry& entry : databases.lookups) add_entry(all, entry);
  add_names_of_own_groups(snapshot, all);
  databases.groups = Observed<std::vector<GroupEntry>>::of(std::move(all), databases.groups.where());
  return databases;
}

Observed<std::string> group_name(const AccountDatabases& databases, std::uint32_t gid) {
  const Where where = databases.groups.where();
  for (const std::vector<GroupEntry>* entries : {databases.groups ? &*databases.groups : nullptr, &databases.lookups}) {
    if (entries == nullptr) continue;
    for (const GroupEntry& entry : *entries)
      if (entry.id == gid) return Observed<std::string>::of(entry.name, where);
  }
  const bool nameless =
      std::find(databases.nameless.begin(), databases.nameless.end(), gid) != databases.nameless.end();
  if (nameless || !databases.groups.is_unobserved()) return Observed<std::string>::absent(where);
  return Observed<std::string>::unobserved(databases.groups.reason(), where);
}

Account gather_account(const Snapshot& snapshot, const AccountDatabases& databases) {
  Account account;
  account.sudo_user = snapshot.variable("SUDO_USER");
  const auto seen = process_identity(snapshot);
  if (!seen) return account;
  const Identity& identity = seen->identity;
  account.uid = Observed<std::uint32_t>::of(identity.uid, seen->where);
  account.user = user_name(databases, identity);
  if (!identity.groups.empty()) {
    Gids ids{identity.gid};
    for (const Group& group : identity.groups) ids.push_back(group.id);
    sort_unique(ids);
    account.groups = Observed<Gids>::of(std::move(ids), seen->where);
  }
  account.database_groups = groups_by_id_command(snapshot, identity.uid);
  if (account.database_groups || !account.user) return account;
  const PasswdEntry* entry = find_user(databases, *account.user);
  account.database_groups = groups_of_user(databases, *account.user, entry == nullptr ? identity.gid : entry->gid);
  return account;
}

std::vector<Account> gather_other_accounts(const Snapshot& snapshot, const AccountDatabases& databases) {
  std::set<std::string> units;
  for (const std::string& name : kServiceNames)
    for (std::string& path : snapshot.matches(unit_pattern(name))) units.insert(std::move(path));
  std::vector<Account> accounts;
  for (const std::string& path : units)
    if (auto account = service_account(snapshot, databases, path)) accounts.push_back(std::move(*account));
  const auto sudo_user = snapshot.variable("SUDO_USER");
  if (sudo_user && !sudo_user->empty() && *sudo_user != "root")
    accounts.push_back(account_from_databases(databases, "sudo", *sudo_user));
  return accounts;
}

}  // namespace rocdiag::kfd
