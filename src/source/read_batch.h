// SPDX-License-Identifier: MIT
// The parent's side of `rocdiag worker read`: one batch of file questions that may block.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "rocdiag/snapshot.h"
#include "source/process.h"
#include "worker/frames.h"

namespace rocdiag {

// Puts a file's content into the snapshot, or too_large once `room` bytes, which it counts down, are used up.
void keep_content(Snapshot& into, const std::string& path, Result<FileContent> content, std::size_t& room);

// Answers go into the snapshot as they come. When a worker hangs, dies or talks garbage, the question it owed an
// answer to is lost, and a fresh worker is asked the rest; after kMostFresh fresh ones the rest is lost too.
class ReadBatch {
 public:
  // `into` and `room` must outlive this, and this the run of its spec().
  ReadBatch(std::vector<std::string> worker, std::chrono::milliseconds stuck_after, Snapshot& into, std::size_t& room)
      : worker_(std::move(worker)), stuck_after_(stuck_after), into_(into), room_(room) {}

  void add(FileQuestion question) { questions_.push_back(std::move(question)); }
  bool has_questions() const { return answered_ < questions_.size(); }

  // The child that is to answer what has no answer yet; it brings its successors along.
  ChildSpec spec();
  // After the run: what still has no answer timed out.
  void give_up();

 private:
  static constexpr int kMostFresh = 3;

  Wanted take(std::string_view bytes);
  bool take_answer(const std::string& payload);
  std::optional<ChildSpec> go_on(const EndedChild& end);
  void lose(Error error);
  void settle(Result<FileContent> content);  // the first question without an answer

  std::vector<std::string> worker_;
  std::chrono::milliseconds stuck_after_;
  Snapshot& into_;
  std::size_t& room_;
  std::vector<FileQuestion> questions_;
  std::size_t answered_ = 0;  // workers answer in order
  std::size_t first_ = 0;     // the question that is number 0 for the present worker
  FrameReader frames_;
  int fresh_ = 0;
};

}  // namespace rocdiag
