// SPDX-License-Identifier: MIT
// Starts one child process. Watching and ending it is process.h's part.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "rocdiag/result.h"
#include "source/fd.h"

namespace rocdiag {

// A child on its way. The pipes' ends here do not block. Whoever holds this reaps the child.
struct Spawned {
  pid_t pid = 0;
  Fd pidfd;   // readable once the child has ended; none before Linux 5.3
  Fd failed;  // the errno as an int where exec failed; nothing else is ever written there
  Fd in, out, err;
};

// Leads a process group of its own, dies with us, starts with default signals and no descriptor but 0, 1 and 2.
// argv[0] is the file to run: no search. An error means that there is no child; that exec failed shows in `failed`,
// for exec itself can block, on a dead network file system, and nothing here waits.
// Whoever has no input for it closes `in`: it then reads an end of file.
Result<Spawned> spawn(const std::vector<std::string>& argv, const std::vector<std::string>& env);

}  // namespace rocdiag
