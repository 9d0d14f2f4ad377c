// SPDX-License-Identifier: MIT
// Facts as JSON: a value as itself, absent as null, unobserved as {"unobserved": reason}.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "rocdiag/facts/facts.h"

namespace rocdiag {

// Leaves out what names an account: users, members of groups.
nlohmann::json facts_as_json(const Facts& facts);

}  // namespace rocdiag
