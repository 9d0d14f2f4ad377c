// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/testing.h"

namespace rocdiag {
namespace {

using testing::facts_of;
using testing::LiteralMachine;

const char* const kHostCgroup = "0::/user.slice/user-1000.slice/session-2.scope\n";

// A host on which every mark was looked for in vain.
LiteralMachine bare() {
  LiteralMachine machine;
  for (const char* path : {"/.dockerenv", "/run/.containerenv", "/.flatpak-info", "/run/systemd/container"})
    machine.error(path, "ENOENT");
  machine.file("/proc/self/cgroup", kHostCgroup).variable("HOME", "/root");
  return machine;
}

std::string kind_of(const LiteralMachine& machine) {
  const auto kind = facts_of(machine).container.kind;
  return kind ? *kind : kind.is_absent() ? "none" : "unobserved";
}

TEST(ContainerKind, IsNoneOnlyWhenEveryMarkWasLookedAt) {
  EXPECT_EQ(kind_of(bare()), "none");
  EXPECT_EQ(kind_of(LiteralMachine().variable("HOME", "/")), "unobserved");
  for (const char* path :
       {"/.dockerenv", "/run/.containerenv", "/.flatpak-info", "/run/systemd/container", "/proc/self/cgroup"})
    EXPECT_EQ(kind_of(bare().error(path, "EACCES")), "unobserved") << path;
  LiteralMachine no_environment;
  for (const char* path : {"/.dockerenv", "/run/.containerenv", "/.flatpak-info", "/run/systemd/container"})
    no_environment.error(path, "ENOENT");
  EXPECT_EQ(kind_of(no_environment.file("/proc/self/cgroup", kHostCgroup)), "unobserved");
}

TEST(ContainerKind, IsNamedByTheMarkOfItsEngine) {
  EXPECT_EQ(kind_of(LiteralMachine().file("/.dockerenv", "")), "docker");
  EXPECT_EQ(kind_of(LiteralMachine().file("/run/.containerenv", "engine=\"podman-4.9.3\"\n")), "podman");
  EXPECT_EQ(kind_of(LiteralMachine().file("/run/systemd/container", "lxc\n")), "lxc");
  EXPECT_EQ(kind_of(LiteralMachine().file("/run/systemd/container", "rkt\n")), "other");
  EXPECT_EQ(kind_of(LiteralMachine().file("/.flatpak-info", "[Application]\n")), "flatpak");
  EXPECT_EQ(kind_of(LiteralMachine().variable("container", "firejail")), "firejail");
  EXPECT_EQ(kind_of(LiteralMachine().variable("KUBERNETES_SERVICE_HOST", "10.0.0.1")), "kubernetes");
  EXPECT_EQ(kind_of(LiteralMachine().variable("SINGULARITY_CONTAINER", "/x.sif")), "apptainer");
  EXPECT_EQ(kind_of(LiteralMachine().file("/run/.containerenv", "").variable("TOOLBOX_PATH", "/usr/bin/toolbox")),
            "toolbox");
}

TEST(ContainerKind, IsReadOffTheCgroupPath) {
  const auto by_cgroup = [](const char* text) { return kind_of(bare().file("/proc/self/cgroup", text)); };
  EXPECT_EQ(by_cgroup("12:devices:/docker/0123\n0::/docker/0123\n"), "docker");
  EXPECT_EQ(by_cgroup("0::/system.slice/docker-0123.scope\n"), "docker");
  EXPECT_EQ(by_cgroup("0::/kubepods.slice/cri-containerd-0000.scope\n"), "kubernetes");
  EXPECT_EQ(by_cgroup("0::/.lxc\n"), "lxc");
  EXPECT_EQ(by_cgroup("0::/system.slice/docker.service\n"), "none");  // the engine on the host
  EXPECT_EQ(by_cgroup("0::/\n"), "unobserved");                       // a cgroup namespace hides the rest
  EXPECT_EQ(by_cgroup(""), "unobserved");
}

TEST(ContainerKind, StaysOpenUnderASnap) { EXPECT_EQ(kind_of(bare().variable("SNAP", "/snap/code/1")), "unobserved"); }

TEST(ContainerUserNamespace, IsAMapThatIsNotTheIdentity) {
  const std::string identity = "         0          0 4294967295\n";
  const std::string mapped = "         0       1000          1\n         1     100000      65536\n";
  const auto fact = [](const std::string& uids, const std::string& gids) {
    return facts_of(LiteralMachine().file("/proc/self/uid_map", uids).file("/proc/self/gid_map", gids))
        .container.user_namespace;
  };
  EXPECT_TRUE(fact(identity, identity).is(false));
  EXPECT_TRUE(fact(mapped, identity).is(true));
  EXPECT_TRUE(fact(identity, mapped).is(true));
  EXPECT_TRUE(fact("garbage", identity).is_unobserved());
  EXPECT_TRUE(facts_of(LiteralMachine()).container.user_namespace.is_unobserved());
}

TEST(ContainerJob, KnowsASlurmJobAndWhetherItWasGivenGpus) {
  const auto job = facts_of(LiteralMachine().variable("SLURM_JOB_ID", "17")).container;
  EXPECT_TRUE(job.scheduler.is("slurm"));
  EXPECT_TRUE(job.job_gpus.is_absent());
  const auto with = facts_of(LiteralMachine().variable("SLURM_JOB_ID", "17").variable("SLURM_JOB_GPUS", "0")).container;
  EXPECT_TRUE(with.job_gpus.is("SLURM_JOB_GPUS"));
  EXPECT_TRUE(facts_of(bare()).container.scheduler.is_absent());
  EXPECT_TRUE(facts_of(LiteralMachine()).container.job_gpus.is_unobserved());
}

}  // namespace
}  // namespace rocdiag
