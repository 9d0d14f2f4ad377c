// SPDX-License-Identifier: MIT
#include "source/bundle_write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "source/bundle_read.h"
#include "testing/archives.h"
#include "testing/testing.h"

namespace rocdiag {
namespace {

using testing::first_difference;
using ::testing::HasSubstr;
using testing::ScratchFolder;
namespace fs = std::filesystem;

const std::vector<std::string> kBothForms{"b.tar.gz", "folder"};
// Folders of many files are slow to flush: where machines are many, every tenth is saved as one.
std::vector<std::string> forms_for(std::size_t n) {
  return n % 10 == 0 ? kBothForms : std::vector<std::string>{"b.tar.gz"};
}

// Saves, loads again and tells the first difference.
std::string round_trip(const Snapshot& snapshot, const std::vector<std::string>& forms = kBothForms) {
  const ScratchFolder scratch;
  for (const std::string& name : forms) {
    const std::string path = (scratch.path() / name).string();
    if (const Status saved = save_bundle(snapshot, path); !saved) return saved.error().message;
    const auto loaded = load_bundle(path);
    if (!loaded) return loaded.error().message;
    const std::string difference = first_difference(snapshot, *loaded);
    if (!difference.empty()) return name + ": " + difference;
  }
  return {};
}

TEST(SavedBundle, GivesBackEveryKindOfAnswer) {
  Snapshot s;
  s.captured = "2026-12-01T13:00:00Z";
  s.redacted = true;
  s.identity = Observed<Identity>::of({1000, 1000, "user-1", {{44, "video"}, {7, ""}}});
  s.uname = Observed<Uname>::of({"Linux", "6.8.0", "#1 SMP", "x86_64"});
  s.env = {{"HSA_XNACK", "1"}, {"EMPTY", ""}};
  s.env_complete = true;
  s.files = {{"/proc/cmdline", std::string("quiet\n")},
             {"/sys/config", std::string("\0\x01\xff\n", 4)},
             {"/empty", std::string()},
             {"/proc/kmsg", system_error(EPERM)},
             {"/slow", Error{Errc::timed_out, 0, {}}},
             {"/stuck", Error{Errc::abandoned, 0, "pid 7 ignored SIGKILL"}},
             {"/message", system_error(EIO, "the driver said so")}};
  s.listings = {{"/sys", std::vector<std::string>{"config"}},            // follows from the file
                {"/usr/lib", std::vector<std::string>{"liba.so", "x"}},  // leaves no other trace
                {"/none", std::vector<std::string>{}},
                {"/proc/kmsg", system_error(ENOTDIR)},
                {"/gone", system_error(ENOENT)}};
  s.links = {{"/sys/class/drm/card0/device", std::string("../../../0000:03:00.0")}, {"/gone", system_error(ENOENT)}};
  s.stats = {{"/dev/kfd", FileStat{FileType::char_device, 0660, 0, 992, "235:0"}},
             {"/dev/dri/card0", FileStat{FileType::char_device, {}, {}, {}, {}}},
             {"/setuid", FileStat{FileType::file, 04755, 0, 0, {}}}};
  s.opens = {{"/dev/kfd", system_error(EACCES)},
             {"/dev/dri/renderD128", Done{}},
             {"/dev/dri/renderD129", Error{Errc::timed_out, 0, "no answer"}}};
  for (auto* answers : {&s.files, &s.links}) answers->insert_or_assign("/all", system_error(ENOENT));
  s.listings.insert_or_assign("/all", system_error(ENOENT));
  s.stats.insert_or_assign("/all", system_error(ENOENT));
  CommandOutcome killed;
  killed.signal = 9;
  killed.timed_out = killed.abandoned = killed.truncated = true;
  killed.duration_ms = 2000;
  killed.err = std::string("\xff\0", 2);
  s.commands = {{{"rocminfo"}, {{"HSA_X", "1"}}, killed},
                {{"hipcc"}, {}, system_error(ENOENT)},
                {{"python3", "-c", "print(1)\n"}, {}, Error{Errc::refused, 0, "outside"}}};
  s.as["unit:ollama.service"] = {
      Observed<Identity>::of({997, 997, "ollama", {}}), {{"/dev/kfd", Done{}}}, {{"A", "b"}}};
  s.as["unit:other"] = {};
  s.truncated = {"/proc/cmdline"};
  s.notes = {"a note\nof two lines"};
  EXPECT_EQ(round_trip(s), "");
}

TEST(SavedBundle, KeepsPathsThatAreNoFileNames) {
  Snapshot s;
  const std::string deep = [] {
    std::string path;
    for (int i = 0; i < 64; ++i) path += "/d";
    return path;
  }();
  for (const std::string& path :
       {std::string("/a"), std::string("/a/b"), std::string("/a/b/c"), std::string("/a//b"), std::string("/a/"),
        std::string("/a/../b"), std::string("/./a"), std::string("/"), std::string("relative"),
        std::string("/caf\xc3\xa9"), std::string("/\xff\xfe"), std::string("/new\nline\x1b[31m"),
        std::string("/nul\0byte", 9), "/" + std::string(300, 'n'),
        "/" + std::string(120, 'x') + "/" + std::string(120, 'y'), std::string("/private \xef\x9e\x80 use"), deep})
    s.files.insert_or_assign(path, "content of " + path);
  s.links.insert_or_assign("/a", std::string("b\xff"));
  s.env["\xff"] = "\xef\x9f\xbf\xef\x9e";
  EXPECT_EQ(round_trip(s), "");
}

TEST(SavedBundle, KeepsListingsThatContradictTheAnswers) {
  Snapshot s;
  s.files.insert_or_assign("/d/new", std::string("appeared after the listing"));
  s.listings = {{"/d", std::vector<std::string>{"old"}},
                {"/", std::vector<std::string>{"z", "a"}},
                {"/d/", std::vector<std::string>{"same", "same"}}};
  EXPECT_EQ(round_trip(s), "");
}

// Reproducible nonsense: every field, every kind of error, names that collide and strings of any bytes.
class RandomSnapshot {
 public:
  explicit RandomSnapshot(unsigned seed) : random_(seed) {}

  Snapshot make() {
    Snapshot s;
    s.captured = pick(2) == 0 ? "2026-12-01T13:00:00Z" : text();
    s.redacted = pick(2) == 0;
    s.env_complete = pick(2) == 0;
    if (pick(2) == 0) s.identity = Observed<Identity>::of(identity());
    if (pick(2) == 0) s.uname = Observed<Uname>::of({text(), text(), text(), text()});
    for (unsigned i = 0; i < 40; ++i) {
      s.files.insert_or_assign(path(), maybe<std::string>(text()));
      s.listings.insert_or_assign(path(), maybe<std::vector<std::string>>(names()));
      s.links.insert_or_assign(path(), maybe<std::string>(text()));
      s.stats.insert_or_assign(path(), maybe<FileStat>(stat()));
      s.opens.insert_or_assign(path(), maybe<Done>(Done{}));
    }
    for (unsigned i = pick(6); i > 0; --i)
      s.commands.push_back({names(), {{text(), text()}}, maybe<CommandOutcome>(outcome())});
    for (unsigned i = pick(3); i > 0; --i) s.as[text()] = {{}, {{path(), maybe<Done>(Done{})}}, {{text(), text()}}};
    for (unsigned i = pick(4); i > 0; --i) s.env[text()] = text();
    for (unsigned i = pick(3); i > 0; --i) s.notes.push_back(text());
    for (unsigned i = pick(3); i > 0; --i) s.truncated.push_back(path());
    return s;
  }

 private:
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }

  std::string text() {
    static const std::vector<std::string> parts{"a",  "β",  "\xff", std::string(1, '\0'), "\n",
                                                "\"", "\\", "/",    "\xef\x9e\x81"};
    std::string made;
    for (unsigned i = pick(8); i > 0; --i) made += parts[pick(static_cast<unsigned>(parts.size()))];
    return made;
  }
  std::string path() {
    static const std::vector<std::string> parts{"sys", "a", "b", "card0", "..", "", "\xff"};
    std::string made;
    for (unsigned i = 1 + pick(4); i > 0; --i) made += "/" + parts[pick(pick(4) == 0 ? 7 : 4)];
    return made;
  }
  std::vector<std::string> names() {
    std::vector<std::string> made;
    for (unsigned i = pick(4); i > 0; --i) made.push_back(pick(2) == 0 ? "card0" : text());
    return made;
  }
  template <class T>
  Result<T> maybe(T value) {
    static const std::vector<int> errnos{ENOENT, ENOTDIR, EACCES, EPERM, EIO, 4000};
    static const std::vector<Errc> codes{Errc::timed_out, Errc::abandoned, Errc::refused, Errc::too_large,
                                         Errc::not_recorded};
    const std::string message = pick(4) == 0 ? text() : "";
    if (pick(3) == 0) return system_error(errnos[pick(6)], message);
    if (pick(6) == 0) return Error{codes[pick(5)], 0, message};
    return value;
  }
  Identity identity() { return {pick(2000), pick(2000), text(), {{pick(99), text()}}}; }
  FileStat stat() {
    FileStat made{static_cast<FileType>(pick(8)), {}, {}, {}, text()};
    if (pick(2) == 0) made.mode = pick(010000);
    if (pick(2) == 0) made.uid = random_();
    return made;
  }
  CommandOutcome outcome() {
    CommandOutcome made;
    if (pick(2) == 0) made.exit = static_cast<int>(pick(300)) - 20;
    if (pick(3) == 0) made.signal = static_cast<int>(pick(64));
    made.timed_out = pick(3) == 0;
    made.duration_ms = pick(9000);
    made.out = text();
    made.err = text();
    return made;
  }

  std::mt19937 random_;
};

TEST(SavedBundle, GivesBackAnySnapshotExactly) {
  for (unsigned seed = 1; seed <= 100; ++seed)
    ASSERT_EQ(round_trip(RandomSnapshot(seed).make(), forms_for(seed)), "") << "seed " << seed;
}

TEST(SavedBundle, GivesBackEveryRecordedMachineExactly) {
  const auto shared = testing::shared_folder();
  if (!shared) GTEST_SKIP() << "no shared folder";
  std::size_t machines = 0;
  for (const auto& set : fs::directory_iterator(*shared / "fixtures")) {
    if (!set.is_directory()) continue;
    Snapshot s;
    for (const auto& entry : fs::recursive_directory_iterator(set.path())) {
      const std::string path = "/" + entry.path().lexically_relative(set.path()).string();
      if (entry.is_regular_file() && entry.file_size() <= (4U << 20U))
        s.files.emplace(path, testing::read_whole(entry.path()));
      if (!entry.is_directory()) continue;
      std::vector<std::string> names;
      for (const auto& below : fs::directory_iterator(entry.path())) names.push_back(below.path().filename().string());
      std::sort(names.begin(), names.end());
      s.listings.emplace(path, std::move(names));
    }
    ASSERT_EQ(round_trip(s, forms_for(machines)), "") << set.path();
    ++machines;
  }
  for (const auto& set : fs::directory_iterator(*shared / "cases")) {
    if (!fs::exists(set.path() / "bundle/manifest.json")) continue;
    const auto s = load_bundle((set.path() / "bundle").string());
    ASSERT_TRUE(s) << s.error().message;
    ASSERT_EQ(round_trip(*s, forms_for(machines)), "") << set.path();
    ++machines;
  }
  EXPECT_GT(machines, 100U);
}

Snapshot small_snapshot() {
  Snapshot s;
  s.captured = "2026-12-01T13:00:00Z";
  s.files.insert_or_assign("/proc/cmdline", std::string("quiet\n"));
  s.files.insert_or_assign("/" + std::string(110, 'l') + "/vendor", std::string("0x1002\n"));
  return s;
}

TEST(SavedBundle, IsReadByTheSystemsTarAndTheSameEveryTime) {
  const ScratchFolder scratch;
  const std::string path = (scratch.path() / "b.tgz").string();
  ASSERT_TRUE(save_bundle(small_snapshot(), path));
  const std::string first = testing::read_whole(path);
  const auto listed = testing::run({"tar", "--utc", "-tvzf", path});
  EXPECT_EQ(listed.exit, 0) << listed.err;
  EXPECT_EQ(listed.err, "");
  EXPECT_THAT(listed.out, HasSubstr("2026-12-01 13:00 manifest.json"));
  EXPECT_THAT(listed.out, HasSubstr("fs/" + std::string(110, 'l') + "/vendor"));
  EXPECT_EQ(testing::run({"tar", "-C", scratch.path().string(), "-xzf", path}).exit, 0);
  EXPECT_EQ(testing::read_whole(scratch.path() / "fs/proc/cmdline"), "quiet\n");
  ASSERT_TRUE(save_bundle(small_snapshot(), path));
  EXPECT_EQ(testing::read_whole(path), first);
}

TEST(SavedBundle, ReplacesALinkAtTheTargetAndNeverFollowsIt) {
  const ScratchFolder scratch;
  scratch.write("victim", "untouched");
  const fs::path target = scratch.path() / "b.tar.gz";
  fs::create_symlink("victim", target);
  ASSERT_TRUE(save_bundle(small_snapshot(), target.string()));
  EXPECT_EQ(testing::read_whole(scratch.path() / "victim"), "untouched");
  struct stat status {};
  ASSERT_EQ(lstat(target.c_str(), &status), 0);
  EXPECT_TRUE(S_ISREG(status.st_mode));
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), {}), 2) << "no temporary file is left";
}

TEST(SavedBundle, RefusesAFolderThatIsNotEmptyAndLeavesItAlone) {
  const ScratchFolder scratch;
  scratch.write("b/keep", "mine");
  const Status status = save_bundle(small_snapshot(), (scratch.path() / "b").string());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().errno_value, ENOTEMPTY) << status.error().message;
  EXPECT_EQ(testing::read_whole(scratch.path() / "b/keep"), "mine");
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), {}), 1);
  fs::create_directory(scratch.path() / "empty");
  EXPECT_TRUE(save_bundle(small_snapshot(), (scratch.path() / "empty/").string()));
}

TEST(SavedBundle, IsCompleteOrNotThereAtAll) {
  const ScratchFolder scratch;
  Snapshot s = small_snapshot();
  s.files.insert_or_assign("/large", std::string((4U << 20U) + 1, 'x'));
  for (const char* name : {"b.tar.gz", "b"}) {
    const Status status = save_bundle(s, (scratch.path() / name).string());
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, Errc::too_large);
    EXPECT_THAT(status.error().message, HasSubstr("fs/large: larger than 4 MiB"));
  }
  EXPECT_TRUE(fs::is_empty(scratch.path()));
  EXPECT_EQ(save_bundle(small_snapshot(), (scratch.path() / "no/such/folder.tgz").string()).error().errno_value,
            ENOENT);
}

}  // namespace
}  // namespace rocdiag
