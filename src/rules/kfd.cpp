// SPDX-License-Identifier: MIT
#include "rules/kfd_rules.h"
#include "rules/rules.h"

namespace rocdiag {
namespace {

using namespace kfd;

// Under WSL there is no KFD by design, so nothing about it is a fault.
template <std::vector<Draft> (*judge)(const Facts&, const Knowledge&)>
std::vector<Draft> unless_wsl(const Facts& facts, const Knowledge& knowledge) {
  if (facts.host.wsl.is(true)) return {};
  return judge(facts, knowledge);
}

}  // namespace

std::vector<Rule> kfd_rules() {
  return {
      {{"kfd.missing"}, unless_wsl<judge_missing>},
      {{"kfd.permission", "kfd.groups-stale", "kfd.udev-rule-missing", "kfd.render-permission"},
       unless_wsl<judge_access>},
      {{"kfd.permission"}, unless_wsl<judge_other_accounts>},
      {{"kfd.wedged-after-rebind"}, unless_wsl<judge_wedged>},
      {{"kfd.render-missing"}, unless_wsl<judge_render_missing>},
      {{"kfd.no-gpu-node", "kfd.gpu-left-out"}, unless_wsl<judge_left_out>},
      {{"kfd.stale-after-unplug"}, unless_wsl<judge_unplugged>},
  };
}

}  // namespace rocdiag
