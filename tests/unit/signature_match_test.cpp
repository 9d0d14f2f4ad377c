// SPDX-License-Identifier: MIT
#include "readers/signature_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <stdexcept>
#include <string>

#include "knowledge/knowledge.h"
#include "testing/testing.h"

namespace rocdiag {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kReset = "[    4.017407] amdgpu 0000:03:00.0: amdgpu: GPU reset(2) succeeded!\n";

// Not a literal where it is used: clang-tidy takes so long a string for a mistake.
const std::size_t kTenMegabytes = 10 * std::size_t{1'000'000};

LogMatches match(const std::string& log) { return SignatureMatcher::kernel().match(log); }

const SignatureHits* hits_of(const LogMatches& matches, const std::string& id) {
  for (const SignatureHits& hits : matches.hits)
    if (hits.signature->id == id) return &hits;
  return nullptr;
}

TEST(Signatures, EachFiresOnItsOwnExample) {
  for (const Signature& signature : kernel_signatures()) {
    const LogMatches matches = match("[    4.017407] " + signature.example + "\n");
    const SignatureHits* hits = hits_of(matches, signature.id);
    ASSERT_NE(hits, nullptr) << signature.id;
    EXPECT_EQ(hits->count, 1U) << signature.id;
    EXPECT_EQ(hits->kept.front().text, signature.example) << signature.id;
  }
}

TEST(Signatures, FireOnAJournalsLinesAlike) {
  for (const Signature& signature : kernel_signatures())
    EXPECT_NE(hits_of(match("Apr 16 15:55:34 host kernel: " + signature.example), signature.id), nullptr)
        << signature.id;
}

TEST(Signatures, PointAtFindingsOfTheCatalogue) {
  for (const Signature& signature : kernel_signatures()) {
    EXPECT_TRUE(signature.finding == "ok" || Knowledge::embedded().finding(signature.finding) != nullptr)
        << signature.id << ": " << signature.finding;
    for (const std::string& id : signature.also)
      EXPECT_NE(Knowledge::embedded().finding(id), nullptr) << signature.id << ": " << id;
  }
}

TEST(Signatures, SayWhatTheyMeanAndWhereItWasRead) {
  EXPECT_GE(kernel_signatures().size(), 188U);
  for (const Signature& signature : kernel_signatures()) {
    EXPECT_FALSE(signature.meaning.empty()) << signature.id;
    EXPECT_FALSE(signature.source.empty()) << signature.id;
    EXPECT_FALSE(signature.finding == "ok" && signature.strength == Strength::decisive) << signature.id;
  }
}

std::string fault_in(const std::string& content) {
  try {
    read_signatures("signatures/x.json", content);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "";
}

TEST(Signatures, RefuseARecordThatIsNotAsPromisedAndNameTheFile) {
  const auto file = [](const std::string& records) {
    return R"({"schema": "rocdiag.signatures/1", "signatures": [)" + records + "]}";
  };
  const auto record = [](const std::string& more) {
    return R"({"id": "a", "regex": "x", "example": "x", "meaning": "m", "finding": "ok", "source": "s")" + more + "}";
  };
  const std::string good = record(R"(, "strength": "context")");
  EXPECT_EQ(fault_in(file(good)), "");
  EXPECT_EQ(fault_in(file(good + "," + good)), "signatures/x.json: signature a stands twice");
  EXPECT_EQ(fault_in(file(record(R"(, "strength": "sure")"))), "signatures/x.json: unknown strength sure");
  EXPECT_EQ(fault_in(file(record(R"(, "strength": "context", "scope": "usb")"))),
            "signatures/x.json: unknown scope usb");
  EXPECT_THAT(fault_in(file(record(""))), ::testing::HasSubstr("strength"));
  EXPECT_EQ(fault_in(R"({"schema": "rocdiag.findings/1"})"), "signatures/x.json: unknown schema");
  EXPECT_NE(fault_in("{"), "");
}

TEST(SignatureMatch, TellsLineTextCapturesDeviceAndTime) {
  const LogMatches matches = match("[    1.000000] Linux version 6.8\r\n" + kReset);
  EXPECT_EQ(matches.lines, 2U);
  const SignatureHits* hits = hits_of(matches, "reset-ok");
  ASSERT_NE(hits, nullptr);
  EXPECT_EQ(hits->pci_address, "0000:03:00.0");
  ASSERT_EQ(hits->kept.size(), 1U);
  const SignatureHit& hit = hits->kept.front();
  EXPECT_EQ(hit.line, 2U);
  EXPECT_EQ(hit.text, "amdgpu 0000:03:00.0: amdgpu: GPU reset(2) succeeded!");
  EXPECT_THAT(hit.captures, ElementsAre("2"));
  EXPECT_EQ(hit.seconds, 4.017407);
}

TEST(SignatureMatch, LeavesACaptureEmptyThatTookNoPart) {
  const LogMatches matches = match("amdgpu: GPU Recovery Failed: -110");
  const SignatureHits* hits = hits_of(matches, "reset-failed");
  ASSERT_NE(hits, nullptr);
  EXPECT_THAT(hits->kept.front().captures, ElementsAre("", "-110", ""));
  EXPECT_EQ(hits->pci_address, std::nullopt);
  EXPECT_EQ(hits->kept.front().seconds, std::nullopt);
}

TEST(SignatureMatch, SeesADeviceThatIsGoneInEveryPowerState) {
  const std::string rest = " to D3hot, device inaccessible";
  for (const char* state : {"D0", "D3hot", "D3cold", "unknown"})
    EXPECT_NE(hits_of(match("amdgpu 0000:03:00.0: Unable to change power state from " + (state + rest)), "d3cold"),
              nullptr)
        << state;
}

TEST(SignatureMatch, ReadsThroughColours) {
  const LogMatches matches = match(
      "\x1b[32m[    4.017407] \x1b[0m\x1b[33mamdgpu 0000:03:00.0: \x1b[0m\x1b[1mcan't enable device: \x1b[0mBAR 0\n");
  const SignatureHits* hits = hits_of(matches, "pci-enable-fail");
  ASSERT_NE(hits, nullptr);
  EXPECT_EQ(hits->kept.front().text, "amdgpu 0000:03:00.0: can't enable device: BAR 0");
  EXPECT_EQ(hits->kept.front().seconds, 4.017407);
}

TEST(SignatureMatch, KeepsTheFirstAndTheLastOfAFloodAndCountsAll) {
  std::string log;
  for (int n = 0; n < 1000; ++n) log += kReset;
  const LogMatches matches = match(log);
  const SignatureHits* hits = hits_of(matches, "reset-ok");
  ASSERT_NE(hits, nullptr);
  EXPECT_EQ(hits->count, 1000U);
  EXPECT_EQ(hits->kept.size(), SignatureMatcher::kKeptEach);
  EXPECT_EQ(hits->kept.front().line, 1U);
  EXPECT_EQ(hits->kept.back().line, 1000U);
}

TEST(SignatureMatch, AFloodOfOneDeviceHidesNoOther) {
  std::string log;
  for (int n = 0; n < 1000; ++n) log += kReset;
  log += "[    9.000000] amdgpu 0000:c3:00.0: amdgpu: GPU reset(1) succeeded!\n";
  const LogMatches matches = match(log);
  ASSERT_EQ(matches.hits.size(), 2U);
  EXPECT_EQ(matches.hits[1].pci_address, "0000:c3:00.0");
  EXPECT_EQ(matches.hits[1].count, 1U);
}

TEST(SignatureMatch, KeepsABoundedNumberOfDevicesAndSaysWhatItDropped) {
  std::string log;
  for (int n = 0; n < 20000; ++n)
    log += "amdgpu " + std::to_string(10000 + n) + ":03:00.0: amdgpu: GPU reset(2) succeeded!\n";
  const LogMatches matches = match(log);
  EXPECT_EQ(matches.hits.size(), SignatureMatcher::kMaxPairs);
  EXPECT_EQ(matches.dropped, 20000 - SignatureMatcher::kMaxPairs);
}

TEST(SignatureMatch, ManyKeptHitsLeaveRoomForTheFirstAndTheLastOfAnother) {
  std::string log;
  for (int device = 0; device < 300; ++device)
    for (int n = 0; n < 50; ++n)
      log += "amdgpu " + std::to_string(10000 + device) + ":03:00.0: amdgpu: GPU reset(2) succeeded!\n";
  for (int n = 0; n < 3; ++n) log += kReset;
  const LogMatches matches = match(log);
  EXPECT_EQ(matches.dropped, 0U);
  ASSERT_EQ(matches.hits.size(), 301U);
  const SignatureHits& hits = matches.hits.front();
  EXPECT_EQ(hits.pci_address, "0000:03:00.0");
  EXPECT_EQ(hits.count, 3U);
  ASSERT_EQ(hits.kept.size(), 2U);
  EXPECT_EQ(hits.kept.front().line, 15001U);
  EXPECT_EQ(hits.kept.back().line, 15003U);
}

TEST(SignatureMatch, FindsNothingInNothing) {
  EXPECT_THAT(match("").hits, IsEmpty());
  EXPECT_EQ(match("").lines, 0U);
  EXPECT_THAT(match("\n\n\r\n").hits, IsEmpty());
  EXPECT_EQ(match("\n\n\r\n").lines, 3U);
}

TEST(SignatureMatch, TakesBytesThatAreNoText) {
  const std::string nul(1, '\0');
  const std::string log = nul + "\xff\xfe GPU reset begin!" + nul + "\xc3\n" + nul + nul +
                          "\n\xf0\x28\x8c amdgpu: [powerplay] \xff\xff timeout\n";
  const LogMatches matches = match(log);
  EXPECT_EQ(matches.lines, 3U);
  EXPECT_NE(hits_of(matches, "reset-begin"), nullptr);
  EXPECT_NE(hits_of(matches, "powerplay-fail"), nullptr);
}

TEST(SignatureMatch, CutsAnEndlessLine) {
  const std::string reset = "amdgpu: GPU reset begin!";
  const LogMatches late = match(std::string(SignatureMatcher::kMaxLine, 'x') + reset);
  EXPECT_THAT(late.hits, IsEmpty());
  const LogMatches early = match(reset + std::string(kTenMegabytes, '['));
  ASSERT_NE(hits_of(early, "reset-begin"), nullptr);
  EXPECT_EQ(hits_of(early, "reset-begin")->kept.front().text.size(), SignatureMatcher::kMaxText);
}

TEST(SignatureMatch, CutsALongCapture) {
  const LogMatches matches = match("amdgpu: IP block:" + std::string(2000, 'g') + " is hung!");
  ASSERT_NE(hits_of(matches, "ip-hung"), nullptr);
  EXPECT_EQ(hits_of(matches, "ip-hung")->kept.front().captures.front().size(), SignatureMatcher::kMaxCapture);
}

TEST(SignatureMatch, RefusesAPatternThatRe2DoesNotTake) {
  for (const char* regex : {"(?=x)", "(a)\\1", "("}) {
    std::vector<Signature> signatures(1);
    signatures[0].id = "bad";
    signatures[0].regex = regex;
    EXPECT_THROW(SignatureMatcher{signatures}, std::runtime_error) << regex;
  }
}

// Seconds, and MiB by which the peak of this process's memory grew.
struct Cost {
  double seconds = 0;
  double mebibytes = 0;
};

double peak_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

Cost cost_of_100_megabytes(const std::string& sample) {
  std::string log;
  log.reserve(100'000'000 + sample.size());
  while (log.size() < 100'000'000) log += sample;
  SignatureMatcher::kernel();
  const double before = peak_mebibytes();
  const auto start = std::chrono::steady_clock::now();
  SignatureMatcher::kernel().match(log);
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), peak_mebibytes() - before};
}

#ifdef NDEBUG
constexpr double kUnrelatedSeconds = 5;  // 0.6 on the machine of 2026
#else
constexpr double kUnrelatedSeconds = 30;
#endif

TEST(SignatureMatch, GoesThroughAHundredMegabytesOfOtherLinesQuicklyAndInLittleMemory) {
  if (ROCDIAG_SANITIZED != 0) GTEST_SKIP() << "sanitizers change time and memory";
  const Cost cost = cost_of_100_megabytes(
      "[    0.357810] pci_bus 0000:00: root bus resource [io  0x0000-0x0cf7 window]\n"
      "[    1.357810] usb 1-4: New USB device found, idVendor=046d, idProduct=c52b, bcdDevice=12.11\n"
      "[    2.123456] systemd[1]: Started Journal Service, kernel and processes are fine.\n"
      "[    3.000001] EXT4-fs (nvme0n1p2): mounted filesystem with ordered data mode. Quota mode: none.\n");
  EXPECT_LT(cost.seconds, kUnrelatedSeconds);
  EXPECT_LT(cost.mebibytes, 80);
  RecordProperty("milliseconds", static_cast<int>(cost.seconds * 1000));
}

TEST(SignatureMatch, GoesThroughAHundredMegabytesOfHitsInBoundedTimeAndMemory) {
  if (ROCDIAG_SANITIZED != 0) GTEST_SKIP() << "sanitizers change time and memory";
  const Cost cost = cost_of_100_megabytes(kReset);
  EXPECT_LT(cost.seconds, 4 * kUnrelatedSeconds);
  EXPECT_LT(cost.mebibytes, 80);
  RecordProperty("milliseconds", static_cast<int>(cost.seconds * 1000));
}

}  // namespace
}  // namespace rocdiag
