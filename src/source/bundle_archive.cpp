// SPDX-License-Identifier: MIT
// libarchive reads the tar format; the gzip layer is ours, so that every byte it is given has been counted.
#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>

#include "core/pattern.h"
#include "readers/text.h"
#include "source/bundle_tree.h"
#include "source/fd.h"
#include "source/inflate.h"

namespace rocdiag {
namespace {

constexpr std::size_t kBlock = 64U << 10U;
constexpr std::size_t kMaxPacked = 64U << 20U;
constexpr std::size_t kMaxStream = kMaxBundleBytes + 2048 * kMaxBundleEntries;  // with tar's own headers and padding
// One header with its extensions. A map of a sparse file or a long name beyond that is an attack on memory.
constexpr std::size_t kMaxHeader = 2U << 20U;

class BytesInMemory : public ByteSource {
 public:
  explicit BytesInMemory(std::string_view bytes) : bytes_(bytes) {}
  Result<std::string_view> next() override {
    const std::string_view block = bytes_.substr(0, kBlock);
    bytes_.remove_prefix(block.size());
    return block;
  }

 private:
  std::string_view bytes_;
};

class BytesOfFile : public ByteSource {
 public:
  explicit BytesOfFile(int fd) : fd_(fd) {}

  Result<std::string_view> next() override {
    ssize_t got = 0;
    do got = read(fd_, block_.data(), block_.size());
    while (got < 0 && errno == EINTR);
    if (got < 0) return system_error(errno);
    total_ += static_cast<std::size_t>(got);
    if (total_ > kMaxPacked) return Error{Errc::too_large, 0, fmt::format("larger than {} MiB", kMaxPacked >> 20U)};
    return std::string_view(block_.data(), static_cast<std::size_t>(got));
  }

 private:
  int fd_;
  std::size_t total_ = 0;
  std::array<char, kBlock> block_{};
};

// What libarchive's callback needs to feed it and to say afterwards why it stopped.
struct Feed {
  Inflate& bytes;
  std::size_t since_header = 0;
  bool in_header = true;
  std::optional<Error> error;
};

la_ssize_t feed_archive(archive* reader, void* data, const void** buffer) {
  Feed& feed = *static_cast<Feed*>(data);
  auto block = feed.bytes.next();
  if (block) feed.since_header += block->size();
  if (block && feed.in_header && feed.since_header > kMaxHeader)
    block = Error{Errc::too_large, 0, fmt::format("a header larger than {} MiB", kMaxHeader >> 20U)};
  if (!block) {
    feed.error = block.error();
    archive_set_error(reader, EINVAL, "stopped");
    return -1;
  }
  *buffer = block->data();
  return static_cast<la_ssize_t>(block->size());
}

class Unpacker {
 public:
  Unpacker(std::string name, Inflate& bytes) : tree_(std::move(name)), feed_{bytes, 0, true, std::nullopt} {}

  Result<BundleTree> run() {
    archive_read_support_format_tar(reader_.get());
    if (archive_read_open(reader_.get(), &feed_, nullptr, feed_archive, nullptr) != ARCHIVE_OK) return failure();
    while (true) {
      feed_.in_header = true;
      feed_.since_header = 0;
      archive_entry* entry = nullptr;
      const int code = archive_read_next_header(reader_.get(), &entry);
      feed_.in_header = false;
      if (code == ARCHIVE_EOF) break;
      if (code != ARCHIVE_OK && code != ARCHIVE_WARN) return failure();
      if (Status status = take(entry); !status) return status.error();
    }
    return drained();
  }

 private:
  // To the end of the packed data, for only there it shows whether the archive is complete.
  Result<BundleTree> drained() {
    while (true) {
      auto block = feed_.bytes.next();
      if (!block) return failure(block.error());
      if (block->empty()) break;
    }
    return std::move(tree_);
  }

  Error failure() const {
    if (feed_.error) return failure(*feed_.error);
    return failure({Errc::malformed, 0, "it is not a whole .tar or .tar.gz"});
  }

  Error failure(const Error& error) const {
    const std::string at = last_.empty() ? "" : ": after " + printable(last_, 200);
    return {error.code, error.errno_value, printable(tree_.name(), 200) + at + ": " + describe(error)};
  }

  Status take(archive_entry* entry) {
    const char* raw = archive_entry_pathname(entry);
    if (raw == nullptr) raw = archive_entry_pathname_utf8(entry);
    if (raw == nullptr) return failure({Errc::malformed, 0, "an entry without a readable name"});
    auto path = tree_.clean_path(raw);
    if (!path) return path.error();
    last_ = *path;
    if (archive_entry_hardlink(entry) != nullptr) return tree_.error(Errc::malformed, *path, "a hard link");
    switch (archive_entry_filetype(entry)) {
      case AE_IFDIR:
        return path->empty() ? Status(Done{}) : tree_.add(*path, {EntryKind::folder, {}});
      case AE_IFLNK:
        return take_link(*path, entry);
      case AE_IFREG:
        return take_file(*path, entry);
      default:
        return tree_.error(Errc::malformed, *path, "neither a file, a folder nor a link");
    }
  }

  Status take_link(const std::string& path, archive_entry* entry) {
    const char* target = archive_entry_symlink(entry);
    if (target == nullptr) target = archive_entry_symlink_utf8(entry);
    if (target == nullptr || *target == '\0' || *target == '/' || leaves(path, target))
      return tree_.error(Errc::malformed, path, "a link that leaves the bundle");
    return tree_.add(path, {EntryKind::link, target});
  }

  static bool leaves(const std::string& path, const std::string& target) {
    int level = static_cast<int>(split_path(path).size()) - 1;
    for (const std::string& part : split_path(target)) {
      level += part == ".." ? -1 : 1;
      if (level < 0) return true;
    }
    return false;
  }

  Status take_file(const std::string& path, archive_entry* entry) {
    if (path.empty()) return tree_.error(Errc::malformed, ".", "a file without a name");
    const la_int64_t promised = archive_entry_size(entry);
    if (promised < 0) return tree_.error(Errc::malformed, path, "a negative size");
    if (Status status = tree_.admit(path, static_cast<std::size_t>(promised)); !status) return status;
    std::string content(static_cast<std::size_t>(promised), '\0');
    std::size_t filled = 0;
    while (filled < content.size()) {
      const la_ssize_t got = archive_read_data(reader_.get(), content.data() + filled, content.size() - filled);
      if (got < 0) return failure();
      if (got == 0) return tree_.error(Errc::malformed, path, "shorter than its header says");
      filled += static_cast<std::size_t>(got);
    }
    return tree_.add(path, {EntryKind::file, std::move(content)});
  }

  struct Free {
    void operator()(archive* reader) const { archive_read_free(reader); }
  };
  BundleTree tree_;
  Feed feed_;
  std::unique_ptr<archive, Free> reader_{archive_read_new()};
  std::string last_;  // the entry read last, for messages
};

Result<BundleTree> unpack(std::string name, ByteSource& source) {
  Inflate bytes(source, kMaxStream);
  return Unpacker(std::move(name), bytes).run();
}

}  // namespace

Result<BundleTree> unpack_archive_bytes(std::string_view archive) {
  BytesInMemory source(archive);
  return unpack("the archive", source);
}

Result<BundleTree> unpack_archive_file(const std::string& path) {
  const Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!fd.is_open() || fstat(fd.get(), &status) != 0)
    return system_error(errno, printable(path, 200) + ": " + errno_name(errno));
  if (!S_ISREG(status.st_mode))
    return Error{Errc::malformed, 0, printable(path, 200) + ": neither a folder nor a regular file"};
  BytesOfFile source(fd.get());
  return unpack(path, source);
}

}  // namespace rocdiag
