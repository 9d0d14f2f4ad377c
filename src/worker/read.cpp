// SPDX-License-Identifier: MIT
#include "worker/read.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include "source/files.h"
#include "worker/frames.h"

namespace rocdiag {
namespace {

constexpr int kOk = 0;
constexpr int kMalformed = 64;
constexpr std::size_t kMostQuestions = 65536;
constexpr std::size_t kChunk = 64U << 10U;

enum class Taken { bytes, end };

Taken take_input(FrameReader& frames) {
  std::array<char, kChunk> buffer;
  ssize_t n = 0;
  do {
    n = read(STDIN_FILENO, buffer.data(), buffer.size());
  } while (n < 0 && errno == EINTR);
  if (n <= 0) return Taken::end;
  frames.add({buffer.data(), static_cast<std::size_t>(n)});
  return Taken::bytes;
}

std::optional<std::vector<FileQuestion>> take_questions() {
  FrameReader frames;
  std::vector<FileQuestion> questions;
  while (take_input(frames) == Taken::bytes) {
    auto payload = frames.next();
    for (; payload && *payload; payload = frames.next()) {
      auto question = parse_question(**payload);
      if (!question || questions.size() == kMostQuestions) return std::nullopt;
      questions.push_back(std::move(*question));
    }
    if (!payload) return std::nullopt;
  }
  if (!frames.is_at_end()) return std::nullopt;
  return questions;
}

Result<FileContent> answer(const FileQuestion& question) {
  if (question.ask == Ask::read) return read_regular_file(question.path);
  const Status opened = open_device_node(question.path);
  if (!opened) return opened.error();
  return FileContent{};
}

bool put(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

int run_read_worker() {
  const auto questions = take_questions();
  if (!questions) return kMalformed;
  std::uint32_t index = 0;
  for (const FileQuestion& question : *questions)
    if (!put(to_frame(FileAnswer{index++, answer(question)}))) break;  // nobody listens
  return kOk;
}

}  // namespace rocdiag
