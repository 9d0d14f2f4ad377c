// SPDX-License-Identifier: MIT
#include "rules/rules.h"

namespace rocdiag {

std::vector<Rule> kfd_rules() { return {}; }

LayerView view_kfd(const Facts&, const Knowledge&) { return {}; }

}  // namespace rocdiag
