// SPDX-License-Identifier: MIT
#include "source/read_batch.h"

#include <fmt/format.h>

#include "source/environment.h"

namespace rocdiag {
namespace {

constexpr std::size_t kKeptErrors = 4096;  // bytes of a worker's standard error

// Why a worker that has ended owes an answer. Never an errno: that would be read as the file's own.
Error reason_of(const EndedChild& end) {
  if (!end.outcome)
    return {Errc::not_recorded, 0, "the reading process could not be started: " + describe(end.outcome.error())};
  if (end.outcome->abandoned) return {Errc::abandoned, 0, {}};
  if (end.outcome->timed_out) return {Errc::timed_out, 0, {}};
  if (end.outcome->signal)
    return {Errc::timed_out, 0, fmt::format("the reading process ended by signal {}", *end.outcome->signal)};
  return {Errc::timed_out, 0, "the reading process ended without an answer"};
}

}  // namespace

void keep_content(Snapshot& into, const std::string& path, Result<FileContent> content, std::size_t& room) {
  if (!content) {
    into.files.insert_or_assign(path, content.error());
    return;
  }
  if (content->bytes.size() > room) {
    into.files.insert_or_assign(path, Error{Errc::too_large, 0, "all files together are too large"});
    return;
  }
  room -= content->bytes.size();
  if (content->truncated) into.truncated.push_back(path);
  into.files.insert_or_assign(path, std::move(content->bytes));
}

ChildSpec ReadBatch::spec() {
  first_ = answered_;
  frames_ = FrameReader();
  ChildSpec spec;
  spec.argv = worker_;
  spec.env = whole_environment();
  for (std::size_t i = answered_; i < questions_.size(); ++i) spec.input += to_frame(questions_[i]);
  spec.deadline = std::chrono::hours(1);  // the run's own ends it
  spec.idle = stuck_after_;
  spec.output_limit = kKeptErrors;
  spec.sink = [this](std::string_view bytes) { return take(bytes); };
  spec.next = [this](const EndedChild& end) { return go_on(end); };
  return spec;
}

void ReadBatch::give_up() {
  while (has_questions()) lose({Errc::timed_out, 0, {}});
}

Wanted ReadBatch::take(std::string_view bytes) {
  frames_.add(bytes);
  while (true) {
    const auto payload = frames_.next();
    if (!payload) return Wanted::no_more;
    if (!*payload) return Wanted::more;
    if (!take_answer(**payload)) return Wanted::no_more;
  }
}

bool ReadBatch::take_answer(const std::string& payload) {
  auto answer = parse_answer(payload);
  if (!answer || !has_questions() || answer->index != answered_ - first_) return false;
  settle(std::move(answer->content));
  return true;
}

std::optional<ChildSpec> ReadBatch::go_on(const EndedChild& end) {
  if (!has_questions()) return std::nullopt;
  if (end.outcome && end.outcome->abandoned)
    into_.notes.push_back(fmt::format("Process {} is stuck in the kernel on {} and was left behind.", end.pid,
                                      questions_[answered_].path));
  const Error reason = reason_of(end);
  if (!end.outcome || fresh_ == kMostFresh) {
    while (has_questions()) lose(end.outcome ? Error{Errc::timed_out, 0, {}} : reason);
    return std::nullopt;
  }
  ++fresh_;
  lose(reason);
  if (!has_questions()) return std::nullopt;
  return spec();
}

void ReadBatch::lose(Error error) { settle(std::move(error)); }

void ReadBatch::settle(Result<FileContent> content) {
  const FileQuestion& question = questions_[answered_++];
  if (question.ask == Ask::read) return keep_content(into_, question.path, std::move(content), room_);
  into_.opens.insert_or_assign(question.path, content ? Status(Done{}) : Status(content.error()));
}

}  // namespace rocdiag
