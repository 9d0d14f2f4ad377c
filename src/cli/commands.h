// SPDX-License-Identifier: MIT
// One file a command. Each adds its options to the app and returns what runs when it was chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "rocdiag/result.h"

namespace rocdiag {

using Run = std::function<ExitCode()>;

struct CliCommand {
  CLI::App* app;
  Run run;
};

CliCommand add_check(CLI::App& app);
CliCommand add_capture(CLI::App& app);
CliCommand add_explain(CLI::App& app);
CliCommand add_list(CLI::App& app);

// "rocdiag: MESSAGE" on standard error, and the exit code given back.
ExitCode complain(ExitCode code, const std::string& message);
// "PATH: REASON". Errors of a bundle's content name the file already, those of the system do not.
std::string named(const std::string& path, const std::string& reason);
// To FILE, atomically, or to standard output when it is empty.
ExitCode deliver(const std::string& text, const std::string& file, ExitCode code);

}  // namespace rocdiag
