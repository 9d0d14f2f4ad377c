// SPDX-License-Identifier: MIT
// Cause analysis: which findings are causes, which are their symptoms, and which will bite only after a cure.
#pragma once

#include <vector>

#include "knowledge/knowledge.h"
#include "rocdiag/finding.h"

namespace rocdiag {

// Composes the drafts, merges those with the same key, marks root causes, symptoms and what comes next by the
// `explains` and `after` of the finding texts, and sorts: root causes first, the gravest and most certain first,
// then the lower layer; after them what comes next, then the symptoms.
std::vector<Finding> analyse(const std::vector<Draft>& drafts, const Knowledge& knowledge);

}  // namespace rocdiag
