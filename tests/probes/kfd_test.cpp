// SPDX-License-Identifier: MIT
// The kfd probe on machines written down here.
#include "probes/kfd/kfd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "probes/kfd/paths.h"
#include "testing/testing.h"

namespace rocdiag {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::facts_of;
using ::testing::IsEmpty;
using testing::LiteralMachine;
using ::testing::Not;
using ::testing::SizeIs;

const std::string kNode0 = "/sys/class/kfd/kfd/topology/nodes/0";
const std::string kNode1 = "/sys/class/kfd/kfd/topology/nodes/1";

LiteralMachine one_gpu() {
  LiteralMachine machine;
  machine.release("6.8.0-49-generic")
      .file("/sys/class/kfd/kfd/topology/generation_id", "2\n")
      .file("/sys/devices/virtual/kfd/kfd/topology/generation_id", "2\n")
      .file(kNode0 + "/gpu_id", "0\n")
      .file(kNode0 + "/name", "\n")
      .file(kNode0 + "/properties", "cpu_cores_count 16\nsimd_count 0\n")
      .file(kNode1 + "/gpu_id", "35218\n")
      .file(kNode1 + "/name", "navy_flounder\n")
      .file(kNode1 + "/properties",
            "cpu_cores_count 0\nsimd_count 80\nmem_banks_count 1\nsimd_per_cu 2\ngfx_target_version 100301\n"
            "location_id 768\ndomain 0\ndrm_render_minor 128\n")
      .file(kNode1 + "/mem_banks/0/properties", "heap_type 1\nsize_in_bytes 12868124672\n")
      .file(kNode1 + "/io_links/0/properties", "type 2\nnode_from 1\nnode_to 0\nweight 20\n")
      .device("/dev/kfd", 0660, 0, 992, "EACCES")
      .device("/dev/dri/renderD128", 0660, 0, 992, "EACCES")
      .file("/etc/group", "root:x:0:\nvideo:x:44:dev\nrender:x:992:dev\ndev:x:1000:\n")
      .file("/etc/passwd", "root:x:0:0::/root:/bin/sh\ndev:x:1000:1000::/home/dev:/bin/sh\n")
      .identity(1000, "dev", {{1000, "dev"}, {44, "video"}});
  return machine;
}

TEST(KfdProbe, ReadsDevicesTopologyAndAccount) {
  const KfdFacts kfd = facts_of(one_gpu()).kfd;
  EXPECT_TRUE(kfd.driver_present.is(true));
  EXPECT_TRUE(kfd.kfd.type.is("char"));
  EXPECT_TRUE(kfd.kfd.mode.is(0660));
  EXPECT_TRUE(kfd.kfd.group_name.is("render"));
  EXPECT_TRUE(kfd.kfd.open.is("EACCES"));
  ASSERT_THAT(kfd.render_nodes, SizeIs(1));
  EXPECT_EQ(kfd.render_nodes[0].path, "/dev/dri/renderD128");
  ASSERT_THAT(kfd.nodes, SizeIs(2));
  EXPECT_TRUE(kfd.nodes[0].is_gpu.is(false));
  EXPECT_TRUE(kfd.nodes[1].gfx.is("gfx1031"));
  EXPECT_TRUE(kfd.nodes[1].vram_bytes.is(12868124672U));
  EXPECT_TRUE(kfd.nodes[1].name.is("navy_flounder"));
  ASSERT_THAT(kfd.nodes[1].links, SizeIs(1));
  EXPECT_FALSE(kfd.nodes[1].links[0].peer);
  EXPECT_THAT(*kfd.account.groups, ElementsAre(44U, 1000U));
  EXPECT_THAT(*kfd.account.database_groups, ElementsAre(44U, 992U, 1000U));
  EXPECT_TRUE(kfd.generation_before.is(2) && kfd.generation_after.is(2));
}

TEST(KfdProbe, ReadsTheGenerationBeforeAndAfterTheNodes) {
  const auto questions = kfd_questions(Facts{});
  const auto place = [&](const std::string& path) {
    return std::find(questions.begin(), questions.end(), read_file(path)) - questions.begin();
  };
  EXPECT_EQ(place(kfd::kGenerationBefore), 0);
  EXPECT_LT(place(kfd::kNodes + "/*/properties"), place(kfd::kGenerationAfter));
  EXPECT_LT(place(kfd::kNodes + "/*/p2p_links/*/properties"), place(kfd::kGenerationAfter));
}

TEST(KfdProbe, AMachineWithoutKfdIsAbsentAndADumpWithoutItIsUnobserved) {
  LiteralMachine without;
  without.error("/sys/class/kfd/kfd", "ENOENT").error("/dev/kfd", "ENOENT").folder("/dev/dri");
  const KfdFacts absent = facts_of(without).kfd;
  EXPECT_TRUE(absent.driver_present.is_absent());
  EXPECT_TRUE(absent.kfd.open.is_absent());
  EXPECT_TRUE(absent.kfd.type.is_absent());
  const KfdFacts unseen = facts_of(LiteralMachine()).kfd;
  EXPECT_TRUE(unseen.driver_present.is_unobserved());
  EXPECT_TRUE(unseen.kfd.open.is_unobserved());
  EXPECT_TRUE(unseen.node_ids.is_unobserved());
  EXPECT_TRUE(unseen.account.groups.is_unobserved());
}

TEST(KfdProbe, KeepsEpermAndEaccesApart) {
  LiteralMachine machine;
  machine.device("/dev/kfd", 0666, 0, 0, "EPERM");
  EXPECT_TRUE(facts_of(machine).kfd.kfd.open.is("EPERM"));
}

TEST(KfdProbe, TellsAGpuHiddenByTheDeviceCgroupFromOneThatFails) {
  LiteralMachine machine = one_gpu();
  machine.error(kNode1 + "/gpu_id", "EPERM").error(kNode1 + "/properties", "EPERM");
  const KfdFacts hidden = facts_of(machine).kfd;
  EXPECT_TRUE(hidden.nodes[1].hidden);
  LiteralMachine broken = one_gpu();
  broken.error(kNode1 + "/gpu_id", "EIO").error(kNode1 + "/properties", "EIO");
  const KfdFacts failed = facts_of(broken).kfd;
  EXPECT_FALSE(failed.nodes[1].hidden);
  EXPECT_TRUE(failed.nodes[1].properties.is_unobserved());
  EXPECT_EQ(failed.nodes[1].properties.reason(), "EIO");
}

TEST(KfdProbe, ToleratesNulPaddingAndTakesEmptyPropertiesForNothingRead) {
  LiteralMachine machine = one_gpu();
  machine.file(kNode1 + "/gpu_id", std::string("35218\n\0\0\0", 9)).file(kNode1 + "/properties", "");
  const KfdFacts kfd = facts_of(machine).kfd;
  EXPECT_TRUE(kfd.nodes[1].gpu_id.is(35218));
  EXPECT_TRUE(kfd.nodes[1].properties.is_unobserved());
  EXPECT_TRUE(kfd.nodes[1].is_gpu.is(true));
}

TEST(KfdProbe, KeepsEveryKeyButTheSerialNumber) {
  LiteralMachine machine = one_gpu();
  machine.file(kNode1 + "/properties",
               "simd_count 80\nunique_id 14073402507705256556\nhive_id 0\na_key_of_next_year 7\n");
  const auto properties = *facts_of(machine).kfd.nodes[1].properties;
  EXPECT_EQ(properties.count("unique_id"), 0U);
  EXPECT_EQ(properties.at("a_key_of_next_year"), 7U);
}

TEST(KfdProbe, AsksForRenderNodesThatOnlyKfdNames) {
  LiteralMachine machine;
  machine.file(kNode1 + "/properties", "simd_count 80\nlocation_id 768\ndrm_render_minor 130\n")
      .error("/dev/dri/renderD130", "ENOENT");
  const KfdFacts kfd = facts_of(machine).kfd;
  ASSERT_THAT(kfd.render_nodes, SizeIs(1));
  EXPECT_EQ(kfd.render_nodes[0].path, "/dev/dri/renderD130");
  EXPECT_TRUE(kfd.render_nodes[0].open.is_absent());
}

Facts facts_with_node(std::uint32_t mode, const std::string& open) {
  Facts facts;
  facts.kfd.kfd.mode = Observed<std::uint32_t>::of(mode);
  facts.kfd.kfd.gid = Observed<std::uint32_t>::of(992);
  facts.kfd.kfd.open = Observed<std::string>::of(open);
  return facts;
}

std::vector<std::vector<std::string>> commands_asked(const Facts& facts) {
  std::vector<std::vector<std::string>> commands;
  for (const Question& question : kfd_questions(facts))
    if (question.ask == Ask::run) commands.push_back(question.command.argv);
  return commands;
}

TEST(KfdProbe, AsksTheNameServiceOnlyWhereANodeIsRefused) {
  EXPECT_THAT(commands_asked(facts_with_node(0660, "ok")), IsEmpty());
  EXPECT_THAT(commands_asked(facts_with_node(0660, "EPERM")), IsEmpty());
  EXPECT_THAT(commands_asked(facts_with_node(0660, "EACCES")), ElementsAre(ElementsAre("getent", "group", "992")));
}

TEST(KfdProbe, ReadsUdevRulesOnlyWhereANodeIsClosedToItsGroup) {
  const Question rules = read_file("/usr/lib/udev/rules.d/*.rules");
  EXPECT_THAT(kfd_questions(facts_with_node(0660, "EACCES")), Not(Contains(rules)));
  EXPECT_THAT(kfd_questions(facts_with_node(0606, "ok")), Not(Contains(rules)));
  EXPECT_THAT(kfd_questions(facts_with_node(0600, "EACCES")), Contains(rules));
}

TEST(KfdProbe, NamesGroupsThatOnlyTheNameServiceKnows) {
  LiteralMachine machine = one_gpu();
  machine.file("/etc/group", "root:x:0:\n").command({"getent", "group", "992"}, "gpu-users:*:992:ann,dev\n");
  const KfdFacts kfd = facts_of(machine).kfd;
  EXPECT_TRUE(kfd.kfd.group_name.is("gpu-users"));
  EXPECT_THAT(*kfd.account.database_groups, ElementsAre(992U, 1000U));
}

TEST(KfdProbe, FindsAnAccountThatOnlyTheNameServiceKnows) {
  LiteralMachine machine = one_gpu();
  machine.identity(70001, "", {{70001, ""}});
  EXPECT_TRUE(facts_of(machine).kfd.account.user.is_absent());
  Facts refused = facts_of(machine);
  EXPECT_THAT(commands_asked(refused), Contains(ElementsAre("getent", "passwd", "70001")));
  machine.command({"getent", "passwd", "70001"}, "ann:*:70001:70001:Ann:/home/ann:/bin/bash\n")
      .command({"getent", "group", "992"}, "render:x:992:ann\n");
  const Account account = facts_of(machine).kfd.account;
  EXPECT_TRUE(account.user.is("ann"));
  EXPECT_THAT(*account.database_groups, ElementsAre(992U, 70001U));
}

TEST(KfdProbe, AGidWithoutANameIsAbsentOnlyWhereADatabaseWasSeen) {
  LiteralMachine seen;
  seen.device("/dev/kfd", 0660, 0, 106, "EACCES").file("/etc/group", "root:x:0:\n");
  EXPECT_TRUE(facts_of(seen).kfd.kfd.group_name.is_absent());
  LiteralMachine unseen;
  unseen.device("/dev/kfd", 0660, 0, 106, "EACCES");
  EXPECT_TRUE(facts_of(unseen).kfd.kfd.group_name.is_unobserved());
  unseen.command({"getent", "group", "106"}, "", 2);
  EXPECT_TRUE(facts_of(unseen).kfd.kfd.group_name.is_absent());
}

TEST(KfdProbe, ReadsTheOutputOfIdWhereABundleHoldsIt) {
  LiteralMachine machine;
  machine.command({"id"}, "uid=1000(dev) gid=1000(dev) groups=1000(dev),27(sudo)\n")
      .command({"/usr/bin/id", "dev"}, "uid=1000(dev) gid=1000(dev) groups=1000(dev),27(sudo),992(render)\n")
      .command({"id", "ann"}, "uid=1001(ann) gid=1001(ann) groups=1001(ann)\n");
  const Account account = facts_of(machine).kfd.account;
  EXPECT_TRUE(account.uid.is(1000));
  EXPECT_THAT(*account.groups, ElementsAre(27U, 1000U));
  EXPECT_THAT(*account.database_groups, ElementsAre(27U, 992U, 1000U));
}

TEST(KfdProbe, ARecordedIdentityOutranksTheOutputOfId) {
  LiteralMachine machine = one_gpu();
  machine.command({"id"}, "uid=0(root) gid=0(root) groups=0(root)\n");
  EXPECT_TRUE(facts_of(machine).kfd.account.uid.is(1000));
}

TEST(KfdProbe, AnIdentityWithoutGroupsLeavesThemUnobserved) {
  LiteralMachine machine;
  machine.identity(1000, "dev", {});
  EXPECT_TRUE(facts_of(machine).kfd.account.groups.is_unobserved());
}

TEST(KfdProbe, FindsUdevRulesThatNameKfdAndNotTheirComments) {
  LiteralMachine machine;
  machine.device("/dev/kfd", 0600, 0, 0, "EACCES")
      .file("/etc/udev/rules.d/10-none.rules", "# kfd is not here\nKERNEL==\"hidraw*\"\n")
      .file("/usr/lib/udev/rules.d/50-udev-default.rules", "SUBSYSTEM==\"kfd\", GROUP=\"render\", MODE=\"0666\"\n");
  EXPECT_THAT(*facts_of(machine).kfd.udev_rules, ElementsAre("/usr/lib/udev/rules.d/50-udev-default.rules"));
  machine.file("/etc/udev/rules.d/50-udev-default.rules", "# emptied by an admin\n");
  EXPECT_THAT(*facts_of(machine).kfd.udev_rules, IsEmpty());
}

TEST(KfdProbe, ARuleFileThatCannotBeReadLeavesTheRulesUnobserved) {
  LiteralMachine machine;
  machine.device("/dev/kfd", 0600, 0, 0, "EACCES")
      .file("/etc/udev/rules.d/70-secret.rules", "")
      .error("/etc/udev/rules.d/70-secret.rules", "EACCES");
  EXPECT_TRUE(facts_of(machine).kfd.udev_rules.is_unobserved());
}

LiteralMachine with_ollama(const std::string& unit) {
  LiteralMachine machine = one_gpu();
  machine.file("/etc/systemd/system/ollama.service", unit)
      .file("/etc/systemd/system/cups.service", "[Service]\nUser=lp\n")
      .file("/etc/passwd", "root:x:0:0::/:/bin/sh\nollama:x:997:984::/:/bin/false\n")
      .file("/etc/group", "root:x:0:\nvideo:x:44:ollama\nollama:x:984:\nrender:x:992:\n");
  return machine;
}

TEST(KfdProbe, WorksOutTheGroupsOfAComputeService) {
  const KfdFacts kfd = facts_of(with_ollama("[Service]\nUser=ollama\nGroup=ollama\n")).kfd;
  ASSERT_THAT(kfd.services, SizeIs(1));
  EXPECT_EQ(kfd.services[0].subject, "unit:ollama.service");
  EXPECT_TRUE(kfd.services[0].user.is("ollama"));
  EXPECT_THAT(*kfd.services[0].groups, ElementsAre(44U, 984U));
}

TEST(KfdProbe, DropInsOfAServiceCount) {
  LiteralMachine machine = with_ollama("[Service]\nUser=ollama\n");
  machine.file("/etc/systemd/system/ollama.service.d/gpu.conf", "[Service]\nSupplementaryGroups=render\n");
  EXPECT_THAT(*facts_of(machine).kfd.services.at(0).groups, ElementsAre(44U, 984U, 992U));
  machine.error("/etc/systemd/system/ollama.service.d/gpu.conf", "EACCES");
  EXPECT_THAT(facts_of(machine).kfd.services, IsEmpty());
}

TEST(KfdProbe, RootDynamicAndTemplateServicesHaveNoAccountToJudge) {
  for (const char* unit : {"[Service]\nExecStart=/bin/ollama\n", "[Service]\nUser=root\n",
                           "[Service]\nUser=ollama\nDynamicUser=yes\n", "[Service]\nUser=%i\n"})
    EXPECT_THAT(facts_of(with_ollama(unit)).kfd.services, IsEmpty()) << unit;
}

TEST(KfdProbe, AServiceUserOrGroupThatNoDatabaseHoldsStaysUnknown) {
  EXPECT_TRUE(facts_of(with_ollama("[Service]\nUser=nobodyknows\n")).kfd.services.at(0).groups.is_unobserved());
  const auto kfd = facts_of(with_ollama("[Service]\nUser=ollama\nSupplementaryGroups=gpu\n")).kfd;
  EXPECT_TRUE(kfd.services.at(0).groups.is_unobserved());
}

TEST(KfdProbe, SeesWhoCalledSudo) {
  LiteralMachine machine = one_gpu();
  machine.identity(0, "root", {{0, "root"}}).variable("SUDO_USER", "dev");
  const KfdFacts kfd = facts_of(machine).kfd;
  EXPECT_TRUE(kfd.account.sudo_user.is("dev"));
  ASSERT_THAT(kfd.services, SizeIs(1));
  EXPECT_EQ(kfd.services[0].subject, "sudo");
  EXPECT_THAT(*kfd.services[0].groups, ElementsAre(44U, 992U, 1000U));
}

}  // namespace
}  // namespace rocdiag
