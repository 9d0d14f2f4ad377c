// SPDX-License-Identifier: MIT
// What the user asked to hear about: --only and --skip.
#pragma once

#include <string>
#include <vector>

#include "rocdiag/finding.h"
#include "rocdiag/probe.h"
#include "rocdiag/result.h"

namespace rocdiag {

// Patterns over the names of layers and probes, and over finding ids.
struct Selection {
  std::vector<std::string> only, skip;
};

// Errc::usage for a pattern that matches no layer, probe or finding; the message offers the nearest name.
Status check_selection(const Selection& selection);

// In catalogue order. A selected probe brings the probes whose facts it needs; a skipped one is never asked.
std::vector<Probe> select_probes(const Selection& selection);

bool layer_selected(const Selection& selection, Layer layer);

// Drops findings that the user left out. A cause of one that stays, stays.
void select_findings(const Selection& selection, std::vector<Finding>& findings);

// The candidate that differs from `word` by the fewest edits; empty when none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace rocdiag
