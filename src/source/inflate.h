// SPDX-License-Identifier: MIT
// The bytes of an archive, unpacked from gzip when they are packed, a block at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "rocdiag/result.h"

namespace rocdiag {

// Where packed bytes come from. An empty block is the end.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual Result<std::string_view> next() = 0;  // valid until the next call
};

// Unpacks gzip by its first bytes and passes everything else through. Checks length and checksum of every member.
// Gives at most `limit` bytes, then Errc::too_large: a bomb costs no more than that.
class Inflate {
 public:
  Inflate(ByteSource& source, std::size_t limit);
  ~Inflate();
  Inflate(const Inflate&) = delete;
  Inflate& operator=(const Inflate&) = delete;

  Result<std::string_view> next();  // an empty block is the end; valid until the next call

 private:
  struct State;
  Result<std::string_view> unpack();
  Status refill();

  std::unique_ptr<State> state_;
};

}  // namespace rocdiag
