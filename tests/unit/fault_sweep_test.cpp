// SPDX-License-Identifier: MIT
// From a healthy machine, every answer in turn is spoiled in every way: no crash, no better status, and never a cause
// made of ignorance.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "engine/check.h"
#include "knowledge/embedded.h"
#include "source/bundle_read.h"
#include "source/recorded.h"

namespace rocdiag {
namespace {

constexpr char kGarbage[] = "\xff\x00\x1b[31m\n\n9999999999999999999999 -1";

struct Fault {
  const char* name;
  std::function<Result<std::string>(const std::string&)> spoil;  // a file's content
  Error error;                                                   // what every other question is answered with
  bool is_ignorance;  // it says that nothing was seen, so it must not lead to an error
};

std::vector<Fault> faults() {
  const auto fails_with = [](const Error& error) {
    return [error](const std::string&) { return Result<std::string>(error); };
  };
  const Error timeout{Errc::timed_out, 0, {}};
  const auto keep = [](const std::function<std::string(const std::string&)>& f) {
    return [f](const std::string& content) { return Result<std::string>(f(content)); };
  };
  return {
      {"ENOENT", fails_with(system_error(ENOENT)), system_error(ENOENT), false},
      {"EACCES", fails_with(system_error(EACCES)), system_error(EACCES), false},
      {"EPERM", fails_with(system_error(EPERM)), system_error(EPERM), false},
      {"EIO", fails_with(system_error(EIO)), system_error(EIO), false},
      {"timeout", fails_with(timeout), timeout, true},
      {"empty", keep([](const std::string&) { return std::string(); }), timeout, true},
      {"cut off", keep([](const std::string& c) { return c.substr(0, c.size() / 2); }), timeout, false},
      {"garbage", keep([](const std::string&) { return std::string(kGarbage, sizeof(kGarbage) - 1); }), timeout, true},
      {"huge", keep([](const std::string&) { return std::string(1U << 20U, '7'); }), timeout, false},
  };
}

Snapshot healthy() {
  Snapshot s = *load_bundle_bytes(embedded_files().at("demo.tar.gz"));
  for (auto& open : s.opens) open.second = Done{};
  return s;
}

Report report_of(const Snapshot& snapshot) {
  RecordedSource source({snapshot});
  return check(source, {}, std::chrono::seconds(10)).report;
}

std::size_t passes(const Report& report) {
  return static_cast<std::size_t>(std::count_if(report.layers.begin(), report.layers.end(),
                                                [](const LayerReport& l) { return l.status == LayerStatus::pass; }));
}

int goodness(Verdict verdict) {
  switch (verdict) {
    case Verdict::healthy:
      return 3;
    case Verdict::degraded:
      return 2;
    case Verdict::unknown:
      return 1;
    case Verdict::broken:
      return 0;
  }
  return 0;
}

std::string errors_of(const Report& report) {
  std::string ids;
  for (const Finding& f : report.findings)
    if (f.severity == Severity::error) ids += f.key() + " ";
  return ids;
}

void expect_no_better(const Report& spoiled, const Report& good, const std::string& what, bool is_ignorance) {
  EXPECT_LE(passes(spoiled), passes(good)) << what;
  EXPECT_LE(goodness(spoiled.verdict), goodness(good.verdict)) << what;
  if (is_ignorance) {
    EXPECT_EQ(errors_of(spoiled), "") << what;
  }
}

template <class T>
void sweep(Answers<T> Snapshot::*answers, const Fault& fault, const Report& good) {
  const Snapshot whole = healthy();
  for (const auto& [path, answer] : whole.*answers) {
    Snapshot spoiled = whole;
    (spoiled.*answers).insert_or_assign(path, fault.error);
    expect_no_better(report_of(spoiled), good, std::string(fault.name) + " of " + path, fault.is_ignorance);
  }
}

TEST(FaultSweep, TheHealthyMachineItselfHasNoFinding) {
  const Report good = report_of(healthy());
  EXPECT_TRUE(good.findings.empty());
  EXPECT_EQ(passes(good), 2U);
}

TEST(FaultSweep, NoSpoiledFileLooksBetterAndNoIgnoranceLooksLikeAFault) {
  const Snapshot whole = healthy();
  const Report good = report_of(whole);
  for (const Fault& fault : faults()) {
    for (const auto& [path, answer] : whole.files) {
      if (!answer) continue;  // only what is there can be spoiled
      Snapshot spoiled = whole;
      spoiled.files.insert_or_assign(path, fault.spoil(*answer));
      expect_no_better(report_of(spoiled), good, std::string(fault.name) + " of " + path, fault.is_ignorance);
    }
  }
}

TEST(FaultSweep, NoSpoiledListingLinkStatOrOpenLooksBetter) {
  const Report good = report_of(healthy());
  for (const Fault& fault : faults()) {
    sweep(&Snapshot::listings, fault, good);
    sweep(&Snapshot::links, fault, good);
    sweep(&Snapshot::stats, fault, good);
    sweep(&Snapshot::opens, fault, good);
  }
}

TEST(FaultSweep, WhatWasNotRecordedIsNeverAFault) {
  const Snapshot whole = healthy();
  const Report good = report_of(whole);
  std::set<std::string> folders;
  for (const auto& [path, answer] : whole.files) {
    for (std::string folder = path; folder.size() > 1; folder.erase(folder.find_last_of('/'))) folders.insert(folder);
  }
  for (const std::string& folder : folders) {
    Snapshot spoiled = whole;
    const auto below = [&](const auto& entry) {
      return entry.first == folder || entry.first.rfind(folder + "/", 0) == 0;
    };
    std::erase_if(spoiled.files, below);
    std::erase_if(spoiled.listings, below);
    std::erase_if(spoiled.listings, [&](const auto& entry) { return folder.rfind(entry.first + "/", 0) == 0; });
    std::erase_if(spoiled.links, below);
    expect_no_better(report_of(spoiled), good, "not recorded: " + folder, true);
  }
}

}  // namespace
}  // namespace rocdiag
