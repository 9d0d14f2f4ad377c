// SPDX-License-Identifier: MIT
#include "source/local.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "engine/ask.h"
#include "source/identity.h"
#include "testing/testing.h"

namespace rocdiag {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Clock = std::chrono::steady_clock;

// A folder of the test's own, and a source that may walk it.
class Local : public ::testing::Test {
 protected:
  LocalOptions options() const {
    LocalOptions o;
    o.worker = {testing::binary(), "worker", "read"};
    o.more_pattern_folders = {scratch_.path().string()};
    return o;
  }
  Snapshot ask(const std::vector<Question>& questions, const LocalOptions& with,
               std::chrono::milliseconds within = 20s) const {
    LocalSource source(with);
    Snapshot snapshot = source.begin();
    source.answer(questions, Clock::now() + within, snapshot);
    return snapshot;
  }
  Snapshot ask(const std::vector<Question>& questions) const { return ask(questions, options()); }
  std::string at(const std::string& name) const { return (scratch_.path() / name).string(); }
  // Reads of a process's files go to a child, so these stand for a driver's.
  static std::string slow(const std::string& name) { return "/proc/" + std::to_string(getpid()) + "/" + name; }

  testing::ScratchFolder scratch_;
};

TEST_F(Local, BeginTellsWhoAsksWhereAndWhen) {
  LocalSource source(options());
  const Snapshot snapshot = source.begin();
  EXPECT_EQ(source.kind(), "live");
  ASSERT_TRUE(snapshot.identity);
  EXPECT_EQ(snapshot.identity->uid, geteuid());
  ASSERT_FALSE(snapshot.identity->groups.empty());
  EXPECT_EQ(snapshot.identity->groups.front().id, getegid());
  utsname names{};
  uname(&names);
  ASSERT_TRUE(snapshot.uname);
  EXPECT_EQ(snapshot.uname->release, names.release);
  EXPECT_TRUE(snapshot.env_complete);
  EXPECT_TRUE(snapshot.variable("PATH"));
  EXPECT_TRUE(snapshot.variable("HSA_NOT_SET").is_absent());
  EXPECT_THAT(snapshot.captured, ::testing::MatchesRegex("20..-..-..T..:..:..Z"));
}

TEST_F(Local, NamesOfIdsComeFromTheTablesLineByLine) {
  const std::string table = "root:x:0:\nbroken\nrender:x:992:ann,bob\n+::99x:\nvideo:x:44:";
  EXPECT_EQ(name_in_table(table, 992), "render");
  EXPECT_EQ(name_in_table(table, 44), "video");
  EXPECT_EQ(name_in_table(table, 99), "");
}

TEST_F(Local, AnswersEveryKindOfQuestionOrSaysWhyNot) {
  scratch_.write("file", "content\n");
  symlink("file", at("link").c_str());
  const Snapshot s =
      ask({read_file(at("file")), read_file(at("missing")), read_file(scratch_.path()), list_folder(scratch_.path()),
           list_folder(at("file")), resolve_link(at("link")), resolve_link(at("file")), stat_file(at("link")),
           stat_file("/dev/null"), stat_file(at("file/below"))});
  EXPECT_EQ(*s.read(at("file")), "content\n");
  EXPECT_EQ(s.read(at("missing")).error(), system_error(ENOENT));
  EXPECT_EQ(s.read(scratch_.path()).error(), system_error(EISDIR));
  EXPECT_THAT(*s.list(scratch_.path()), ElementsAre("file", "link"));
  EXPECT_EQ(s.list(at("file")).error(), system_error(ENOTDIR));
  EXPECT_EQ(*s.link(at("link")), "file");
  EXPECT_EQ(s.link(at("file")).error(), system_error(EINVAL));
  EXPECT_EQ(s.stat(at("link"))->type, FileType::file);
  EXPECT_EQ(s.stat(at("link"))->uid, geteuid());
  EXPECT_EQ(s.stat("/dev/null")->type, FileType::char_device);
  EXPECT_EQ(s.stat("/dev/null")->rdev, "1:3");
  EXPECT_EQ(s.stat(at("file/below")).error(), system_error(ENOTDIR));
}

TEST_F(Local, PatternsRecordTheFoldersWalkedAndTheLinksInThem) {
  scratch_.write("nodes/1/name", "one");
  scratch_.write("nodes/10/name", "ten");
  scratch_.write("nodes/2/other", "");
  scratch_.write("nodes/.hidden/name", "");
  symlink("1", at("nodes/first").c_str());
  const Snapshot s = ask({read_file(at("nodes/[0-9]*/name"))});
  EXPECT_THAT(*s.list(at("nodes")), ElementsAre(".hidden", "1", "10", "2", "first"));
  EXPECT_THAT(s.matches(at("nodes/[0-9]*/name")),
              ElementsAre(at("nodes/1/name"), at("nodes/10/name"), at("nodes/2/name")));
  EXPECT_EQ(*s.read(at("nodes/10/name")), "ten");
  EXPECT_EQ(s.read(at("nodes/2/name")).error(), system_error(ENOENT));
  EXPECT_EQ(*s.link(at("nodes/first")), "1");
}

TEST_F(Local, RefusesWhatItMustNotAsk) {
  LocalOptions strict = options();
  strict.more_pattern_folders.clear();
  scratch_.write("a", "");
  const Snapshot s = ask({read_file("/sys/kernel/debug/x"), list_folder("/sys/kernel/debug"), read_file(at("*")),
                          read_file(at("../a")), open_device(at("a")), open_device("/dev/null")},
                         strict);
  for (const auto& error :
       {s.read("/sys/kernel/debug/x").error(), s.list("/sys/kernel/debug").error(), s.read(at("*")).error(),
        s.read(at("../a")).error(), s.open(at("a")).error(), s.open("/dev/null").error()})
    EXPECT_EQ(error.code, Errc::refused);
  EXPECT_EQ(s.list(scratch_.path()).error().code, Errc::not_recorded);
}

TEST_F(Local, APipeOrADeviceIsNotReadAndDoesNotBlock) {
  mkfifo(at("pipe").c_str(), 0600);
  const Snapshot s = ask({read_file(at("pipe")), read_file("/dev/zero")});
  EXPECT_EQ(s.read(at("pipe")).error().code, Errc::refused);
  EXPECT_EQ(s.read("/dev/zero").error().code, Errc::refused);
}

TEST_F(Local, OfALargeFileTheHeadIsKeptAndNamed) {
  scratch_.write("large", "head" + std::string(5U << 20U, 'x'));
  scratch_.write("full", std::string(4U << 20U, 'x'));
  const Snapshot s = ask({read_file(at("large")), read_file(at("full"))});
  EXPECT_EQ(s.read(at("large"))->size(), 4U << 20U);
  EXPECT_EQ(s.read(at("large"))->substr(0, 5), "headx");
  EXPECT_EQ(s.read(at("full"))->size(), 4U << 20U);
  EXPECT_THAT(s.truncated, ElementsAre(at("large")));
}

TEST_F(Local, AllFilesTogetherStayBelowWhatABundleMayHold) {
  for (int i = 0; i < 20; ++i) scratch_.write("f" + std::to_string(i), std::string(4U << 20U, 'x'));
  const Snapshot s = ask({read_file(at("f*"))});
  std::size_t kept = 0;
  std::size_t refused = 0;
  for (const auto& [path, content] : s.files) {
    if (content)
      kept += content->size();
    else if (content.error().code == Errc::too_large)
      ++refused;
  }
  EXPECT_EQ(kept, 64U << 20U);
  EXPECT_EQ(refused, 4U);
}

// Links from a folder into itself: names that multiply.
void fill(const std::string& folder, int names) {
  std::filesystem::create_directory(folder);
  for (int i = 0; i < names; ++i) EXPECT_EQ(symlink(".", (folder + "/" + std::to_string(i)).c_str()), 0);
}

TEST_F(Local, AFolderWithTooManyNamesIsTooLarge) {
  fill(at("many"), 4097);
  const Snapshot s = ask({list_folder(at("many")), read_file(at("many/*"))});
  EXPECT_EQ(s.list(at("many")).error().code, Errc::too_large);
  EXPECT_THAT(s.matches(at("many/*")), IsEmpty());
}

TEST_F(Local, APatternWithTooManyMatchesIsNotAskedAndSaysSo) {
  fill(at("many"), 65);
  const Snapshot s = ask({read_file(at("many/*/*"))});
  EXPECT_THAT(s.notes, ElementsAre(HasSubstr(at("many/*/*"))));
  EXPECT_EQ(s.read(at("many/0/0")).error().code, Errc::not_recorded);
}

TEST_F(Local, ReadsThroughTheWorkerKeepContentAndErrno) {
  const Snapshot s = ask({read_file(slow("stat")), read_file(slow("missing")), read_file(slow("mem")),
                          open_device("/dev/kfd-is-not-here"), read_file(slow("status"))});
  EXPECT_THAT(*s.read(slow("stat")), HasSubstr(std::to_string(getpid())));
  EXPECT_EQ(s.read(slow("missing")).error(), system_error(ENOENT));
  EXPECT_EQ(s.read(slow("mem")).error().code, Errc::system);
  EXPECT_THAT(*s.read(slow("status")), HasSubstr("Name:"));
}

TEST_F(Local, AWorkerThatCannotStartSaysNothingAboutTheFile) {
  LocalOptions broken = options();
  broken.worker = {at("no-such-worker")};
  const Snapshot s = ask({read_file(slow("stat")), read_file(slow("status"))}, broken);
  for (const char* name : {"stat", "status"}) {
    EXPECT_EQ(s.read(slow(name)).error().code, Errc::not_recorded);
    EXPECT_THAT(s.read(slow(name)).error().message, HasSubstr("ENOENT"));
  }
}

struct Trap {
  const char* how;
  Errc code;
};

class LocalTrap : public Local, public ::testing::WithParamInterface<Trap> {};

void end_tracer(const std::string& pid_file) {
  if (!std::filesystem::exists(pid_file)) return;
  kill(std::stoi(testing::read_whole(pid_file)), SIGKILL);
  while (waitpid(-1, nullptr, 0) > 0) {
  }
}

// A worker that goes wrong at one question loses that one alone, whatever it does.
TEST_P(LocalTrap, CostsOneQuestionAndNoTime) {
  LocalOptions o = options();
  o.worker = {ROCDIAG_BAD_CHILD, "worker", GetParam().how, "limits", at("tracer")};
  o.stuck_after = 300ms;
  Command echo;
  echo.argv = {"echo", "beside"};
  const auto start = Clock::now();
  const Snapshot s =
      ask({read_file(slow("stat")), read_file(slow("limits")), read_file(slow("status")), run_command(echo)}, o, 10s);
  EXPECT_LT(Clock::now() - start, 3s);
  end_tracer(at("tracer"));
  EXPECT_TRUE(s.read(slow("stat")));
  EXPECT_TRUE(s.read(slow("status")));
  EXPECT_EQ(s.run({"echo", "beside"})->out, "beside\n");
  const bool abandoned = GetParam().code == Errc::abandoned;
  if (abandoned && s.notes.empty()) GTEST_SKIP() << "ptrace is not allowed here";
  EXPECT_EQ(s.read(slow("limits")).error().code, GetParam().code);
  EXPECT_THAT(s.notes, SizeIs(abandoned ? 1 : 0));
  EXPECT_THAT(s.notes, Each(AllOf(HasSubstr(slow("limits")), HasSubstr("Process "))));
}

INSTANTIATE_TEST_SUITE_P(, LocalTrap,
                         ::testing::Values(Trap{"stop", Errc::timed_out}, Trap{"sleep", Errc::timed_out},
                                           Trap{"deaf", Errc::timed_out}, Trap{"flood", Errc::timed_out},
                                           Trap{"flood-answers", Errc::timed_out}, Trap{"grandchild", Errc::timed_out},
                                           Trap{"far-grandchild", Errc::timed_out}, Trap{"exit", Errc::timed_out},
                                           Trap{"die", Errc::timed_out}, Trap{"garbage", Errc::timed_out},
                                           Trap{"cut", Errc::timed_out}, Trap{"unkillable", Errc::abandoned}),
                         [](const ::testing::TestParamInfo<Trap>& trap) {
                           std::string name = trap.param.how;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_F(Local, AfterThreeFreshWorkersTheRestTimesOut) {
  LocalOptions o = options();
  o.worker = {ROCDIAG_BAD_CHILD, "worker", "exit", "s"};  // at every path that ends in s
  const Snapshot s = ask({read_file(slow("limits")), read_file(slow("status")), read_file(slow("maps")),
                          read_file(slow("mounts")), read_file(slow("stat"))},
                         o);
  for (const char* name : {"limits", "status", "maps", "mounts", "stat"})
    EXPECT_EQ(s.read(slow(name)).error().code, Errc::timed_out) << name;
}

TEST_F(Local, TheDeadlineHoldsWhateverTheChildrenDo) {
  LocalOptions o = options();
  o.worker = {ROCDIAG_BAD_CHILD, "deaf"};
  Command sleep;
  sleep.argv = {"sleep", "20"};
  sleep.deadline = 20s;
  const auto start = Clock::now();
  const Snapshot s = ask({read_file(slow("stat")), read_file(slow("limits")), run_command(sleep)}, o, 1s);
  EXPECT_LT(Clock::now() - start, 1050ms);
  EXPECT_EQ(s.read(slow("stat")).error().code, Errc::timed_out);
  EXPECT_EQ(s.read(slow("limits")).error().code, Errc::timed_out);
  EXPECT_TRUE(s.run({"sleep", "20"})->timed_out);
}

TEST_F(Local, WithoutTimeLeftEveryQuestionIsAnsweredWithThat) {
  Command echo;
  echo.argv = {"echo"};
  const std::vector<Question> questions{read_file(slow("stat")), read_file("/proc/version"), list_folder("/opt"),
                                        stat_file("/dev/null"),  open_device("/dev/kfd"),    run_command(echo)};
  const Snapshot s = ask(questions, options(), 0s);
  for (const Question& question : questions) EXPECT_TRUE(s.holds(question));
  EXPECT_EQ(s.read("/proc/version").error().code, Errc::timed_out);
  EXPECT_EQ(s.run({"echo"}).error().code, Errc::timed_out);
}

TEST_F(Local, CommandsRunSideBySideFromTheSystemsFoldersUnderTheNameAsked) {
  Command sleep;
  sleep.argv = {"sleep", "0.5"};
  Command missing;
  missing.argv = {"no-such-program-here"};
  Command relative;
  relative.argv = {"./x"};
  Command input;
  input.argv = {"cat"};
  input.input = "fed";
  Command other = sleep;
  other.env = {{"A", "1"}};
  const auto start = Clock::now();
  const Snapshot s = ask({run_command(sleep), run_command(other), run_command(missing), run_command(relative),
                          run_command(input), read_file(slow("stat"))});
  EXPECT_LT(Clock::now() - start, 950ms);
  EXPECT_EQ(s.run({"sleep", "0.5"})->exit, 0);
  EXPECT_EQ(s.run({"sleep", "0.5"}, {{"A", "1"}})->exit, 0);
  EXPECT_EQ(s.run({"no-such-program-here"}).error(), system_error(ENOENT));
  EXPECT_EQ(s.run({"./x"}).error().code, Errc::refused);
  EXPECT_EQ(s.run({"cat"})->out, "fed");
}

TEST_F(Local, APassiveRunStartsAtMostThreeWorkers) {
  LocalOptions counting = options();
  counting.worker = {"/bin/sh", "-c", "echo x >> " + at("started") + "; exec " + testing::binary() + " worker read"};
  LocalSource source(counting);
  std::vector<Probe> probes = probe_catalogue();
  probes.push_back({"slow",
                    std::nullopt,
                    "",
                    {},
                    [](const Facts&) {
                      return std::vector<Question>{read_file(slow("stat")), read_file(slow("status"))};
                    },
                    [](const Snapshot&, Facts&) {}});
  const Asked asked = ask_all(source, probes, Clock::now() + 20s);
  EXPECT_TRUE(asked.snapshot.read(slow("status")));
  EXPECT_LE(testing::read_whole(at("started")).size(), 3 * std::string("x\n").size());
}

TEST_F(Local, WhatIsNotThereNeedsNoWorker) {
  LocalOptions o = options();
  o.worker = {at("no-such-worker")};
  const Snapshot s = ask({open_device("/dev/dri/renderD999"), read_file("/sys/class/kfd/no/such/file")}, o);
  EXPECT_EQ(s.open("/dev/dri/renderD999").error(), system_error(ENOENT));
  EXPECT_EQ(s.read("/sys/class/kfd/no/such/file").error(), system_error(ENOENT));
}

}  // namespace
}  // namespace rocdiag
