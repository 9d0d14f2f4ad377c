// SPDX-License-Identifier: MIT
#include "source/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "core/pattern.h"
#include "readers/text.h"
#include "source/fd.h"

namespace rocdiag {
namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

Error failure(const std::string& path, int errno_value) {
  return system_error(errno_value, printable(path, 200) + ": " + errno_name(errno_value));
}

std::string temporary_name(const std::string& name) {
  unsigned long long random = 0;
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
    random = static_cast<unsigned long long>(getpid());
  return fmt::format(".{}.{:016x}", name.substr(0, 200), random);
}

// A path to write at: its folder held open, so that it stays the same one until the rename.
struct Target {
  Fd folder;
  std::string folder_path, name;
};

Result<Target> find_target(const std::string& path) {
  const std::string absolute = path.rfind('/', 0) == 0 ? path : "./" + path;
  Target target{Fd(), parent_of(absolute), name_of(absolute)};
  if (target.name.empty() || target.name == "." || target.name == "..") return failure(path, EISDIR);
  target.folder = Fd(open(target.folder_path.c_str(), kFolderFlags));
  if (!target.folder.is_open()) return failure(path, errno);
  return target;
}

Status refuse_odd_target(const Target& target, const std::string& path) {
  // A link such as /dev/stdout would be replaced there, for everybody. /dev/shm holds files like any other folder.
  const bool is_system = target.folder_path == "/dev" || target.folder_path == "/dev/fd" ||
                         path.rfind("/proc/", 0) == 0 || path.rfind("/sys/", 0) == 0;
  if (is_system) return Error{Errc::usage, 0, printable(path, 200) + ": only a regular file can be written"};
  struct stat status {};
  if (fstatat(target.folder.get(), target.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return Done{};
  if (S_ISREG(status.st_mode) || S_ISLNK(status.st_mode)) return Done{};
  return Error{Errc::usage, 0, printable(path, 200) + ": it exists and is not a regular file"};
}

Status write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return system_error(errno);
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return Done{};
}

}  // namespace

Status write_new_file(int at, const std::string& name, std::string_view bytes, mode_t mode, Flush flush) {
  Fd fd(openat(at, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!fd.is_open()) return system_error(errno);
  Status status = write_all(fd.get(), bytes);
  if (status && flush == Flush::yes && fsync(fd.get()) != 0) status = system_error(errno);
  if (!status) unlinkat(at, name.c_str(), 0);
  return status;
}

Status write_file_atomically(const std::string& path, std::string_view bytes, mode_t mode) {
  auto target = find_target(path);
  if (!target) return target.error();
  if (Status status = refuse_odd_target(*target, path); !status) return status;
  const int folder = target->folder.get();
  const std::string temporary = temporary_name(target->name);
  if (Status status = write_new_file(folder, temporary, bytes, mode, Flush::yes); !status)
    return failure(path, status.error().errno_value);
  if (renameat(folder, temporary.c_str(), folder, target->name.c_str()) != 0) {
    const int reason = errno;
    unlinkat(folder, temporary.c_str(), 0);
    return failure(path, reason);
  }
  fsync(folder);
  return Done{};
}

Status make_folder_atomically(const std::string& given, const std::function<Status(int)>& fill) {
  std::string path = given;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  auto target = find_target(path);
  if (!target) return target.error();
  const int parent = target->folder.get();
  const std::string temporary = temporary_name(target->name);
  if (mkdirat(parent, temporary.c_str(), 0700) != 0) return failure(path, errno);
  const auto give_up = [&](Error error) {
    std::error_code ignored;
    std::filesystem::remove_all(std::filesystem::path(target->folder_path) / temporary, ignored);
    return error;
  };
  const Fd folder(openat(parent, temporary.c_str(), kFolderFlags | O_NOFOLLOW));
  if (!folder.is_open()) return give_up(failure(path, errno));
  if (Status status = fill(folder.get()); !status) return give_up(status.error());
  syncfs(folder.get());  // once for all files in it
  if (renameat(parent, temporary.c_str(), parent, target->name.c_str()) != 0) return give_up(failure(path, errno));
  fsync(parent);
  return Done{};
}

}  // namespace rocdiag
