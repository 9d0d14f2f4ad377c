// SPDX-License-Identifier: MIT
// What one can ask of a machine. Questions are plain values: the same one asked twice is asked once.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace rocdiag {

enum class Ask {
  read,  // the content of a regular file
  list,  // the names in a folder
  link,  // the target of a symbolic link, as it stands there
  stat,  // type, mode, owner and group; follows links
  open,  // open for reading and writing as this process, then close: only the errno matters
  run,   // run a command
};

enum class ChildClass {
  helper,   // a tool that reads the machine for us: LC_ALL=C, no LD_PRELOAD, no LD_LIBRARY_PATH
  subject,  // a program under test: the user's environment exactly, for it may be the fault
};

struct Command {
  std::vector<std::string> argv;           // argv[0]: an absolute path, or a name looked up in the system's own folders
  std::map<std::string, std::string> env;  // laid over the child's environment
  ChildClass child = ChildClass::helper;
  std::string input;                         // standard input; empty: closed
  std::chrono::milliseconds deadline{2000};  // the child's own, inside the run's
  std::size_t output_limit = 4U << 20U;      // bytes kept of each stream, the tail

  auto operator<=>(const Command&) const = default;  // NOLINT(modernize-use-nullptr): a false alarm of clang-tidy 14
};

struct Question {
  Ask ask = Ask::read;
  std::string path;  // absolute; `*`, `?` and `[…]` match within one level; empty for Ask::run
  Command command;   // for Ask::run

  auto operator<=>(const Question&) const = default;  // NOLINT(modernize-use-nullptr): as above
};

// A pattern asks every path that matches. The folders listed on the way become answers too.
inline Question read_file(std::string path) { return {Ask::read, std::move(path), {}}; }
inline Question list_folder(std::string path) { return {Ask::list, std::move(path), {}}; }
inline Question resolve_link(std::string path) { return {Ask::link, std::move(path), {}}; }
inline Question stat_file(std::string path) { return {Ask::stat, std::move(path), {}}; }
inline Question open_device(std::string path) { return {Ask::open, std::move(path), {}}; }
inline Question run_command(Command command) { return {Ask::run, {}, std::move(command)}; }

// True when `text` holds a character that makes it a pattern.
bool is_pattern(const std::string& text);

}  // namespace rocdiag
