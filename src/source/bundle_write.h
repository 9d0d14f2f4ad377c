// SPDX-License-Identifier: MIT
// From a snapshot to a bundle (docs/bundle-format.md). Reading it again gives back every answer exactly.
#pragma once

#include <string>

#include "rocdiag/snapshot.h"

namespace rocdiag {

// `path` ending in .tar.gz or .tgz: an archive of mode 0600, replacing a file there; anything else: a new folder, and
// an existing one must be empty. Complete or not at all; too_large where load_bundle() would refuse the result.
// Nothing is redacted here: redact() comes first.
Status save_bundle(const Snapshot& snapshot, const std::string& path);

}  // namespace rocdiag
