// SPDX-License-Identifier: MIT
#include "source/recorded.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rocdiag {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Names = std::vector<std::string>;

// What a record answers to one question.
Snapshot ask(const std::vector<Snapshot>& records, const Question& question) {
  RecordedSource source(records);
  Snapshot into;
  source.answer({question}, Deadline::max(), into);
  return into;
}

Snapshot drm_machine() {
  Snapshot s;
  s.links = {{"/sys/class/drm/card0", std::string("../../devices/pci0000:00/0000:03:00.0/drm/card0")},
             {"/sys/devices/pci0000:00/0000:03:00.0/drm/card0/device", std::string("../../../0000:03:00.0")},
             {"/sys/bus/pci/devices/0000:03:00.0", std::string("/sys/devices/pci0000:00/0000:03:00.0")}};
  s.files.insert_or_assign("/sys/devices/pci0000:00/0000:03:00.0/vendor", std::string("0x1002\n"));
  s.listings.insert_or_assign("/sys/devices/pci0000:00/0000:03:00.0", Names{"drm", "vendor"});
  return s;
}

TEST(Recorded, FollowsRelativeAndAbsoluteLinksOnTheWay) {
  for (const char* path : {"/sys/class/drm/card0/device/vendor", "/sys/bus/pci/devices/0000:03:00.0/vendor",
                           "/sys/bus/pci/devices/0000:03:00.0/drm/../vendor"}) {
    const Snapshot s = ask({drm_machine()}, read_file(path));
    EXPECT_EQ(s.read(path), Result<std::string>("0x1002\n")) << path;
  }
  const std::string device = "/sys/class/drm/card0/device";
  EXPECT_THAT(*ask({drm_machine()}, list_folder(device)).list(device), ElementsAre("drm", "vendor"));
}

TEST(Recorded, AnswersALinkQuestionWithTheLinkItself) {
  const std::string path = "/sys/class/drm/card0/device";
  EXPECT_EQ(*ask({drm_machine()}, resolve_link(path)).link(path), "../../../0000:03:00.0");
}

TEST(Recorded, PrefersTheAnswerToThePathAsItWasAsked) {
  Snapshot s = drm_machine();
  s.files.insert_or_assign("/sys/class/drm/card0/device/vendor", std::string("asked"));
  EXPECT_EQ(*ask({s}, read_file("/sys/class/drm/card0/device/vendor")).read("/sys/class/drm/card0/device/vendor"),
            "asked");
}

TEST(Recorded, SaysOfLinksInACircleWhatTheKernelSays) {
  Snapshot s;
  s.links = {{"/a", std::string("b")}, {"/b", std::string("/a")}, {"/up", std::string("../../../..")}};
  s.files.insert_or_assign("/x", std::string("top"));
  EXPECT_EQ(ask({s}, read_file("/a/x")).read("/a/x").error().errno_value, ELOOP);
  EXPECT_EQ(*ask({s}, read_file("/up/x")).read("/up/x"), "top") << "above the root is the root";
  EXPECT_EQ(*ask({s}, resolve_link("/a")).link("/a"), "b") << "a link in a circle can still be read";
}

TEST(Recorded, TakesForMissingWhatAWholeListingLacks) {
  Snapshot s = drm_machine();
  s.listings.insert_or_assign("/sys/class", Names{"drm"});
  for (const Question& question :
       {read_file("/sys/class/kfd/kfd/topology"), list_folder("/sys/class/kfd"), stat_file("/sys/class/kfd"),
        open_device("/sys/class/kfd"), resolve_link("/sys/class/kfd")}) {
    const Snapshot into = ask({s}, question);
    EXPECT_TRUE(into.holds(question)) << question.path;
  }
  EXPECT_EQ(ask({s}, stat_file("/sys/class/kfd")).stat("/sys/class/kfd").error().errno_value, ENOENT);
  const std::string through_link = "/sys/bus/pci/devices/0000:03:00.0/unique_id";
  EXPECT_EQ(ask({s}, read_file(through_link)).read(through_link).error().errno_value, ENOENT);
}

TEST(Recorded, TakesForMissingWhatLiesBelowSomethingMissing) {
  for (const auto& [errno_value, word] : {std::pair(ENOENT, "missing"), std::pair(ENOTDIR, "no folder")}) {
    Snapshot s;
    s.stats.insert_or_assign("/dev/dri", system_error(errno_value));
    EXPECT_EQ(ask({s}, open_device("/dev/dri/renderD128")).open("/dev/dri/renderD128").error().errno_value, ENOENT)
        << word;
  }
  Snapshot opened;
  opened.opens.insert_or_assign("/dev/kfd", system_error(ENOENT));
  EXPECT_EQ(ask({opened}, stat_file("/dev/kfd")).stat("/dev/kfd").error().errno_value, ENOENT);
}

TEST(Recorded, DoesNotTakeAFileForMissingBecauseItCannotBeListed) {
  Snapshot s;
  s.listings.insert_or_assign("/proc/cmdline", system_error(ENOTDIR));
  EXPECT_FALSE(ask({s}, read_file("/proc/cmdline")).holds(read_file("/proc/cmdline")));
  EXPECT_TRUE(ask({s}, read_file("/proc/cmdline/x")).holds(read_file("/proc/cmdline/x")));
}

TEST(Recorded, KnowsNothingOfWhatNobodyRecorded) {
  Snapshot s;
  s.files.insert_or_assign("/proc/cmdline", std::string("quiet"));
  s.listings.insert_or_assign("/root", system_error(EACCES));
  s.opens.insert_or_assign("/dev/kfd", system_error(EACCES));
  for (const Question& question : {read_file("/proc/version"), stat_file("/proc/cmdline"), list_folder("/proc"),
                                   read_file("/root/x"), stat_file("/dev/kfd")})
    EXPECT_FALSE(ask({s}, question).holds(question)) << question.path;
}

TEST(Recorded, ExpandsPatternsOverRecordedListings) {
  Snapshot s;
  s.listings = {{"/d", Names{"a1", "a2", "b"}}, {"/d/a1", Names{"f"}}, {"/d/a2", Names{}}};
  s.files.insert_or_assign("/d/a1/f", std::string("1"));
  const Snapshot into = ask({s}, read_file("/d/a*/f"));
  EXPECT_EQ(*into.read("/d/a1/f"), "1");
  EXPECT_EQ(into.read("/d/a2/f").error().errno_value, ENOENT);
  EXPECT_FALSE(into.holds(read_file("/d/b/f")));
  EXPECT_EQ(*ask({s}, read_file("/d/a2/../a1/f")).read("/d/a2/../a1/f"), "1") << "no listing holds \"..\"";
  EXPECT_TRUE(into.holds(list_folder("/d"))) << "the folder walked becomes an answer";
  EXPECT_THAT(into.matches("/d/a*/f"), ElementsAre("/d/a1/f", "/d/a2/f"));
}

TEST(Recorded, SeveralRecordsComplementEachOther) {
  Snapshot first, second;
  first.files.insert_or_assign("/a", std::string("1"));
  second.files = {{"/a", std::string("1")}, {"/b", std::string("2")}};
  second.identity = Observed<Identity>::of({1000, 1000, "user-1", {}});
  first.env = {{"A", "first"}};
  second.env = {{"A", "second"}, {"B", "second"}};
  second.env_complete = true;
  second.commands.push_back({{"rocminfo"}, {}, system_error(ENOENT)});
  second.as["unit:x"] = {};
  RecordedSource source({first, second});
  Snapshot into = source.begin();
  source.answer({read_file("/a"), read_file("/b")}, Deadline::max(), into);
  EXPECT_EQ(*into.read("/a"), "1");
  EXPECT_EQ(*into.read("/b"), "2");
  EXPECT_EQ(into.identity->user, "user-1");
  EXPECT_EQ(into.env.at("A"), "first");
  EXPECT_TRUE(into.env_complete);
  EXPECT_TRUE(into.holds(run_command({{"rocminfo"}, {}, {}, {}, {}, {}})));
  EXPECT_EQ(into.as.count("unit:x"), 1U);
  EXPECT_THAT(into.notes, IsEmpty());
}

TEST(Recorded, KeepsAContradictionVisibleAndTellsItOnce) {
  Snapshot first, second;
  first.files.insert_or_assign("/a", std::string("1"));
  second.files.insert_or_assign("/a", std::string("2"));
  RecordedSource source({first, second});
  Snapshot into;
  source.answer({read_file("/a")}, Deadline::max(), into);
  source.answer({read_file("/a")}, Deadline::max(), into);
  EXPECT_EQ(*into.read("/a"), "1") << "the first that holds an answer gives it";
  EXPECT_THAT(into.notes, ElementsAre(HasSubstr("disagree about /a")));
}

}  // namespace
}  // namespace rocdiag
