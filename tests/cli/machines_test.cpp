// SPDX-License-Identifier: MIT
// Machines as regression tests: tests/machines/<name>/{bundle/,expected.txt,expected.json,NOTE}, found by glob. The
// NOTE says why the machine is odd. ROCDIAG_UPDATE_GOLDEN=1 rewrites the expected reports.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "testing/testing.h"

namespace rocdiag::testing {
namespace {

std::vector<std::filesystem::path> machines() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(ROCDIAG_SOURCE_DIR "/tests/machines"))
    if (entry.is_directory()) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::string without_durations(const std::string& report) {
  const std::string json = std::regex_replace(report, std::regex(R"("duration_ms": \d+)"), R"("duration_ms": 0)");
  return std::regex_replace(json, std::regex(R"( · \d+\.\d s\n$)"), " · 0.0 s\n");
}

TEST(Machines, GiveTheirExpectedReports) {
  ASSERT_FALSE(machines().empty());
  for (const auto& machine : machines()) {
    const std::vector<std::string> argv = {binary(), "check", "--from", (machine / "bundle").string()};
    const Ran text = run(argv);
    EXPECT_LE(text.exit, 2) << machine << ": " << text.err;
    expect_golden(machine / "expected.txt", without_durations(text.out));
    std::vector<std::string> json_argv = argv;
    json_argv.insert(json_argv.end(), {"--format", "json"});
    expect_golden(machine / "expected.json", without_durations(run(json_argv).out));
  }
}

TEST(Machines, EachSaysWhyItIsHere) {
  for (const auto& machine : machines()) EXPECT_TRUE(std::filesystem::exists(machine / "NOTE")) << machine;
}

}  // namespace
}  // namespace rocdiag::testing
