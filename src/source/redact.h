// SPDX-License-Identifier: MIT
// Takes out of a snapshot what says who or where, and what opens doors, before it is saved or shown to others.
#pragma once

#include <string>

#include "rocdiag/snapshot.h"

namespace rocdiag {

enum class RedactNames {
  yes,  // names, addresses and serial numbers become pseudonyms
  no,   // only secrets go, as they always do
};

struct RedactionHints {
  std::string host;  // the machine's name as its kernel tells it; empty: only what the snapshot itself shows
  RedactNames names = RedactNames::yes;
};

// Users, hosts, mail, MAC and IP addresses, and serial numbers get pseudonyms (user-1, host-1, mail-1@example.invalid,
// 02:00:00:00:00:01, 192.0.2.1, 2001:db8::1, serial-1), the same one wherever they stand; secrets become REDACTED.
// Doing it twice changes nothing. Left alone: names of system accounts, errnos, paths of devices, PCI addresses,
// versions, binary contents. A name that is also a technical word (a user "dev", a host "ubuntu") is replaced only
// where it is a name: /home/dev, uid=1000(dev), dev@.
void redact(Snapshot& snapshot, const RedactionHints& hints);

}  // namespace rocdiag
