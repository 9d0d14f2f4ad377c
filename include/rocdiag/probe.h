// SPDX-License-Identifier: MIT
// A probe says what its layer wants to know and turns answers into facts. It does no I/O and judges nothing.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "rocdiag/facts/facts.h"
#include "rocdiag/layer.h"
#include "rocdiag/question.h"
#include "rocdiag/snapshot.h"

namespace rocdiag {

struct Probe {
  std::string_view name;                // the folder under probes/
  std::optional<Layer> layer;           // which rung it serves; none: every rung
  std::string_view asks;                // one line for `rocdiag list probes`
  std::vector<std::string_view> needs;  // probes whose facts its questions use

  // What to ask, given the facts so far. Called again until it returns nothing that was not asked already.
  std::vector<Question> (*questions)(const Facts& facts);
  // All facts of this probe, anew from the whole snapshot.
  void (*gather)(const Snapshot& snapshot, Facts& facts);
};

// The product on one screen: probes/catalogue.cpp.
const std::vector<Probe>& probe_catalogue();

}  // namespace rocdiag
