// SPDX-License-Identifier: MIT
#include "source/local.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/pattern.h"
#include "source/environment.h"
#include "source/files.h"
#include "source/identity.h"
#include "source/process.h"
#include "source/read_batch.h"
#include "source/route.h"

namespace rocdiag {
namespace {

constexpr std::size_t kMostFileBytes = 64U << 20U;  // as a bundle may hold
constexpr std::size_t kMostMatches = 4096;          // of one pattern

void put_error(Snapshot& into, Ask ask, const std::string& path, const Error& error) {
  switch (ask) {
    case Ask::read:
      into.files.insert_or_assign(path, error);
      return;
    case Ask::list:
      into.listings.insert_or_assign(path, error);
      return;
    case Ask::link:
      into.links.insert_or_assign(path, error);
      return;
    case Ask::stat:
      into.stats.insert_or_assign(path, error);
      return;
    case Ask::open:
      into.opens.insert_or_assign(path, error);
      return;
    case Ask::run:
      return;
  }
}

std::string joined(const std::string& folder, const std::string& name) {
  return folder == "/" ? "/" + name : folder + "/" + name;
}

// The program's file. Names are looked up in the system's own folders, never in the user's PATH: rocdiag may be root.
Result<std::string> find_program(const std::string& name) {
  if (name.empty() || (name.front() != '/' && name.find('/') != std::string::npos))
    return Error{Errc::refused, 0, "a program is a name or an absolute path"};
  if (name.front() == '/') return name;
  for (const char* folder : {"/usr/bin/", "/usr/sbin/", "/bin/", "/sbin/"})
    if (access((folder + name).c_str(), F_OK) == 0) return folder + name;
  return system_error(ENOENT);
}

Result<ChildSpec> child_for(const Command& command, const std::vector<std::string>& environment) {
  if (command.argv.empty()) return Error{Errc::refused, 0, "no program named"};
  auto program = find_program(command.argv.front());
  if (!program) return program.error();
  ChildSpec spec;
  spec.argv = command.argv;
  spec.argv.front() = std::move(*program);
  spec.env = child_environment(environment, command);
  spec.input = command.input;
  spec.deadline = command.deadline;
  spec.output_limit = command.output_limit;
  return spec;
}

}  // namespace

// One call of answer().
struct LocalSource::Round {
  Deadline latest;  // for asking here; later it is only the children's
  Snapshot& into;
  ReadBatch batch;
  std::vector<const Command*> commands;
};

LocalSource::LocalSource(LocalOptions options)
    : options_(std::move(options)), environment_(whole_environment()), room_(kMostFileBytes) {}

Snapshot LocalSource::begin() {
  Snapshot snapshot;
  snapshot.captured = utc_now();
  snapshot.identity = own_identity();
  snapshot.uname = own_uname();
  snapshot.env = diagnosis_variables(environment_);
  snapshot.env_complete = true;
  room_ = kMostFileBytes;
  return snapshot;
}

void LocalSource::answer(const std::vector<Question>& questions, Deadline deadline, Snapshot& into) {
  Round round{
      deadline - kTermToKill - kKillToAbandon, into, ReadBatch(options_.worker, options_.stuck_after, into, room_), {}};
  for (const Question& question : questions) {
    if (question.ask == Ask::run)
      round.commands.push_back(&question.command);
    else if (is_pattern(question.path))
      expand(question, round);
    else
      ask_path(question.ask, question.path, round);
  }
  run(round);
}

void LocalSource::ask_path(Ask ask, const std::string& path, Round& round) {
  if (std::chrono::steady_clock::now() >= round.latest)
    return put_error(round.into, ask, path, {Errc::timed_out, 0, {}});
  switch (route_of(ask, path)) {
    case Route::refused:
      return put_error(round.into, ask, path, {Errc::refused, 0, {}});
    case Route::direct:
      return ask_direct(ask, path, round.into);
    case Route::child:
      return ask_child(ask, path, round);
  }
}

void LocalSource::ask_direct(Ask ask, const std::string& path, Snapshot& into) {
  switch (ask) {
    case Ask::read:
      return keep_content(into, path, read_regular_file(path), room_);
    case Ask::list:
      return list(path, into);
    case Ask::link:
      into.links.insert_or_assign(path, link_target(path));
      return;
    case Ask::stat:
      into.stats.insert_or_assign(path, file_status(path));
      return;
    case Ask::open:
    case Ask::run:
      return;  // only ever in a child
  }
}

void LocalSource::ask_child(Ask ask, const std::string& path, Round& round) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0)  // what is not there needs no child
    return put_error(round.into, ask, path, system_error(errno));
  round.batch.add({ask, path});
}

void LocalSource::list(const std::string& path, Snapshot& into) {
  if (into.listings.count(path) > 0) return;
  auto listing = list_names(path);
  if (!listing) {
    into.listings.insert_or_assign(path, listing.error());
    return;
  }
  for (const std::string& name : listing->links) {
    const std::string link = joined(path, name);
    into.links.insert_or_assign(link, link_target(link));
  }
  into.listings.insert_or_assign(path, std::move(listing->names));
}

bool LocalSource::may_walk(const std::string& pattern) const {
  if (may_expand(pattern)) return true;
  return std::any_of(options_.more_pattern_folders.begin(), options_.more_pattern_folders.end(),
                     [&](const std::string& folder) { return pattern.rfind(folder + "/", 0) == 0; });
}

void LocalSource::expand(const Question& question, Round& round) {
  if (!may_walk(question.path)) return put_error(round.into, question.ask, question.path, {Errc::refused, 0, {}});
  std::vector<std::string> found{"/"};
  for (const std::string& part : split_path(question.path)) {
    std::vector<std::string> longer;
    for (const std::string& folder : found) {
      if (is_pattern(part))
        add_matches(folder, part, round, longer);
      else
        longer.push_back(joined(folder, part));
      if (longer.size() <= kMostMatches) continue;
      round.into.notes.push_back("More than 4096 paths match " + question.path + ": none of them was asked.");
      return put_error(round.into, question.ask, question.path, {Errc::too_large, 0, {}});
    }
    found = std::move(longer);
  }
  for (const std::string& path : found) ask_path(question.ask, path, round);
}

void LocalSource::add_matches(const std::string& folder, const std::string& part, Round& round,
                              std::vector<std::string>& found) {
  ask_path(Ask::list, folder, round);
  const auto names = round.into.list(folder);
  if (!names) return;
  for (const std::string& name : *names)
    if (name_matches(part, name)) found.push_back(joined(folder, name));
}

void LocalSource::run(Round& round) {
  std::vector<ChildSpec> specs;
  const std::size_t readers = round.batch.has_questions() ? 1 : 0;
  if (readers == 1) specs.push_back(round.batch.spec());
  std::vector<const Command*> started;
  for (const Command* command : round.commands) {
    auto spec = child_for(*command, environment_);
    if (!spec) {
      round.into.commands.push_back({command->argv, command->env, spec.error()});
      continue;
    }
    specs.push_back(std::move(*spec));
    started.push_back(command);
  }
  auto ends = run_children(std::move(specs), round.latest + kTermToKill + kKillToAbandon);
  round.batch.give_up();
  for (std::size_t i = 0; i < started.size(); ++i) {
    EndedChild& end = ends[readers + i];
    if (end.outcome && end.outcome->abandoned)
      round.into.notes.push_back(fmt::format("Process {} ({}) is stuck in the kernel and was left behind.", end.pid,
                                             started[i]->argv.front()));
    round.into.commands.push_back({started[i]->argv, started[i]->env, std::move(end.outcome)});
  }
}

}  // namespace rocdiag
