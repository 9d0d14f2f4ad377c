// SPDX-License-Identifier: MIT
// The report as `rocdiag.report/1` (docs/report.schema.json).
#pragma once

#include <string>

#include "rocdiag/report.h"

namespace rocdiag {

// Pretty-printed with a final newline. Bytes that are not UTF-8 are replaced, so it is always valid JSON.
// Names no account: a report is made to be shared.
std::string report_as_json(const Report& report, const std::string& knowledge_version);

}  // namespace rocdiag
