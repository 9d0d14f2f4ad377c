// SPDX-License-Identifier: MIT
#include "testing/archives.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace rocdiag::testing {
namespace {

void put(std::string& block, std::size_t at, const std::string& text) { block.replace(at, text.size(), text); }

template <class T>
std::string difference(const char* what, const Answers<T>& a, const Answers<T>& b) {
  for (const auto& [path, answer] : a) {
    const auto other = b.find(path);
    if (other == b.end()) return std::string(what) + " lost: " + path;
    if (!(other->second == answer)) return std::string(what) + " changed: " + path;
  }
  for (const auto& [path, answer] : b)
    if (a.count(path) == 0) return std::string(what) + " added: " + path;
  return {};
}

}  // namespace

std::string tar_header(const std::string& name, std::uint64_t size, char type, const std::string& link) {
  std::string block(512, '\0');
  put(block, 0, name.substr(0, 100));
  put(block, 100, "0000644");
  put(block, 108, "0000000");
  put(block, 116, "0000000");
  put(block, 124, fmt::format("{:011o}", size));
  put(block, 136, "00000000000");
  put(block, 148, "        ");
  block[156] = type;
  put(block, 157, link.substr(0, 100));
  put(block, 257,
      std::string("ustar\0"
                  "00",
                  8));
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(block, 148, fmt::format("{:06o}", sum) + '\0');
  return block;
}

std::string tar_file(const std::string& name, const std::string& content) {
  return tar_header(name, content.size()) + content + std::string((512 - content.size() % 512) % 512, '\0');
}

std::string tar_end() { return std::string(kTarEnd, '\0'); }

std::string gzip(std::string_view bytes) {
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&z, bytes.size()) + 64, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(packed.data());
  z.avail_out = static_cast<uInt>(packed.size());
  const int code = deflate(&z, Z_FINISH);
  packed.resize(z.total_out);
  deflateEnd(&z);
  if (code != Z_STREAM_END) throw std::runtime_error("deflate");
  return packed;
}

std::string gunzip(std::string_view packed) {
  z_stream z{};
  inflateInit2(&z, 16 + MAX_WBITS);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  z.avail_in = static_cast<uInt>(packed.size());
  std::string bytes, block(1U << 16U, '\0');
  int code = Z_OK;
  while (code == Z_OK) {
    z.next_out = reinterpret_cast<Bytef*>(block.data());
    z.avail_out = static_cast<uInt>(block.size());
    code = inflate(&z, Z_NO_FLUSH);
    bytes.append(block.data(), block.size() - z.avail_out);
  }
  inflateEnd(&z);
  if (code != Z_STREAM_END) throw std::runtime_error("inflate");
  return bytes;
}

std::string first_difference(const Snapshot& a, const Snapshot& b) {
  for (const std::string& d : {difference("file", a.files, b.files), difference("listing", a.listings, b.listings),
                               difference("link", a.links, b.links), difference("stat", a.stats, b.stats),
                               difference("open", a.opens, b.opens)})
    if (!d.empty()) return d;
  if (!(a.commands == b.commands)) return "commands";
  if (a.captured != b.captured || a.redacted != b.redacted) return "captured or redacted";
  if (!(a.identity == b.identity)) return "identity";
  if (!(a.uname == b.uname)) return "uname";
  if (a.env != b.env || a.env_complete != b.env_complete) return "env";
  if (!(a.as == b.as)) return "as";
  if (a.truncated != b.truncated) return "truncated";
  if (a.notes != b.notes) return "notes";
  return {};
}

}  // namespace rocdiag::testing
