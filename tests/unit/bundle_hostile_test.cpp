// SPDX-License-Identifier: MIT
// Bundles made to do harm: each ends in a clear error, in bounded time and memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <random>

#include "source/bundle_read.h"
#include "source/bundle_write.h"
#include "testing/archives.h"
#include "testing/testing.h"

namespace rocdiag {
namespace {

using testing::gzip;
using ::testing::HasSubstr;
using testing::tar_end;
using testing::tar_file;
using testing::tar_header;

constexpr std::size_t kMiB = 1U << 20U;

std::string bundle_with(const std::string& entries) { return tar_file("manifest.json", "{}") + entries + tar_end(); }

void expect_refused(const std::string& archive, Errc code, const std::string& words) {
  const auto loaded = load_bundle_bytes(archive);
  ASSERT_FALSE(loaded) << words;
  EXPECT_EQ(loaded.error().code, code) << loaded.error().message;
  EXPECT_THAT(loaded.error().message, HasSubstr(words));
  EXPECT_EQ(loaded.error().message.find('\n'), std::string::npos);
}

TEST(HostileBundle, LeadsNowhereElse) {
  expect_refused(bundle_with(tar_file("../evil", "x")), Errc::malformed, "../evil: a path with \"..\"");
  expect_refused(bundle_with(tar_file("fs/../../evil", "x")), Errc::malformed, "a path with \"..\"");
  expect_refused(bundle_with(tar_file("/etc/passwd", "x")), Errc::malformed, "/etc/passwd: an absolute path");
  const std::string link = "a link that leaves the bundle";
  expect_refused(bundle_with(tar_header("fs/l", 0, '2', "/etc/passwd")), Errc::malformed, "fs/l: " + link);
  expect_refused(bundle_with(tar_header("fs/l", 0, '2', "../../etc")), Errc::malformed, "fs/l: " + link);
  expect_refused(bundle_with(tar_header("fs/a/l", 0, '2', "../x/../../../y")), Errc::malformed, link);
  expect_refused(bundle_with(tar_header("fs/h", 0, '1', "manifest.json")), Errc::malformed, "fs/h: a hard link");
  for (const char type : {'3', '4', '6'})
    expect_refused(bundle_with(tar_header("fs/dev", 0, type)), Errc::malformed, "fs/dev: neither a file");
  EXPECT_TRUE(load_bundle_bytes(bundle_with(tar_header("fs/a/l", 0, '2', "../../x"))));
}

TEST(HostileBundle, HoldsEachPathOnce) {
  expect_refused(bundle_with(tar_file("fs/a", "1") + tar_file("fs/a", "2")), Errc::malformed,
                 "fs/a: is in the bundle twice");
  expect_refused(bundle_with(tar_file("fs/./a", "1") + tar_file("fs//a", "2")), Errc::malformed, "twice");
  expect_refused(bundle_with(tar_file("fs/a", "1") + tar_file("fs/a/b", "2")), Errc::malformed, "fs/a/b: lies below");
  expect_refused(bundle_with(tar_file("fs/a/b", "1") + tar_file("fs/a", "2")), Errc::malformed,
                 "fs/a: is a folder as well");
  expect_refused(bundle_with(tar_header("fs/l", 0, '2', "x") + tar_file("fs/l/b", "2")), Errc::malformed, "lies below");
}

TEST(HostileBundle, IsHeldToItsLimits) {
  expect_refused(bundle_with(tar_file("fs/large", std::string(4 * kMiB + 1, 'x'))), Errc::too_large,
                 "fs/large: larger than 4 MiB");
  std::string many;
  for (int i = 0; i < 17; ++i) many += tar_file("fs/" + std::to_string(i), std::string(4 * kMiB, 'x'));
  expect_refused(bundle_with(many), Errc::too_large, "more than 64 MiB unpacked");
  std::string deep = "fs";
  for (int i = 0; i < 69; ++i) deep += "/d";
  const std::string long_name =
      tar_header("././@LongLink", deep.size() + 1, 'L') + deep + std::string(512 - deep.size(), '\0');
  expect_refused(bundle_with(long_name + tar_file("fs/short", "x")), Errc::too_large, "more than 64 levels");
  expect_refused(tar_file("manifest.json", "{\"a\": \"" + std::string(16 * kMiB, 'x') + "\"}") + tar_end(),
                 Errc::too_large, "manifest.json: larger than 16 MiB");
}

TEST(HostileBundle, MayHaveAManifestOfAnyShape) {
  const auto manifest = [](const std::string& text) { return tar_file("manifest.json", text) + tar_end(); };
  expect_refused(manifest(std::string(100'000, '[')), Errc::too_large, "nested deeper than 64 levels");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  expect_refused(manifest(objects), Errc::too_large, "nested deeper than 64 levels");
  std::string many = "{\"x\": [0";
  for (int i = 0; i < 200'000; ++i) many += ",0";
  expect_refused(manifest(many + "]}"), Errc::too_large, "more than 200000 keys and values");
  expect_refused(manifest("{\"errors\": {\"/" + std::string(5000, 'x') + "\": \"EIO\"}}"), Errc::malformed,
                 "at most 4096 bytes");
  expect_refused(manifest("\xff\xfe"), Errc::malformed, "no valid JSON at byte");
}

TEST(HostileBundle, IsWholeOrRefused) {
  const std::string whole = gzip(bundle_with(tar_file("fs/proc/cmdline", std::string(100'000, 'q'))));
  ASSERT_TRUE(load_bundle_bytes(whole));
  for (std::size_t n = 0; n < 50; ++n) {
    const auto cut = load_bundle_bytes(std::string_view(whole).substr(0, whole.size() * n / 50));
    ASSERT_FALSE(cut) << n;
    EXPECT_EQ(cut.error().code, Errc::malformed) << cut.error().message;
  }
  expect_refused("\x1f\x8b" + std::string(500, '\x42'), Errc::malformed, "the gzip data is damaged");
  std::string flipped = whole;
  flipped[flipped.size() - 6] = static_cast<char>(flipped[flipped.size() - 6] ^ 1);
  expect_refused(flipped, Errc::malformed, "the gzip data is damaged");
  expect_refused(std::string(4000, 'n'), Errc::malformed, "not a whole .tar or .tar.gz");
  expect_refused("", Errc::malformed, "not a whole .tar or .tar.gz");
  expect_refused(tar_end(), Errc::malformed, "not a bundle");
}

TEST(HostileBundle, MayHoldControlCharactersInEveryString) {
  std::string all;
  for (int c = 1; c < 256; ++c) all += static_cast<char>(c == '/' ? '_' : c);
  std::string escaped;
  for (int c = 0; c < 32; ++c) escaped += "\\u00" + std::string(c < 16 ? "0" : "1") + "0123456789abcdef"[c % 16];
  const std::string manifest =
      R"({"captured": "X", "notes": ["X"], "env": {"X": "X"}, "links": {"/X": "X"}, "open": {"/X": "ok"},
    "listed": ["/X"], "truncated": ["X"], "uname": {"release": "X"}, "stat": {"/X": {"type": "char", "rdev": "X"}},
    "identity": {"uid": 1, "gid": 1, "user": "X", "groups": [{"id": 1, "name": "X"}]}, "as": {"X": {"env": {"X": "X"}}},
    "errors": {"/X/Y": "EIO"}, "commands": [{"argv": ["X"], "env": {"X": "X"}, "out": "X"}]})";
  std::string filled;
  for (const char c : manifest) filled += c == 'X' ? escaped : std::string(1, c);
  const auto loaded =
      load_bundle_bytes(tar_file("manifest.json", filled) + tar_file("fs/" + all.substr(0, 90), all) + tar_end());
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->notes.at(0).size(), 32U);
  expect_refused(bundle_with(tar_file("fs/\x1b[31m\n../..", "x")), Errc::malformed, "fs/?[31m?../..: a path with");
}

struct Cost {
  std::string message;  // empty: it loaded
  double seconds = 0;
  long peak_kib = 0;  // more than an idle child of ours has
};

// Loads in a child of its own, so that the peak is that of this load alone.
Cost cost_of_loading(const std::string& path) {
  malloc_trim(0);  // memory that is free here would hide what the child takes
  const testing::ScratchFolder scratch;
  const auto child = [&](const std::string& file) {
    const pid_t pid = fork();
    if (pid == 0) {
      const auto loaded = file.empty() ? Result<Snapshot>(Snapshot{}) : load_bundle(file);
      if (!loaded) scratch.write("message", loaded.error().message);
      _exit(0);
    }
    int status = 0;
    rusage usage{};
    wait4(pid, &status, 0, &usage);
    EXPECT_EQ(status, 0);
    return usage.ru_maxrss;
  };
  const long idle = child("");
  const auto start = std::chrono::steady_clock::now();
  const long peak = child(path);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto message = scratch.path() / "message";
  return {std::filesystem::exists(message) ? testing::read_whole(message) : "", seconds, peak - idle};
}

class HostileBundleCost : public ::testing::Test {
 protected:
  // `words`: of the refusal; empty: it loads.
  void expect_cheap(const std::string& archive, const std::string& words) {
    const auto path = scratch_.write("b.tar.gz", archive);
    const Cost cost = cost_of_loading(path.string());
    EXPECT_EQ(cost.message.empty(), words.empty()) << cost.message;
    EXPECT_THAT(cost.message, HasSubstr(words));
    EXPECT_LT(cost.seconds, 20);
    if (ROCDIAG_SANITIZED == 0) {
      EXPECT_LT(cost.peak_kib, 200 * 1024);
    }
  }
  testing::ScratchFolder scratch_;
};

// Packed piece by piece, for the whole would not fit in memory a test should take.
std::string gzip_of(const std::vector<std::pair<std::string, std::size_t>>& pieces) {
  std::string packed;
  for (const auto& [piece, times] : pieces) {
    const std::string member = gzip(piece);
    for (std::size_t i = 0; i < times; ++i) packed += member;
  }
  return packed;
}

TEST_F(HostileBundleCost, OfAGigabyteOfZeros) {
  expect_cheap(gzip_of({{tar_header("fs/zeros", 1024 * kMiB), 1}, {std::string(16 * kMiB, '\0'), 64}}),
               "fs/zeros: larger than 4 MiB");
  expect_cheap(gzip_of({{tar_file("manifest.json", "{}") + tar_end(), 1}, {std::string(16 * kMiB, '\0'), 64}}),
               "unpacks to more than");
}

TEST_F(HostileBundleCost, OfASparseFileOfFourGigabytes) {
  std::string header = tar_header("fs/sparse", 0, 'S');
  header.replace(386, 24,
                 std::string("00000000000\0"
                             "00000000000\0",
                             24));
  header.replace(483, 11, "40000000000");
  header.replace(148, 8, "        ");
  header.replace(257, 8, std::string("ustar  \0", 8));
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  std::string digits(7, '\0');
  std::snprintf(digits.data(), digits.size(), "%06o", sum);
  header.replace(148, 7, digits);
  expect_cheap(bundle_with(header), "fs/sparse: larger than 4 MiB");
  expect_cheap(bundle_with(tar_header("fs/large", 077777777777)), "fs/large: larger than 4 MiB");
}

TEST_F(HostileBundleCost, OfAMillionEntries) {
  std::string entries;
  for (int i = 0; i < 25'000; ++i) entries += tar_header("fs/" + std::to_string(i), 0);
  expect_cheap(gzip_of({{tar_file("manifest.json", "{}"), 1}, {entries, 40}, {tar_end(), 1}}),
               "fs/19999: more than 20000 entries");
}

TEST_F(HostileBundleCost, OfHeadersUponHeaders) {
  std::string chain;
  for (int i = 0; i < 100'000; ++i) chain += tar_header("x", 0, 'x');
  expect_cheap(gzip(chain + tar_end()), "an entry without a readable name");
  // A sparse map of the GNU 1.0 kind lies in the data, and an archive reader may read all of it with the header.
  std::string attributes =
      "22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n31 GNU.sparse.realsize=1048576\n26 GNU.sparse.name=fs/map\n";
  const std::string extended = tar_header("PaxHeaders/map", attributes.size(), 'x');
  attributes.resize(512);
  std::string pairs = "500000000\n";
  while (pairs.size() < 16 * kMiB) pairs += "1\n1\n";
  expect_cheap(gzip_of({{extended + attributes + tar_header("map", 07777777777) + pairs, 1}, {pairs.substr(10), 32}}),
               "a header larger than 2 MiB");
}

TEST_F(HostileBundleCost, OfTheLargestBundleThatIsTaken) {
  std::string errors = "{\"errors\": {";
  for (int i = 0; i < 99'000; ++i)
    errors += "\"/sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/" + std::to_string(i) + "\":\"EIO\",";
  errors += "\"/x\": \"EIO\"}}";
  std::string archive = tar_file("manifest.json", errors);
  for (int i = 0; i < 13; ++i) archive += tar_file("fs/" + std::to_string(i), std::string(4 * kMiB, 'x'));
  expect_cheap(gzip(archive + tar_end()), "");
}

std::string valid_archive() {
  Snapshot s;
  s.identity = Observed<Identity>::of({1000, 1000, "user-1", {{44, "video"}}});
  s.files = {{"/proc/cmdline", std::string("quiet\n")}, {"/a", std::string("x")}, {"/a/b", std::string("y")}};
  s.listings = {{"/usr/lib", std::vector<std::string>{"a", "b"}}, {"/proc", std::vector<std::string>{"cmdline"}}};
  s.links.insert_or_assign("/l", std::string("../x"));
  s.stats.insert_or_assign("/dev/kfd", FileStat{FileType::char_device, 0660, 0, 992, "235:0"});
  s.opens.insert_or_assign("/dev/kfd", system_error(EACCES));
  CommandOutcome outcome;
  outcome.exit = 0;
  outcome.out = "ROCk module is loaded\n";
  s.commands.push_back({{"rocminfo"}, {{"A", "b"}}, outcome});
  s.as["unit:x"] = {};
  s.notes = {"note"};
  const testing::ScratchFolder scratch;
  const std::string path = (scratch.path() / "b.tar.gz").string();
  if (!save_bundle(s, path)) return {};
  return testing::gunzip(testing::read_whole(path));
}

TEST(HostileBundle, SurvivesTwoThousandMutations) {
  const std::string valid = valid_archive();
  ASSERT_TRUE(load_bundle_bytes(valid));
  const std::size_t end_of_manifest = valid.find("fs/");
  std::mt19937 random(20261201);
  int loaded = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string mutant = valid;
    // Every other round only the manifest, where most of the meaning is, and a header's checksum guards nothing.
    const std::size_t from = round % 2 == 0 ? 512 : 0;
    const std::size_t to = round % 2 == 0 ? end_of_manifest : valid.size();
    for (unsigned n = 1 + random() % 8; n > 0; --n) {
      const std::size_t at = from + random() % (to - from);
      switch (random() % 4) {
        case 0:
          mutant[at] = static_cast<char>(random());
          break;
        case 1:
          mutant[at] = static_cast<char>(mutant[at] ^ (1U << random() % 8));
          break;
        case 2:
          mutant[at] = "{}[]\",:0-\\"[random() % 10];
          break;
        default: {
          const std::size_t length = std::min<std::size_t>(random() % 40, to - at);
          mutant.replace(at, length, mutant.substr(from + random() % (to - from - length), length));
        }
      }
    }
    if (round % 3 == 0) mutant = gzip(mutant);
    if (round % 6 == 0) mutant[random() % mutant.size()] = static_cast<char>(random());
    const auto result = load_bundle_bytes(mutant);
    if (result)
      ++loaded;
    else
      ASSERT_FALSE(result.error().message.empty());
  }
  EXPECT_GT(loaded, 20) << "mutations that always end at the first check test nothing behind it";
}

}  // namespace
}  // namespace rocdiag
