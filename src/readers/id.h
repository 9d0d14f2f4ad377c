// SPDX-License-Identifier: MIT
// What `id` prints: of the process that ran it without an argument, of the account databases with a user's name.
#pragma once

#include <optional>
#include <string>

#include "rocdiag/snapshot.h"

namespace rocdiag {

// Nothing for a text that is not id's. The word for "groups" may be translated; names may hold blanks.
//   uid=1000(dev) gid=1000(dev) groups=1000(dev),44(video),992(render)
std::optional<Identity> read_id(const std::string& text);

}  // namespace rocdiag
