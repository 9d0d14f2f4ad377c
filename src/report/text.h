// SPDX-License-Identifier: MIT
// The report as a person reads it: the ladder at a glance, one cause, one thing to do.
#pragma once

#include <cstddef>
#include <string>

#include "rocdiag/report.h"

namespace rocdiag {

struct TextStyle {
  std::size_t width = 80;  // columns; at least 40 are used
  bool colour = false;     // only the signs and ids
  bool unicode = true;     // else ASCII signs
};

std::string report_as_text(const Report& report, const TextStyle& style);

}  // namespace rocdiag
