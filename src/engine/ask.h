// SPDX-License-Identifier: MIT
// From a source and probes to a snapshot and its facts.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "rocdiag/probe.h"
#include "rocdiag/source.h"

namespace rocdiag {

struct Asked {
  Snapshot snapshot;
  Facts facts;
  std::map<std::string_view, std::int64_t> duration_ms;  // by probe: the rounds it had questions in
};

// Asks in rounds: in each, every probe says what it wants to know given the facts so far, and all of it is asked at
// once. Ends when no probe has a new question, or at the deadline.
Asked ask_all(Source& source, const std::vector<Probe>& probes, Deadline deadline);

}  // namespace rocdiag
