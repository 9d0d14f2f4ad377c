// SPDX-License-Identifier: MIT
// Answers from what was recorded: bundles, dumps, and machines written down in tests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rocdiag/source.h"

namespace rocdiag {

// A path is looked up as it was asked first, then along recorded links. It is ENOENT where a recorded error or a
// whole listing says so, and not recorded otherwise: then no answer is added.
class RecordedSource : public Source {
 public:
  // Several records of one machine complement each other; the first that holds an answer gives it. Where a later
  // one says otherwise, a note in the snapshot keeps the contradiction visible.
  explicit RecordedSource(std::vector<Snapshot> records) : records_(std::move(records)) {}

  Snapshot begin() override;  // with every recorded command: those that no probe asks for go to the readers
  void answer(const std::vector<Question>& questions, Deadline deadline, Snapshot& into) override;
  std::string kind() const override { return "bundle"; }

 private:
  void answer_path(Ask ask, const std::string& path, Snapshot& into) const;
  void answer_pattern(const Question& question, Snapshot& into) const;

  std::vector<Snapshot> records_;
};

}  // namespace rocdiag
