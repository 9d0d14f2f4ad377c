// SPDX-License-Identifier: MIT
// Who may be let in: the account databases, the process that asked, services, and who called sudo.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "readers/group.h"
#include "rocdiag/facts/kfd.h"
#include "rocdiag/snapshot.h"

namespace rocdiag::kfd {

struct AccountDatabases {
  Observed<std::vector<GroupEntry>> groups;  // whole: /etc/group and everything getent added to it
  std::vector<GroupEntry> lookups;           // from `getent group NAME`, whether or not the whole was seen
  std::vector<std::uint32_t> nameless;       // `getent group GID` found nothing
  Observed<std::vector<PasswdEntry>> users;  // /etc/passwd
};

AccountDatabases read_databases(const Snapshot& snapshot);
// Absent: the database was seen and has no name for it.
Observed<std::string> group_name(const AccountDatabases& databases, std::uint32_t gid);

Account gather_account(const Snapshot& snapshot, const AccountDatabases& databases);
// Compute services that run under an account of their own, and the caller of sudo (subject "sudo").
std::vector<Account> gather_other_accounts(const Snapshot& snapshot, const AccountDatabases& databases);

}  // namespace rocdiag::kfd
