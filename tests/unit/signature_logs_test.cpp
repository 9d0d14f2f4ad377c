// SPDX-License-Identifier: MIT
// The signatures over recorded kernel logs of machines whose state is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/pci_address.h"
#include "readers/signature_match.h"
#include "testing/testing.h"

namespace rocdiag {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct RecordedLog {
  std::string name;
  LogMatches matches;
  std::vector<std::string> gpus;  // PCI addresses of AMD's
  json expect;
};

std::vector<RecordedLog> recorded_logs(const std::vector<std::string>& prefixes) {
  std::vector<RecordedLog> logs;
  for (const auto& entry : fs::directory_iterator(*testing::shared_folder() / "fixtures")) {
    RecordedLog log;
    log.name = entry.path().filename();
    const bool wanted = std::any_of(prefixes.begin(), prefixes.end(),
                                    [&](const std::string& prefix) { return log.name.rfind(prefix, 0) == 0; });
    if (!wanted || !fs::exists(entry.path() / "dmesg.txt")) continue;
    log.matches = SignatureMatcher::kernel().match(testing::read_whole(entry.path() / "dmesg.txt"));
    log.expect = json::parse(testing::read_whole(entry.path() / "expect.json"));
    if (log.expect["gpus"].is_array())
      for (const json& gpu : log.expect["gpus"])
        if (gpu.value("bdf", json()).is_string()) log.gpus.push_back(gpu["bdf"]);
    logs.push_back(std::move(log));
  }
  std::sort(logs.begin(), logs.end(), [](const RecordedLog& a, const RecordedLog& b) { return a.name < b.name; });
  return logs;
}

// What a program can say of the scope without the machine's PCI tree: a bridge above the GPU stands in its domain.
bool within_scope(const SignatureHits& hits, const std::vector<std::string>& gpus) {
  if (hits.signature->scope == AddressScope::none) return true;
  if (!hits.pci_address) return !gpus.empty();
  return std::any_of(gpus.begin(), gpus.end(), [&](const std::string& gpu) {
    if (hits.signature->scope == AddressScope::gpu) return slot_of(gpu) == slot_of(*hits.pci_address);
    return gpu.substr(0, gpu.find(':')) == hits.pci_address->substr(0, hits.pci_address->find(':'));
  });
}

// Decisive signatures and symptoms that only their guard in words keeps silent on a healthy machine. A rule has to
// follow it.
const std::map<std::string, std::set<std::string>> kSilentByWords = {
    // The firmware reserved addresses inside a bridge's window ("address conflict with AMDIF031"); each window and BAR
    // that could not be claimed is assigned further down. None is above the GPU, which the log alone does not say.
    {"log-rx9070xt-6.17", {"pci-bar-failed2"}},
};

TEST(SignatureLogs, NoFaultStandsInAHealthyLogUnlessWordsGuardIt) {
  if (!testing::shared_folder()) GTEST_SKIP() << "../shared is not here";
  const auto logs = recorded_logs({"log-", "none-"});
  EXPECT_GE(logs.size(), 18U);
  for (const RecordedLog& log : logs) {
    std::set<std::string> fired;
    for (const SignatureHits& hits : log.matches.hits) {
      if (hits.signature->strength == Strength::context || !within_scope(hits, log.gpus)) continue;
      fired.insert(hits.signature->id);
      EXPECT_FALSE(hits.signature->only_if.empty() && hits.signature->harmless_when.empty())
          << log.name << ": " << hits.signature->id << " has no guard in words: " << hits.kept.front().text;
    }
    const auto known = kSilentByWords.find(log.name);
    EXPECT_EQ(fired, known == kSilentByWords.end() ? std::set<std::string>() : known->second) << log.name;
  }
}

TEST(SignatureLogs, TheRadeonDriverIsSeenWhereItHasTheGpu) {
  if (!testing::shared_folder()) GTEST_SKIP() << "../shared is not here";
  const auto logs = recorded_logs({"log-"});
  for (const RecordedLog& log : logs) {
    const bool seen = std::any_of(log.matches.hits.begin(), log.matches.hits.end(), [&](const SignatureHits& hits) {
      return hits.signature->id == "radeon-kms" && within_scope(hits, log.gpus);
    });
    EXPECT_EQ(seen, log.name.rfind("log-radeon-", 0) == 0) << log.name;
  }
}

// What is wrong with them stands in no line of their log: only the device's error counters show it.
const std::set<std::string> kSilentLogs = {"bad-wx3100-aer"};

TEST(SignatureLogs, ABrokenMachinesLogPointsAtItsFault) {
  if (!testing::shared_folder()) GTEST_SKIP() << "../shared is not here";
  const auto logs = recorded_logs({"bad-"});
  EXPECT_GE(logs.size(), 10U);
  for (const RecordedLog& log : logs) {
    if (kSilentLogs.count(log.name) > 0) continue;
    std::set<std::string> candidates;
    for (const SignatureHits& hits : log.matches.hits) {
      if (hits.signature->strength == Strength::context) continue;
      candidates.insert(hits.signature->finding);
      candidates.insert(hits.signature->also.begin(), hits.signature->also.end());
    }
    const auto wanted = log.expect.value("findings_any", std::vector<std::string>());
    EXPECT_TRUE(std::any_of(wanted.begin(), wanted.end(), [&](const auto& id) { return candidates.count(id) > 0; }))
        << log.name << " points at " << ::testing::PrintToString(candidates);
  }
}

}  // namespace
}  // namespace rocdiag
