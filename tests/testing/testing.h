// SPDX-License-Identifier: MIT
// What every test may need: literal machines, scratch folders, the binary itself, the shared material.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rocdiag/facts/facts.h"
#include "rocdiag/finding.h"
#include "rocdiag/snapshot.h"
#include "rocdiag/source.h"

namespace rocdiag::testing {

// A machine written down in the test. Files imply the folders above them and their listings; a path in `errors`
// answers every question with that errno; what is not mentioned was not recorded, except inside a folder that is
// listed because something in it is mentioned: there it is ENOENT, as on a live machine.
class LiteralMachine {
 public:
  LiteralMachine& file(const std::string& path, const std::string& content);
  LiteralMachine& link(const std::string& path, const std::string& target);
  LiteralMachine& device(const std::string& path, std::uint32_t mode, std::uint32_t uid, std::uint32_t gid,
                         const std::string& open);  // "ok" or an errno's name
  LiteralMachine& error(const std::string& path, const std::string& errno_name);
  LiteralMachine& folder(const std::string& path);  // listed whole, maybe empty
  LiteralMachine& command(const std::vector<std::string>& argv, const std::string& out, int exit = 0);
  LiteralMachine& identity(std::uint32_t uid, const std::string& user, const std::vector<Group>& groups);
  LiteralMachine& release(const std::string& kernel_release);
  LiteralMachine& variable(const std::string& name, const std::string& value);  // the environment counts as complete

  const Snapshot& snapshot() const { return snapshot_; }

 private:
  void mention(const std::string& path);
  Snapshot snapshot_;
};

// The facts that all probes gather from this machine.
Facts facts_of(const LiteralMachine& machine);
// What all rules say about these facts, before cause analysis; and the one draft with this id, if there is exactly one.
std::vector<Draft> drafts_for(const Facts& facts);
std::vector<std::string> ids_of(const std::vector<Draft>& drafts);  // sorted keys, id@subject
std::optional<Draft> draft_with_id(const std::vector<Draft>& drafts, const std::string& id);

// Removed with everything in it when it goes out of scope.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& content) const;  // makes folders as needed

 private:
  std::filesystem::path path_;
};

std::string read_whole(const std::filesystem::path& path);

// Compares with the file, or rewrites it when ROCDIAG_UPDATE_GOLDEN=1: then the change goes through review.
void expect_golden(const std::filesystem::path& file, const std::string& actual);

struct Ran {
  int exit = -1;  // 128 + n for signal n
  std::string out, err;
  double seconds = 0;
};
// Runs a program found on PATH or by path; `env` is laid over ours. `{binary(), "check"}` is the usual form.
Ran run(const std::vector<std::string>& argv, const std::map<std::string, std::string>& env = {},
        const std::string& input = {});
// The same with standard output and error on a terminal of this width; `out` is what it showed; exit -1 where there are
// no pseudo terminals.
Ran run_on_terminal(const std::vector<std::string>& argv, const std::map<std::string, std::string>& env, int columns);
std::string binary();

// ../shared beside the source tree, or nothing: tests that use it GTEST_SKIP() and say so.
std::optional<std::filesystem::path> shared_folder();

}  // namespace rocdiag::testing
