// SPDX-License-Identifier: MIT
#include "source/tar_writer.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

namespace rocdiag {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kRecord = 20 * kBlock;  // tar pads its archives to this
constexpr int kGzip = 16 + MAX_WBITS;

// The header of GNU tar; every number is octal text.
struct Header {
  char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100], magic[8], user[32],
      group[32], major[8], minor[8], prefix[155], padding[12];
};
static_assert(sizeof(Header) == kBlock);

template <std::size_t N>
void put_octal(char (&field)[N], std::uint64_t value) {
  const std::string digits = fmt::format("{:0{}o}", value, N - 1);
  std::memcpy(field, digits.c_str(), N);
}

}  // namespace

struct TarWriter::State {
  z_stream stream{};
  std::string packed;
  std::size_t written = 0;
  std::uint64_t mtime = 0;
};

TarWriter::TarWriter(std::int64_t mtime) : state_(new State) {
  constexpr std::int64_t kMost = 077777777777;  // what eleven octal digits hold
  state_->mtime = static_cast<std::uint64_t>(std::clamp(mtime, std::int64_t{0}, kMost));
  if (deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
}

TarWriter::~TarWriter() { deflateEnd(&state_->stream); }

void TarWriter::pack(std::string_view bytes, int flush) {
  z_stream& z = state_->stream;
  std::array<char, 64U << 10U> block{};
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  do {
    z.next_out = reinterpret_cast<Bytef*>(block.data());
    z.avail_out = static_cast<uInt>(block.size());
    deflate(&z, flush);
    state_->packed.append(block.data(), block.size() - z.avail_out);
  } while (z.avail_out == 0);
  state_->written += bytes.size();
}

void TarWriter::add_padded(std::string_view bytes) {
  pack(bytes, Z_NO_FLUSH);
  pack(std::string((kBlock - bytes.size() % kBlock) % kBlock, '\0'), Z_NO_FLUSH);
}

void TarWriter::add_header(const std::string& name, std::size_t size, char type) {
  Header header{};
  std::memcpy(header.name, name.data(), std::min(name.size(), sizeof header.name));
  put_octal(header.mode, 0600);
  put_octal(header.uid, 0);
  put_octal(header.gid, 0);
  put_octal(header.size, size);
  put_octal(header.mtime, state_->mtime);
  header.type = type;
  std::memcpy(header.magic, "ustar  ", sizeof header.magic);
  std::memset(header.checksum, ' ', sizeof header.checksum);  // counts as blanks in its own sum
  const auto* bytes = reinterpret_cast<const unsigned char*>(&header);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < sizeof header; ++i) sum += bytes[i];
  const std::string digits = fmt::format("{:06o}", sum);
  std::memcpy(header.checksum, digits.c_str(), digits.size() + 1);
  pack({reinterpret_cast<const char*>(&header), sizeof header}, Z_NO_FLUSH);
}

void TarWriter::add_file(const std::string& name, std::string_view content) {
  if (name.size() > sizeof Header::name) {
    add_header("././@LongLink", name.size() + 1, 'L');
    add_padded({name.c_str(), name.size() + 1});
  }
  add_header(name, content.size(), '0');
  add_padded(content);
}

std::string TarWriter::finish() {
  const std::size_t end = state_->written + 2 * kBlock;
  pack(std::string(2 * kBlock + (kRecord - end % kRecord) % kRecord, '\0'), Z_FINISH);
  return std::move(state_->packed);
}

}  // namespace rocdiag
