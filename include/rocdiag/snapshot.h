// SPDX-License-Identifier: MIT
// All questions and answers of one moment. Saved, it is a bundle (docs/bundle-format.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rocdiag/observed.h"
#include "rocdiag/question.h"
#include "rocdiag/result.h"

namespace rocdiag {

struct Group {
  std::uint32_t id = 0;
  std::string name;  // empty: the id has no name on that machine
  bool operator==(const Group&) const = default;
};

// Of the process that asked, not of the user database.
struct Identity {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string user;
  std::vector<Group> groups;  // effective and supplementary
  bool operator==(const Identity&) const = default;
};

struct Uname {
  std::string sysname, release, version, machine;
  bool operator==(const Uname&) const = default;
};

enum class FileType { file, folder, link, char_device, block_device, fifo, socket, unknown };

struct FileStat {
  FileType type = FileType::unknown;
  std::optional<std::uint32_t> mode;      // permission bits, 07777
  std::optional<std::uint32_t> uid, gid;  // a bundle made by hand may know only the type
  std::string rdev;                       // "major:minor" of a device, else empty
  bool operator==(const FileStat&) const = default;
};

// How a command ended. Exactly one of exit, signal, timed_out describes the end.
struct CommandOutcome {
  std::optional<int> exit;
  std::optional<int> signal;
  bool timed_out = false;
  bool abandoned = false;  // it ignored SIGKILL and was left behind
  std::int64_t duration_ms = 0;
  std::string out, err;  // bytes; the tail when truncated
  bool truncated = false;
  bool operator==(const CommandOutcome&) const = default;
};

struct RecordedCommand {
  std::vector<std::string> argv;
  std::map<std::string, std::string> env;  // the overlay
  Result<CommandOutcome> outcome;          // an error when it could not be started
  bool operator==(const RecordedCommand&) const = default;
};

template <class T>
using Answers = std::map<std::string, Result<T>>;  // by path

// What another identity would have met: the user of a service ("unit:ollama.service").
struct AsIdentity {
  Observed<Identity> identity;
  Answers<Done> opens;
  std::map<std::string, std::string> env;
  bool operator==(const AsIdentity&) const = default;
};

// Answers are kept as they came, errors included. A question without an answer is Errc::not_recorded.
class Snapshot {
 public:
  Result<std::string> read(const std::string& path) const;
  Result<std::vector<std::string>> list(const std::string& path) const;  // sorted
  Result<std::string> link(const std::string& path) const;
  Result<FileStat> stat(const std::string& path) const;
  Status open(const std::string& path) const;
  Result<CommandOutcome> run(const std::vector<std::string>& argv,
                             const std::map<std::string, std::string>& overlay = {}) const;
  // Absent only where env_complete says that a variable not listed was not set.
  Observed<std::string> variable(const std::string& name) const;

  // The recorded paths that match `pattern`, in order, found by walking recorded listings.
  std::vector<std::string> matches(const std::string& pattern) const;
  // True when this exact question has an answer here, be it an error.
  bool holds(const Question& question) const;

  std::string captured;  // UTC, "2026-12-01T13:00:00Z"
  bool redacted = false;
  Observed<Identity> identity;
  Observed<Uname> uname;
  std::map<std::string, std::string> env;  // the variables that matter to a diagnosis
  bool env_complete = false;

  Answers<std::string> files;
  Answers<std::vector<std::string>> listings;
  Answers<std::string> links;
  Answers<FileStat> stats;
  Answers<Done> opens;
  std::vector<RecordedCommand> commands;
  std::map<std::string, AsIdentity> as;  // identities other than the one that asked
  std::vector<std::string> truncated;    // files of which only the tail or head is here
  std::vector<std::string> notes;        // what happened while asking that a person should know
};

}  // namespace rocdiag
