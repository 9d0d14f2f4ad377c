// SPDX-License-Identifier: MIT
#include "source/process.h"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <deque>
#include <list>

#include "source/spawn.h"

namespace rocdiag {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kTick{10};             // how often to look for the end of a child where no pidfd tells
constexpr milliseconds kLongestWait{60'000};  // poll() takes an int
constexpr std::size_t kChunk = 64U << 10U;
constexpr int kDrainReads = 32;  // more than a pipe holds: a grandchild that floods it must not keep us here

// The last `limit` bytes of what was added.
class Tail {
 public:
  explicit Tail(std::size_t limit) : limit_(limit) {}

  void add(std::string_view bytes) {
    text_.append(bytes);
    if (text_.size() > 2 * limit_) cut();
  }
  std::string take() {
    cut();
    return std::move(text_);
  }
  bool truncated() const { return truncated_; }

 private:
  void cut() {
    if (text_.size() <= limit_) return;
    text_.erase(0, text_.size() - limit_);
    truncated_ = true;
  }

  std::size_t limit_;
  std::string text_;
  bool truncated_ = false;
};

enum class Phase { running, terminated, killed, ended };

struct Child {
  Child(std::size_t slot_, ChildSpec spec_, Spawned process_, Clock::time_point latest)
      : slot(slot_),
        spec(std::move(spec_)),
        process(std::move(process_)),
        out(spec.output_limit),
        err(spec.output_limit),
        start(Clock::now()),
        last_output(start),
        due(std::min(start + spec.deadline, latest)) {}

  Clock::time_point next_event() const {
    if (phase != Phase::running || spec.idle.count() == 0) return due;
    return std::min(due, last_output + spec.idle);
  }

  std::size_t slot;  // its place in the results
  ChildSpec spec;
  Spawned process;
  std::size_t written = 0;  // of the input
  Tail out, err;
  Clock::time_point start, last_output;
  Clock::time_point due;  // of the next step towards its end
  Phase phase = Phase::running;
  bool timed_out = false, abandoned = false;
  bool lost = false;  // someone else reaped it: how it ended is not known
  int status = 0;     // as waitpid says
};

// SIGPIPE must not kill us when a child closes its input; an inherited SIG_IGN for SIGCHLD would reap behind our back.
class SignalsForChildren {
 public:
  SignalsForChildren() {
    set(SIGPIPE, SIG_IGN, pipe_);
    set(SIGCHLD, SIG_DFL, child_);
  }
  ~SignalsForChildren() {
    sigaction(SIGPIPE, &pipe_, nullptr);
    sigaction(SIGCHLD, &child_, nullptr);
  }
  SignalsForChildren(const SignalsForChildren&) = delete;
  SignalsForChildren& operator=(const SignalsForChildren&) = delete;

 private:
  static void set(int signal, void (*handler)(int), struct sigaction& before) {
    struct sigaction action {};
    action.sa_handler = handler;
    sigaction(signal, &action, &before);
  }
  struct sigaction pipe_ {};
  struct sigaction child_ {};
};

void signal_group(const Child& child, int signal) { kill(-child.process.pid, signal); }

void kill_now(Child& child) {
  signal_group(child, SIGKILL);
  child.phase = Phase::killed;
  child.due = Clock::now() + kKillToAbandon;
}

void feed(Child& child) {
  const std::string& input = child.spec.input;
  if (!child.process.in.is_open()) return;
  while (child.written < input.size()) {
    const ssize_t n = write(child.process.in.get(), input.data() + child.written, input.size() - child.written);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n < 0) break;  // EPIPE: the child does not want it
    child.written += static_cast<std::size_t>(n);
  }
  child.process.in.close();
}

enum class Took { some, nothing };

// One read at most, so that a child that floods us does not starve the others.
Took take_output(Child& child, Fd& from) {
  static std::array<char, kChunk> buffer;
  if (!from.is_open()) return Took::nothing;
  const ssize_t n = read(from.get(), buffer.data(), buffer.size());
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return Took::nothing;
  if (n <= 0) {
    from.close();
    return Took::nothing;
  }
  child.last_output = Clock::now();
  const std::string_view bytes(buffer.data(), static_cast<std::size_t>(n));
  if (&from == &child.process.err) {
    child.err.add(bytes);
  } else if (!child.spec.sink) {
    child.out.add(bytes);
  } else if (child.spec.sink(bytes) == Wanted::no_more) {
    from.close();
    kill_now(child);
  }
  return Took::some;
}

void drain(Child& child) {
  for (Fd* from : {&child.process.out, &child.process.err})
    for (int i = 0; i < kDrainReads && take_output(child, *from) == Took::some; ++i) {
    }
}

// Sees the end without reaping: as long as the leader is a zombie, nobody else can get its process group's number.
bool has_exited(const Child& child) {
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(child.process.pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0)
    return errno == ECHILD;
  return info.si_pid != 0;
}

void finish_exited(Child& child) {
  drain(child);
  signal_group(child, SIGKILL);
  pid_t reaped = 0;
  while ((reaped = waitpid(child.process.pid, &child.status, WNOHANG)) < 0 && errno == EINTR) {
  }
  child.lost = reaped != child.process.pid;
  child.phase = Phase::ended;
}

// The steps towards the end of a child that is overdue.
void press(Child& child, Clock::time_point now) {
  if (now < child.next_event()) return;
  switch (child.phase) {
    case Phase::running:
      child.timed_out = true;
      signal_group(child, SIGTERM);
      child.phase = Phase::terminated;
      child.due = now + kTermToKill;
      return;
    case Phase::terminated:
      kill_now(child);
      return;
    case Phase::killed:
      child.timed_out = true;
      child.abandoned = true;
      child.phase = Phase::ended;
      return;
    case Phase::ended:
      return;
  }
}

EndedChild report(Child& child) {
  int why = 0;
  if (read(child.process.failed.get(), &why, sizeof why) == sizeof why) return {system_error(why), child.process.pid};
  if (child.lost) return {system_error(ECHILD), child.process.pid};
  CommandOutcome outcome;
  if (child.timed_out)
    outcome.timed_out = true;
  else if (WIFEXITED(child.status))
    outcome.exit = WEXITSTATUS(child.status);
  else
    outcome.signal = WTERMSIG(child.status);
  outcome.abandoned = child.abandoned;
  outcome.duration_ms = std::chrono::duration_cast<milliseconds>(Clock::now() - child.start).count();
  outcome.out = child.out.take();
  outcome.err = child.err.take();
  outcome.truncated = child.out.truncated() || child.err.truncated();
  return {std::move(outcome), child.process.pid};
}

class Loop {
 public:
  Loop(std::vector<ChildSpec> specs, Deadline deadline) : latest_(deadline - kTermToKill - kKillToAbandon) {
    for (std::size_t i = 0; i < specs.size(); ++i) waiting_.push_back({i, std::move(specs[i])});
    results_.assign(specs.size(), EndedChild{Error{Errc::timed_out, 0, "there was no time left to start it"}, 0});
  }

  std::vector<EndedChild> run() {
    start_waiting();
    while (!running_.empty()) {
      wait();
      for (Child& child : running_) serve(child);
      collect();
      start_waiting();
    }
    return std::move(results_);
  }

 private:
  struct Waiting {
    std::size_t slot;
    ChildSpec spec;
  };

  void start_waiting() {
    while (!waiting_.empty() && running_.size() < kMostChildren && Clock::now() < latest_) {
      Waiting next = std::move(waiting_.front());
      waiting_.pop_front();
      auto process = spawn(next.spec.argv, next.spec.env);
      if (process)
        running_.emplace_back(next.slot, std::move(next.spec), std::move(*process), latest_);
      else
        settle(next.slot, next.spec, {process.error(), 0});
    }
  }

  void settle(std::size_t slot, const ChildSpec& spec, EndedChild end) {
    std::optional<ChildSpec> next;
    if (spec.next) next = spec.next(end);
    results_[slot] = std::move(end);
    if (next) waiting_.push_front({slot, std::move(*next)});
  }

  // Until something can be read or written, a child ends, or a step is due.
  void wait() {
    std::vector<pollfd> fds;
    auto until = Clock::time_point::max();
    for (const Child& child : running_) {
      const Spawned& p = child.process;
      for (const Fd* fd : {&p.pidfd, &p.out, &p.err}) fds.push_back({fd->get(), POLLIN, 0});
      fds.push_back({p.in.get(), POLLOUT, 0});
      until = std::min(until, child.next_event());
      if (!p.pidfd.is_open()) until = std::min(until, Clock::now() + kTick);
    }
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::now()).count();
    poll(fds.data(), fds.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, kLongestWait.count())));
  }

  static void serve(Child& child) {
    feed(child);
    take_output(child, child.process.out);
    take_output(child, child.process.err);
    if (has_exited(child)) return finish_exited(child);
    // A zombie that another process traces is ended for poll() and not for us: look by the clock instead of spinning.
    pollfd end{child.process.pidfd.get(), POLLIN, 0};
    if (end.fd >= 0 && poll(&end, 1, 0) == 1 && !has_exited(child)) child.process.pidfd.close();
    press(child, Clock::now());
  }

  void collect() {
    for (auto child = running_.begin(); child != running_.end();) {
      if (child->phase != Phase::ended) {
        ++child;
        continue;
      }
      settle(child->slot, child->spec, report(*child));
      child = running_.erase(child);
    }
  }

  Clock::time_point latest_;  // for a child to be still wanted
  std::deque<Waiting> waiting_;
  std::list<Child> running_;
  std::vector<EndedChild> results_;
};

}  // namespace

std::vector<EndedChild> run_children(std::vector<ChildSpec> specs, Deadline deadline) {
  const SignalsForChildren signals;
  return Loop(std::move(specs), deadline).run();
}

}  // namespace rocdiag
