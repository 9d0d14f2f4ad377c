// SPDX-License-Identifier: MIT
// The recorded machines of ../shared/fixtures that hold a sysfs tree: what expect.json knows of them is what the probe
// finds, and the rules raise no false alarm.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "probes/pci/pci.h"
#include "testing/testing.h"

namespace rocdiag {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::LiteralMachine;

// Chips that KFD never took: the finding about them is true.
const std::set<std::string> kTooOld{"sysfs-hd7870", "sysfs-r7-240", "sysfs-r9-280"};

// A folder as fixtures.py writes it, without what its manifest does not list.
LiteralMachine machine_of(const fs::path& bundle) {
  LiteralMachine machine;
  const json manifest = json::parse(testing::read_whole(bundle / "manifest.json"));
  for (const auto& entry : fs::recursive_directory_iterator(bundle / "fs"))
    if (entry.is_regular_file())
      machine.file("/" + fs::relative(entry.path(), bundle / "fs").string(), testing::read_whole(entry.path()));
  const json links = manifest.value("links", json::object());
  for (const auto& [path, target] : links.items()) machine.link(path, target);
  const json listed = manifest.value("listed", json::array());
  for (const json& path : listed) machine.folder(path);
  if (manifest.contains("uname")) machine.release(manifest["uname"].at("release"));
  return machine;
}

std::vector<fs::path> sets_with_cards(const fs::path& shared) {
  std::vector<fs::path> sets;
  for (const auto& set : fs::directory_iterator(shared / "fixtures"))
    for (const char* card : {"card0", "card1"})
      if (fs::is_directory(set.path() / card)) sets.push_back(set.path());
  return sets;
}

template <class T>
void expect_same(const json& expected, const Observed<T>& seen, const std::string& what) {
  if (expected.is_null()) return;
  ASSERT_TRUE(seen) << what << ": " << seen.reason();
  EXPECT_EQ(*seen, expected.get<T>()) << what;
}

void expect_gpus(const json& expected, const PciFacts& pci, const std::string& name) {
  ASSERT_EQ(pci.gpus.size(), expected.size()) << name;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const PciGpu& gpu = pci.gpus[i];
    if (!expected[i].at("bdf").is_null()) {
      EXPECT_EQ(gpu.address, expected[i].at("bdf")) << name;
    }
    expect_same(expected[i].at("pci_id"), gpu.device_id, name + " id");
    expect_same(expected[i].at("driver"), gpu.driver, name + " driver");
    expect_same(expected[i].at("vram_bytes"), gpu.vram_bytes, name + " VRAM");
    expect_same(expected[i].at("numa"), gpu.numa_node, name + " NUMA node");
  }
}

void expect_quiet(const Facts& facts, const std::string& name) {
  int warnings = 0;
  for (const Draft& draft : testing::drafts_for(facts)) {
    if (draft.id.rfind("pci.", 0) != 0) continue;
    warnings += draft.id == "pci.small-bar" || draft.id.rfind("pci.link-", 0) == 0 ? 1 : 0;
    const bool is_error = draft.severity != Severity::info && draft.id != "pci.small-bar" &&
                          draft.id.rfind("pci.link-", 0) != 0 && draft.id != "pci.gpu-unlisted";
    const bool is_true = (draft.id == "pci.gpu-too-old" && kTooOld.count(name) > 0) ||
                         (draft.id == "pci.no-gpu" && facts.pci.gpus.empty());
    EXPECT_TRUE(!is_error || is_true) << name << ": " << draft.id;
  }
  EXPECT_LE(warnings, 1) << name;
  if (kTooOld.count(name) > 0) {
    EXPECT_TRUE(testing::draft_with_id(testing::drafts_for(facts), "pci.gpu-too-old")) << name;
  }
}

TEST(PciFixtures, RecordedMachinesAreReadRightAndGiveNoFalseAlarm) {
  const auto shared = testing::shared_folder();
  if (!shared) GTEST_SKIP() << "../shared is not here";
  const auto sets = sets_with_cards(*shared);
  ASSERT_GT(sets.size(), 15U);
  for (const fs::path& set : sets) {
    const std::string name = set.filename().string();
    const testing::ScratchFolder scratch;
    const fs::path bundle = scratch.path() / "bundle";
    const auto ran =
        testing::run({"python3", (*shared / "tools/fixtures.py").string(), "bundle", set.string(), bundle.string()});
    ASSERT_EQ(ran.exit, 0) << ran.err;
    const json expect = json::parse(testing::read_whole(set / "expect.json"));
    const Facts facts = testing::facts_of(machine_of(bundle));
    expect_gpus(expect.value("gpus", json::array()), facts.pci, name);
    EXPECT_EQ(facts.pci.others.size(), expect.value("other_gpus", json::array()).size()) << name;
    expect_quiet(facts, name);
  }
}

// The reviewed cases with a bundle: a cause of the pci domain is found there, and none that is ruled out.
TEST(PciFixtures, CasesGiveTheirPciCauseAndNoneThatTheyRuleOut) {
  const auto shared = testing::shared_folder();
  if (!shared) GTEST_SKIP() << "../shared is not here";
  int read = 0;
  for (const auto& folder : fs::directory_iterator(*shared / "cases")) {
    if (!fs::is_directory(folder.path() / "bundle/fs")) continue;
    ++read;
    const json expect = json::parse(testing::read_whole(folder.path() / "case.json")).at("expect");
    const Facts facts = testing::facts_of(machine_of(folder.path() / "bundle"));
    std::set<std::string> ids;
    for (const Draft& draft : testing::drafts_for(facts)) ids.insert(draft.id);
    const json ruled_out = expect.value("must_not", json::array());
    for (const json& id : ruled_out)
      if (id.get<std::string>().rfind("pci.", 0) == 0) {
        EXPECT_EQ(ids.count(id), 0U) << folder.path() << ": " << id;
      }
    // Atomics of the one case with a bundle are told by the kernel log alone.
    const std::string root = expect.at("root_cause");
    if (root.rfind("pci.", 0) == 0 && root != "pci.no-atomics" && !facts.pci.gpus.empty()) {
      EXPECT_EQ(ids.count(root), 1U) << folder.path() << ": " << root;
    }
  }
  EXPECT_GT(read, 20);
}

}  // namespace
}  // namespace rocdiag
