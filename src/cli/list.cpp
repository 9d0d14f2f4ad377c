// SPDX-License-Identifier: MIT
// rocdiag list: what there is to ask and to find.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "core/pattern.h"
#include "knowledge/knowledge.h"
#include "report/layout.h"
#include "rocdiag/probe.h"

namespace rocdiag {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string what;
  std::string pattern = "*";
  std::string format = "text";
};

std::vector<Json> probe_rows() {
  std::vector<Json> rows;
  for (const Probe& probe : probe_catalogue())
    rows.push_back({{"name", probe.name},
                    {"layer", probe.layer ? layer_name(*probe.layer) : "every layer"},
                    {"effect", "passive"},
                    {"asks", probe.asks}});
  return rows;
}

std::vector<Json> finding_rows() {
  std::vector<Json> rows;
  for (const FindingText& text : Knowledge::embedded().findings())
    rows.push_back({{"id", text.id},
                    {"layer", layer_name(text.layer)},
                    {"severity", severity_name(text.severity)},
                    {"meaning", text.meaning}});
  return rows;
}

// Columns as wide as their widest cell; the last one runs free.
std::string as_table(const std::vector<Json>& rows) {
  std::vector<std::size_t> widths;
  for (const Json& row : rows) {
    std::size_t i = 0;
    for (const auto& cell : row.items()) {
      if (widths.size() <= i) widths.push_back(0);
      widths[i] = std::max(widths[i], columns(cell.value().get<std::string>()));
      ++i;
    }
  }
  std::string out;
  for (const Json& row : rows) {
    std::size_t i = 0;
    for (const auto& cell : row.items()) {
      const auto text = cell.value().get<std::string>();
      const bool is_last = ++i == row.size();
      out += is_last ? text + "\n" : pad(text, widths[i - 1] + 2);
    }
  }
  return out;
}

ExitCode run_list(const Options& options) {
  std::vector<Json> all = options.what == "probes" ? probe_rows() : finding_rows();
  std::vector<Json> rows;
  for (const Json& row : all)
    if (text_matches(options.pattern, row.begin().value().get<std::string>())) rows.push_back(row);
  if (rows.empty())
    return complain(ExitCode::usage, fmt::format("'{}' matches none of the {}", options.pattern, options.what));
  return deliver(options.format == "json" ? Json(rows).dump(2) + "\n" : as_table(rows), "", ExitCode::ok);
}

}  // namespace

CliCommand add_list(CLI::App& app) {
  CLI::App* command = app.add_subcommand("list", "list the probes or the findings");
  auto options = std::make_shared<Options>();
  command->add_option("what", options->what, "probes or findings")
      ->required()
      ->check(CLI::IsMember({"probes", "findings"}));
  command->add_option("pattern", options->pattern, "only names that match, as in 'kfd.*'");
  command->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  return {command, [options] { return run_list(*options); }};
}

}  // namespace rocdiag
