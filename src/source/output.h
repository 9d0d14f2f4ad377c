// SPDX-License-Identifier: MIT
// Files that rocdiag writes for its user: complete or not at all.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>

#include "rocdiag/result.h"

namespace rocdiag {

// Writes beside `path`, flushes to disk and renames over it. A link at `path` is replaced and never followed; a device,
// a pipe, a folder, and anything directly in /dev or below /proc and /sys is refused. `mode` is lessened by the umask.
Status write_file_atomically(const std::string& path, std::string_view bytes, mode_t mode);

// Makes a folder (0700) beside `path`, lets `fill` write into the open descriptor, and renames it to `path`, which must
// not exist or be an empty folder. On any failure nothing is left behind.
Status make_folder_atomically(const std::string& path, const std::function<Status(int)>& fill);

enum class Flush { yes, no };  // to disk, before the function returns

// Creates `name`, which must not exist, under the open folder `at` and writes all of it; on failure it is gone again.
Status write_new_file(int at, const std::string& name, std::string_view bytes, mode_t mode, Flush flush);

}  // namespace rocdiag
