// SPDX-License-Identifier: MIT
// The child that reads what may block in a driver, so that its parent need not wait.
#pragma once

namespace rocdiag {

// `rocdiag worker read`: takes questions from standard input up to its end (frames.h), then answers each, in order, as
// soon as it is known, on standard output. Returns the exit code: 0, or 64 when the questions are malformed.
int run_read_worker();

}  // namespace rocdiag
