// SPDX-License-Identifier: MIT
// From facts to the diagnosis. Pure: the same facts give the same report.
#pragma once

#include <string>
#include <vector>

#include "engine/selection.h"
#include "knowledge/knowledge.h"
#include "rocdiag/report.h"

namespace rocdiag {

// Everything but durations, the source and notes of asking, which the caller knows.
Report judge(const Facts& facts, const Knowledge& knowledge, const Selection& selection);

// The GPUs of this machine, from PCI and KFD together, by PCI address; partitions are nodes of one GPU.
std::vector<GpuReport> gpu_reports(const Facts& facts, const Knowledge& knowledge);

}  // namespace rocdiag
