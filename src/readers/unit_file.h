// SPDX-License-Identifier: MIT
// The account of a systemd service, as systemd.exec(5) writes it down.
#pragma once

#include <string>
#include <vector>

namespace rocdiag {

struct UnitAccount {
  std::string user;                               // a name or a number; empty: root
  std::string group;                              // empty: the user's own
  std::vector<std::string> supplementary_groups;  // on top of what the group database gives the user
  bool dynamic = false;                           // DynamicUser=: made at start, in no database

  bool operator==(const UnitAccount&) const = default;
};

// Lays one file over what the files before it said: the unit first, then its drop-ins in the order of their names.
// Only [Service] counts; an empty assignment takes a setting back.
//   User=ollama
//   SupplementaryGroups=render video
void read_unit_account(const std::string& text, UnitAccount& account);

}  // namespace rocdiag
