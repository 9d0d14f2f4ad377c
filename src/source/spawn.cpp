// SPDX-License-Identifier: MIT
#include "source/spawn.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

// Numbers shared by all architectures; the C libraries of older distributions do not name them.
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

namespace rocdiag {
namespace {

constexpr int kFirstOther = 3;  // after standard input, output and error
constexpr unsigned kCloseRangeCloexec = 4;
constexpr int kSignals = 65;

struct Pipe {
  Fd read, write;
};

// Where rocdiag itself was started with a closed standard stream, a pipe would land there, and dup2() in the child
// would overwrite one end with another.
Fd above_standard(Fd fd) {
  if (!fd.is_open() || fd.get() >= kFirstOther) return fd;
  return Fd(fcntl(fd.get(), F_DUPFD_CLOEXEC, kFirstOther));
}

Result<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return system_error(errno);
  Pipe pipe{above_standard(Fd(ends[0])), above_standard(Fd(ends[1]))};
  if (!pipe.read.is_open() || !pipe.write.is_open()) return system_error(EMFILE);
  return pipe;
}

void set_nonblocking(const Fd& fd) { fcntl(fd.get(), F_SETFL, O_NONBLOCK); }

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> p;
  p.reserve(strings.size() + 1);
  for (const std::string& s : strings) p.push_back(const_cast<char*>(s.c_str()));
  p.push_back(nullptr);
  return p;
}

// All the child needs, made before the fork: after it only async-signal-safe calls are allowed.
struct Prepared {
  char* const* argv;
  char* const* env;
  int in, out, err, failed;
  pid_t parent;
  int highest_fd;
};

void reset_signals() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (int signal = 1; signal < kSignals; ++signal) sigaction(signal, &action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

void close_others_on_exec(int highest_fd) {
  if (syscall(SYS_close_range, kFirstOther, ~0U, kCloseRangeCloexec) == 0) return;
  for (int fd = kFirstOther; fd <= highest_fd; ++fd) fcntl(fd, F_SETFD, FD_CLOEXEC);  // before Linux 5.11
}

[[noreturn]] void become(const Prepared& p) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != p.parent) _exit(127);  // it died before the line above
  reset_signals();
  if (dup2(p.in, STDIN_FILENO) >= 0 && dup2(p.out, STDOUT_FILENO) >= 0 && dup2(p.err, STDERR_FILENO) >= 0) {
    close_others_on_exec(p.highest_fd);
    execve(p.argv[0], p.argv, p.env);
  }
  const int why = errno;
  while (write(p.failed, &why, sizeof why) < 0 && errno == EINTR) {
  }
  _exit(127);
}

int highest_fd() {
  const long limit = sysconf(_SC_OPEN_MAX);
  return static_cast<int>(std::clamp(limit, 1024L, 65536L));
}

}  // namespace

Result<Spawned> spawn(const std::vector<std::string>& argv, const std::vector<std::string>& env) {
  if (argv.empty()) return Error{Errc::usage, 0, "no program given"};
  auto in = make_pipe();
  auto out = make_pipe();
  auto err = make_pipe();
  auto failed = make_pipe();
  for (const auto* pipe : {&in, &out, &err, &failed})
    if (!*pipe) return pipe->error();
  const auto argv_pointers = pointers(argv);
  const auto env_pointers = pointers(env);
  const Prepared prepared{argv_pointers.data(), env_pointers.data(), in->read.get(), out->write.get(),
                          err->write.get(),     failed->write.get(), getpid(),       highest_fd()};
  const pid_t pid = fork();
  if (pid < 0) return system_error(errno);
  if (pid == 0) become(prepared);
  setpgid(pid, pid);  // here too, so that the group can be signalled at once, whoever runs first

  Spawned child;
  child.pid = pid;
  child.pidfd = above_standard(Fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))));
  child.failed = std::move(failed->read);
  child.in = std::move(in->write);
  child.out = std::move(out->read);
  child.err = std::move(err->read);
  for (const Fd* fd : {&child.failed, &child.in, &child.out, &child.err})
    if (fd->is_open()) set_nonblocking(*fd);
  return child;
}

}  // namespace rocdiag
