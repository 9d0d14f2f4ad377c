// SPDX-License-Identifier: MIT
// Who asks, on which kernel, when.
#pragma once

#include <string>

#include "rocdiag/snapshot.h"

namespace rocdiag {

// Of this process. Names come from /etc/passwd and /etc/group as they stand: the name services may ask a network, and
// their modules would be mapped into this process. An id that is not in these files has no name here.
Observed<Identity> own_identity();
Observed<Uname> own_uname();
std::string host_name();  // for redaction only: no snapshot holds it; empty when the kernel does not tell
std::string utc_now();    // "2026-12-01T13:00:00Z"

// The third field of the line of a passwd or group file ("name:x:1000:…") whose number is `id` has a name before it.
std::string name_in_table(const std::string& table, std::uint32_t id);

}  // namespace rocdiag
