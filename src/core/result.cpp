// SPDX-License-Identifier: MIT
#include "rocdiag/result.h"

#include <array>
#include <cerrno>

namespace rocdiag {
namespace {

struct Name {
  int value;
  const char* name;
};

constexpr std::array kNames{
    Name{EPERM, "EPERM"},
    Name{ENOENT, "ENOENT"},
    Name{EINTR, "EINTR"},
    Name{EIO, "EIO"},
    Name{ENXIO, "ENXIO"},
    Name{E2BIG, "E2BIG"},
    Name{ENOEXEC, "ENOEXEC"},
    Name{EBADF, "EBADF"},
    Name{EAGAIN, "EAGAIN"},
    Name{ENOMEM, "ENOMEM"},
    Name{EACCES, "EACCES"},
    Name{EFAULT, "EFAULT"},
    Name{EBUSY, "EBUSY"},
    Name{EEXIST, "EEXIST"},
    Name{ENODEV, "ENODEV"},
    Name{ENOTDIR, "ENOTDIR"},
    Name{EISDIR, "EISDIR"},
    Name{EINVAL, "EINVAL"},
    Name{ENFILE, "ENFILE"},
    Name{EMFILE, "EMFILE"},
    Name{ENOTTY, "ENOTTY"},
    Name{ETXTBSY, "ETXTBSY"},
    Name{EFBIG, "EFBIG"},
    Name{ENOSPC, "ENOSPC"},
    Name{ESPIPE, "ESPIPE"},
    Name{EROFS, "EROFS"},
    Name{EPIPE, "EPIPE"},
    Name{ERANGE, "ERANGE"},
    Name{ENAMETOOLONG, "ENAMETOOLONG"},
    Name{ENOSYS, "ENOSYS"},
    Name{ELOOP, "ELOOP"},
    Name{ENODATA, "ENODATA"},
    Name{ETIME, "ETIME"},
    Name{EPROTO, "EPROTO"},
    Name{EOVERFLOW, "EOVERFLOW"},
    Name{EOPNOTSUPP, "EOPNOTSUPP"},
    Name{ETIMEDOUT, "ETIMEDOUT"},
    Name{ESTALE, "ESTALE"},
    Name{EREMOTEIO, "EREMOTEIO"},
    Name{ECANCELED, "ECANCELED"},
    Name{EHWPOISON, "EHWPOISON"},
};

constexpr const char* kNumberPrefix = "errno ";

const char* meaning(Errc code) {
  switch (code) {
    case Errc::system:
      return "system error";
    case Errc::timed_out:
      return "no answer in time";
    case Errc::abandoned:
      return "the reader is stuck in the kernel";
    case Errc::not_recorded:
      return "not recorded";
    case Errc::refused:
      return "not asked: outside the paths rocdiag reads";
    case Errc::too_large:
      return "too large";
    case Errc::malformed:
      return "malformed";
    case Errc::usage:
      return "wrong usage";
  }
  return "unknown";
}

}  // namespace

std::string errno_name(int errno_value) {
  for (const Name& n : kNames)
    if (n.value == errno_value) return n.name;
  return kNumberPrefix + std::to_string(errno_value);
}

int errno_from_name(const std::string& name) {
  for (const Name& n : kNames)
    if (name == n.name) return n.value;
  const std::string prefix = kNumberPrefix;
  if (name.rfind(prefix, 0) != 0 || name.size() > prefix.size() + 5) return 0;
  int value = 0;
  for (std::size_t i = prefix.size(); i < name.size(); ++i) {
    if (name[i] < '0' || name[i] > '9') return 0;
    value = value * 10 + (name[i] - '0');
  }
  return value;
}

std::string describe(const Error& error) {
  if (error.code == Errc::system) return errno_name(error.errno_value);
  return error.message.empty() ? meaning(error.code) : error.message;
}

Error system_error(int errno_value, std::string message) { return {Errc::system, errno_value, std::move(message)}; }

}  // namespace rocdiag
