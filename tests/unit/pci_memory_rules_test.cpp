// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/pci_machine.h"

namespace rocdiag {
namespace {

using namespace testing::pci;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// ---- bar-unassigned

PciGpu driverless_gpu() {
  PciGpu gpu = healthy_gpu();
  gpu.driver = Observed<std::string>::absent();
  return gpu;
}

TEST(PciMemoryRules, ABarWithoutAnAddressIsNamed) {
  PciGpu gpu = driverless_gpu();
  std::vector<PciBar> bars = *gpu.bars;
  bars[0].assigned = false;
  bars[1].assigned = false;
  gpu.bars = seen(bars, "/sys/bus/pci/devices/0000:03:00.0/resource");
  const Draft draft = the("pci.bar-unassigned", machine_with({gpu}));
  EXPECT_EQ(draft.values.at("bars"), "BAR 0, BAR 2");
  EXPECT_EQ(draft.variant, "");
  EXPECT_EQ(draft.evidence.at(1).line, 3);
  EXPECT_THAT(draft.evidence.at(0).text, HasSubstr("16 GiB"));
}

TEST(PciMemoryRules, ABarThatTheKernelGaveUpIsMissedBesideTheOthers) {
  PciGpu gpu = driverless_gpu();
  gpu.bars = seen(std::vector<PciBar>{(*gpu.bars)[2], (*gpu.bars)[3]});  // as when 0 and 2 found no room
  EXPECT_EQ(the("pci.bar-unassigned", machine_with({gpu})).values.at("bars"), "BAR 0");
}

TEST(PciMemoryRules, BarFiveAloneMeansThatTheLowWindowIsFull) {
  PciGpu gpu = driverless_gpu();
  std::vector<PciBar> bars = *gpu.bars;
  bars[3].assigned = false;
  gpu.bars = seen(bars);
  EXPECT_EQ(the("pci.bar-unassigned", machine_with({gpu})).variant, "below-4g");
}

TEST(PciMemoryRules, AnIoBarWithoutAnAddressDoesNoHarm) {
  PciGpu gpu = driverless_gpu();
  std::vector<PciBar> bars = *gpu.bars;
  bars[2].assigned = false;
  gpu.bars = seen(bars);
  EXPECT_THAT(ids(machine_with({gpu})), IsEmpty());
}

TEST(PciMemoryRules, BarsAreNoMatterWhereTheDriverOrKfdHasTheGpu) {
  PciGpu gpu = driverless_gpu();
  std::vector<PciBar> bars = *gpu.bars;
  bars[0].assigned = false;
  gpu.bars = seen(bars);
  PciGpu bound = gpu;
  bound.driver = text("amdgpu");
  EXPECT_THAT(ids(machine_with({bound})), IsEmpty());
  PciGpu unknown_driver = gpu;
  unknown_driver.driver = Observed<std::string>();
  EXPECT_THAT(ids(machine_with({unknown_driver})), IsEmpty());
  Facts taken = machine_with({gpu});
  set_kfd(taken, {gpu_node("0000:03:00.0")});
  EXPECT_THAT(ids(taken), IsEmpty());
  PciGpu redacted = gpu;
  redacted.bars = seen(std::vector<PciBar>{});  // a copy with nothing but zeros
  EXPECT_THAT(ids(machine_with({redacted})), IsEmpty());
}

// ---- small-bar

TEST(PciMemoryRules, VisibleMemoryBelowTheWholeIsASmallBar) {
  PciGpu gpu = healthy_gpu();
  gpu.visible_vram_bytes = seen<std::uint64_t>(256U << 20U);
  gpu.resizable_bar = seen(true);
  const Draft draft = the("pci.small-bar", machine_with({gpu}));
  EXPECT_EQ(draft.values.at("visible"), "256 MiB");
  EXPECT_EQ(draft.values.at("vram"), "12 GiB");
  EXPECT_THAT(draft.values.at("offer"), HasSubstr("offers a resizable BAR"));
  EXPECT_EQ(draft.evidence.at(1).text, "268435456");
}

TEST(PciMemoryRules, ABarBelowTheMemoryIsASmallBarWhereNothingElseIsKnown) {
  PciGpu gpu = healthy_gpu();
  gpu.visible_vram_bytes = Observed<std::uint64_t>();
  EXPECT_THAT(ids(machine_with({gpu})), IsEmpty());
  gpu.bars = seen(std::vector<PciBar>{{0, 0xd0000000, 256U << 20U, true, true, true}});
  EXPECT_EQ(the("pci.small-bar", machine_with({gpu})).values.at("offer"), "");
}

TEST(PciMemoryRules, SmallBarSparesApusOldCardsAndVirtualFunctions) {
  PciGpu gpu = healthy_gpu();
  gpu.visible_vram_bytes = seen<std::uint64_t>(256U << 20U);
  PciGpu apu = gpu;
  apu.device_id = text("1002:1681");
  EXPECT_THAT(ids(machine_with({apu})), IsEmpty());
  PciGpu old = gpu;
  old.device_id = text("1002:6617");
  EXPECT_THAT(ids(machine_with({old})), ElementsAre("pci.gpu-too-old@0000:03:00.0"));
  PciGpu virtual_function = gpu;
  virtual_function.physical_function = text("0000:03:00.0");
  EXPECT_THAT(ids(machine_with({virtual_function})), IsEmpty());
  PciGpu unknown_size = gpu;
  unknown_size.vram_bytes = Observed<std::uint64_t>();
  EXPECT_THAT(ids(machine_with({unknown_size})), IsEmpty());
}

}  // namespace
}  // namespace rocdiag
