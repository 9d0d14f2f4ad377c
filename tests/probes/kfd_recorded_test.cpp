// SPDX-License-Identifier: MIT
// The kfd probe and its rules on recorded machines and written-down cases of ../shared; skipped where that is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>

#include "core/pattern.h"
#include "engine/ask.h"
#include "knowledge/knowledge.h"
#include "rocdiag/rule.h"
#include "rules/rules.h"
#include "source/recorded.h"
#include "testing/testing.h"

namespace rocdiag {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
namespace fs = std::filesystem;

json json_of(const fs::path& path) { return json::parse(testing::read_whole(path)); }

json object_of(const json& manifest, const char* key) { return manifest.value(key, json::object()); }

void take_files(const fs::path& root, Snapshot& snapshot) {
  if (!fs::is_directory(root)) return;
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.is_regular_file())
      snapshot.files.insert_or_assign("/" + fs::relative(entry.path(), root).string(),
                                      testing::read_whole(entry.path()));
}

void take_listings(const fs::path& root, const json& listed, Snapshot& snapshot) {
  for (const std::string folder : listed) {
    std::set<std::string> names;
    const fs::path real = root / folder.substr(1);
    if (fs::is_directory(real))
      for (const auto& entry : fs::directory_iterator(real)) names.insert(entry.path().filename().string());
    for (const auto& [path, target] : snapshot.links)
      if (parent_of(path) == folder) names.insert(name_of(path));
    snapshot.listings.insert_or_assign(folder, std::vector<std::string>(names.begin(), names.end()));
  }
}

FileStat stat_of(const json& record) {
  FileStat stat;
  if (record.value("type", "") == "char") stat.type = FileType::char_device;
  if (record.contains("mode"))
    stat.mode = static_cast<std::uint32_t>(std::stoul(record["mode"].get<std::string>(), nullptr, 8));
  if (record.contains("uid")) stat.uid = record["uid"].get<std::uint32_t>();
  if (record.contains("gid")) stat.gid = record["gid"].get<std::uint32_t>();
  return stat;
}

void take_devices(const json& manifest, Snapshot& snapshot) {
  const json stats = object_of(manifest, "stat"), opens = object_of(manifest, "open"),
             errors = object_of(manifest, "errors");
  for (const auto& [path, record] : stats.items()) snapshot.stats.insert_or_assign(path, stat_of(record));
  for (const auto& [path, name] : opens.items())
    snapshot.opens.insert_or_assign(path, name == "ok" ? Status(Done{}) : Status(system_error(errno_from_name(name))));
  for (const auto& [path, name] : errors.items()) {
    const Error error = system_error(errno_from_name(name));
    snapshot.files.insert_or_assign(path, error);
    snapshot.listings.insert_or_assign(path, error);
    snapshot.stats.insert_or_assign(path, error);
  }
}

void take_process(const fs::path& bundle, const json& manifest, Snapshot& snapshot) {
  if (manifest.contains("identity")) {
    const json& record = manifest["identity"];
    Identity identity{record["uid"], record["gid"], record.value("user", ""), {}};
    for (const json& group : record.value("groups", json::array()))
      identity.groups.push_back({group["id"], group.value("name", "")});
    snapshot.identity = Observed<Identity>::of(identity, {"identity", 0});
  }
  if (manifest.contains("uname"))
    snapshot.uname = Observed<Uname>::of({"Linux", manifest["uname"].value("release", ""), "", ""}, {"uname", 0});
  for (const json& record : manifest.value("commands", json::array())) {
    if (!record.contains("out")) continue;
    CommandOutcome outcome;
    outcome.exit = record["exit"].get<int>();
    outcome.out = testing::read_whole(bundle / record["out"].get<std::string>());
    snapshot.commands.push_back({record["argv"], {}, outcome});
  }
}

Facts facts_of_bundle(const fs::path& bundle) {
  const json manifest = json_of(bundle / "manifest.json");
  Snapshot snapshot;
  const json links = object_of(manifest, "links");
  for (const auto& [path, target] : links.items()) snapshot.links.insert_or_assign(path, target.get<std::string>());
  take_files(bundle / "fs", snapshot);
  take_listings(bundle / "fs", manifest.value("listed", json::array()), snapshot);
  take_devices(manifest, snapshot);
  take_process(bundle, manifest, snapshot);
  RecordedSource source({snapshot});
  return ask_all(source, probe_catalogue(), std::chrono::steady_clock::now() + std::chrono::seconds(20)).facts;
}

class KfdRecorded : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::shared_folder()) GTEST_SKIP() << "no ../shared beside the source tree";
  }

  Facts facts_of_set(const std::string& name) const {
    const fs::path shared = *testing::shared_folder();
    const auto made = testing::run(
        {"python3", shared / "tools" / "fixtures.py", "bundle", shared / "fixtures" / name, scratch_.path() / name});
    EXPECT_EQ(made.exit, 0) << made.err;
    return facts_of_bundle(scratch_.path() / name);
  }

  testing::ScratchFolder scratch_;
};

std::vector<KfdNode> gpus_of(const Facts& facts) {
  std::vector<KfdNode> gpus;
  for (const KfdNode& node : facts.kfd.nodes)
    if (node.is_gpu.is(true)) gpus.push_back(node);
  return gpus;
}

// Compares what a set's expect.json knows of a GPU; null there means that the dump does not say.
template <class T>
void expect_value(const json& want, const char* key, const Observed<T>& got) {
  if (!want.contains(key) || want[key].is_null()) return;
  EXPECT_TRUE(got.is(want[key].get<T>())) << key;
}

void expect_gpu(const KfdNode& node, const json& want) {
  expect_value(want, "gfx", node.gfx);
  expect_value(want, "bdf", node.address);
  expect_value(want, "cu", node.compute_units);
  expect_value(want, "kfd_node", Observed<int>::of(node.id));
  expect_value(want, "render_minor", node.render_minor);
  // The sysfs sets count the carve-out of an APU, which is a fact of the pci layer.
  if (want.contains("kfd_node")) expect_value(want, "vram_bytes", node.vram_bytes);
}

TEST_F(KfdRecorded, EveryGpuOfTheSetsIsReadAsItWas) {
  for (const char* name :
       {"kfd-mi210-x8", "kfd-mi25-dup", "kfd-mi300x-cpx", "kfd-mi308-cpx", "sysfs-phoenix", "sysfs-strixpoint"}) {
    SCOPED_TRACE(name);
    const auto gpus = gpus_of(facts_of_set(name));
    const json want = json_of(*testing::shared_folder() / "fixtures" / name / "expect.json")["gpus"];
    ASSERT_EQ(gpus.size(), want.size());
    for (std::size_t i = 0; i < gpus.size(); ++i) expect_gpu(gpus[i], want[i]);
  }
}

TEST_F(KfdRecorded, AHealthySetGivesNoFindingAboutKfd) {
  for (const char* name :
       {"kfd-mi210-x8", "kfd-mi25-dup", "kfd-mi300x-cpx", "kfd-mi308-cpx", "sysfs-phoenix", "sysfs-strixpoint"})
    EXPECT_THAT(testing::ids_of(testing::drafts_for(facts_of_set(name))), Not(Contains(StartsWith("kfd.")))) << name;
}

TEST_F(KfdRecorded, PartitionsGroupIntoGpusBySlot) {
  for (const char* name : {"kfd-mi300x-cpx", "kfd-mi308-cpx"}) {
    std::set<std::string> slots;
    for (const KfdNode& node : gpus_of(facts_of_set(name)))
      slots.insert(node.address->substr(0, node.address->find('.')));
    EXPECT_EQ(slots.size(), 8U) << name;
  }
}

TEST_F(KfdRecorded, AnOldKernelMayListTwoNodesAtOneLocationAndNoIsa) {
  const auto gpus = gpus_of(facts_of_set("kfd-mi25-dup"));
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_TRUE(gpus[0].address.is("0000:19:00.0"));
  EXPECT_EQ(gpus[1].address, gpus[0].address);
  EXPECT_TRUE(gpus[0].gfx.is_absent());
}

TEST_F(KfdRecorded, MemoryOfAnApuIsWhatKfdSays) {
  EXPECT_TRUE(gpus_of(facts_of_set("sysfs-strixpoint")).at(0).vram_bytes.is(16441004032U));
}

// The ids of this domain among what the rules say about a case.
std::set<std::string> kfd_ids(const fs::path& case_folder) {
  std::set<std::string> ids;
  for (const Draft& draft : testing::drafts_for(facts_of_bundle(case_folder / "bundle")))
    if (draft.id.rfind("kfd.", 0) == 0) ids.insert(draft.id);
  return ids;
}

std::vector<fs::path> case_folders(const std::string& prefix) {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(*testing::shared_folder() / "cases"))
    if (fs::exists(entry.path() / "bundle" / "manifest.json") && entry.path().filename().string().rfind(prefix, 0) == 0)
      folders.push_back(entry.path());
  return folders;
}

TEST_F(KfdRecorded, NoCaseGetsAFindingThatItMustNotHave) {
  const auto folders = case_folders("");
  EXPECT_GT(folders.size(), 10U);
  for (const fs::path& folder : folders) {
    const std::set<std::string> must_not = json_of(folder / "case.json")["expect"]["must_not"];
    for (const std::string& id : kfd_ids(folder)) EXPECT_THAT(must_not, Not(Contains(id))) << folder;
  }
}

TEST_F(KfdRecorded, AnAccessCaseGetsNothingBesideItsCause) {
  for (const char* prefix : {"access-", "container-", "wsl-"})
    for (const fs::path& folder : case_folders(prefix)) {
      const json expect = json_of(folder / "case.json")["expect"];
      std::set<std::string> allowed = expect["also_ok"];
      allowed.insert(expect["root_cause"].get<std::string>());
      for (const std::string& id : kfd_ids(folder)) EXPECT_THAT(allowed, Contains(id)) << folder;
    }
}

TEST_F(KfdRecorded, TheCasesOfThisLayerGetTheirCause) {
  for (const char* name : {"access-stale-login-group", "access-video-but-not-render",
                           "access-kfd-root-only-no-udev-rule", "access-kfd-einval-after-vm-handback"}) {
    const fs::path folder = *testing::shared_folder() / "cases" / name;
    const auto drafts = testing::drafts_for(facts_of_bundle(folder / "bundle"));
    EXPECT_THAT(testing::ids_of(drafts), Contains(json_of(folder / "case.json")["expect"]["root_cause"])) << name;
  }
}

TEST_F(KfdRecorded, CasesOfWslAreSkipped) {
  const auto facts = facts_of_bundle(*testing::shared_folder() / "cases" / "wsl-healthy-but-tool-wants-kfd" / "bundle");
  EXPECT_EQ(view_kfd(facts, Knowledge::embedded()).status, LayerStatus::skipped);
}

}  // namespace
}  // namespace rocdiag
