// SPDX-License-Identifier: MIT
#include "rules/causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace rocdiag {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kGpus = R"({"date": "2026-12-01", "gc_to_gfx": {}, "asics": {}, "devices": []})";
constexpr const char* kFindings = R"({"schema": "rocdiag.findings/1", "findings": [
  {"id": "pci.low", "layer": "pci", "severity": "error", "meaning": "low", "explains": ["kfd.*", "hsa.*"]},
  {"id": "pci.slow", "layer": "pci", "severity": "warning", "meaning": "slow", "explains": ["kfd.*"]},
  {"id": "kfd.mid", "layer": "kfd", "severity": "error", "meaning": "mid", "title": "{what} is denied",
   "explains": ["hsa.*", "pci.low", "pci.bare"],
   "remedies": [{"kind": "command", "summary": "plain", "commands": ["do {what}"]},
                {"variant": "odd", "kind": "command", "summary": "odd", "commands": ["do odd {what}"], "undo": ["undo {what}"]}]},
  {"id": "kfd.later", "layer": "kfd", "severity": "error", "meaning": "later", "after": ["kfd.mid"]},
  {"id": "pci.bare", "layer": "pci", "severity": "error", "meaning": "explains nothing"},
  {"id": "hsa.top", "layer": "hsa", "severity": "error", "meaning": "top"},
  {"id": "app.note", "layer": "app", "severity": "info", "meaning": "note"}]})";

Knowledge knowledge() { return load_knowledge({{"gpus.json", kGpus}, {"findings/test.json", kFindings}}); }

Draft draft(const std::string& id, const std::string& subject = "") {
  Draft d;
  d.id = id;
  d.subject = subject;
  d.evidence = {{"/somewhere", 1, "seen"}};
  return d;
}

std::vector<std::string> roots(const std::vector<Finding>& findings) {
  std::vector<std::string> keys;
  for (const Finding& f : findings)
    if (f.root_cause) keys.push_back(f.key());
  return keys;
}

const Finding& with_id(const std::vector<Finding>& findings, const std::string& id) {
  for (const Finding& f : findings)
    if (f.id == id) return f;
  throw std::runtime_error("no finding " + id);
}

TEST(Causes, TheLowestRungExplainsTheOnesAboveIt) {
  const auto findings = analyse({draft("hsa.top"), draft("kfd.mid"), draft("pci.low")}, knowledge());
  EXPECT_THAT(roots(findings), ElementsAre("pci.low"));
  EXPECT_THAT(with_id(findings, "hsa.top").caused_by, ElementsAre("pci.low"));
}

TEST(Causes, NothingExplainsWhatIsBelowIt) {
  const auto findings = analyse({draft("kfd.mid"), draft("pci.bare")}, knowledge());
  EXPECT_THAT(roots(findings), ElementsAre("pci.bare", "kfd.mid"));
}

TEST(Causes, AnotherAccountsTroubleExplainsNothingOfThisOne) {
  const auto findings = analyse({draft("kfd.mid", "unit:ollama.service"), draft("hsa.top")}, knowledge());
  EXPECT_THAT(roots(findings), ElementsAre("kfd.mid@unit:ollama.service", "hsa.top"));
}

TEST(Causes, TwoThatClaimEachOtherLeaveTheLowerOne) {
  const auto findings = analyse({draft("kfd.mid"), draft("pci.low")}, knowledge());
  EXPECT_THAT(roots(findings), ElementsAre("pci.low"));
}

TEST(Causes, IndependentCausesStaySeveral) {
  const auto findings = analyse({draft("pci.low", "0000:03:00.0"), draft("kfd.mid", "0000:41:00.0")}, knowledge());
  EXPECT_THAT(roots(findings), ElementsAre("pci.low@0000:03:00.0", "kfd.mid@0000:41:00.0"));
}

TEST(Causes, AWarningNeverExplainsAnError) {
  const auto findings = analyse({draft("pci.slow"), draft("kfd.mid")}, knowledge());
  EXPECT_THAT(roots(findings), ElementsAre("kfd.mid", "pci.slow"));
}

TEST(Causes, WhatBitesAfterTheCureIsNextAndNoRoot) {
  const auto findings = analyse({draft("kfd.later"), draft("kfd.mid")}, knowledge());
  EXPECT_THAT(roots(findings), ElementsAre("kfd.mid"));
  EXPECT_TRUE(with_id(findings, "kfd.later").next);
  EXPECT_THAT(with_id(findings, "kfd.later").caused_by, ElementsAre("kfd.mid"));
}

TEST(Causes, WithoutItsPredecessorTheLaterOneIsARootCause) {
  const auto findings = analyse({draft("kfd.later")}, knowledge());
  EXPECT_THAT(roots(findings), ElementsAre("kfd.later"));
  EXPECT_FALSE(with_id(findings, "kfd.later").next);
}

TEST(Causes, MostCertainErrorComesFirstThenWarnings) {
  Draft sure = draft("hsa.top");
  sure.confidence = Confidence::confirmed;
  Draft unsure = draft("kfd.later");
  unsure.confidence = Confidence::possible;
  const auto findings = analyse({draft("pci.slow"), unsure, sure, draft("app.note")}, knowledge());
  EXPECT_THAT(roots(findings), ElementsAre("hsa.top", "kfd.later", "pci.slow", "app.note"));
}

TEST(Causes, SameKeyIsOneFindingWithAllEvidenceAndTheBetterConfidence) {
  Draft sure = draft("kfd.mid");
  sure.confidence = Confidence::confirmed;
  const auto findings = analyse({draft("kfd.mid"), sure}, knowledge());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].evidence.size(), 2U);
  EXPECT_EQ(findings[0].confidence, Confidence::confirmed);
}

TEST(Causes, TextsAreFilledAndTheVariantPicksItsRemedy) {
  Draft d = draft("kfd.mid");
  d.values = {{"what", "/dev/kfd"}};
  d.variant = "odd";
  const Finding f = analyse({d}, knowledge()).at(0);
  EXPECT_EQ(f.title, "/dev/kfd is denied");
  ASSERT_EQ(f.remedies.size(), 1U);
  EXPECT_THAT(f.remedies[0].commands, ElementsAre("do odd /dev/kfd"));
  EXPECT_THAT(f.remedies[0].undo, ElementsAre("undo /dev/kfd"));
}

TEST(Causes, ADraftWithoutEvidenceIsADefectOfOurs) {
  Draft d = draft("kfd.mid");
  d.evidence.clear();
  EXPECT_THROW(analyse({d}, knowledge()), std::logic_error);
  EXPECT_THROW(analyse({draft("no.such-id")}, knowledge()), std::logic_error);
}

TEST(Causes, NothingGivesNothing) { EXPECT_THAT(analyse({}, knowledge()), IsEmpty()); }

}  // namespace
}  // namespace rocdiag
