// SPDX-License-Identifier: MIT
// rocdiag check: the diagnosis of this machine, or of recorded ones.
#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "engine/check.h"
#include "knowledge/embedded.h"
#include "knowledge/knowledge.h"
#include "report/json.h"
#include "report/text.h"
#include "source/bundle_read.h"
#include "source/bundle_write.h"
#include "source/identity.h"
#include "source/local.h"
#include "source/recorded.h"
#include "source/redact.h"
#include "source/terminal.h"

namespace rocdiag {
namespace {

struct Options {
  std::vector<std::string> from;
  std::string record;
  Selection selection;
  bool quick = false;
  bool demo = false;
  std::string format = "text";
  std::string output;
  std::string fail_on = "error";
  std::string color = "auto";
};

// The machine to ask, or the reason why there is none to ask.
Result<std::unique_ptr<Source>> source_for(const Options& options) {
  if (options.demo) {
    auto demo = load_bundle_bytes(embedded_files().at("demo.tar.gz"));
    if (!demo) return demo.error();
    return std::unique_ptr<Source>(std::make_unique<RecordedSource>(std::vector<Snapshot>{std::move(*demo)}));
  }
  if (options.from.empty()) return std::unique_ptr<Source>(std::make_unique<LocalSource>());
  std::vector<Snapshot> records;
  for (const std::string& path : options.from) {
    auto record = load_bundle(path);
    if (!record) return Error{record.error().code, 0, named(path, describe(record.error()))};
    records.push_back(std::move(*record));
  }
  return std::unique_ptr<Source>(std::make_unique<RecordedSource>(std::move(records)));
}

std::string render(const Report& report, const Options& options) {
  if (options.format == "json") return report_as_json(report, Knowledge::embedded().version());
  const Terminal terminal = look_at_terminal();
  TextStyle style;
  if (options.output.empty()) {
    style.width = terminal.width;
    style.unicode = terminal.utf8;
    style.colour = terminal.allows_colour;
  }
  if (options.color != "auto") style.colour = options.color == "always";
  return report_as_text(report, style);
}

ExitCode exit_code_for(const Report& report, const std::string& fail_on) {
  if (fail_on != "never" && report.verdict == Verdict::broken) return ExitCode::found;
  if (report.verdict == Verdict::unknown) {
    const bool warned =
        fail_on == "warning" && std::any_of(report.findings.begin(), report.findings.end(),
                                            [](const Finding& f) { return f.severity == Severity::warning; });
    return warned ? ExitCode::found : ExitCode::undecided;
  }
  if (fail_on == "warning" && report.verdict == Verdict::degraded) return ExitCode::found;
  return ExitCode::ok;
}

ExitCode run_check(const Options& options) {
  if (const Status ok = check_selection(options.selection); !ok) return complain(ExitCode::usage, ok.error().message);
  auto source = source_for(options);
  if (!source) return complain(ExitCode::unreadable, source.error().message);
  Checked checked = check(**source, options.selection, options.quick ? kQuickBudget : kFullBudget);
  if (!options.record.empty()) {
    const bool is_live = options.from.empty() && !options.demo;  // the name of this machine belongs to no other
    redact(checked.snapshot, {is_live ? host_name() : "", RedactNames::yes});
    if (const Status saved = save_bundle(checked.snapshot, options.record); !saved)
      return complain(ExitCode::unreadable, named(options.record, describe(saved.error())));
  }
  return deliver(render(checked.report, options), options.output, exit_code_for(checked.report, options.fail_on));
}

}  // namespace

CliCommand add_check(CLI::App& app) {
  CLI::App* command = app.add_subcommand("check", "diagnose this machine, or a recorded one");
  auto options = std::make_shared<Options>();
  command
      ->add_option("--from", options->from,
                   "judge a bundle, a folder, a .tar.gz or a bare sysfs dump instead; repeatable")
      ->allow_extra_args(false);
  command->add_option("--record", options->record, "save what was judged, redacted, as FILE.tar.gz or a folder");
  command
      ->add_option("--only", options->selection.only, "ask only these layers, probes or findings (pattern); repeatable")
      ->allow_extra_args(false);
  command->add_option("--skip", options->selection.skip, "leave these out (pattern); repeatable")
      ->allow_extra_args(false);
  command->add_flag("--quick", options->quick, "passive questions only, in under 4.5 s");
  command->add_flag("--demo", options->demo, "judge the recorded machine that comes with rocdiag");
  command->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  command->add_option("--output", options->output, "write the report to FILE, complete or not at all");
  command->add_option("--fail-on", options->fail_on, "exit 1 at error, warning or never")
      ->check(CLI::IsMember({"error", "warning", "never"}));
  command->add_option("--color", options->color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  return {command, [options] { return run_check(*options); }};
}

}  // namespace rocdiag
