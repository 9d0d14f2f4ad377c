// SPDX-License-Identifier: MIT
#include "cli/cli.h"

#include <csignal>
#include <exception>

#include "cli/commands.h"
#include "engine/selection.h"
#include "source/output.h"
#include "source/terminal.h"
#include "worker/read.h"

namespace rocdiag {
namespace {

constexpr const char* kDescription =
    "rocdiag: why an AMD GPU does not compute under Linux, and what exact change makes it compute";
constexpr const char* kFooter =
    "\nExit codes: 0 nothing at or above --fail-on, 1 something is, 2 undecided, 64 usage, 66 unreadable input, 70 a "
    "defect of rocdiag's.";

// Hidden: the program's own children. Before CLI11, for they are started often and must start fast.
bool is_worker(int argc, char** argv) { return argc >= 3 && std::string(argv[1]) == "worker"; }

int run_worker(const std::string& name) {
  if (name == "read") return run_read_worker();
  return static_cast<int>(complain(ExitCode::usage, "there is no worker '" + name + "'"));
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// What was typed and is neither an option nor an argument, with the nearest thing that is.
ExitCode complain_about(const std::string& word, const std::vector<std::string>& candidates, const std::string& kind) {
  const std::string bare = word.substr(0, word.find('='));
  const std::string near = nearest(bare, candidates);
  return complain(ExitCode::usage,
                  "there is no " + kind + " '" + bare + "'" +
                      (near.empty() ? "; rocdiag --help names them" : "; the nearest is '" + near + "'"));
}

ExitCode run_chosen(const CLI::App& app, const std::vector<CliCommand>& commands) {
  for (const CliCommand& command : commands) {
    if (!command.app->parsed()) continue;
    const auto extras = command.app->remaining();
    if (extras.empty()) return command.run();
    const bool is_option = extras.front().rfind('-', 0) == 0;
    return complain_about(extras.front(), option_names(*command.app), is_option ? "option" : "argument");
  }
  const auto extras = app.remaining();
  if (extras.empty()) {
    write_stdout(app.help());
    return ExitCode::ok;
  }
  if (extras.front().rfind('-', 0) == 0) return complain_about(extras.front(), option_names(app), "option");
  std::vector<std::string> names;
  for (const CliCommand& command : commands) names.push_back(command.app->get_name());
  return complain_about(extras.front(), names, "command");
}

ExitCode parse_and_run(int argc, char** argv) {
  CLI::App app{kDescription, "rocdiag"};
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("rocdiag ") + ROCDIAG_VERSION);
  app.allow_extras();  // told apart by us, so that the nearest name can be offered
  const std::vector<CliCommand> commands = {add_check(app), add_capture(app), add_explain(app), add_list(app)};
  for (const CliCommand& command : commands) command.app->allow_extras();
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return static_cast<ExitCode>(app.exit(success));  // help and version print themselves
  } catch (const CLI::ParseError& error) {
    return complain(ExitCode::usage, error.what());
  }
  return run_chosen(app, commands);
}

}  // namespace

ExitCode complain(ExitCode code, const std::string& message) {
  write_stderr("rocdiag: " + message + "\n");
  return code;
}

std::string named(const std::string& path, const std::string& reason) {
  return reason.rfind(path, 0) == 0 ? reason : path + ": " + reason;
}

ExitCode deliver(const std::string& text, const std::string& file, ExitCode code) {
  if (file.empty())
    return write_stdout(text) ? code : complain(ExitCode::unreadable, "standard output cannot be written");
  const Status written = write_file_atomically(file, text, 0644);
  return written ? code : complain(ExitCode::unreadable, named(file, describe(written.error())));
}

int run_cli(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error value, not an end
  try {
    if (is_worker(argc, argv)) return run_worker(argv[2]);
    return static_cast<int>(parse_and_run(argc, argv));
  } catch (const std::exception& defect) {
    return static_cast<int>(complain(ExitCode::defect, std::string("a defect of rocdiag's own: ") + defect.what()));
  }
}

}  // namespace rocdiag
