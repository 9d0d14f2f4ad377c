// SPDX-License-Identifier: MIT
// A child that does what children do at their worst. `bad_child HOW [PIDFILE]` does it at once; `bad_child worker HOW
// WORD [PIDFILE]` first answers like `rocdiag worker read`, until a question's path ends in WORD.
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "source/files.h"
#include "worker/frames.h"

namespace {

constexpr unsigned kLong = 30;  // seconds: longer than any test
constexpr int kCannot = 77;     // the trick is not possible here
std::string pid_file;           // where a process that outlives us leaves its number

void note_pid(pid_t pid) { std::ofstream(pid_file) << pid << std::flush; }

[[noreturn]] void flood(const std::string& with) {
  while (write(STDOUT_FILENO, with.data(), with.size()) > 0) {
  }
  _exit(1);
}

// A grandchild holds our pipes; in a session of its own nobody's signal to our group reaches it.
[[noreturn]] void leave_grandchild(bool own_session) {
  const pid_t pid = fork();
  if (pid == 0) {
    if (own_session) setsid();
    sleep(kLong);
    _exit(0);
  }
  if (!pid_file.empty()) note_pid(pid);
  _exit(0);
}

// Traced by a process that does not look, a killed process stays where its parent cannot reap it: as in D state.
[[noreturn]] void become_unkillable() {
  std::array<int, 2> seized{};
  if (pipe(seized.data()) != 0) _exit(kCannot);
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  const pid_t victim = getpid();
  const pid_t tracer = fork();
  if (tracer == 0) {
    setsid();
    const char ok = ptrace(PTRACE_SEIZE, victim, nullptr, nullptr) == 0 ? 'y' : 'n';
    if (write(seized[1], &ok, 1) != 1) _exit(1);
    for (int fd = 0; fd < 16; ++fd) close(fd);
    sleep(kLong);
    _exit(0);
  }
  note_pid(tracer);
  char ok = 'n';
  if (read(seized[0], &ok, 1) != 1 || ok != 'y') _exit(kCannot);
  sleep(kLong);
  _exit(0);
}

[[noreturn]] void misbehave(const std::string& how) {
  if (how == "stop") raise(SIGSTOP);
  if (how == "flood") flood(std::string(65536, '\0'));
  if (how == "flood-answers") flood(to_frame(rocdiag::FileAnswer{0, rocdiag::FileContent{"again", false}}));
  if (how == "grandchild") leave_grandchild(false);
  if (how == "far-grandchild") leave_grandchild(true);
  if (how == "exit") _exit(0);
  if (how == "die") raise(SIGKILL);
  if (how == "garbage") {
    std::fputs("Segmentation fault (core dumped)\n", stdout);
    std::fflush(stdout);
  }
  if (how == "cut") {
    std::fputs("\x20", stdout);
    std::fflush(stdout);
    _exit(0);
  }
  if (how == "deaf") std::signal(SIGTERM, SIG_IGN);
  if (how == "unkillable") become_unkillable();
  sleep(kLong);
  sleep(kLong);  // the first may have been cut short by a signal
  _exit(0);
}

void work_until(const std::string& word, const std::string& how) {
  rocdiag::FrameReader frames;
  const std::string input((std::istreambuf_iterator<char>(std::cin)), {});
  frames.add(input);
  std::uint32_t index = 0;
  for (auto payload = frames.next(); payload && *payload; payload = frames.next()) {
    const auto question = rocdiag::parse_question(**payload);
    if (!question) _exit(1);
    const std::string& path = question->path;
    if (path.size() >= word.size() && path.compare(path.size() - word.size(), word.size(), word) == 0) misbehave(how);
    const std::string answer = to_frame(rocdiag::FileAnswer{index++, rocdiag::read_regular_file(path)});
    std::fwrite(answer.data(), 1, answer.size(), stdout);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() >= 3 && args[0] == "worker") {
    if (args.size() > 3) pid_file = args[3];
    work_until(args[2], args[1]);
    return 0;
  }
  if (args.empty()) return 1;
  if (args.size() > 1) pid_file = args[1];
  misbehave(args[0]);
}
