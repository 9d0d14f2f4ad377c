// SPDX-License-Identifier: MIT
#include "rules/rules.h"

namespace rocdiag {

const std::vector<Rule>& rule_catalogue() {
  static const std::vector<Rule> rules = [] {
    std::vector<Rule> all;
    for (const auto& domain : {pci_rules(), kfd_rules(), container_rules()})
      all.insert(all.end(), domain.begin(), domain.end());
    return all;
  }();
  return rules;
}

std::optional<LayerView> view_layer(Layer layer, const Facts& facts, const Knowledge& knowledge) {
  switch (layer) {
    case Layer::pci:
      return view_pci(facts, knowledge);
    case Layer::kfd:
      return view_kfd(facts, knowledge);
    default:
      return std::nullopt;  // not asked about by this version
  }
}

}  // namespace rocdiag
