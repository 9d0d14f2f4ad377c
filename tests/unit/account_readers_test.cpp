// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/shell.h"
#include "readers/group.h"
#include "readers/id.h"
#include "readers/unit_file.h"

namespace rocdiag {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(GroupReader, ReadsNamesNumbersAndMembers) {
  EXPECT_THAT(read_group("root:x:0:\nrender:x:992:ollama,dev\n"),
              ElementsAre(GroupEntry{0, "root", {}}, GroupEntry{992, "render", {"ollama", "dev"}}));
}

TEST(GroupReader, SkipsWhatIsNoGroup) {
  EXPECT_THAT(read_group("# comment:x:1:\n\n+::\nrender:x:-1:\nrender:x:4294967296:\nrender\n:x:5:\n"), IsEmpty());
}

TEST(GroupReader, LetsNoControlCharacterIntoAName) {
  EXPECT_THAT(read_group("ren\x1b[31mder:x:992:"), ElementsAre(GroupEntry{992, "ren?[31mder", {}}));
}

TEST(PasswdReader, ReadsNameUidAndGid) {
  EXPECT_THAT(read_passwd("ollama:x:997:984::/usr/share/ollama:/bin/false\nbroken:x:1\n"),
              ElementsAre(PasswdEntry{"ollama", 997, 984}));
}

TEST(IdReader, ReadsUserAndGroups) {
  const auto identity = read_id("uid=1000(dev) gid=1000(dev) groups=1000(dev),44(video),992(render)\n");
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->uid, 1000U);
  EXPECT_EQ(identity->user, "dev");
  EXPECT_THAT(identity->groups, ElementsAre(Group{1000, "dev"}, Group{44, "video"}, Group{992, "render"}));
}

TEST(IdReader, CopesWithNamelessIdsBlanksTranslationsAndContexts) {
  const auto nameless = read_id("uid=65534 gid=106 groups=106,65534(nogroup)");
  ASSERT_TRUE(nameless);
  EXPECT_THAT(nameless->groups, ElementsAre(Group{106, ""}, Group{65534, "nogroup"}));
  const auto domain = read_id("uid=10(ann) gid=513(domain users) Gruppen=513(domain users),992(render)");
  ASSERT_TRUE(domain);
  EXPECT_THAT(domain->groups, ElementsAre(Group{513, "domain users"}, Group{992, "render"}));
  const auto selinux = read_id("uid=0(root) gid=0(root) groups=0(root) context=unconfined_u:s0-s0:c0.c1023");
  ASSERT_TRUE(selinux);
  EXPECT_THAT(selinux->groups, ElementsAre(Group{0, "root"}));
  const auto effective = read_id("uid=1000(dev) gid=1000(dev) euid=0(root) groups=1000(dev)");
  ASSERT_TRUE(effective);
  EXPECT_THAT(effective->groups, ElementsAre(Group{1000, "dev"}));
}

TEST(IdReader, TakesNothingElseForIt) {
  EXPECT_FALSE(read_id(""));
  EXPECT_FALSE(read_id("id: 'dev': no such user"));
  EXPECT_FALSE(read_id("uid=1000(dev"));
  EXPECT_FALSE(read_id("uid=99999999999(dev) gid=1(x)"));
}

TEST(UnitFileReader, ReadsTheAccountOfTheServiceSection) {
  UnitAccount account;
  read_unit_account("[Unit]\nUser=wrong\n[Service]\n# User=no\nUser=ollama\nSupplementaryGroups=render video\n",
                    account);
  EXPECT_EQ(account.user, "ollama");
  EXPECT_THAT(account.supplementary_groups, ElementsAre("render", "video"));
  EXPECT_FALSE(account.dynamic);
}

TEST(UnitFileReader, DropInsAddGroupsAndReplaceOrTakeBackTheRest) {
  UnitAccount account;
  read_unit_account("[Service]\nUser=ollama\nSupplementaryGroups=render\n", account);
  read_unit_account("[Service]\nSupplementaryGroups=video\nUser=\nDynamicUser=yes\n", account);
  EXPECT_EQ(account.user, "");
  EXPECT_TRUE(account.dynamic);
  EXPECT_THAT(account.supplementary_groups, ElementsAre("render", "video"));
  read_unit_account("[Service]\nSupplementaryGroups=\n", account);
  EXPECT_THAT(account.supplementary_groups, IsEmpty());
}

TEST(ShellWord, QuotesWhatAShellWouldAct) {
  EXPECT_EQ(shell_word("render"), "render");
  EXPECT_EQ(shell_word("ollama.service"), "ollama.service");
  EXPECT_EQ(shell_word("domain users"), "'domain users'");
  EXPECT_EQ(shell_word("x; rm -rf ~"), "'x; rm -rf ~'");
  EXPECT_EQ(shell_word("it's $(id)"), "'it'\\''s $(id)'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace rocdiag
