// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/container_rules.h"
#include "testing/kfd_machine.h"

namespace rocdiag {
namespace {

using namespace testing::kfd;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const auto kGone = Observed<std::string>::absent();

// What the rules of this domain and of kfd say together.
Names all_keys(const Facts& facts) { return testing::ids_of(testing::drafts_for(facts)); }

Finding told(const Facts& facts, const std::string& id) {
  const auto draft = testing::draft_with_id(testing::drafts_for(facts), id);
  EXPECT_TRUE(draft) << id;
  return draft ? compose(*draft, *Knowledge::embedded().finding(draft->id)) : Finding{};
}

std::string remedies_of(const Finding& finding) {
  std::string all;
  for (const Remedy& remedy : finding.remedies) {
    all += remedy.summary + "\n";
    for (const std::string& command : remedy.commands) all += command + "\n";
  }
  return all;
}

Facts inside(const std::string& kind) {
  Facts facts = healthy();
  facts.container.kind = seen(kind, "/mark");
  facts.container.user_namespace = seen(false, "/proc/self/uid_map");
  facts.container.scheduler = kGone;
  facts.container.job_gpus = kGone;
  facts.container.dri = seen(Names{"card1", "renderD128"}, "/dev/dri");
  return facts;
}

Facts without_kfd(const std::string& kind) {
  Facts facts = inside(kind);
  facts.kfd.kfd.open = facts.kfd.kfd.type = kGone;
  return facts;
}

Facts without_dri(const std::string& kind) {
  Facts facts = inside(kind);
  facts.container.dri = Observed<Names>::absent();
  facts.kfd.render_nodes[0].open = facts.kfd.render_nodes[0].type = kGone;
  return facts;
}

// Refused by a group that the account does not hold.
Facts refused(const std::string& kind, std::uint32_t gid, bool named = false) {
  Facts facts = inside(kind);
  facts.kfd.account.groups = facts.kfd.account.database_groups = seen(Gids{1000});
  for (DeviceNode* node : {&facts.kfd.kfd, &facts.kfd.render_nodes[0]}) {
    node->gid = seen(gid);
    node->group_name = named ? text("render") : kGone;
    node->open = text("EACCES");
  }
  return facts;
}

Facts unmapped(const std::string& kind) {
  Facts facts = refused(kind, 65534, true);
  facts.kfd.kfd.uid = facts.kfd.render_nodes[0].uid = seen(65534U);
  facts.container.user_namespace = seen(true, "/proc/self/uid_map");
  return facts;
}

Facts all_hidden(Facts facts) {
  facts.kfd.nodes[1] = KfdNode{};
  facts.kfd.nodes[1].id = 1;
  facts.kfd.nodes[1].hidden = true;
  return facts;
}

Facts forbidden(const std::string& kind) {
  Facts facts = inside(kind);
  facts.kfd.kfd.open = text("EPERM");
  return facts;
}

Facts in_job(Facts facts) {
  facts.container.scheduler = text("slurm");
  return facts;
}

std::vector<Facts> broken_containers() {
  std::vector<Facts> machines;
  for (const char* kind : {"docker", "podman", "kubernetes", "lxc", "apptainer", "toolbox", "distrobox", "firejail",
                           "flatpak", "systemd-nspawn", "other"})
    for (const Facts& facts : {without_kfd(kind), without_dri(kind), forbidden(kind), unmapped(kind),
                               refused(kind, 106), all_hidden(inside(kind)), in_job(forbidden(kind))})
      machines.push_back(facts);
  return machines;
}

TEST(Container, AHealthyOneSaysNothing) {
  for (const char* kind : {"docker", "podman", "lxc", "apptainer", "firejail"})
    EXPECT_THAT(all_keys(inside(kind)), IsEmpty()) << kind;
}

TEST(Container, KfdThatTheHostHasAndTheContainerNotWasNotPassedIn) {
  EXPECT_THAT(all_keys(without_kfd("docker")), ElementsAre("container.kfd-not-passed"));
  EXPECT_THAT(remedies_of(told(without_kfd("docker"), "container.kfd-not-passed")),
              HasSubstr("--device=/dev/kfd --device=/dev/dri"));
  EXPECT_THAT(remedies_of(told(without_kfd("podman"), "container.kfd-not-passed")), HasSubstr("keep-groups"));
  EXPECT_THAT(remedies_of(told(without_kfd("lxc"), "container.kfd-not-passed")), HasSubstr("lxc.mount.entry"));
  EXPECT_THAT(remedies_of(told(without_kfd("apptainer"), "container.kfd-not-passed")), HasSubstr("--rocm"));
}

TEST(Container, KfdIsNotCalledUnpassedWithoutItsMarks) {
  Facts no_driver = without_kfd("docker");
  no_driver.kfd.driver_present = Observed<bool>::absent({"/sys/class/kfd/kfd", 0});
  EXPECT_THAT(all_keys(no_driver), ElementsAre("kfd.missing"));  // the host's kernel has none either
  Facts unseen_driver = without_kfd("docker");
  unseen_driver.kfd.driver_present = {};
  Facts unseen_mark = without_kfd("docker");
  unseen_mark.container.kind = {};
  Facts no_gpu = cpu_nodes_only();
  no_gpu.container = inside("docker").container;
  no_gpu.pci.gpus.clear();
  no_gpu.kfd.kfd.open = kGone;
  Facts wsl = without_kfd("docker");
  wsl.host.wsl = seen(true);
  for (const Facts& facts : {unseen_driver, unseen_mark, wsl}) EXPECT_THAT(all_keys(facts), IsEmpty());
  EXPECT_THAT(all_keys(no_gpu), Not(::testing::Contains("container.kfd-not-passed")));
}

TEST(Container, ALostNodeOutsideOfContainersIsNoContainersDoing) {
  Facts facts = without_kfd("docker");
  facts.container.kind = Observed<std::string>::absent();
  EXPECT_THAT(all_keys(facts), ElementsAre("kfd.missing"));
  EXPECT_THAT(told(facts, "kfd.missing").title, HasSubstr("runs KFD"));
}

TEST(Container, ALostRenderNodeOutsideOfContainersIsToldAsMissing) {
  Facts facts = without_dri("docker");
  facts.container.kind = kGone;
  EXPECT_THAT(all_keys(facts), ElementsAre("kfd.render-missing@0000:03:00.0"));
  EXPECT_THAT(told(facts, "kfd.render-missing").title, HasSubstr("/dev/dri/renderD128"));
  Facts unseen = facts;
  unseen.container.dri = {};
  EXPECT_THAT(all_keys(unseen), IsEmpty());
  Facts unknown_place = facts;
  unknown_place.container.kind = {};
  EXPECT_THAT(all_keys(unknown_place), IsEmpty());
}

TEST(Container, KfdWithoutARenderNodeIsHalfAGpu) {
  EXPECT_THAT(all_keys(without_dri("docker")), ElementsAre("container.dri-not-passed"));
  EXPECT_THAT(all_keys(all_hidden(without_dri("docker"))), ElementsAre("container.dri-not-passed"));
  Facts unseen = without_dri("docker");
  unseen.container.dri = {};
  EXPECT_THAT(all_keys(unseen), IsEmpty());
  Facts neither = without_dri("docker");
  neither.kfd.kfd.open = kGone;
  EXPECT_THAT(all_keys(neither), ElementsAre("container.kfd-not-passed"));
}

TEST(Container, AHostWithoutRenderNodesPassesNoneIn) {
  Facts facts = without_dri("docker");
  facts.pci.gpus[0].drm_nodes = seen(Names{});
  facts.kfd.nodes[1].render_minor = Observed<int>::absent();
  facts.kfd.render_nodes.clear();
  EXPECT_THAT(all_keys(facts), ElementsAre("kfd.render-missing@0000:03:00.0"));
}

TEST(Container, SomeRenderNodesOfTheGpusThatKfdShowsAreASubset) {
  Facts facts = inside("podman");
  facts.pci.gpus.push_back(pci_gpu("0000:04:00.0", "1002:73df", {"renderD129"}));
  facts.kfd.nodes.push_back(kfd_node(2, 80, "0000:04:00.0", 129));
  EXPECT_THAT(all_keys(facts), ElementsAre("container.rootless-device-subset"));
  facts.kfd.nodes[2].hidden = true;  // a device cgroup hides the other: a clean share
  EXPECT_THAT(all_keys(facts), IsEmpty());
}

TEST(Container, EpermIsTheDeviceCgroup) {
  EXPECT_THAT(all_keys(forbidden("docker")), ElementsAre("container.device-cgroup"));
  EXPECT_THAT(all_keys(all_hidden(inside("kubernetes"))), ElementsAre("container.device-cgroup"));
  Facts render = inside("docker");
  render.kfd.render_nodes[0].open = text("EPERM");
  EXPECT_THAT(all_keys(render), ElementsAre("container.device-cgroup"));
  EXPECT_THAT(all_keys(forbidden("lxc")), ElementsAre("container.lxc-devices"));
  EXPECT_THAT(remedies_of(told(forbidden("lxc"), "container.lxc-devices")), HasSubstr("lxc.cgroup2.devices.allow"));
  EXPECT_THAT(all_keys(forbidden("flatpak")), ElementsAre("container.sandbox"));
}

TEST(Container, EpermWithoutAContainerOrAJobNamesNoCause) {
  Facts facts = forbidden("docker");
  for (const auto& kind : {kGone, Observed<std::string>{}}) {
    facts.container.kind = kind;
    EXPECT_THAT(all_keys(facts), IsEmpty());
    EXPECT_THAT(all_keys(all_hidden(facts)), IsEmpty());
  }
}

TEST(Container, AShareOfTheGpusIsNoFault) {
  Facts facts = inside("docker");
  facts.pci.gpus.push_back(pci_gpu("0000:04:00.0", "1002:73df", {"renderD129"}));
  KfdNode hidden;
  hidden.id = 2;
  hidden.hidden = true;
  facts.kfd.nodes.push_back(hidden);
  facts.kfd.render_nodes.push_back(device("/dev/dri/renderD129", 0660, 992, "render"));
  facts.kfd.render_nodes[1].open = text("EPERM");
  facts.container.dri = seen(Names{"renderD128", "renderD129"});
  EXPECT_THAT(all_keys(facts), IsEmpty());
  facts = in_job(facts);
  facts.container.kind = kGone;
  EXPECT_THAT(all_keys(facts), IsEmpty());
}

TEST(Container, AJobThatWasGivenNoGpuHasNone) {
  Facts facts = in_job(all_hidden(inside("docker")));
  facts.container.kind = kGone;
  EXPECT_THAT(all_keys(facts), ElementsAre("container.job-without-gpu"));
  facts.container.kind = text("apptainer");  // a container in the job hides nothing more
  EXPECT_THAT(all_keys(facts), ElementsAre("container.job-without-gpu"));
  EXPECT_THAT(remedies_of(told(facts, "container.job-without-gpu")), HasSubstr("--gres=gpu:1"));
  facts.container.job_gpus = text("SLURM_JOB_GPUS");
  EXPECT_THAT(all_keys(facts), ElementsAre("container.device-cgroup"));
  EXPECT_THAT(told(facts, "container.device-cgroup").title, HasSubstr("this job"));
  facts.container.job_gpus = {};  // the environment was not seen whole
  EXPECT_THAT(told(facts, "container.device-cgroup").title, HasSubstr("this container"));
  facts.container.kind = kGone;
  EXPECT_THAT(all_keys(facts), IsEmpty());
  EXPECT_THAT(all_keys(in_job(inside("apptainer"))), IsEmpty());
}

TEST(Container, AnUnmappedGroupIsTheUserNamespaces) {
  EXPECT_THAT(all_keys(unmapped("podman")), ElementsAre("container.rootless-groups"));
  EXPECT_THAT(all_keys(unmapped("distrobox")), ElementsAre("container.rootless-groups"));
  EXPECT_THAT(remedies_of(told(unmapped("podman"), "container.rootless-groups")), HasSubstr("crun"));
  EXPECT_THAT(all_keys(unmapped("lxc")), ElementsAre("container.lxc-devices"));
  EXPECT_THAT(all_keys(unmapped("apptainer")), IsEmpty());  // it keeps the groups of its user
  Facts root = unmapped("podman");
  root.kfd.account.uid = seen(0U);
  EXPECT_THAT(all_keys(root), ElementsAre("container.rootless-groups"));  // root inside is nobody outside
}

TEST(Container, AKeptGroupOrANodeThatOpensIsNoMatterOfTheNamespace) {
  Facts kept = unmapped("podman");
  kept.kfd.account.groups = seen(Gids{1000, 65534});
  EXPECT_THAT(all_keys(kept), IsEmpty());
  Facts opens = unmapped("podman");
  opens.kfd.kfd.open = opens.kfd.render_nodes[0].open = text("ok");
  EXPECT_THAT(all_keys(opens), IsEmpty());
  Facts outside = unmapped("podman");
  outside.container.kind = kGone;
  EXPECT_THAT(all_keys(outside), IsEmpty());
}

TEST(Container, AGroupOfTheHostIsAddedByItsNumber) {
  for (const bool named : {false, true})
    for (const char* kind : {"docker", "podman", "kubernetes"})
      EXPECT_THAT(all_keys(refused(kind, 106, named)), ElementsAre("container.group-mismatch")) << kind << named;
  EXPECT_THAT(remedies_of(told(refused("docker", 106), "container.group-mismatch")), HasSubstr("--group-add 106"));
  EXPECT_THAT(remedies_of(told(refused("kubernetes", 106), "container.group-mismatch")),
              HasSubstr("supplementalGroups: [106]"));
  Facts unseen = refused("docker", 106);
  unseen.container.user_namespace = {};  // a number that is mapped says enough
  EXPECT_THAT(all_keys(unseen), ElementsAre("container.group-mismatch"));
}

TEST(Container, AGroupIsNoMismatchWhereSomethingElseRefuses) {
  Facts mapped = refused("docker", 106);
  mapped.container.user_namespace = seen(true);
  Facts root_group = refused("docker", 0);
  Facts outside = refused("docker", 106);
  outside.container.kind = kGone;
  Facts own_groups = refused("apptainer", 106);
  Facts member = refused("docker", 106);
  member.kfd.account.groups = seen(Gids{106});  // an ACL or a security module
  for (const Facts& facts : {mapped, root_group, outside, own_groups, member}) EXPECT_THAT(all_keys(facts), IsEmpty());
  Facts closed = refused("docker", 106, true);
  closed.kfd.kfd.mode = closed.kfd.render_nodes[0].mode = seen(0600U);
  EXPECT_THAT(all_keys(closed), ElementsAre("kfd.udev-rule-missing"));
}

TEST(Container, LxcGivesANodeToTheWrongOwner) {
  EXPECT_THAT(all_keys(refused("lxc", 106)), ElementsAre("container.lxc-devices"));
  EXPECT_THAT(all_keys(refused("lxc", 0, true)), ElementsAre("container.lxc-devices"));
  Facts video = refused("lxc", 44, true);  // in render, and the node was given to video
  video.kfd.kfd.group_name = text("video");
  video.kfd.account.groups = video.kfd.account.database_groups = seen(Gids{992, 1000});
  EXPECT_THAT(all_keys(video), ElementsAre("container.lxc-devices"));
  Facts plain = not_a_member();  // a container set up well, and an account outside the group
  plain.container = inside("lxc").container;
  EXPECT_THAT(all_keys(plain), ElementsAre("kfd.permission"));
}

TEST(Container, ASandboxHidesTheNodes) {
  EXPECT_THAT(all_keys(without_kfd("firejail")), ElementsAre("container.sandbox"));
  EXPECT_THAT(remedies_of(told(without_kfd("firejail"), "container.sandbox")), HasSubstr("private-dev"));
  EXPECT_THAT(remedies_of(told(without_kfd("flatpak"), "container.sandbox")), HasSubstr("--device=all"));
}

TEST(Container, UnderWslNothingOfThisIsAFault) {
  for (Facts& facts : broken_containers()) {
    facts.host.wsl = seen(true);
    EXPECT_THAT(all_keys(facts), IsEmpty());
  }
}

TEST(Container, EveryFindingHasWordsWithoutGaps) {
  for (const Facts& facts : broken_containers()) {
    for (const Draft& draft : testing::drafts_for(facts)) {
      const Finding finding = compose(draft, *Knowledge::embedded().finding(draft.id));
      SCOPED_TRACE(draft.id + " " + draft.variant);
      EXPECT_FALSE(finding.remedies.empty());
      EXPECT_THAT(finding.title + finding.detail + remedies_of(finding), Not(HasSubstr("{")));
    }
  }
}

}  // namespace
}  // namespace rocdiag
