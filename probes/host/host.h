// SPDX-License-Identifier: MIT
// Which machine is this, and who asks? Context for every layer.
#pragma once

#include <vector>

#include "rocdiag/probe.h"

namespace rocdiag {

std::vector<Question> host_questions(const Facts& facts);
void gather_host(const Snapshot& snapshot, Facts& facts);

}  // namespace rocdiag
