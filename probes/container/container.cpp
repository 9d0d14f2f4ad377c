// SPDX-License-Identifier: MIT
// Is this process in a container, a sandbox, a user namespace or a batch job? Needs no privilege; asks nothing of a
// device or of a container engine.
//   /run/.containerenv: engine="podman-4.9.3"
//   /proc/self/cgroup: 0::/kubepods.slice/kubepods-burstable.slice/cri-containerd-0000.scope
#include "probes/container/container.h"

#include <algorithm>
#include <array>

#include "readers/text.h"

namespace rocdiag {
namespace {

using Kind = Observed<std::string>;

constexpr const char* kDockerMark = "/.dockerenv";
constexpr const char* kPodmanMark = "/run/.containerenv";
constexpr const char* kFlatpakMark = "/.flatpak-info";
constexpr const char* kSystemdMark = "/run/systemd/container";
constexpr const char* kCgroup = "/proc/self/cgroup";
constexpr const char* kUidMap = "/proc/self/uid_map";
constexpr const char* kGidMap = "/proc/self/gid_map";
constexpr const char* kDri = "/dev/dri";

struct Mark {
  const char* what;  // a variable, or a part of a cgroup path
  const char* kind;
};
constexpr std::array kVariables{Mark{"TOOLBOX_PATH", "toolbox"},
                                Mark{"DISTROBOX_ENTER_PATH", "distrobox"},
                                Mark{"FLATPAK_ID", "flatpak"},
                                Mark{"APPTAINER_CONTAINER", "apptainer"},
                                Mark{"SINGULARITY_CONTAINER", "apptainer"},
                                Mark{"KUBERNETES_SERVICE_HOST", "kubernetes"}};
// "docker-": not "docker.service", which is the engine itself on the host.
constexpr std::array kCgroupParts{
    Mark{"kubepods", "kubernetes"}, Mark{"/docker/", "docker"},  Mark{"/docker-", "docker"}, Mark{"/libpod-", "podman"},
    Mark{"/lxc/", "lxc"},           Mark{"/lxc.payload", "lxc"}, Mark{"/.lxc", "lxc"}};
// Names that an engine gives itself, in $container or /run/systemd/container.
constexpr std::array kEngines{Mark{"docker", "docker"},
                              Mark{"podman", "podman"},
                              Mark{"lxc", "lxc"},
                              Mark{"lxc-libvirt", "lxc"},
                              Mark{"firejail", "firejail"},
                              Mark{"flatpak", "flatpak"},
                              Mark{"kubernetes", "kubernetes"},
                              Mark{"systemd-nspawn", "systemd-nspawn"}};
// Any of them says that the job was given GPUs.
constexpr std::array kJobGpus{"SLURM_JOB_GPUS",      "SLURM_STEP_GPUS",     "SLURM_GPUS",          "SLURM_GPUS_ON_NODE",
                              "SLURM_GPUS_PER_NODE", "SLURM_GPUS_PER_TASK", "ROCR_VISIBLE_DEVICES"};

Where in_environment(const char* name) { return {std::string("environment: ") + name, 0}; }

// The variable's name with `kind` where it is set to something.
Kind by_variable(const Snapshot& snapshot, const char* name, const char* kind) {
  const auto value = snapshot.variable(name);
  if (value && !value->empty()) return Kind::of(kind, in_environment(name));
  return value.is_unobserved() ? Kind::unobserved(value.reason(), in_environment(name))
                               : Kind::absent(in_environment(name));
}

std::string engine_kind(const std::string& name) {
  const auto it = std::find_if(kEngines.begin(), kEngines.end(), [&](const Mark& mark) { return name == mark.what; });
  return it == kEngines.end() ? "other" : it->kind;
}

Kind by_container_variable(const Snapshot& snapshot) {
  const auto value = snapshot.variable("container");
  const Where where = in_environment("container");
  if (value && !value->empty()) return Kind::of(engine_kind(*value), where);
  return value.is_unobserved() ? Kind::unobserved(value.reason(), where) : Kind::absent(where);
}

Kind by_file(const Snapshot& snapshot, const char* path, const char* kind) {
  const auto content = snapshot.read(path);
  return content ? Kind::of(kind, {path, 0}) : from_error<std::string>(content.error(), {path, 0});
}

Kind by_systemd(const Snapshot& snapshot) {
  return observe<std::string>(snapshot.read(kSystemdMark), {kSystemdMark, 0},
                              [](const std::string& text) { return std::optional(engine_kind(trim(text))); });
}

std::string cgroup_path(const std::string& line) {
  const std::size_t first = line.find(':');
  const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
  return second == std::string::npos ? "" : line.substr(second + 1);
}

Kind by_cgroup(const Snapshot& snapshot) {
  const Where where{kCgroup, 0};
  const auto content = snapshot.read(kCgroup);
  if (!content) return Kind::unobserved(describe(content.error()), where);
  bool below_root = false;
  int number = 0;
  for (const std::string& line : split_lines(*content)) {
    ++number;
    const std::string path = cgroup_path(line);
    below_root = below_root || path.size() > 1;
    for (const Mark& mark : kCgroupParts)
      if (path.find(mark.what) != std::string::npos) return Kind::of(mark.kind, {kCgroup, number});
  }
  // A host runs its processes in slices. At the root, a cgroup namespace hides the path that would name a container.
  return below_root ? Kind::absent(where) : Kind::unobserved("the cgroup path is hidden or not in use", where);
}

// A program started from a snap inherits the variable without its confinement, so it proves neither.
Kind by_snap(const Snapshot& snapshot) {
  const Kind snap = by_variable(snapshot, "SNAP", "snap");
  return snap ? Kind::unobserved("SNAP is set: a snap, or a program started from one", snap.where()) : snap;
}

// The most telling mark first: a toolbox is a podman container too.
Kind gather_kind(const Snapshot& snapshot) {
  std::vector<Kind> marks;
  for (const Mark& mark : kVariables) marks.push_back(by_variable(snapshot, mark.what, mark.kind));
  marks.push_back(by_container_variable(snapshot));
  marks.push_back(by_file(snapshot, kFlatpakMark, "flatpak"));
  marks.push_back(by_file(snapshot, kPodmanMark, "podman"));
  marks.push_back(by_file(snapshot, kDockerMark, "docker"));
  marks.push_back(by_systemd(snapshot));
  marks.push_back(by_cgroup(snapshot));
  marks.push_back(by_snap(snapshot));
  for (const Kind& mark : marks)
    if (mark) return mark;
  for (const Kind& mark : marks)
    if (mark.is_unobserved()) return mark;
  return Kind::absent({"container markers", 0});
}

// "         0          0 4294967295": every id is itself.
Observed<bool> is_mapped(const Snapshot& snapshot, const char* path) {
  return observe<bool>(snapshot.read(path), {path, 0}, [](const std::string& text) -> std::optional<bool> {
    const auto words = split_words(text);
    if (words.empty() || words.size() % 3 != 0) return std::nullopt;
    return words != std::vector<std::string>{"0", "0", "4294967295"};
  });
}

Observed<bool> gather_user_namespace(const Snapshot& snapshot) {
  auto uids = is_mapped(snapshot, kUidMap);
  if (uids.is(true)) return uids;
  auto gids = is_mapped(snapshot, kGidMap);
  if (gids.is(true) || uids) return gids;
  return uids;
}

Observed<std::string> gather_job_gpus(const Snapshot& snapshot) {
  Observed<std::string> none = Observed<std::string>::absent({"environment", 0});
  for (const char* name : kJobGpus) {
    const auto value = snapshot.variable(name);
    if (value && !value->empty()) return Observed<std::string>::of(name, in_environment(name));
    if (value.is_unobserved()) none = Observed<std::string>::unobserved(value.reason(), in_environment(name));
  }
  return none;
}

}  // namespace

std::vector<Question> container_questions(const Facts&) {
  return {read_file(kDockerMark), read_file(kPodmanMark), read_file(kFlatpakMark), read_file(kSystemdMark),
          read_file(kCgroup),     read_file(kUidMap),     read_file(kGidMap),      list_folder(kDri)};
}

void gather_container(const Snapshot& snapshot, Facts& facts) {
  ContainerFacts& container = facts.container;
  container.kind = gather_kind(snapshot);
  container.user_namespace = gather_user_namespace(snapshot);
  container.scheduler = by_variable(snapshot, "SLURM_JOB_ID", "slurm");
  container.job_gpus = gather_job_gpus(snapshot);
  container.dri = observe<std::vector<std::string>>(
      snapshot.list(kDri), {kDri, 0}, [](const std::vector<std::string>& names) { return std::optional(names); });
}

}  // namespace rocdiag
