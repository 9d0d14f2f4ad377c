// SPDX-License-Identifier: MIT
// The command line. CLI11 stays inside src/cli/.
#pragma once

namespace rocdiag {

// How every command ends. A warning never makes it non-zero by default: Slurm and node-problem-detector read 0/1/other.
enum class ExitCode {
  ok = 0,           // nothing at or above --fail-on
  found = 1,        // something is
  undecided = 2,    // the verdict is unknown
  usage = 64,       // wrong option, or a pattern that matches nothing
  unreadable = 66,  // an input file is missing or unreadable
  defect = 70,      // a defect of rocdiag's own
};

int run_cli(int argc, char** argv);

}  // namespace rocdiag
