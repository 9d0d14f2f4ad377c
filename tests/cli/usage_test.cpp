// SPDX-License-Identifier: MIT
// The binary itself: exit codes, what goes to which stream, what a wrong word is answered with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "testing/testing.h"

namespace rocdiag::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Ran rocdiag(std::vector<std::string> args) {
  args.insert(args.begin(), binary());
  return run(args);
}

TEST(Usage, AWrongOptionEndsWith64AndTheNearestName) {
  const Ran ran = rocdiag({"check", "--fomat", "json"});
  EXPECT_EQ(ran.exit, 64);
  EXPECT_THAT(ran.err, HasSubstr("--format"));
  EXPECT_THAT(ran.out, IsEmpty());
}

TEST(Usage, AWrongCommandEndsWith64AndTheNearestName) {
  const Ran ran = rocdiag({"chekc"});
  EXPECT_EQ(ran.exit, 64);
  EXPECT_THAT(ran.err, HasSubstr("'check'"));
}

TEST(Usage, AWrongValueEndsWith64) {
  EXPECT_EQ(rocdiag({"check", "--format", "xml"}).exit, 64);
  EXPECT_EQ(rocdiag({"check", "--fail-on", "sometimes"}).exit, 64);
  EXPECT_EQ(rocdiag({"check", "--from"}).exit, 64);
}

TEST(Usage, APatternThatMatchesNothingEndsWith64AndTheNearestName) {
  const Ran ran = rocdiag({"check", "--only", "kfd.permision"});
  EXPECT_EQ(ran.exit, 64);
  EXPECT_THAT(ran.err, HasSubstr("kfd.permission"));
  EXPECT_EQ(rocdiag({"check", "--skip", "nothing-*"}).exit, 64);
  EXPECT_EQ(rocdiag({"list", "findings", "nothing-*"}).exit, 64);
  EXPECT_EQ(rocdiag({"explain", "kfd.permision"}).exit, 64);
}

TEST(Usage, AMissingOrUnreadableInputEndsWith66AndIsNamed) {
  const ScratchFolder scratch;
  const auto missing = (scratch.path() / "not-there.tar.gz").string();
  const Ran ran = rocdiag({"check", "--from", missing});
  EXPECT_EQ(ran.exit, 66);
  EXPECT_THAT(ran.err, HasSubstr(missing));
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_EQ(rocdiag({"check", "--from", scratch.write("x.tar.gz", "no archive").string()}).exit, 66);
}

TEST(Usage, HelpAndVersionGoToStandardOutput) {
  EXPECT_EQ(rocdiag({"--version"}).out, "rocdiag " ROCDIAG_VERSION "\n");
  const Ran help = rocdiag({"--help"});
  EXPECT_EQ(help.exit, 0);
  EXPECT_THAT(help.out, HasSubstr("check"));
  EXPECT_THAT(help.out, Not(HasSubstr("worker")));
}

TEST(Usage, ListAndExplainAreOneScreen) {
  const Ran probes = rocdiag({"list", "probes", "--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(probes.out).at(1).at("name"), "pci");
  EXPECT_THAT(rocdiag({"list", "findings", "kfd.*"}).out, HasSubstr("kfd.permission"));
  const Ran explained = rocdiag({"explain", "kfd.permission"});
  EXPECT_EQ(explained.exit, 0);
  EXPECT_THAT(explained.out, HasSubstr("usermod"));
  EXPECT_LT(std::count(explained.out.begin(), explained.out.end(), '\n'), 50);
}

TEST(Report, GoesToAFileCompleteOrNotAtAll) {
  const ScratchFolder scratch;
  const auto file = scratch.path() / "report.json";
  const Ran ran = rocdiag({"check", "--demo", "--format", "json", "--output", file.string()});
  EXPECT_EQ(ran.exit, 1);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_EQ(nlohmann::json::parse(read_whole(file)).at("schema"), "rocdiag.report/1");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 1);  // no temporary left
  EXPECT_EQ(rocdiag({"check", "--demo", "--output", (scratch.path() / "no/such/folder").string()}).exit, 66);
}

TEST(Report, HasNoColourWhenItIsNotATerminalUnlessAskedTo) {
  EXPECT_THAT(rocdiag({"check", "--demo"}).out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(rocdiag({"check", "--demo", "--color", "always"}).out, HasSubstr("\x1b[31m"));
}

TEST(Report, StdoutCarriesOnlyTheDocument) {
  const Ran ran = rocdiag({"check", "--demo", "--format", "json"});
  EXPECT_THAT(ran.out, EndsWith("}\n"));
  EXPECT_TRUE(nlohmann::json::accept(ran.out));
  EXPECT_THAT(ran.err, IsEmpty());
}

TEST(Report, FailOnDecidesTheExitCode) {
  EXPECT_EQ(rocdiag({"check", "--demo"}).exit, 1);
  EXPECT_EQ(rocdiag({"check", "--demo", "--fail-on", "warning"}).exit, 1);
  EXPECT_EQ(rocdiag({"check", "--demo", "--fail-on", "never"}).exit, 0);
}

TEST(Report, TheDemoShowsOneRootCauseAndWhatToDo) {
  const Ran ran = rocdiag({"check", "--demo", "--format", "json"});
  const auto report = nlohmann::json::parse(ran.out);
  EXPECT_EQ(report.at("verdict"), "broken");
  EXPECT_EQ(report.at("findings").at(0).at("id"), "kfd.permission");
  EXPECT_EQ(report.at("findings").at(0).at("root_cause"), true);
  EXPECT_EQ(report.at("findings").at(0).at("remedies").at(0).at("commands").at(0), "sudo usermod -aG render $USER");
  EXPECT_EQ(report.at("gpus").at(0).at("gfx"), "gfx1031");
}

TEST(Report, OfTheDemoIsWhatTheReadmeShows) {
  const Ran ran = rocdiag({"check", "--demo"});
  const std::string shown = ran.out.substr(0, ran.out.rfind(" · "));  // the last word is how long it took
  EXPECT_THAT(read_whole(ROCDIAG_SOURCE_DIR "/README.md"), HasSubstr("$ rocdiag check --demo\n" + shown));
}

constexpr const char* kValidate = R"(
import json, jsonschema, sys
schema, report = (json.load(open(p)) for p in sys.argv[1:])
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.Draft202012Validator(schema).validate(report)
)";

TEST(Report, FollowsItsPublishedSchema) {
  if (run({"python3", "-c", "import jsonschema; jsonschema.Draft202012Validator"}).exit != 0)
    GTEST_SKIP() << "python3 with jsonschema 4 is not here";
  const std::string schema = ROCDIAG_SOURCE_DIR "/docs/report.schema.json";
  const ScratchFolder scratch;
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"check", "--demo"}, {"check"}, {"check", "--only", "pci"}}) {
    std::vector<std::string> json_args = args;
    json_args.insert(json_args.end(), {"--format", "json"});
    const auto file = scratch.write("report.json", rocdiag(json_args).out);
    const Ran ran = run({"python3", "-c", kValidate, schema, file.string()});
    EXPECT_EQ(ran.exit, 0) << ran.err;
  }
}

}  // namespace
}  // namespace rocdiag::testing
