// SPDX-License-Identifier: MIT
#include "engine/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rocdiag {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> names(const std::vector<Probe>& probes) {
  std::vector<std::string> all;
  for (const Probe& probe : probes) all.emplace_back(probe.name);
  return all;
}

Finding finding(const std::string& id, const std::vector<std::string>& caused_by = {}) {
  Finding f;
  f.id = id;
  f.caused_by = caused_by;
  return f;
}

TEST(Selection, AProbeBringsTheProbesItNeeds) {
  const auto probes = names(select_probes({{"kfd"}, {}}));
  EXPECT_THAT(probes, Contains("kfd"));
  EXPECT_THAT(probes, Contains("pci"));
}

TEST(Selection, ASkippedProbeIsNeverAsked) {
  const auto probes = names(select_probes({{}, {"kfd"}}));
  EXPECT_THAT(probes, Not(Contains("kfd")));
  EXPECT_THAT(probes, Contains("pci"));
  EXPECT_FALSE(layer_selected({{}, {"kfd"}}, Layer::kfd));
}

TEST(Selection, PatternsOfFindingsLeaveEveryLayerIn) {
  EXPECT_TRUE(layer_selected({{"kfd.perm*"}, {}}, Layer::pci));
  EXPECT_EQ(select_probes({{"kfd.perm*"}, {}}).size(), probe_catalogue().size());
}

TEST(Selection, AFindingThatStaysKeepsItsCause) {
  std::vector<Finding> findings = {finding("pci.no-gpu"), finding("kfd.missing", {"pci.no-gpu"}),
                                   finding("pci.small-bar")};
  select_findings({{"kfd.missing"}, {}}, findings);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].id, "pci.no-gpu");
}

TEST(Selection, ASkippedFindingIsNotReported) {
  std::vector<Finding> findings = {finding("pci.small-bar"), finding("kfd.missing")};
  select_findings({{}, {"pci.small-*"}}, findings);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].id, "kfd.missing");
}

TEST(Selection, APatternThatMatchesNothingIsRefusedWithTheNearestName) {
  EXPECT_TRUE(check_selection({{"kfd", "pci.*"}, {"h*"}}));
  const Status status = check_selection({{"kernal"}, {}});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Errc::usage);
  EXPECT_THAT(status.error().message, HasSubstr("'kernel'"));
}

TEST(Selection, NearestNeedsToBeNear) {
  EXPECT_EQ(nearest("--fomat", {"--format", "--from"}), "--format");
  EXPECT_EQ(nearest("--elephant", {"--format", "--from"}), "");
}

}  // namespace
}  // namespace rocdiag
