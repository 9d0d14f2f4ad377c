// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/pci_machine.h"

namespace rocdiag {
namespace {

using namespace testing::pci;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// ---- no-atomics

TEST(PciLinkRules, NoAtomicsNamesThePortThatLacksThem) {
  const Draft draft = the("pci.no-atomics", without_atomics());
  EXPECT_EQ(draft.confidence, Confidence::confirmed);
  EXPECT_EQ(draft.values.at("hop"), "0000:00:01.1");
  EXPECT_EQ(draft.variant, "");

  Facts behind_switch = without_atomics();
  behind_switch.pci.gpus[0].path[3].atomics_completer = seen(true);
  behind_switch.pci.gpus[0].path[2].atomics_routing = seen(false);
  EXPECT_EQ(the("pci.no-atomics", behind_switch).values.at("hop"), "0000:01:00.0");
}

TEST(PciLinkRules, NoAtomicsIsOnlyLikelyWhereNoPortIsSeenToLackThem) {
  Facts facts = without_atomics();
  facts.pci.gpus[0].path[3].atomics_completer = Observed<bool>();
  EXPECT_EQ(the("pci.no-atomics", facts).confidence, Confidence::likely);
}

TEST(PciLinkRules, AnEmulatedRootPortIsTheHostsBusiness) {
  Facts facts = without_atomics();
  facts.pci.gpus[0].path[3].device_id = text("1b36:000c");
  EXPECT_EQ(the("pci.no-atomics", facts).variant, "guest");
}

TEST(PciLinkRules, AnAddedDeviceOverrulesSuspicionOfAtomics) {
  Facts facts = without_atomics();
  set_kfd(facts, {cpu_node(), gpu_node("0000:03:00.0")});
  EXPECT_THAT(ids(facts), IsEmpty());
}

TEST(PciLinkRules, NoAtomicsNeedsAWholeTopology) {
  Facts hidden = without_atomics();
  hidden.kfd.nodes[0].hidden = true;
  EXPECT_THAT(ids(hidden), IsEmpty());
  Facts unlisted = without_atomics();
  unlisted.kfd.node_ids = Observed<std::vector<int>>::unobserved("EACCES");
  EXPECT_THAT(ids(unlisted), IsEmpty());
  Facts unread = without_atomics();
  unread.kfd.nodes[0].is_gpu = Observed<bool>();
  EXPECT_THAT(ids(unread), IsEmpty());
  Facts missing_node = without_atomics();
  missing_node.kfd.node_ids = seen(std::vector<int>{0, 1});
  EXPECT_THAT(ids(missing_node), IsEmpty());
  Facts no_kfd = without_atomics();
  no_kfd.kfd.driver_present = Observed<bool>::absent();
  EXPECT_THAT(ids(no_kfd), IsEmpty());
}

TEST(PciLinkRules, NoAtomicsSparesThoseThatDoWithout) {
  Facts user = without_atomics();  // an ordinary user cannot read the capabilities
  user.pci.gpus[0].atomics_enabled = Observed<bool>::unobserved("only root reads the capabilities");
  EXPECT_THAT(ids(user), IsEmpty());
  Facts vega = without_atomics();
  vega.pci.gpus[0].device_id = text("1002:687f");
  EXPECT_THAT(ids(vega), IsEmpty());
  Facts apu = without_atomics();
  apu.pci.gpus[0].device_id = text("1002:1681");
  EXPECT_THAT(ids(apu), IsEmpty());
  Facts virtual_function = without_atomics();
  virtual_function.pci.gpus[0].physical_function = text("0000:03:00.0");
  EXPECT_THAT(ids(virtual_function), IsEmpty());
  Facts driverless = without_atomics();
  driverless.pci.gpus[0].driver = Observed<std::string>::absent();
  EXPECT_THAT(ids(driverless), IsEmpty());
}

// ---- link-degraded

TEST(PciLinkRules, AWidthBelowBothEndsIsADegradedLink) {
  const Draft draft = the("pci.link-degraded", machine_with({narrow_gpu()}));
  EXPECT_EQ(draft.values.at("port"), "0000:00:01.1");
  EXPECT_EQ(draft.values.at("now"), "8");
  EXPECT_EQ(draft.values.at("possible"), "16");
  EXPECT_EQ(draft.evidence.at(0).text, "current_link_width 8");
}

TEST(PciLinkRules, TheLinkBehindTheCardsOwnSwitchIsNotJudged) {
  PciGpu gpu = healthy_gpu();
  gpu.path[0].width_now = seen(8);
  gpu.path[1].width_now = seen(8);
  EXPECT_THAT(ids(machine_with({gpu})), IsEmpty());
  gpu.path[1].device_id = text("10b5:8796");  // a switch of the board
  gpu.path[2].device_id = text("10b5:8796");
  EXPECT_EQ(the("pci.link-degraded", machine_with({gpu})).values.at("port"), "0000:02:00.0");
}

TEST(PciLinkRules, ASlotWithFewerLanesIsOnlyNamedWhereItHasAlmostNone) {
  PciGpu x4 = narrow_gpu(4);
  x4.path[3].width_max = seen(4);
  EXPECT_THAT(ids(machine_with({x4})), IsEmpty());
  PciGpu x1 = narrow_gpu(1);
  x1.path[3].width_max = seen(1);
  const Draft draft = the("pci.link-degraded", machine_with({x1}));
  EXPECT_EQ(draft.variant, "narrow-slot");
  EXPECT_EQ(draft.values.at("possible"), "16");
  PciGpu x4_card = narrow_gpu(1);
  x4_card.path[2].width_max = seen(4);
  x4_card.path[3].width_max = seen(1);
  EXPECT_THAT(ids(machine_with({x4_card})), IsEmpty());
}

TEST(PciLinkRules, SpeedIsNeverJudged) {
  PciGpu gpu = healthy_gpu();
  for (PciPort& p : gpu.path) p.speed_now = seen(2.5);
  EXPECT_THAT(ids(machine_with({gpu})), IsEmpty());
}

TEST(PciLinkRules, AnIdleOrSleepingGpuMayNarrowItsLink) {
  PciGpu idle = narrow_gpu();
  idle.pcie_levels = text("0: 2.5GT/s, x8 81Mhz *\n1: 16.0GT/s, x16 619Mhz ");
  EXPECT_THAT(ids(machine_with({idle})), IsEmpty());
  PciGpu starless = narrow_gpu();
  starless.pcie_levels = text("0: 2.5GT/s, x1 81Mhz \n1: 16.0GT/s, x16 306Mhz ");
  EXPECT_THAT(ids(machine_with({starless})), IsEmpty());
  PciGpu unknown_levels = narrow_gpu();
  unknown_levels.pcie_levels = Observed<std::string>::unobserved("EBUSY");
  EXPECT_THAT(ids(machine_with({unknown_levels})), IsEmpty());
  PciGpu asleep = narrow_gpu();
  asleep.power_state = text("D3hot");
  EXPECT_THAT(ids(machine_with({asleep})), IsEmpty());
  PciGpu suspended = narrow_gpu();
  suspended.runtime_status = text("suspended");
  EXPECT_THAT(ids(machine_with({suspended})), IsEmpty());
}

TEST(PciLinkRules, OneWidthInAllLevelsIsNoIdleState) {
  PciGpu gpu = narrow_gpu();
  gpu.pcie_levels = text("0: 2.5GT/s, x16 619Mhz *\n1: 16.0GT/s, x16 619Mhz ");
  EXPECT_THAT(ids(machine_with({gpu})), ElementsAre("pci.link-degraded@0000:03:00.0"));
  gpu.pcie_levels = Observed<std::string>::absent();
  EXPECT_THAT(ids(machine_with({gpu})), ElementsAre("pci.link-degraded@0000:03:00.0"));
}

TEST(PciLinkRules, LinkDegradedSparesApusVirtualFunctionsAndUnknownPaths) {
  PciGpu apu = narrow_gpu();
  apu.device_id = text("1002:1681");
  EXPECT_THAT(ids(machine_with({apu})), IsEmpty());
  PciGpu virtual_function = narrow_gpu();
  virtual_function.physical_function = text("0000:03:00.0");
  EXPECT_THAT(ids(machine_with({virtual_function})), IsEmpty());
  PciGpu lone = narrow_gpu();
  lone.path.resize(1);
  lone.path[0].width_now = seen(8);
  EXPECT_THAT(ids(machine_with({lone})), IsEmpty());
  PciGpu unknown_slot = narrow_gpu();
  unknown_slot.path[3].width_max = Observed<int>();
  EXPECT_THAT(ids(machine_with({unknown_slot})), IsEmpty());
}

// ---- link-errors

TEST(PciLinkRules, FatalErrorsAndManyCorrectedOnesAreNamed) {
  PciGpu gpu = healthy_gpu();
  gpu.aer = seen(AerCounters{2115, 0, 0, 0}, "/sys/bus/pci/devices/0000:03:00.0/aer_dev_correctable");
  gpu.path[3].aer = seen(AerCounters{0, 0, 2, 0}, "/sys/bus/pci/devices/0000:00:01.1/aer_dev_correctable");
  const Draft draft = the("pci.link-errors", machine_with({gpu}));
  EXPECT_EQ(draft.values.at("ports"), "0000:03:00.0, 0000:00:01.1");
  EXPECT_EQ(draft.evidence.at(0).text, "TOTAL_ERR_COR 2115");
  EXPECT_EQ(draft.evidence.at(1).source, "/sys/bus/pci/devices/0000:00:01.1/aer_dev_fatal");
}

TEST(PciLinkRules, UnsupportedRequestsAndAFewCorrectedErrorsAreNormal) {
  PciGpu gpu = healthy_gpu();
  gpu.aer = seen(AerCounters{999, 4, 0, 4});
  EXPECT_THAT(ids(machine_with({gpu})), IsEmpty());
  gpu.aer = seen(AerCounters{0, 5, 0, 4});
  EXPECT_THAT(ids(machine_with({gpu})), ElementsAre("pci.link-errors@0000:03:00.0"));
  gpu.aer = Observed<AerCounters>::unobserved("EACCES");
  EXPECT_THAT(ids(machine_with({gpu})), IsEmpty());
}

}  // namespace
}  // namespace rocdiag
