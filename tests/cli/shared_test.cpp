// SPDX-License-Identifier: MIT
// Recorded machines that lie beside the checkout: what the report says of them is what is known of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "testing/testing.h"

namespace rocdiag::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

bool holds_a_tree(const std::filesystem::path& set) {
  for (const auto& entry : std::filesystem::directory_iterator(set))
    if (entry.is_directory()) return true;
  return false;
}

// Sets with a sysfs tree, as bundles made by the material's own tool.
void for_each_set(
    const std::filesystem::path& shared,
    const std::function<void(const std::string& name, const json& expect, const std::string& bundle)>& test) {
  for (const auto& entry : std::filesystem::directory_iterator(shared / "fixtures")) {
    const auto expect = entry.path() / "expect.json";
    if (!std::filesystem::exists(expect) || !holds_a_tree(entry.path())) continue;
    const ScratchFolder scratch;
    const auto bundle = (scratch.path() / "bundle").string();
    const Ran made = run({"python3", (shared / "tools/fixtures.py").string(), "bundle", entry.path().string(), bundle});
    ASSERT_EQ(made.exit, 0) << made.err;
    test(entry.path().filename().string(), json::parse(read_whole(expect)), bundle);
  }
}

json check_from(const std::string& bundle, const std::vector<std::string>& more = {}) {
  std::vector<std::string> argv = {binary(), "check", "--format", "json", "--from", bundle};
  argv.insert(argv.end(), more.begin(), more.end());
  const Ran ran = run(argv);
  EXPECT_LE(ran.exit, 2) << ran.err;
  return json::parse(ran.out);
}

std::string slot_of(const std::string& address) { return address.substr(0, address.find_last_of('.')); }

// The node or GPU that an expected element speaks of.
struct Found {
  json gpu, node;
};

Found find(const json& gpus, const json& wanted) {
  Found found;
  for (const json& gpu : gpus) {
    for (const json& node : gpu.at("nodes"))
      if (wanted.contains("kfd_node") && node.at("id") == wanted.at("kfd_node")) return {gpu, node};
    const bool same_place = wanted.at("bdf").is_string() && gpu.at("pci").is_string() &&
                            slot_of(gpu.at("pci")) == slot_of(wanted.at("bdf"));
    if (same_place) found = {gpu, gpu.at("nodes").empty() ? json() : gpu.at("nodes").at(0)};
  }
  return found;
}

void expect_same(const json& wanted, const json& got, const std::string& what) {
  if (!wanted.is_null()) {
    EXPECT_EQ(got, wanted) << what;
  }
}

void expect_gpu(const std::string& name, const json& wanted, const Found& found) {
  ASSERT_FALSE(found.gpu.is_null()) << name << ": " << wanted;
  const bool is_partition = found.gpu.at("nodes").size() > 1;
  expect_same(wanted.at("pci_id"), found.gpu.at("device_id"), name + " PCI id");
  expect_same(wanted.at("gfx"), found.gpu.at("gfx"), name + " gfx");
  expect_same(wanted.at("vram_bytes"), is_partition ? found.node.at("vram_bytes") : found.gpu.at("vram_bytes"),
              name + " VRAM");
  expect_same(wanted.at("numa"), found.gpu.at("numa_node"), name + " NUMA node");
  expect_same(wanted.value("driver", json()), found.gpu.at("driver"), name + " driver");
  if (found.node.is_null()) return;
  expect_same(wanted.value("render_minor", json()), found.node.at("render_minor"), name + " render minor");
  expect_same(wanted.at("cu"), found.node.at("compute_units"), name + " compute units");
}

TEST(Shared, GpusAreWhatIsKnownOfEverySet) {
  const auto shared = shared_folder();
  if (!shared) GTEST_SKIP() << "../shared is not here";
  for_each_set(*shared, [](const std::string& name, const json& expect, const std::string& bundle) {
    const json report = check_from(bundle);
    std::size_t elements = 0;
    for (const json& gpu : report.at("gpus")) elements += std::max<std::size_t>(gpu.at("nodes").size(), 1);
    EXPECT_EQ(elements, expect.at("gpus").size()) << name;
    for (const json& wanted : expect.at("gpus")) expect_gpu(name, wanted, find(report.at("gpus"), wanted));
  });
}

TEST(Shared, ARecordOfEverySetJudgesTheSame) {
  const auto shared = shared_folder();
  if (!shared) GTEST_SKIP() << "../shared is not here";
  for_each_set(*shared, [](const std::string& name, const json&, const std::string& bundle) {
    const ScratchFolder scratch;
    const auto record = (scratch.path() / "again.tar.gz").string();
    json first = check_from(bundle, {"--record", record});
    json second = check_from(record);
    for (json* report : {&first, &second}) {
      report->erase("duration_ms");
      for (json& layer : report->at("layers")) layer.erase("duration_ms");
    }
    EXPECT_EQ(json::diff(first, second), json::array()) << name;
  });
}

TEST(Shared, NoHealthySetRaisesAnAlarm) {
  const auto shared = shared_folder();
  if (!shared) GTEST_SKIP() << "../shared is not here";
  const Ran ran =
      run({"python3", (*shared / "tools/fixtures.py").string(), "alarms", "--form", "check", "--rocdiag", binary()});
  EXPECT_EQ(ran.exit, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("0 false alarms or broken runs, 0 faults missed"));
}

TEST(Shared, NoCaseIsBrokenOrGivenAForbiddenCause) {
  const auto shared = shared_folder();
  if (!shared) GTEST_SKIP() << "../shared is not here";
  const Ran ran = run({"python3", (*shared / "tools/score_cases.py").string(), "--form", "machine", "--rocdiag",
                       binary(), (*shared / "cases").string()});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("broken 0; forbidden 0;"));
}

}  // namespace
}  // namespace rocdiag::testing
