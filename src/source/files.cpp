// SPDX-License-Identifier: MIT
#include "source/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <memory>

#include "source/fd.h"

namespace rocdiag {
namespace {

constexpr int kQuiet = O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
constexpr mode_t kPermissionBits = 07777;

FileType type_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return FileType::file;
    case S_IFDIR:
      return FileType::folder;
    case S_IFLNK:
      return FileType::link;
    case S_IFCHR:
      return FileType::char_device;
    case S_IFBLK:
      return FileType::block_device;
    case S_IFIFO:
      return FileType::fifo;
    case S_IFSOCK:
      return FileType::socket;
    default:
      return FileType::unknown;
  }
}

Result<std::string> read_up_to(const Fd& fd, std::size_t limit) {
  std::string bytes;
  std::array<char, 64U << 10U> buffer;
  while (bytes.size() < limit) {
    const ssize_t n = read(fd.get(), buffer.data(), std::min(buffer.size(), limit - bytes.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error(errno);
    if (n == 0) break;
    bytes.append(buffer.data(), static_cast<std::size_t>(n));
  }
  return bytes;
}

bool is_link(const std::string& folder, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_LNK;
  struct stat status {};
  return lstat((folder + "/" + entry.d_name).c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

}  // namespace

Result<FileContent> read_regular_file(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return system_error(errno);
  if (S_ISDIR(status.st_mode)) return system_error(EISDIR);
  if (!S_ISREG(status.st_mode)) return Error{Errc::refused, 0, "not a regular file"};
  const Fd fd(open(path.c_str(), O_RDONLY | kQuiet));
  if (!fd.is_open()) return system_error(errno);
  if (fstat(fd.get(), &status) != 0) return system_error(errno);
  if (!S_ISREG(status.st_mode)) return Error{Errc::refused, 0, "not a regular file"};  // replaced in between
  auto bytes = read_up_to(fd, kMostContent + 1);  // one more shows that there is more
  if (!bytes) return bytes.error();
  FileContent content{std::move(*bytes), false};
  content.truncated = content.bytes.size() > kMostContent;
  if (content.truncated) content.bytes.resize(kMostContent);
  return content;
}

Result<Listing> list_names(const std::string& path) {
  const std::unique_ptr<DIR, CloseFolder> folder(opendir(path.c_str()));
  if (!folder) return system_error(errno);
  Listing listing;
  errno = 0;
  while (const dirent* entry = readdir(folder.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (listing.names.size() == kMostNames) return Error{Errc::too_large, 0, "more than 4096 names"};
    if (is_link(path, *entry)) listing.links.push_back(name);
    listing.names.push_back(name);
    errno = 0;
  }
  if (errno != 0) return system_error(errno);
  std::sort(listing.names.begin(), listing.names.end());
  std::sort(listing.links.begin(), listing.links.end());
  return listing;
}

Result<std::string> link_target(const std::string& path) {
  std::array<char, PATH_MAX> buffer{};
  const ssize_t n = readlink(path.c_str(), buffer.data(), buffer.size());
  if (n < 0) return system_error(errno);
  return std::string(buffer.data(), static_cast<std::size_t>(n));
}

Result<FileStat> file_status(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return system_error(errno);
  FileStat answer{type_of(status.st_mode), status.st_mode & kPermissionBits, status.st_uid, status.st_gid, ""};
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))
    answer.rdev = std::to_string(major(status.st_rdev)) + ":" + std::to_string(minor(status.st_rdev));
  return answer;
}

Status open_device_node(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return system_error(errno);
  if (!S_ISCHR(status.st_mode)) return Error{Errc::refused, 0, "not a character device"};
  const Fd fd(open(path.c_str(), O_RDWR | kQuiet));
  if (!fd.is_open()) return system_error(errno);
  return Done{};
}

}  // namespace rocdiag
