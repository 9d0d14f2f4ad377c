// SPDX-License-Identifier: MIT
// A check of the machine the tests run on: its limits in time and children, and that what is recorded judges the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "testing/testing.h"

namespace rocdiag::testing {
namespace {

// The report without what may differ between a machine and its record.
nlohmann::json comparable(const std::string& text) {
  nlohmann::json report = nlohmann::json::parse(text);
  report.erase("duration_ms");
  report.erase("source");
  for (auto& layer : report.at("layers")) layer.erase("duration_ms");
  return report;
}

TEST(Live, StaysUnder150MillisecondsAtBest) {
  if (ROCDIAG_SANITIZED) GTEST_SKIP() << "sanitizers slow it down";
  double best = 1e9;
  for (int i = 0; i < 5; ++i) best = std::min(best, run({binary(), "check"}).seconds);
  EXPECT_LT(best, 0.150);
}

TEST(Live, StartsAtMostThreeChildren) {
  if (ROCDIAG_SANITIZED) GTEST_SKIP() << "the counter is preloaded, which sanitizers do not allow";
  const ScratchFolder scratch;
  const auto count = scratch.write("count", "");
  const Ran ran =
      run({binary(), "check"}, {{"LD_PRELOAD", ROCDIAG_FORK_COUNTER}, {"FORK_COUNTER_FILE", count.string()}});
  EXPECT_LE(ran.exit, 2);
  EXPECT_LE(read_whole(count).size(), 3U);  // one byte a child
}

TEST(Live, TheForkCounterCounts) {
  if (ROCDIAG_SANITIZED) GTEST_SKIP() << "the counter is preloaded, which sanitizers do not allow";
  const ScratchFolder scratch;
  const auto count = scratch.write("count", "");
  run({"sh", "-c", "true | true; (true)"},
      {{"LD_PRELOAD", ROCDIAG_FORK_COUNTER}, {"FORK_COUNTER_FILE", count.string()}});
  EXPECT_GE(read_whole(count).size(), 2U);
}

TEST(Live, ARecordedCheckJudgesTheSameFromTheBundle) {
  const ScratchFolder scratch;
  for (const char* name : {"b.tar.gz", "folder"}) {
    const auto bundle = (scratch.path() / name).string();
    const Ran live = run({binary(), "check", "--format", "json", "--record", bundle});
    const Ran again = run({binary(), "check", "--format", "json", "--from", bundle});
    EXPECT_EQ(nlohmann::json::diff(comparable(live.out), comparable(again.out)), nlohmann::json::array()) << name;
    EXPECT_EQ(live.exit, again.exit);
  }
}

TEST(Live, ACaptureHoldsWhatACheckNeeds) {
  const ScratchFolder scratch;
  const auto bundle = (scratch.path() / "b.tar.gz").string();
  EXPECT_EQ(run({binary(), "capture", "-o", bundle}).exit, 0);
  const Ran live = run({binary(), "check", "--format", "json"});
  const Ran again = run({binary(), "check", "--format", "json", "--from", bundle});
  EXPECT_EQ(nlohmann::json::diff(comparable(live.out), comparable(again.out)), nlohmann::json::array());
}

}  // namespace
}  // namespace rocdiag::testing
