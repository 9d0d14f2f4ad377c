// SPDX-License-Identifier: MIT
// A bundle as a folder on disk. Every step is relative to an open folder, so that nothing put there meanwhile leads
// out of it, and nothing but regular files is opened.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <memory>

#include "readers/text.h"
#include "source/bundle_tree.h"
#include "source/fd.h"

namespace rocdiag {
namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

Result<std::vector<std::string>> names_in(int fd) {
  const std::unique_ptr<DIR, CloseFolder> folder(fdopendir(dup(fd)));
  if (!folder) return system_error(errno);
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* entry = readdir(folder.get());
    if (entry == nullptr) break;
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (names.size() > kMaxBundleEntries) break;  // the tree refuses the surplus by name
    names.push_back(name);
  }
  if (errno != 0) return system_error(errno);
  std::sort(names.begin(), names.end());
  return names;
}

class FolderReader {
 public:
  explicit FolderReader(std::string name) : tree_(std::move(name)) {}

  Result<BundleTree> run(int top) {
    auto names = names_in(top);
    if (!names) return tree_.system_error_at(names.error().errno_value, ".");
    const auto has = [&](std::string_view name) {
      return std::find(names->begin(), names->end(), name) != names->end();
    };
    // Of a bundle only its own parts are read; of a bare tree everything; of any other folder nothing.
    const bool bundle = has(kManifestName) || has("fs");
    if (!bundle && std::none_of(names->begin(), names->end(), is_root_name)) return std::move(tree_);
    for (const std::string& name : *names) {
      if (bundle && name != kManifestName && name != "fs" && name != "commands" && name != "files") continue;
      if (Status status = take(top, name, name); !status) return status.error();
    }
    return std::move(tree_);
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion): the tree admits 64 levels
  Status take(int folder, const std::string& name, const std::string& path) {
    struct stat status {};
    if (fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return tree_.system_error_at(errno, path);
    if (S_ISDIR(status.st_mode)) return take_folder(folder, name, path);
    if (S_ISLNK(status.st_mode)) return take_link(folder, name, path);
    if (S_ISREG(status.st_mode)) return take_file(folder, name, path);
    return tree_.error(Errc::malformed, path, "neither a file, a folder nor a link");
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  Status take_folder(int folder, const std::string& name, const std::string& path) {
    if (Status status = tree_.add(path, {EntryKind::folder, {}}); !status) return status;
    const Fd inner(openat(folder, name.c_str(), kFolderFlags));
    if (!inner.is_open()) return tree_.system_error_at(errno, path);
    auto names = names_in(inner.get());
    if (!names) return tree_.system_error_at(names.error().errno_value, path);
    for (const std::string& below : *names)
      if (Status status = take(inner.get(), below, fmt::format("{}/{}", path, below)); !status) return status;
    return Done{};
  }

  Status take_link(int folder, const std::string& name, const std::string& path) {
    std::array<char, PATH_MAX> target{};
    const ssize_t length = readlinkat(folder, name.c_str(), target.data(), target.size());
    if (length < 0) return tree_.system_error_at(errno, path);
    return tree_.add(path, {EntryKind::link, std::string(target.data(), static_cast<std::size_t>(length))});
  }

  Status take_file(int folder, const std::string& name, const std::string& path) {
    const Fd fd(openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    if (!fd.is_open() || fstat(fd.get(), &status) != 0) return tree_.system_error_at(errno, path);
    if (!S_ISREG(status.st_mode)) return tree_.error(Errc::malformed, path, "changed while it was read");
    if (Status admitted = tree_.admit(path, static_cast<std::size_t>(status.st_size)); !admitted) return admitted;
    std::string content;
    std::array<char, 16U << 10U> block{};
    while (true) {  // to the end, not to st_size: files of sysfs and of growing logs say another size
      const ssize_t got = read(fd.get(), block.data(), block.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return tree_.system_error_at(errno, path);
      if (got == 0) break;
      content.append(block.data(), static_cast<std::size_t>(got));
      if (Status admitted = tree_.admit(path, content.size()); !admitted) return admitted;
    }
    return tree_.add(path, {EntryKind::file, std::move(content)});
  }

  BundleTree tree_;
};

}  // namespace

Result<BundleTree> read_folder(const std::string& path) {
  const Fd top(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!top.is_open()) return system_error(errno, printable(path, 200) + ": " + errno_name(errno));
  return FolderReader(path).run(top.get());
}

}  // namespace rocdiag
