// SPDX-License-Identifier: MIT
#include "source/inflate.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <new>

namespace rocdiag {
namespace {

constexpr std::size_t kBlock = 64U << 10U;
constexpr int kGzipOnly = 16 + MAX_WBITS;

}  // namespace

struct Inflate::State {
  ByteSource& source;
  std::size_t left;  // of the limit
  std::string_view input;
  std::array<char, kBlock> output;
  z_stream stream{};
  bool started = false, packed = false, inside_member = false;
};

Inflate::Inflate(ByteSource& source, std::size_t limit) : state_(new State{source, limit, {}, {}}) {
  if (inflateInit2(&state_->stream, kGzipOnly) != Z_OK) throw std::bad_alloc();
}

Inflate::~Inflate() { inflateEnd(&state_->stream); }

Status Inflate::refill() {
  if (!state_->input.empty()) return Done{};
  auto block = state_->source.next();
  if (!block) return block.error();
  state_->input = *block;
  return Done{};
}

Result<std::string_view> Inflate::next() {
  State& s = *state_;
  if (Status status = refill(); !status) return status.error();
  if (!s.started) {
    s.started = true;
    s.packed = s.input.size() >= 2 && s.input[0] == '\x1f' && s.input[1] == '\x8b';
    s.inside_member = s.packed;
  }
  auto block = s.packed ? unpack() : Result<std::string_view>(std::exchange(s.input, {}));
  if (!block) return block;
  if (block->size() > s.left) return Error{Errc::too_large, 0, "it unpacks to more than a bundle may hold"};
  s.left -= block->size();
  return block;
}

Result<std::string_view> Inflate::unpack() {
  State& s = *state_;
  z_stream& z = s.stream;
  while (true) {
    if (Status status = refill(); !status) return status.error();
    if (s.input.empty()) {
      if (s.inside_member) return Error{Errc::malformed, 0, "the gzip data ends early"};
      return std::string_view{};
    }
    if (!s.inside_member) {  // gzip files may be joined end to end; anything else after one is padding
      if (s.input[0] != '\x1f') return std::string_view{};
      inflateReset(&z);
      s.inside_member = true;
    }
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(s.input.data()));
    z.avail_in = static_cast<uInt>(s.input.size());
    z.next_out = reinterpret_cast<Bytef*>(s.output.data());
    z.avail_out = static_cast<uInt>(s.output.size());
    const int code = inflate(&z, Z_NO_FLUSH);
    s.input.remove_prefix(s.input.size() - z.avail_in);
    if (code == Z_STREAM_END) s.inside_member = false;
    if (code != Z_OK && code != Z_STREAM_END) return Error{Errc::malformed, 0, "the gzip data is damaged"};
    const std::size_t made = s.output.size() - z.avail_out;
    if (made > 0) return std::string_view(s.output.data(), made);
  }
}

}  // namespace rocdiag
