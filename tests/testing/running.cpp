// SPDX-License-Identifier: MIT
// Programs run by tests, with files or a terminal as their streams.
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "testing/testing.h"

namespace rocdiag::testing {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void become(const std::vector<std::string>& argv, const std::map<std::string, std::string>& env) {
  for (const auto& [name, value] : env) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> args;
  for (const std::string& arg : argv) args.push_back(const_cast<char*>(arg.c_str()));
  args.push_back(nullptr);
  execvp(args[0], args.data());
  _exit(127);
}

Ran reap(pid_t pid, Clock::time_point start) {
  int status = 0;
  waitpid(pid, &status, 0);
  Ran ran;
  ran.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  ran.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

}  // namespace

Ran run(const std::vector<std::string>& argv, const std::map<std::string, std::string>& env, const std::string& input) {
  const ScratchFolder scratch;
  const auto in = scratch.write("in", input);
  const auto start = Clock::now();
  const pid_t pid = fork();
  if (pid == 0) {
    const bool opened = freopen(in.c_str(), "r", stdin) != nullptr &&
                        freopen((scratch.path() / "out").c_str(), "w", stdout) != nullptr &&
                        freopen((scratch.path() / "err").c_str(), "w", stderr) != nullptr;
    if (!opened) _exit(127);
    become(argv, env);
  }
  Ran ran = reap(pid, start);
  ran.out = read_whole(scratch.path() / "out");
  ran.err = read_whole(scratch.path() / "err");
  return ran;
}

Ran run_on_terminal(const std::vector<std::string>& argv, const std::map<std::string, std::string>& env, int columns) {
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = 50;
  int terminal = -1;
  const auto start = Clock::now();
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, &size);
  if (pid == 0) become(argv, env);
  if (pid < 0) return {};
  std::string shown;
  std::array<char, 4096> buffer;
  for (ssize_t n = 0; (n = read(terminal, buffer.data(), buffer.size())) > 0;)
    shown.append(buffer.data(), static_cast<std::size_t>(n));
  Ran ran = reap(pid, start);
  close(terminal);
  ran.out = shown;
  return ran;
}

}  // namespace rocdiag::testing
