// SPDX-License-Identifier: MIT
#include "worker/frames.h"

namespace rocdiag {
namespace {

constexpr std::size_t kNumber = 4;  // bytes of a number
constexpr std::size_t kMostPath = 4096;
constexpr std::size_t kMostPayload = kMostContent + 64;

void put_number(std::string& to, std::uint32_t value) {
  for (std::size_t i = 0; i < kNumber; ++i) to += static_cast<char>((value >> (8 * i)) & 0xffU);
}

std::optional<std::uint32_t> take_number(std::string_view& from) {
  if (from.size() < kNumber) return std::nullopt;
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < kNumber; ++i)
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(from[i])) << (8 * i);
  from.remove_prefix(kNumber);
  return value;
}

std::optional<char> take_letter(std::string_view& from) {
  if (from.empty()) return std::nullopt;
  const char letter = from.front();
  from.remove_prefix(1);
  return letter;
}

std::string framed(const std::string& payload) {
  std::string frame;
  put_number(frame, static_cast<std::uint32_t>(payload.size()));
  return frame + payload;
}

// After 'e': the errno, or 0 and the message of a refusal. A reader has no other reasons of its own.
std::optional<Error> parse_error(std::string_view rest) {
  const auto value = take_number(rest);
  if (!value || *value > 0xffffU) return std::nullopt;
  if (*value == 0) return Error{Errc::refused, 0, std::string(rest)};
  if (!rest.empty()) return std::nullopt;
  return system_error(static_cast<int>(*value));
}

}  // namespace

std::string to_frame(const FileQuestion& question) {
  return framed((question.ask == Ask::open ? "o" : "r") + question.path);
}

std::string to_frame(const FileAnswer& answer) {
  std::string payload;
  put_number(payload, answer.index);
  if (answer.content) {
    payload += answer.content->truncated ? 't' : 'v';
    payload += answer.content->bytes;
  } else {
    const Error& error = answer.content.error();
    payload += 'e';
    put_number(payload, error.code == Errc::system ? static_cast<std::uint32_t>(error.errno_value) : 0);
    if (error.code != Errc::system) payload += error.message;
  }
  return framed(payload);
}

std::optional<FileQuestion> parse_question(std::string_view payload) {
  const auto letter = take_letter(payload);
  if (!letter || (*letter != 'r' && *letter != 'o')) return std::nullopt;
  if (payload.empty() || payload.size() > kMostPath || payload.find('\0') != std::string_view::npos)
    return std::nullopt;
  return FileQuestion{*letter == 'o' ? Ask::open : Ask::read, std::string(payload)};
}

std::optional<FileAnswer> parse_answer(std::string_view payload) {
  const auto index = take_number(payload);
  const auto letter = take_letter(payload);
  if (!index || !letter) return std::nullopt;
  if (*letter == 'e') {
    auto error = parse_error(payload);
    if (!error) return std::nullopt;
    return FileAnswer{*index, std::move(*error)};
  }
  if ((*letter != 'v' && *letter != 't') || payload.size() > kMostContent) return std::nullopt;
  return FileAnswer{*index, FileContent{std::string(payload), *letter == 't'}};
}

void FrameReader::add(std::string_view bytes) {
  buffer_.erase(0, at_);
  at_ = 0;
  buffer_.append(bytes);
}

Result<std::optional<std::string>> FrameReader::next() {
  std::string_view rest = std::string_view(buffer_).substr(at_);
  const auto length = take_number(rest);
  if (!length) return std::optional<std::string>();
  if (*length == 0 || *length > kMostPayload) return Error{Errc::malformed, 0, "a frame of impossible length"};
  if (rest.size() < *length) return std::optional<std::string>();
  at_ += kNumber + *length;
  return std::optional(std::string(rest.substr(0, *length)));
}

}  // namespace rocdiag
