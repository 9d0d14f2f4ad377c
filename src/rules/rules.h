// SPDX-License-Identifier: MIT
// One pair of functions a domain: its rules, and what its layer amounts to. The list of all is catalogue.cpp.
#pragma once

#include <vector>

#include "rocdiag/rule.h"

namespace rocdiag {

std::vector<Rule> pci_rules();
std::vector<Rule> kfd_rules();
std::vector<Rule> container_rules();

LayerView view_pci(const Facts& facts, const Knowledge& knowledge);
LayerView view_kfd(const Facts& facts, const Knowledge& knowledge);

}  // namespace rocdiag
