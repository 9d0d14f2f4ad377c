// SPDX-License-Identifier: MIT
// Which questions are asked at all, and which in a child because they can block. Pure: it looks at the path alone.
#pragma once

#include <string>

#include "rocdiag/question.h"

namespace rocdiag {

enum class Route {
  refused,
  direct,  // answered from memory or from the local disk
  child,   // may wait for a driver, for hardware or for another process's locks
};

// For a path without pattern characters; never for Ask::run.
Route route_of(Ask ask, const std::string& path);
// True when the part of a pattern before its first wildcard lies in a folder of the allow-list.
bool may_expand(const std::string& pattern);

}  // namespace rocdiag
