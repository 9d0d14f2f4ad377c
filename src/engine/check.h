// SPDX-License-Identifier: MIT
// One whole check: ask, gather, judge.
#pragma once

#include <chrono>

#include "engine/selection.h"
#include "rocdiag/report.h"
#include "rocdiag/snapshot.h"
#include "rocdiag/source.h"

namespace rocdiag {

inline constexpr std::chrono::milliseconds kFullBudget{30000};  // a diagnosis, trials apart
inline constexpr std::chrono::milliseconds kQuickBudget{4000};  // --quick: the report is there before 4.5 s

struct Checked {
  Report report;
  Snapshot snapshot;  // the very answers that were judged
};

Checked check(Source& source, const Selection& selection, std::chrono::milliseconds budget);

}  // namespace rocdiag
