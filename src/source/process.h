// SPDX-License-Identifier: MIT
// One loop over all children: no threads, no wait without a deadline (docs/adr/0002-children.md).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rocdiag/snapshot.h"
#include "rocdiag/source.h"

namespace rocdiag {

struct EndedChild {
  Result<CommandOutcome> outcome;  // an error when it could not be started; exec's errno where that failed
  pid_t pid = 0;                   // 0: there never was a process. An abandoned one still goes by it
};

enum class Wanted { more, no_more };

struct ChildSpec {
  std::vector<std::string> argv;             // argv[0]: the file to run, no search
  std::vector<std::string> env;              // all of it, "NAME=value"
  std::string input;                         // fed to standard input, which then ends
  std::chrono::milliseconds deadline{2000};  // from its own start
  std::chrono::milliseconds idle{0};         // silent for so long: stuck, and ended like at the deadline; 0: off
  std::size_t output_limit = 4U << 20U;      // bytes kept of each stream, the tail
  // Takes standard output as it comes instead of outcome.out; no_more kills the child at once.
  std::function<Wanted(std::string_view)> sink;
  // Called when the child has ended: what is to run in its place, or nothing.
  std::function<std::optional<ChildSpec>(const EndedChild&)> next;
};

inline constexpr std::size_t kMostChildren = 8;  // at once; the others wait for their turn
inline constexpr std::chrono::milliseconds kTermToKill{200};
inline constexpr std::chrono::milliseconds kKillToAbandon{300};

// Runs them side by side and returns, in order, how each ended (with `next`: the last in its place). Returns by
// `deadline`: a child that still runs half a second before it, or at its own deadline, gets SIGTERM with its group,
// SIGKILL 200 ms later, and is left behind 300 ms after that. A child that was not started by then is timed_out.
// When a child ends, its group is killed: a grandchild that holds the pipes holds nobody up.
std::vector<EndedChild> run_children(std::vector<ChildSpec> specs, Deadline deadline);

}  // namespace rocdiag
