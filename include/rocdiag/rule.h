// SPDX-License-Identifier: MIT
// A rule turns facts and knowledge into drafts of findings. Pure: the same facts, the same drafts.
#pragma once

#include <string_view>
#include <vector>

#include "rocdiag/facts/facts.h"
#include "rocdiag/finding.h"

namespace rocdiag {

class Knowledge;

// A missing fact never makes a draft: unobserved is not absent.
struct Rule {
  std::vector<std::string_view> ids;  // what it may say
  std::vector<Draft> (*judge)(const Facts& facts, const Knowledge& knowledge);
};

// Every rule, in the order of the ladder: src/rules/catalogue.cpp.
const std::vector<Rule>& rule_catalogue();

// What a layer's own facts amount to; nothing for a layer that this version does not ask about.
std::optional<LayerView> view_layer(Layer layer, const Facts& facts, const Knowledge& knowledge);

}  // namespace rocdiag
