// SPDX-License-Identifier: MIT
// rocdiag explain: one finding on one screen.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "cli/commands.h"
#include "engine/selection.h"
#include "knowledge/knowledge.h"
#include "report/layout.h"
#include "source/terminal.h"

namespace rocdiag {
namespace {

constexpr const char* kIndent = "  ";

// A template has no machine to speak of: {group} reads as <group>, and so does {group_arg}, its form for a shell.
std::string as_example(std::string text) {
  constexpr std::string_view kForShell = "_arg}";
  for (std::size_t at = text.find(kForShell); at != std::string::npos; at = text.find(kForShell))
    text.replace(at, kForShell.size(), "}");
  for (char& c : text) c = c == '{' ? '<' : c == '}' ? '>' : c;
  return text;
}

void add_section(std::string& out, const std::string& heading, const std::string& text, std::size_t width) {
  if (text.empty()) return;
  out += "\n" + heading + "\n";
  for (const std::string& line : wrap(as_example(text), width - 2)) out += kIndent + line + "\n";
}

void add_commands(std::string& out, const std::string& heading, const std::vector<std::string>& commands) {
  if (commands.empty()) return;
  out += "\n" + heading + "\n";
  for (const std::string& command : commands) out += kIndent + as_example(command) + "\n";
}

// A variant's name is made for rules: "rule-present".
std::string in_words(std::string variant) {
  std::replace(variant.begin(), variant.end(), '-', ' ');
  return variant.empty() ? variant : " (" + variant + ")";
}

void add_remedy(std::string& out, const RemedyText& text, bool is_another, std::size_t width) {
  const Remedy& r = text.remedy;
  add_section(out, (is_another ? "Or" : "What to do") + in_words(text.variant), r.summary, width);
  for (const std::string& command : r.commands) out += "    " + as_example(command) + "\n";
  for (const std::string& line : wrap(r.risk.empty() ? "" : "Risk: " + as_example(r.risk), width - 2))
    out += kIndent + line + "\n";
  for (const std::string& command : r.undo) out += "    undo: " + as_example(command) + "\n";
}

std::string explanation(const FindingText& text, std::size_t width) {
  std::string out = fmt::format("{}   {}, layer {}\n", text.id, severity_name(text.severity), layer_name(text.layer));
  for (const std::string& line : wrap(as_example(text.title), width - 2)) out += kIndent + line + "\n";
  if (text.title != text.meaning) add_section(out, "What it means", text.meaning, width);
  add_section(out, "Why", text.why, width);
  add_commands(out, "How to see it by hand", text.check);
  for (std::size_t i = 0; i < text.remedies.size(); ++i)
    add_remedy(out, text.remedies[i], i > 0 && text.remedies[i - 1].variant == text.remedies[i].variant, width);
  add_commands(out, "Further reading", text.links);
  return out;
}

ExitCode run_explain(const std::string& id) {
  const Knowledge& knowledge = Knowledge::embedded();
  const FindingText* text = knowledge.finding(id);
  const Terminal terminal = look_at_terminal();
  if (text != nullptr) {
    const std::string page = explanation(*text, std::max<std::size_t>(terminal.width, 40));
    return deliver(terminal.utf8 ? page : to_ascii(page), "", ExitCode::ok);
  }
  std::vector<std::string> ids;
  for (const FindingText& known : knowledge.findings()) ids.push_back(known.id);
  const std::string near = nearest(id, ids);
  return complain(ExitCode::usage,
                  "there is no finding '" + id + "'" +
                      (near.empty() ? "; rocdiag list findings names them" : "; the nearest is '" + near + "'"));
}

}  // namespace

CliCommand add_explain(CLI::App& app) {
  CLI::App* command = app.add_subcommand("explain", "what a finding means, how to see it by hand, what to do");
  auto id = std::make_shared<std::string>();
  command->add_option("id", *id, "a finding's id, as in kfd.permission")->required();
  return {command, [id] { return run_explain(*id); }};
}

}  // namespace rocdiag
