// SPDX-License-Identifier: MIT
// The text and JSON of one made-up report: what a person and a program see.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "readers/text.h"
#include "report/json.h"
#include "report/layout.h"
#include "report/text.h"

namespace rocdiag {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Finding permission() {
  Finding f;
  f.id = "kfd.permission";
  f.layer = Layer::kfd;
  f.severity = Severity::error;
  f.confidence = Confidence::confirmed;
  f.root_cause = true;
  f.title = "This account may not open /dev/kfd";
  f.detail = "/dev/kfd is root:render 0660; this process is in groups sudo, video.";
  f.evidence = {{"/dev/kfd", 0, "open: EACCES"}};
  Remedy r;
  r.kind = "command";
  r.summary = "Join the group.";
  r.commands = {"sudo usermod -aG render $USER"};
  r.needs = {"root", "relogin"};
  r.undo = {"sudo gpasswd -d $USER render"};
  f.remedies = {r};
  return f;
}

Report broken() {
  Report report;
  report.source_kind = "live";
  report.verdict = Verdict::broken;
  report.facts.host.os_name = Observed<std::string>::of("Ubuntu 24.04.1 LTS");
  report.facts.host.uid = Observed<std::uint32_t>::of(1000);
  for (const Layer layer : kLayers)
    report.layers.push_back({layer, LayerStatus::blocked, Layer::kfd, "waits for kfd", 0});
  report.layers[0] = {Layer::pci, LayerStatus::pass, std::nullopt, "Radeon RX 6700 XT at 0000:03:00.0", 3};
  report.layers[2] = {Layer::kfd, LayerStatus::fail, std::nullopt, "/dev/kfd: permission denied", 2};
  Finding symptom;
  symptom.id = "hsa.init-failed";
  symptom.severity = Severity::error;
  symptom.title = "hsa_init fails";
  symptom.caused_by = {"kfd.permission"};
  symptom.evidence = {{"x", 0, "y"}};
  Finding next = symptom;
  next.id = "kfd.render-permission";
  next.title = "This account may not open /dev/dri/renderD128";
  next.next = true;
  report.findings = {permission(), next, symptom};
  report.duration_ms = 412;
  return report;
}

std::string text(const Report& report, TextStyle style = {}) { return report_as_text(report, style); }

TEST(TextReport, PutsTheCauseTheCommandAndTheUndoInOneBlock) {
  const std::string t = text(broken());
  EXPECT_THAT(t, HasSubstr("✗ This account may not open /dev/kfd"));
  EXPECT_THAT(t, HasSubstr("  do     sudo usermod -aG render $USER      then log out and in\n"));
  EXPECT_THAT(t, HasSubstr("  undo   sudo gpasswd -d $USER render\n"));
  EXPECT_THAT(t, HasSubstr("  more   rocdiag explain kfd.permission\n"));
}

TEST(TextReport, FoldsSymptomsUnderTheirCauseAndNamesWhatComesNextInOneLine) {
  const std::string t = text(broken());
  EXPECT_THAT(t, HasSubstr("It explains: hsa_init fails."));
  EXPECT_THAT(t, Not(HasSubstr("✗ hsa_init fails")));
  EXPECT_THAT(t, HasSubstr("After that: This account may not open /dev/dri/renderD128\n  (kfd.render-permission)."));
}

TEST(TextReport, EndsWithTheVerdict) {
  const auto lines = split_lines(text(broken()));
  EXPECT_EQ(lines.back(), "broken: 1 cause now, 1 next · 0.4 s");
}

TEST(TextReport, EqualFindingsOnSeveralGpusAreOneBlock) {
  Report report = broken();
  Finding bar = permission();
  bar.id = "pci.small-bar";
  bar.subject = "0000:03:00.0";
  bar.title = "The BAR of 0000:03:00.0 is small";
  bar.remedies[0].commands = {"lspci -vvs 0000:03:00.0"};
  Finding other = bar;
  other.subject = "0000:41:00.0";
  other.title = "The BAR of 0000:41:00.0 is small";
  other.remedies[0].commands = {"lspci -vvs 0000:41:00.0"};
  report.findings = {bar, other};
  const std::string t = text(report);
  EXPECT_THAT(t, HasSubstr("The same at 0000:41:00.0."));
  EXPECT_THAT(t, Not(HasSubstr("The BAR of 0000:41:00.0")));
}

TEST(TextReport, ColoursOnlyWhenAskedAndOnlySignsAndIds) {
  EXPECT_THAT(text(broken()), Not(HasSubstr("\x1b")));
  TextStyle colour;
  colour.colour = true;
  EXPECT_THAT(text(broken(), colour), HasSubstr("\x1b[31m✗\x1b[0m This account"));
}

TEST(TextReport, HasNoByteBeyondAsciiWhereTheTerminalHasNoUtf8) {
  TextStyle ascii;
  ascii.unicode = false;
  for (const char c : text(broken(), ascii)) ASSERT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST(TextReport, StaysInsideTheWidthButForCommands) {
  for (const std::size_t width : {60U, 80U, 120U}) {
    TextStyle style;
    style.width = width;
    for (const std::string& line : split_lines(text(broken(), style))) EXPECT_LE(columns(line), width) << line;
  }
}

TEST(TextReport, EscapesControlCharactersInEvidence) {
  Report report = broken();
  report.findings[0].evidence[0].text = "evil\x1b]0;title\x07";
  EXPECT_THAT(text(report), Not(HasSubstr("\x1b")));
}

TEST(TextReport, SaysWhichLayerKeepsItUndecided) {
  Report report = broken();
  report.verdict = Verdict::unknown;
  report.findings.clear();
  report.layers[2].status = LayerStatus::unknown;
  EXPECT_THAT(text(report), HasSubstr("unknown: kfd gave no answer"));
}

TEST(JsonReport, IsValidWhateverBytesTheEvidenceHolds) {
  Report report = broken();
  report.findings[0].evidence[0].text = "\xff\xfe not UTF-8";
  const auto json = nlohmann::json::parse(report_as_json(report, "2026-12-01"));
  EXPECT_EQ(json.at("schema"), "rocdiag.report/1");
  EXPECT_EQ(json.at("findings").at(0).at("root_cause"), true);
  EXPECT_EQ(json.at("findings").at(2).at("caused_by").at(0), "kfd.permission");
}

TEST(JsonReport, TellsAbsentFromUnobserved) {
  Report report = broken();
  report.facts.host.os_id = Observed<std::string>::absent();
  report.facts.host.machine = Observed<std::string>::unobserved("EACCES");
  const auto host = nlohmann::json::parse(report_as_json(report, ""))["facts"]["host"];
  EXPECT_TRUE(host.at("os_id").is_null());
  EXPECT_EQ(host.at("machine").at("unobserved"), "EACCES");
  EXPECT_EQ(host.at("os_name"), "Ubuntu 24.04.1 LTS");
}

TEST(TextReport, TheFirstLineNamesTheContainer) {
  const auto first_line = [](const Observed<std::string>& kind) {
    Report report = broken();
    report.facts.container.kind = kind;
    const std::string text = report_as_text(report, {});
    return text.substr(0, text.find('\n'));
  };
  EXPECT_THAT(first_line(Observed<std::string>::of("docker")), HasSubstr("ordinary user, in a docker container"));
  EXPECT_THAT(first_line(Observed<std::string>::of("firejail")), HasSubstr("in a firejail sandbox"));
  EXPECT_THAT(first_line(Observed<std::string>::of("other")), HasSubstr("in a container"));
  EXPECT_THAT(first_line(Observed<std::string>::absent()), HasSubstr("no container"));
  EXPECT_THAT(first_line(Observed<std::string>::unobserved("not asked")), Not(HasSubstr("container")));
}

}  // namespace
}  // namespace rocdiag
