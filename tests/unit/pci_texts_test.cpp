// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "knowledge/finding_text.h"
#include "testing/pci_machine.h"

namespace rocdiag {
namespace {

using namespace testing::pci;
using ::testing::HasSubstr;
using ::testing::Not;

// ---- words

// Every draft that the rules above make, in each variant.
std::vector<Draft> all_drafts() {
  std::vector<Facts> machines{machine_with({}), without_atomics()};
  const auto add = [&](auto change) {
    PciGpu gpu = healthy_gpu();
    change(gpu);
    machines.push_back(machine_with({gpu}));
  };
  machines.push_back(machine_with({}));
  machines.back().pci.others = {{"0000:01:00.0", text("10de:2704"), text("nvidia")}};
  machines.push_back(machine_with({}));
  machines.back().pci.others = {{"0000:00:02.0", text("1234:1111"), text("bochs-drm")}};
  machines.push_back(without_atomics());
  machines.back().pci.gpus[0].path[3].device_id = text("1b36:000c");
  add([](PciGpu& gpu) { gpu.device_id = text("1002:6818"); });
  add([](PciGpu& gpu) { gpu.device_id = text("1002:9901"), gpu.driver = text("radeon"); });
  add([](PciGpu& gpu) { gpu.device_id = text("1002:fffe"); });
  add([](PciGpu& gpu) { gpu.driver = text("vfio-pci"); });
  add([](PciGpu& gpu) { gpu.answers_config = seen(false); });
  add([](PciGpu& gpu) { gpu.visible_vram_bytes = seen<std::uint64_t>(256U << 20U); });
  add([](PciGpu& gpu) { gpu.path[3].width_now = seen(8); });
  add([](PciGpu& gpu) { gpu.path[3].width_now = gpu.path[3].width_max = seen(1); });
  add([](PciGpu& gpu) { gpu.aer = seen(AerCounters{0, 0, 1, 0}); });
  for (const std::size_t missing : {0U, 3U})
    add([&](PciGpu& gpu) {
      std::vector<PciBar> bars = *gpu.bars;
      bars[missing].assigned = false;
      gpu.bars = seen(bars);
      gpu.driver = Observed<std::string>::absent();
    });
  std::vector<Draft> drafts;
  for (const Facts& facts : machines)
    for (Draft& draft : judge(facts)) drafts.push_back(std::move(draft));
  return drafts;
}

TEST(PciTexts, EveryNameInThemIsFilled) {
  const std::vector<Draft> drafts = all_drafts();
  ASSERT_EQ(drafts.size(), 16U);
  for (const Draft& draft : drafts) {
    const FindingText* words = Knowledge::embedded().finding(draft.id);
    ASSERT_NE(words, nullptr) << draft.id;
    const Finding finding = compose(draft, *words);
    EXPECT_THAT(finding.title, Not(HasSubstr("{"))) << finding.title;
    EXPECT_THAT(finding.detail, Not(HasSubstr("{"))) << finding.detail;
    EXPECT_FALSE(finding.evidence.empty()) << draft.id;
    ASSERT_FALSE(finding.remedies.empty()) << draft.id;
    for (const Remedy& remedy : finding.remedies) {
      EXPECT_THAT(remedy.summary, Not(HasSubstr("{")));
      for (const std::string& command : remedy.commands) EXPECT_THAT(command, Not(HasSubstr("{")));
      for (const std::string& command : remedy.undo) EXPECT_THAT(command, Not(HasSubstr("{")));
    }
    for (const std::string& command : words->check) EXPECT_THAT(fill_in(command, draft.values), Not(HasSubstr("{")));
  }
}

TEST(PciTexts, EveryVariantInTheDataIsOneThatARuleMakes) {
  std::set<std::string> made;
  for (const Draft& draft : all_drafts()) made.insert(draft.id + "/" + draft.variant);
  for (const FindingText& words : Knowledge::embedded().findings()) {
    if (words.id.rfind("pci.", 0) != 0) continue;
    EXPECT_TRUE(made.count(words.id + "/") > 0) << words.id;
    for (const auto* texts : {&words.titles, &words.details})
      for (const auto& entry : *texts) EXPECT_TRUE(made.count(words.id + "/" + entry.first) > 0) << entry.first;
    for (const RemedyText& remedy : words.remedies)
      EXPECT_TRUE(made.count(words.id + "/" + remedy.variant) > 0) << words.id << "/" << remedy.variant;
  }
}

// ---- the layer

LayerView view(const Facts& facts) { return view_pci(facts, Knowledge::embedded()); }

TEST(PciView, NamesTheGpuAndItsLink) {
  const LayerView v = view(machine_with({healthy_gpu()}));
  EXPECT_EQ(v.status, LayerStatus::pass);
  EXPECT_EQ(v.summary, "Radeon RX 6700 XT [1002:73df] gfx1031 at 0000:03:00.0, x16 16 GT/s");
}

TEST(PciView, SaysWhatTheCardCouldDoWhereTheLinkIsLess) {
  PciGpu gpu = narrow_gpu(4);
  EXPECT_THAT(view(machine_with({gpu})).summary, HasSubstr(", x4 of x16 16 GT/s"));
  gpu.path[3].speed_now = seen(2.5);
  EXPECT_THAT(view(machine_with({gpu})).summary, HasSubstr(", x4 of x16, 2.5 of 16 GT/s"));
}

TEST(PciView, PutsEqualGpusTogether) {
  std::vector<PciGpu> gpus;
  for (const char* address : {"0000:31:00.0", "0000:b1:00.0"}) {
    gpus.push_back(healthy_gpu(address, "1002:740f"));
    gpus.back().revision = text("02");
  }
  EXPECT_EQ(view(machine_with(gpus)).summary, "2 × Instinct MI210 [1002:740f] gfx90a at 0000:31:00.0, 0000:b1:00.0");
  for (int i = 0; i < 6; ++i) gpus.push_back(gpus.front());
  EXPECT_EQ(view(machine_with(gpus)).summary,
            "8 × Instinct MI210 [1002:740f] gfx90a at 0000:31:00.0, 0000:b1:00.0 … (8)");
}

TEST(PciView, BelievesKfdBeforeTheCoreVersionBeforeTheTables) {
  Facts facts = machine_with({healthy_gpu()});
  facts.pci.gpus[0].gc_version = text("10.3.4");
  EXPECT_THAT(view(facts).summary, HasSubstr("gfx1032"));
  set_kfd(facts, {gpu_node("0000:03:00.0")});
  EXPECT_THAT(view(facts).summary, HasSubstr("gfx1031"));
}

TEST(PciView, OneKnownGpuIsEnoughWhereTheListingHasGaps) {
  Facts facts = machine_with({healthy_gpu()});
  facts.pci.functions = Observed<int>::unobserved("1 of 14 functions were not read");
  EXPECT_EQ(view(facts).status, LayerStatus::pass);
}

TEST(PciView, TellsNoGpuFromAnUnreadBusAndFromWsl) {
  EXPECT_EQ(view(machine_with({})).status, LayerStatus::fail);
  EXPECT_EQ(view(machine_with({})).summary, "no AMD GPU on the bus");
  Facts unread;
  unread.pci.functions = Observed<int>::unobserved("not recorded");
  EXPECT_EQ(view(unread).status, LayerStatus::unknown);
  EXPECT_EQ(view(unread).summary, "PCI listing: not recorded");
  Facts wsl = machine_with({});
  wsl.host.wsl = seen(true);
  EXPECT_EQ(view(wsl).status, LayerStatus::skipped);
}

}  // namespace
}  // namespace rocdiag
