// SPDX-License-Identifier: MIT
// What `rocdiag worker read` and its parent say to each other. A frame is the payload's length (4 bytes, little endian)
// and the payload; contents are bytes. Both sides distrust the other: lengths are bounded, garbage ends the talk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rocdiag/question.h"
#include "rocdiag/result.h"

namespace rocdiag {

inline constexpr std::size_t kMostContent = 4U << 20U;  // bytes kept of a file, its head

struct FileContent {
  std::string bytes;
  bool truncated = false;
  bool operator==(const FileContent&) const = default;
};

// Ask::read or Ask::open.
struct FileQuestion {
  Ask ask = Ask::read;
  std::string path;
  bool operator==(const FileQuestion&) const = default;
};

// The answer to the question number `index`, from 0; for Ask::open the content is empty.
struct FileAnswer {
  std::uint32_t index = 0;
  Result<FileContent> content;
  bool operator==(const FileAnswer&) const = default;
};

std::string to_frame(const FileQuestion& question);
std::string to_frame(const FileAnswer& answer);
std::optional<FileQuestion> parse_question(std::string_view payload);
std::optional<FileAnswer> parse_answer(std::string_view payload);

// Cuts a stream into payloads. Holds no more than one frame and what was last added.
class FrameReader {
 public:
  void add(std::string_view bytes);
  // The next payload; nothing while it is not whole; malformed, from then on always, when its length cannot be.
  Result<std::optional<std::string>> next();
  // False when the stream ended inside a frame.
  bool is_at_end() const { return at_ == buffer_.size(); }

 private:
  std::string buffer_;
  std::size_t at_ = 0;
};

}  // namespace rocdiag
