// SPDX-License-Identifier: MIT
// Asks this machine.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "rocdiag/source.h"

namespace rocdiag {

class ReadBatch;

struct LocalOptions {
  std::vector<std::string> worker{"/proc/self/exe", "worker", "read"};  // what answers the questions that may block
  std::chrono::milliseconds stuck_after{2000};    // its silence; waking a GPU and opening its node takes a second
  std::vector<std::string> more_pattern_folders;  // beyond the allow-list: for tests
};

// Files that may block are read by one child per answer(), commands run beside it. A file is kept up to 4 MiB, all
// files of one run up to 64 MiB; folders up to 4096 names. With a listing come the targets of the links in it, so that
// a saved bundle shows them. Refused: debugfs, patterns outside the allow-list (route.h), paths with "..".
class LocalSource : public Source {
 public:
  explicit LocalSource(LocalOptions options = {});

  Snapshot begin() override;
  void answer(const std::vector<Question>& questions, Deadline deadline, Snapshot& into) override;
  std::string kind() const override { return "live"; }

 private:
  struct Round;

  void ask_path(Ask ask, const std::string& path, Round& round);
  void ask_direct(Ask ask, const std::string& path, Snapshot& into);
  void ask_child(Ask ask, const std::string& path, Round& round);
  void list(const std::string& path, Snapshot& into);
  void expand(const Question& question, Round& round);
  void add_matches(const std::string& folder, const std::string& part, Round& round, std::vector<std::string>& found);
  bool may_walk(const std::string& pattern) const;
  void run(Round& round);

  LocalOptions options_;
  std::vector<std::string> environment_;
  std::size_t room_;  // bytes of file content that may still be kept
};

}  // namespace rocdiag
