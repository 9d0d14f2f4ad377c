// SPDX-License-Identifier: MIT
// From a bundle, or a tree of files from elsewhere, to a snapshot (docs/bundle-format.md).
#pragma once

#include <string>
#include <string_view>

#include "rocdiag/snapshot.h"

namespace rocdiag {

// `path`: a bundle's folder, its .tar or .tar.gz, or a bare tree. Errc::system where it cannot be read, too_large over
// a limit, malformed for everything else; the message is one line that names bundle, entry and limit.
Result<Snapshot> load_bundle(const std::string& path);
// The same for a .tar.gz in memory.
Result<Snapshot> load_bundle_bytes(std::string_view archive);

}  // namespace rocdiag
