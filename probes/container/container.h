// SPDX-License-Identifier: MIT
// What stands between this process and the host's devices? Serves the layer kfd.
#pragma once

#include <vector>

#include "rocdiag/probe.h"

namespace rocdiag {

std::vector<Question> container_questions(const Facts& facts);
void gather_container(const Snapshot& snapshot, Facts& facts);

}  // namespace rocdiag
