// SPDX-License-Identifier: MIT
#include "source/process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "source/environment.h"
#include "testing/testing.h"

namespace rocdiag {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

ChildSpec child(std::vector<std::string> argv) {
  ChildSpec spec;
  spec.argv = std::move(argv);
  spec.env = whole_environment();
  spec.deadline = 20s;
  return spec;
}
ChildSpec shell(const std::string& script) { return child({"/bin/sh", "-c", script}); }
ChildSpec bad(std::vector<std::string> how) {
  how.insert(how.begin(), ROCDIAG_BAD_CHILD);
  return child(how);
}

EndedChild run_one(ChildSpec spec, std::chrono::milliseconds within = 20s) {
  std::vector<ChildSpec> specs;
  specs.push_back(std::move(spec));
  return run_children(std::move(specs), Clock::now() + within).at(0);
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator fds("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(fds), end(fds)));
}

bool has_children() { return waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD; }

bool is_alive(pid_t pid) {
  std::error_code ignored;
  const auto stat = std::filesystem::path("/proc") / std::to_string(pid) / "stat";
  if (!std::filesystem::exists(stat, ignored)) return false;
  const std::string text = testing::read_whole(stat);
  return text.substr(text.rfind(')') + 2, 1) != "Z";
}

bool dies_within(pid_t pid, std::chrono::milliseconds limit) {
  const auto end = Clock::now() + limit;
  while (is_alive(pid) && Clock::now() < end) std::this_thread::sleep_for(10ms);
  return !is_alive(pid);
}

pid_t pid_in(const std::filesystem::path& file) { return std::stoi(testing::read_whole(file)); }

class Process : public ::testing::Test {
 protected:
  void SetUp() override { descriptors_ = open_descriptors(); }
  void TearDown() override {
    EXPECT_EQ(open_descriptors(), descriptors_) << "descriptors leak";
    EXPECT_FALSE(has_children()) << "a zombie or a running child is left";
  }
  testing::ScratchFolder scratch_;

 private:
  std::size_t descriptors_ = 0;
};

TEST_F(Process, TellsExitCodeSignalAndBothStreams) {
  const auto exited = run_one(shell("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(exited.outcome);
  EXPECT_EQ(exited.outcome->exit, 3);
  EXPECT_EQ(exited.outcome->out, "out\n");
  EXPECT_EQ(exited.outcome->err, "err\n");
  EXPECT_FALSE(exited.outcome->truncated);
  const auto killed = run_one(shell("kill -SEGV $$"));
  ASSERT_TRUE(killed.outcome);
  EXPECT_EQ(killed.outcome->signal, SIGSEGV);
  EXPECT_FALSE(killed.outcome->exit);
  EXPECT_FALSE(killed.outcome->timed_out);
}

TEST_F(Process, AMissingProgramIsEnoentAndAnUnrunnableOneEacces) {
  const auto missing = run_one(child({(scratch_.path() / "nothing").string()}));
  ASSERT_FALSE(missing.outcome);
  EXPECT_EQ(missing.outcome.error(), system_error(ENOENT));
  const auto plain = run_one(child({scratch_.write("plain", "#!/bin/sh\n").string()}));
  ASSERT_FALSE(plain.outcome);
  EXPECT_EQ(plain.outcome.error(), system_error(EACCES));
  const auto none = run_one(child({}));
  EXPECT_FALSE(none.outcome);
}

TEST_F(Process, AChildSeesOnlyItsThreeStandardStreams) {
  const int inherited = open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  const auto end = run_one(shell("ls /proc/$$/fd"));
  close(inherited);
  ASSERT_TRUE(end.outcome);
  EXPECT_EQ(end.outcome->out, "0\n1\n2\n");
}

TEST_F(Process, AChildStartsWithDefaultSignalsInAGroupOfItsOwn) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  const auto ignored = std::signal(SIGINT, SIG_IGN);
  const auto end = run_one(child({"/bin/cat", "/proc/self/status", "/proc/self/stat"}));
  std::signal(SIGINT, ignored);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  ASSERT_TRUE(end.outcome);
  EXPECT_THAT(end.outcome->out, HasSubstr("SigBlk:\t0000000000000000"));
  EXPECT_THAT(end.outcome->out, HasSubstr("SigIgn:\t0000000000000000"));
  EXPECT_THAT(end.outcome->out, ::testing::ContainsRegex(std::to_string(end.pid) + " \\(cat\\) . [0-9]+ " +
                                                         std::to_string(end.pid) + " "));
}

TEST_F(Process, WithoutInputAChildReadsAnEndOfFile) {
  const auto end = run_one(child({"/bin/cat"}));
  ASSERT_TRUE(end.outcome);
  EXPECT_EQ(end.outcome->exit, 0);
  EXPECT_EQ(end.outcome->out, "");
}

TEST_F(Process, LargeInputPassesThroughAChildThatAnswersWhileItReads) {
  ChildSpec spec = child({"/bin/cat"});
  spec.input = std::string(3U << 20U, 'x') + "end";
  const auto end = run_one(std::move(spec));
  ASSERT_TRUE(end.outcome);
  EXPECT_EQ(end.outcome->exit, 0);
  EXPECT_EQ(end.outcome->out.size(), (3U << 20U) + 3);
  EXPECT_THAT(end.outcome->out, EndsWith("xend"));
}

TEST_F(Process, AChildThatDoesNotReadItsInputNeitherBlocksNorKillsUs) {
  ChildSpec closes = shell("exec <&-; sleep 0.1; echo done");
  closes.input = std::string(1U << 20U, 'x');
  const auto closed = run_one(std::move(closes));
  ASSERT_TRUE(closed.outcome);
  EXPECT_EQ(closed.outcome->out, "done\n");
  ChildSpec sleeps = child({"/bin/sleep", "20"});
  sleeps.input = std::string(1U << 20U, 'x');
  sleeps.deadline = 200ms;
  const auto slept = run_one(std::move(sleeps));
  ASSERT_TRUE(slept.outcome);
  EXPECT_TRUE(slept.outcome->timed_out);
  EXPECT_LT(slept.outcome->duration_ms, 1000);
}

TEST_F(Process, OfAHundredMegabytesTheTailIsKept) {
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  ChildSpec spec = shell("head -c 100000000 /dev/zero; echo tail");
  spec.output_limit = 1U << 20U;
  const auto end = run_one(std::move(spec));
  getrusage(RUSAGE_SELF, &after);
  ASSERT_TRUE(end.outcome);
  EXPECT_EQ(end.outcome->exit, 0);
  EXPECT_TRUE(end.outcome->truncated);
  EXPECT_EQ(end.outcome->out.size(), 1U << 20U);
  EXPECT_THAT(end.outcome->out, EndsWith("tail\n"));
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 32 * 1024) << "KiB";
}

void expect_ended_overdue(const EndedChild& end, const std::string& how) {
  ASSERT_TRUE(end.outcome) << how;
  EXPECT_TRUE(end.outcome->timed_out) << how;
  EXPECT_FALSE(end.outcome->abandoned) << how;
  EXPECT_FALSE(end.outcome->exit || end.outcome->signal) << how;
  EXPECT_LT(end.outcome->duration_ms, 1000) << how;
}

TEST_F(Process, OverdueChildrenEndByTermAndThoseThatIgnoreItByKill) {
  for (const std::string how : {"sleep", "deaf", "stop", "flood"}) {
    ChildSpec spec = bad({how});
    spec.deadline = 300ms;
    expect_ended_overdue(run_one(std::move(spec)), how);
  }
}

TEST_F(Process, TermGivesAChildTheTimeToSayGoodbye) {
  ChildSpec spec = shell("trap 'echo bye; exit 0' TERM; echo hello; while :; do sleep 0.01; done");
  spec.deadline = 200ms;
  const auto end = run_one(std::move(spec));
  ASSERT_TRUE(end.outcome);
  EXPECT_TRUE(end.outcome->timed_out);
  EXPECT_EQ(end.outcome->out, "hello\nbye\n");
}

TEST_F(Process, ASilentChildIsStuckAndATalkingOneIsNot) {
  ChildSpec silent = shell("echo one; sleep 20");
  silent.idle = 300ms;
  ChildSpec talking = shell("for i in 1 2 3 4 5; do echo $i; sleep 0.1; done");
  talking.idle = 300ms;
  std::vector<ChildSpec> specs;
  specs.push_back(std::move(silent));
  specs.push_back(std::move(talking));
  const auto ends = run_children(std::move(specs), Clock::now() + 10s);
  EXPECT_TRUE(ends[0].outcome->timed_out);
  EXPECT_EQ(ends[0].outcome->out, "one\n");
  EXPECT_LT(ends[0].outcome->duration_ms, 1000);
  EXPECT_EQ(ends[1].outcome->exit, 0);
}

TEST_F(Process, AGrandchildThatHoldsThePipesHoldsNobodyUpAndDiesWithTheGroup) {
  const auto pid_file = scratch_.path() / "pid";
  const auto start = Clock::now();
  const auto end = run_one(bad({"grandchild", pid_file}));
  EXPECT_LT(Clock::now() - start, 2s);
  ASSERT_TRUE(end.outcome);
  EXPECT_EQ(end.outcome->exit, 0);
  EXPECT_TRUE(dies_within(pid_in(pid_file), 2s));
}

TEST_F(Process, AGrandchildInASessionOfItsOwnHoldsNobodyUpEither) {
  const auto pid_file = scratch_.path() / "pid";
  const auto start = Clock::now();
  const auto end = run_one(bad({"far-grandchild", pid_file}));
  EXPECT_LT(Clock::now() - start, 2s);
  ASSERT_TRUE(end.outcome);
  EXPECT_EQ(end.outcome->exit, 0);
  kill(pid_in(pid_file), SIGKILL);
}

std::int64_t milliseconds_in_kernel() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_stime.tv_sec * 1000 + usage.ru_stime.tv_usec / 1000;
}

TEST_F(Process, AChildThatCannotBeKilledIsAbandonedAndNamed) {
  const auto pid_file = scratch_.path() / "pid";
  ChildSpec spec = bad({"unkillable", pid_file});
  spec.deadline = 500ms;
  const auto start = Clock::now();
  const auto kernel_time = milliseconds_in_kernel();
  const auto end = run_one(std::move(spec));
  EXPECT_LT(Clock::now() - start, 1500ms);
  EXPECT_LT(milliseconds_in_kernel() - kernel_time, 150) << "waiting for it must not spin";
  const pid_t tracer = pid_in(pid_file);
  kill(tracer, SIGKILL);
  ASSERT_TRUE(end.outcome);
  if (end.outcome->exit == 77) GTEST_SKIP() << "ptrace is not allowed here";
  EXPECT_TRUE(end.outcome->abandoned);
  EXPECT_TRUE(end.outcome->timed_out);
  EXPECT_EQ(waitpid(end.pid, nullptr, 0), end.pid);  // it was left behind under this number
}

TEST_F(Process, TheRunsDeadlineHoldsForTheMostStubbornChildren) {
  std::vector<ChildSpec> specs(4);
  for (std::size_t i = 0; const std::string how : {"deaf", "stop", "flood", "sleep"}) specs[i++] = bad({how});
  const auto deadline = Clock::now() + 1s;
  const auto ends = run_children(std::move(specs), deadline);
  EXPECT_LT(Clock::now(), deadline + 50ms);
  for (const EndedChild& end : ends) EXPECT_TRUE(end.outcome->timed_out);
}

TEST_F(Process, MoreThanEightTakeTurns) {
  std::vector<ChildSpec> specs(17);
  for (ChildSpec& spec : specs) spec = shell("sleep 0.2");
  const auto start = Clock::now();
  for (const EndedChild& end : run_children(std::move(specs), Clock::now() + 20s)) EXPECT_EQ(end.outcome->exit, 0);
  EXPECT_GE(Clock::now() - start, 600ms);
}

TEST_F(Process, AChildWithoutTimeLeftIsNotStarted) {
  const auto late = run_one(shell("touch " + (scratch_.path() / "started").string()), 400ms);
  ASSERT_FALSE(late.outcome);
  EXPECT_EQ(late.outcome.error().code, Errc::timed_out);
  EXPECT_EQ(late.pid, 0);
  EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "started"));
}

TEST_F(Process, ASinkTakesOutputAsItComesAndMayEndTheChild) {
  std::string seen;
  ChildSpec spec = shell("echo enough; sleep 20");
  spec.sink = [&](std::string_view bytes) {
    seen += bytes;
    return Wanted::no_more;
  };
  const auto end = run_one(std::move(spec));
  ASSERT_TRUE(end.outcome);
  EXPECT_EQ(seen, "enough\n");
  EXPECT_EQ(end.outcome->signal, SIGKILL);
  EXPECT_LT(end.outcome->duration_ms, 2000);
}

TEST_F(Process, ASuccessorRunsInTheSamePlace) {
  ChildSpec first = shell("exit 1");
  first.next = [](const EndedChild& end) -> std::optional<ChildSpec> {
    EXPECT_EQ(end.outcome->exit, 1);
    return shell("exit 2");
  };
  std::vector<ChildSpec> specs;
  specs.push_back(std::move(first));
  specs.push_back(shell("exit 3"));
  const auto ends = run_children(std::move(specs), Clock::now() + 10s);
  EXPECT_EQ(ends[0].outcome->exit, 2);
  EXPECT_EQ(ends[1].outcome->exit, 3);
}

TEST_F(Process, WorksWhereTheCallerIgnoresChildrenAndLeavesSignalsAsTheyWere) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const auto end = run_one(shell("exit 4"));
  EXPECT_EQ(std::signal(SIGCHLD, before), SIG_IGN);
  ASSERT_TRUE(end.outcome);
  EXPECT_EQ(end.outcome->exit, 4);
  EXPECT_EQ(std::signal(SIGPIPE, SIG_DFL), SIG_DFL);
}

// What follows is done in a forked process, for it ruins the one that does it. The exit code is the answer.
template <class Body>
int in_fork(Body body) {
  const pid_t pid = fork();
  if (pid == 0) _exit(body());
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(Process, WorksWhereTheStandardStreamsAreClosed) {
  EXPECT_EQ(in_fork([] {
              for (const int fd : {0, 1, 2}) close(fd);
              ChildSpec spec = shell("cat; echo err >&2");
              spec.input = "in";
              const auto end = run_one(std::move(spec));
              return end.outcome && end.outcome->out == "in" && end.outcome->err == "err\n" ? 0 : 1;
            }),
            0);
}

TEST_F(Process, WithoutDescriptorsLeftTheErrorSaysSo) {
  EXPECT_EQ(in_fork([] {
              rlimit few{8, 8};
              setrlimit(RLIMIT_NOFILE, &few);
              const auto end = run_one(shell("echo"));
              return !end.outcome && end.outcome.error() == system_error(EMFILE) ? 0 : 1;
            }),
            0);
}

TEST_F(Process, ChildrenDieWithUs) {
  const auto pid_file = scratch_.path() / "pid";
  const pid_t parent = fork();
  if (parent == 0) {
    run_one(shell("echo $$ > " + pid_file.string() + ".new; mv " + pid_file.string() + ".new " + pid_file.string() +
                  "; exec sleep 20"));
    _exit(0);
  }
  const auto end = Clock::now() + 5s;
  while (!std::filesystem::exists(pid_file) && Clock::now() < end) std::this_thread::sleep_for(10ms);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_TRUE(dies_within(pid_in(pid_file), 2s));
}

}  // namespace
}  // namespace rocdiag
