// SPDX-License-Identifier: MIT
// See README.md here for the questions asked and the privilege they need.
#pragma once

#include <vector>

#include "rocdiag/probe.h"

namespace rocdiag {

std::vector<Question> pci_questions(const Facts& facts);
void gather_pci(const Snapshot& snapshot, Facts& facts);

}  // namespace rocdiag
