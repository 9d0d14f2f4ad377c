// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "rules/container_rules.h"
#include "rules/rules.h"

namespace rocdiag {
namespace container {

bool is_sandbox(const std::string& kind) { return kind == "firejail" || kind == "flatpak"; }

std::string variant_of(const std::string& kind) {
  if (kind == "docker") return "";  // the plain texts
  if (kind == "podman" || kind == "kubernetes" || kind == "lxc" || kind == "apptainer") return kind;
  if (kind == "toolbox" || kind == "distrobox" || is_sandbox(kind)) return kind;
  return "other";
}

std::string in_words(const std::string& kind) {
  if (kind == "other") return "a container";
  return fmt::format("{} {} {}", kind == "apptainer" ? "an" : "a", kind, is_sandbox(kind) ? "sandbox" : "container");
}

Draft draft_inside(const std::string& id, const ContainerFacts& container) {
  Draft draft;
  draft.id = id;
  if (!container.kind) return draft;
  draft.variant = variant_of(*container.kind);
  draft.values["place"] = in_words(*container.kind);
  draft.evidence.push_back({container.kind.where().source, container.kind.where().line,
                            fmt::format("this process runs in {}", in_words(*container.kind))});
  return draft;
}

}  // namespace container

std::vector<Rule> container_rules() {
  using namespace container;
  return {
      {{"container.rootless-groups", "container.group-mismatch", "container.lxc-devices"}, judge_owners},
      {{"container.kfd-not-passed", "container.sandbox"}, judge_kfd_not_passed},
      {{"container.dri-not-passed", "container.rootless-device-subset"}, judge_dri_not_passed},
      {{"container.device-cgroup", "container.job-without-gpu", "container.lxc-devices", "container.sandbox"},
       judge_forbidden},
  };
}

}  // namespace rocdiag
