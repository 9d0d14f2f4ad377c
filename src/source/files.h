// SPDX-License-Identifier: MIT
// The plain questions, asked of this machine in this process. An error is the errno as it came, or `refused`.
#pragma once

#include <string>
#include <vector>

#include "rocdiag/result.h"
#include "rocdiag/snapshot.h"
#include "worker/frames.h"

namespace rocdiag {

inline constexpr std::size_t kMostNames = 4096;  // in a folder; more: too_large

struct Listing {
  std::vector<std::string> names;  // sorted, without "." and ".."
  std::vector<std::string> links;  // those of them that are symbolic links
};

// The head, up to kMostContent, whatever size the file claims. Anything but a regular file is refused unopened:
// opening a device or a pipe can have effects.
Result<FileContent> read_regular_file(const std::string& path);
Result<Listing> list_names(const std::string& path);
Result<std::string> link_target(const std::string& path);
Result<FileStat> file_status(const std::string& path);
// Opens a character device for reading and writing and closes it again.
Status open_device_node(const std::string& path);

}  // namespace rocdiag
