// SPDX-License-Identifier: MIT
// Pages that are made from the data stay what the data says.
#include <gtest/gtest.h>

#include <set>

#include "knowledge/knowledge.h"
#include "rocdiag/probe.h"
#include "rocdiag/rule.h"
#include "testing/testing.h"

namespace rocdiag {
namespace {

const std::filesystem::path kRoot = ROCDIAG_SOURCE_DIR;

TEST(Docs, TheListOfFindingsIsTheCatalogue) {
  std::set<std::string_view> stated;
  for (const Rule& rule : rule_catalogue()) stated.insert(rule.ids.begin(), rule.ids.end());
  std::string page =
      "# Findings\n\n"
      "Ids are a contract: an id keeps its meaning. `rocdiag explain ID` tells more. ● marks those that a rule of "
      "this\n"
      "version can state. Made from `data/findings/`; a test keeps it so.\n\n"
      "| id | layer | severity | meaning | |\n| --- | --- | --- | --- | --- |\n";
  for (const FindingText& text : Knowledge::embedded().findings())
    page += "| `" + text.id + "` | " + std::string(layer_name(text.layer)) + " | " + severity_name(text.severity) +
            " | " + text.meaning + " | " + (stated.count(text.id) > 0 ? "●" : "") + " |\n";
  testing::expect_golden(kRoot / "docs/findings.md", page);
}

TEST(Docs, EveryProbeHasItsPage) {
  for (const Probe& probe : probe_catalogue()) {
    const auto page = kRoot / "probes" / probe.name / "README.md";
    ASSERT_TRUE(std::filesystem::exists(page)) << page;
    EXPECT_EQ(testing::read_whole(page).rfind("# " + std::string(probe.name), 0), 0U) << page;
  }
}

TEST(Docs, EveryDecisionHasContextDecisionAndConsequences) {
  int n = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kRoot / "docs/adr")) {
    const std::string page = testing::read_whole(entry.path());
    for (const char* part : {"Context", "Decision", "Consequences"})
      EXPECT_NE(page.find(part), std::string::npos) << entry.path() << " lacks " << part;
    ++n;
  }
  EXPECT_GT(n, 0);
}

}  // namespace
}  // namespace rocdiag
