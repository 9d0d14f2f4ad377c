// SPDX-License-Identifier: MIT
#include "knowledge/knowledge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "core/pattern.h"
#include "rocdiag/rule.h"
#include "testing/testing.h"

namespace rocdiag {
namespace {

TEST(Knowledge, NamesAGpuByItsRevision) {
  const Knowledge& k = Knowledge::embedded();
  EXPECT_EQ(k.gpu("1002:73df", "c1")->name, "AMD Radeon RX 6700 XT");
  EXPECT_EQ(k.gpu("1002:73df", "c1")->gfx, "gfx1031");
  EXPECT_EQ(k.gpu("1002:740f", std::nullopt)->gfx, "gfx90a");
  EXPECT_FALSE(k.gpu("1002:ffff", std::nullopt));
}

TEST(Knowledge, KnowsThatMi300aIsAnApuAndMi300xIsNot) {
  const Knowledge& k = Knowledge::embedded();
  EXPECT_TRUE(k.gpu("1002:74a0", std::nullopt)->integrated);
  EXPECT_FALSE(k.gpu("1002:74a1", std::nullopt)->integrated);
}

TEST(Knowledge, MapsGraphicsCoreVersionsToTargets) {
  const Knowledge& k = Knowledge::embedded();
  EXPECT_EQ(k.gfx_of_gc("11.0.1"), "gfx1103");  // not gfx1101: the numbers only look alike
  EXPECT_FALSE(k.gfx_of_gc("99.0.0"));
}

TEST(Knowledge, EveryIdARuleMaySayHasItsText) {
  const Knowledge& k = Knowledge::embedded();
  for (const Rule& rule : rule_catalogue()) {
    for (const std::string_view id : rule.ids) {
      const FindingText* text = k.finding(id);
      ASSERT_NE(text, nullptr) << id;
      EXPECT_FALSE(text->detail.empty()) << id;
      EXPECT_FALSE(text->why.empty()) << id;
      EXPECT_FALSE(text->check.empty()) << id;
      EXPECT_FALSE(text->remedies.empty()) << id;
    }
  }
}

TEST(Knowledge, EveryPatternInTheTextsMatchesAnId) {
  const Knowledge& k = Knowledge::embedded();
  for (const FindingText& text : k.findings()) {
    for (const auto* patterns : {&text.explains, &text.after}) {
      for (const std::string& pattern : *patterns) {
        const bool any = std::any_of(k.findings().begin(), k.findings().end(),
                                     [&](const FindingText& other) { return text_matches(pattern, other.id); });
        EXPECT_TRUE(any) << text.id << " speaks of " << pattern;
      }
    }
  }
}

TEST(Knowledge, EveryRemedySaysWhatItIsAndEveryUndoIsForACommand) {
  const std::set<std::string> kinds = {"command", "firmware-setting", "hardware", "relogin", "look"};
  const std::set<std::string> needs = {"root", "reboot", "relogin"};
  for (const FindingText& text : Knowledge::embedded().findings()) {
    for (const RemedyText& r : text.remedies) {
      EXPECT_EQ(kinds.count(r.remedy.kind), 1U) << text.id << ": " << r.remedy.kind;
      EXPECT_FALSE(r.remedy.summary.empty()) << text.id;
      for (const std::string& need : r.remedy.needs) EXPECT_EQ(needs.count(need), 1U) << text.id << ": " << need;
      EXPECT_TRUE(r.remedy.undo.empty() || !r.remedy.commands.empty()) << text.id << ": undo of nothing";
    }
  }
}

TEST(Knowledge, TheTextsKeepTheirTone) {
  const std::regex loose("please|might|something went wrong|ensure that|!", std::regex::icase);
  for (const FindingText& text : Knowledge::embedded().findings()) {
    std::vector<std::string> words = {text.meaning, text.title, text.detail, text.why};
    for (const auto& variants : {text.titles, text.details})
      for (const auto& variant : variants) words.push_back(variant.second);
    for (const RemedyText& r : text.remedies) words.push_back(r.remedy.summary);
    for (const std::string& w : words) EXPECT_FALSE(std::regex_search(w, loose)) << text.id << ": " << w;
  }
}

TEST(Knowledge, TheSharedCatalogueIsCoveredIdByIdWithItsLayerAndSeverity) {
  const auto shared = testing::shared_folder();
  if (!shared) GTEST_SKIP() << "../shared is not here";
  const std::string catalogue = testing::read_whole(*shared / "design/catalogue.json");
  const std::regex record(R"re("id":\s*"([^"]+)",\s*"layer":\s*"([^"]+)",\s*"severity":\s*"([^"]+)")re");
  int n = 0;
  for (auto it = std::sregex_iterator(catalogue.begin(), catalogue.end(), record); it != std::sregex_iterator();
       ++it, ++n) {
    const FindingText* text = Knowledge::embedded().finding((*it)[1].str());
    ASSERT_NE(text, nullptr) << (*it)[1];
    EXPECT_EQ(layer_name(text->layer), (*it)[2].str()) << text->id;
    EXPECT_EQ(severity_name(text->severity), (*it)[3].str()) << text->id;
  }
  EXPECT_GT(n, 250);
}

TEST(FillIn, ReplacesKnownNamesAndLeavesOthersToBeSeen) {
  EXPECT_EQ(fill_in("{a}-{b}-{c", {{"a", "1"}}), "1-{b}-{c");
  EXPECT_EQ(fill_in("{a}", {{"a", "{a}"}}), "{a}");  // values are not expanded again
}

}  // namespace
}  // namespace rocdiag
