// SPDX-License-Identifier: MIT
// rocdiag capture: a bundle of this machine, to be judged elsewhere.
#include <memory>

#include "cli/commands.h"
#include "engine/ask.h"
#include "engine/check.h"
#include "source/bundle_write.h"
#include "source/identity.h"
#include "source/local.h"
#include "source/redact.h"

namespace rocdiag {
namespace {

ExitCode run_capture(const std::string& output, bool keep_names) {
  LocalSource source;
  Snapshot snapshot = ask_all(source, probe_catalogue(), std::chrono::steady_clock::now() + kFullBudget).snapshot;
  redact(snapshot, {host_name(), keep_names ? RedactNames::no : RedactNames::yes});
  if (const Status saved = save_bundle(snapshot, output); !saved)
    return complain(ExitCode::unreadable, named(output, describe(saved.error())));
  return ExitCode::ok;
}

}  // namespace

CliCommand add_capture(CLI::App& app) {
  CLI::App* command = app.add_subcommand("capture", "save what a check asks of this machine as a bundle");
  auto output = std::make_shared<std::string>();
  auto keep_names = std::make_shared<bool>(false);
  command->add_option("-o,--output", *output, "FILE.tar.gz, or a folder")->required();
  command->add_flag("--keep-names", *keep_names, "keep user, host and serial names; secrets are removed all the same");
  return {command, [output, keep_names] { return run_capture(*output, *keep_names); }};
}

}  // namespace rocdiag
