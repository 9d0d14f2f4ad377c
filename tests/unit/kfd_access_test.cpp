// SPDX-License-Identifier: MIT
// Who may open /dev/kfd and the render nodes, and what keeps the rules silent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/kfd_machine.h"

namespace rocdiag {
namespace {

using namespace testing::kfd;
using ::testing::AllOf;
using testing::draft_with_id;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(KfdAccess, AHealthyMachineGivesNoFinding) {
  EXPECT_THAT(keys(healthy()), IsEmpty());
  EXPECT_EQ(view(healthy()).status, LayerStatus::pass);
  EXPECT_EQ(view(healthy()).summary, "/dev/kfd, renderD128 open");
}

TEST(KfdAccess, NothingSeenGivesNoFindingAndNoPass) {
  EXPECT_THAT(keys(Facts{}), IsEmpty());
  EXPECT_EQ(view(Facts{}).status, LayerStatus::unknown);
}

TEST(KfdAccess, NamesAMissingMembershipWithCommandAndUndo) {
  const Finding finding = only_finding(not_a_member());
  EXPECT_EQ(finding.id, "kfd.permission");
  EXPECT_EQ(finding.title, "This account may not open /dev/kfd");
  EXPECT_EQ(finding.detail,
            "/dev/kfd is root:render 0660, /dev/dri/renderD128 is root:render 0660; this process is in groups sudo, "
            "video.");
  ASSERT_EQ(finding.remedies.size(), 1U);
  EXPECT_THAT(finding.remedies[0].commands, ElementsAre("sudo usermod -aG render $USER"));
  EXPECT_THAT(finding.remedies[0].undo, ElementsAre("sudo gpasswd -d $USER render"));
  EXPECT_THAT(finding.remedies[0].needs, ElementsAre("root", "relogin"));
}

TEST(KfdAccess, TellsAStaleLoginFromAMissingMembership) {
  const Finding finding = only_finding(stale_login());
  EXPECT_EQ(finding.id, "kfd.groups-stale");
  EXPECT_EQ(finding.confidence, Confidence::confirmed);
  std::string said;
  for (const Remedy& remedy : finding.remedies) {
    said += remedy.summary;
    for (const std::string& command : remedy.commands) said += command;
  }
  EXPECT_THAT(said, AllOf(HasSubstr("Log out"), HasSubstr("log in again"), HasSubstr("newgrp"), HasSubstr("reboot"),
                          HasSubstr("sg render -c 'rocdiag check'"), Not(HasSubstr("usermod"))));
}

TEST(KfdAccess, AnUnseenDatabaseLeavesBothPossibilitiesOpen) {
  Facts facts = not_a_member();
  facts.kfd.account.database_groups = Observed<Gids>::unobserved("not recorded");
  const Finding finding = only_finding(facts);
  EXPECT_EQ(finding.id, "kfd.permission");
  EXPECT_EQ(finding.confidence, Confidence::likely);
  EXPECT_THAT(finding.detail, HasSubstr("either"));
  EXPECT_EQ(finding.remedies.front().kind, "look");
}

TEST(KfdAccess, WithoutTheGroupsOfTheProcessItSaysNothing) {
  Facts facts = not_a_member();
  facts.kfd.account.groups = Observed<Gids>::unobserved("not recorded");
  EXPECT_THAT(keys(facts), IsEmpty());
}

TEST(KfdAccess, WithoutModeOrGroupOfTheNodeItSaysNothing) {
  Facts facts = not_a_member();
  facts.kfd.render_nodes.clear();
  facts.kfd.kfd.mode = {};
  EXPECT_THAT(keys(facts), IsEmpty());
  facts = not_a_member();
  facts.kfd.render_nodes.clear();
  facts.kfd.kfd.gid = {};
  EXPECT_THAT(keys(facts), IsEmpty());
}

TEST(KfdAccess, WhereOwnerAndModeWouldAllowItTheCauseIsAnother) {
  Facts member = not_a_member();  // an LSM, or an ACL
  member.kfd.account.groups = seen(Gids{992, 1000});
  EXPECT_THAT(keys(member), IsEmpty());
  Facts everyone = not_a_member();
  everyone.kfd.kfd.mode = everyone.kfd.render_nodes[0].mode = seen(0666U);
  EXPECT_THAT(keys(everyone), IsEmpty());
  Facts owner = not_a_member();
  owner.kfd.kfd.uid = owner.kfd.render_nodes[0].uid = seen(1000U);
  EXPECT_THAT(keys(owner), IsEmpty());
  Facts root = not_a_member();
  root.kfd.account.uid = seen(0U);
  EXPECT_THAT(keys(root), IsEmpty());
}

TEST(KfdAccess, AUserNamespaceIsNoMatterOfMembership) {
  for (const bool group : {false, true}) {
    Facts facts = not_a_member();
    for (DeviceNode* node : {&facts.kfd.kfd, &facts.kfd.render_nodes[0]})
      (group ? node->gid : node->uid) = seen(65534U);
    EXPECT_THAT(keys(facts), IsEmpty());
  }
}

TEST(KfdAccess, ANumberWithoutANameIsNoMatterOfMembership) {
  Facts group = not_a_member();
  group.kfd.kfd.group_name = group.kfd.render_nodes[0].group_name = Observed<std::string>::absent();
  EXPECT_THAT(keys(group), IsEmpty());
  Facts user = not_a_member();
  user.kfd.account.user = Observed<std::string>::absent();
  EXPECT_THAT(keys(user), IsEmpty());
}

TEST(KfdAccess, ANodeMappedAsRootRootIsNoMatterOfMembership) {
  Facts facts = not_a_member();
  facts.kfd.kfd = device("/dev/kfd", 0660, 0, "root");
  facts.kfd.kfd.open = text("EACCES");
  facts.kfd.render_nodes.clear();
  EXPECT_THAT(keys(facts), IsEmpty());
}

TEST(KfdAccess, AFolderInPlaceOfTheNodeIsNoMatterOfMembership) {
  Facts facts = not_a_member();
  facts.kfd.kfd.type = text("folder");
  facts.kfd.render_nodes.clear();
  EXPECT_THAT(keys(facts), IsEmpty());
}

TEST(KfdAccess, OnlyEaccesIsAboutMembership) {
  for (const char* name : {"EPERM", "EBUSY", "ENODEV", "EINVAL", "ENOMEM", "EIO", "ok"}) {
    Facts facts = not_a_member();
    facts.kfd.kfd.open = facts.kfd.render_nodes[0].open = text(name);
    EXPECT_FALSE(draft_with_id(judged(facts), "kfd.permission")) << name;
    EXPECT_FALSE(draft_with_id(judged(facts), "kfd.render-permission")) << name;
  }
  Facts late = not_a_member();
  late.kfd.kfd.open = late.kfd.render_nodes[0].open = Observed<std::string>::unobserved("no answer in time");
  EXPECT_THAT(keys(late), IsEmpty());
}

TEST(KfdAccess, ANodeClosedToItsGroupNeedsAUdevRule) {
  const Finding finding = only_finding(root_only());
  EXPECT_EQ(finding.id, "kfd.udev-rule-missing");
  EXPECT_THAT(finding.detail, HasSubstr("/dev/kfd is root:root 0600"));
  EXPECT_THAT(finding.remedies[0].commands[0],
              AllOf(HasSubstr("GROUP=\"render\""), HasSubstr("/etc/udev/rules.d/70-amdgpu.rules")));
  EXPECT_THAT(finding.remedies[0].undo, Not(IsEmpty()));
}

TEST(KfdAccess, WhereNoGroupRenderExistsTheRuleNamesVideo) {
  Facts facts = root_only();
  facts.kfd.group_database = seen(std::vector<GroupEntry>{{0, "root", {}}, {44, "video", {}}});
  EXPECT_THAT(only_finding(facts).remedies[0].commands[0], HasSubstr("GROUP=\"video\""));
}

TEST(KfdAccess, ARuleThatIsThereOnlyHasToBeApplied) {
  Facts facts = root_only();
  facts.kfd.udev_rules = seen(Names{"/usr/lib/udev/rules.d/50-udev-default.rules"});
  const Finding finding = only_finding(facts);
  EXPECT_THAT(finding.detail, HasSubstr("50-udev-default.rules"));
  EXPECT_THAT(finding.remedies[0].commands,
              ElementsAre("sudo udevadm control --reload-rules",
                          "sudo udevadm trigger --subsystem-match=kfd --subsystem-match=drm"));
}

TEST(KfdAccess, ANodeThatOpensNeedsNoUdevRule) {
  Facts facts = root_only();
  facts.kfd.kfd.open = text("ok");
  EXPECT_THAT(keys(facts), IsEmpty());
}

TEST(KfdAccess, ARenderNodeOfAnotherGroupBitesNext) {
  Facts facts = not_a_member();
  facts.kfd.render_nodes[0] = device("/dev/dri/renderD128", 0660, 105, "gpu");
  facts.kfd.render_nodes[0].open = text("EACCES");
  EXPECT_THAT(keys(facts), ElementsAre("kfd.permission", "kfd.render-permission"));
  EXPECT_THAT(Knowledge::embedded().finding("kfd.render-permission")->after,
              ElementsAre("kfd.permission", "kfd.groups-stale"));
}

TEST(KfdAccess, ARenderNodeCanBeTheOnlyOneRefused) {
  Facts facts = not_a_member();
  facts.kfd.kfd.open = text("ok");
  facts.kfd.kfd.mode = seen(0666U);
  const Finding finding = only_finding(facts);
  EXPECT_EQ(finding.id, "kfd.render-permission");
  EXPECT_EQ(finding.subject, "");
  EXPECT_EQ(finding.title, "This account may not open /dev/dri/renderD128");
}

TEST(KfdAccess, RenderNodesOfDifferentGroupsAreToldApart) {
  Facts facts = not_a_member();
  facts.kfd.kfd.open = text("ok");
  facts.kfd.render_nodes.push_back(device("/dev/dri/renderD129", 0660, 105, "gpu"));
  facts.kfd.render_nodes[1].open = text("EACCES");
  facts.pci.gpus[0].drm_nodes = seen(Names{"card1", "renderD128", "renderD129"});
  EXPECT_THAT(keys(facts),
              ElementsAre("kfd.render-permission@/dev/dri/renderD128", "kfd.render-permission@/dev/dri/renderD129"));
}

TEST(KfdAccess, TheRenderNodeOfAnotherVendorIsNotJudged) {
  Facts facts = healthy();
  facts.kfd.render_nodes.push_back(device("/dev/dri/renderD129", 0600, 0, "root"));
  facts.kfd.render_nodes[1].open = text("EACCES");
  EXPECT_THAT(keys(facts), IsEmpty());
  EXPECT_EQ(view(facts).status, LayerStatus::pass);
}

TEST(KfdAccess, ManyNodesAreCountedRatherThanListed) {
  Facts facts = not_a_member();
  for (int minor = 129; minor < 137; ++minor) {
    facts.kfd.render_nodes.push_back(device("/dev/dri/renderD" + std::to_string(minor), 0660, 992, "render"));
    facts.kfd.render_nodes.back().open = text("EACCES");
    facts.kfd.nodes.push_back(kfd_node(minor - 127, 80, "0000:03:00.0", minor));
  }
  EXPECT_THAT(only_finding(facts).detail, HasSubstr("and 6 more"));
}

TEST(KfdAccess, AHostileGroupNameCannotLeaveItsWordInACommand) {
  Facts facts = not_a_member();
  facts.kfd.kfd.group_name = facts.kfd.render_nodes[0].group_name = text("x; rm -rf ~");
  EXPECT_THAT(only_finding(facts).remedies[0].commands, ElementsAre("sudo usermod -aG 'x; rm -rf ~' $USER"));
}

TEST(KfdAccess, NoTextCarriesTheNameOfTheAccount) {
  Facts facts = not_a_member();
  const std::string name = "zaphod";
  facts.kfd.account.user = text(name);
  facts.kfd.group_database = seen(std::vector<GroupEntry>{{992, "render", {name}}, {1005, name, {}}});
  facts.kfd.account.groups = seen(Gids{27, 1005});
  const Finding finding = only_finding(facts);
  std::string all = finding.title + finding.detail;
  for (const Evidence& evidence : finding.evidence) all += evidence.source + evidence.text;
  for (const Remedy& remedy : finding.remedies)
    for (const std::string& command : remedy.commands) all += command;
  EXPECT_THAT(all, Not(HasSubstr(name)));
  EXPECT_THAT(finding.detail, HasSubstr("in group 27"));
}

}  // namespace
}  // namespace rocdiag
