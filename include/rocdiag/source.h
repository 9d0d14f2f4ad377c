// SPDX-License-Identifier: MIT
// The one door to a machine, live or recorded. Nothing else in rocdiag touches one.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "rocdiag/question.h"
#include "rocdiag/snapshot.h"

namespace rocdiag {

using Deadline = std::chrono::steady_clock::time_point;

class Source {
 public:
  virtual ~Source() = default;

  // A snapshot with everything but answers: identity, uname, environment, time.
  virtual Snapshot begin() = 0;

  // Asks and adds the answers to `into`. Returns by `deadline`, with a margin of half a second in which
  // children are ended; what was not answered by then becomes Errc::timed_out. Patterns are expanded:
  // each folder walked becomes a listing, each match an answer. Never throws for what a machine does.
  virtual void answer(const std::vector<Question>& questions, Deadline deadline, Snapshot& into) = 0;

  virtual std::string kind() const = 0;  // "live" or "bundle", as in the report
};

}  // namespace rocdiag
