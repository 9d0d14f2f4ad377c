// SPDX-License-Identifier: MIT
// See README.md here for the questions asked and the privilege they need.
#pragma once

#include <vector>

#include "rocdiag/probe.h"

namespace rocdiag {

std::vector<Question> kfd_questions(const Facts& facts);
void gather_kfd(const Snapshot& snapshot, Facts& facts);

}  // namespace rocdiag
