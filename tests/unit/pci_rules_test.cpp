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

TEST(PciRules, AHealthyGpuGivesNothing) { EXPECT_THAT(ids(machine_with({healthy_gpu()})), IsEmpty()); }

TEST(PciRules, FactsThatNobodySawGiveNothing) {
  EXPECT_THAT(ids(Facts{}), IsEmpty());
  PciGpu bare;
  bare.address = "0000:03:00.0";
  EXPECT_THAT(ids(machine_with({bare})), IsEmpty());
  bare.device_id = text("1002:73df");
  EXPECT_THAT(ids(machine_with({bare})), IsEmpty());
}

// ---- no-gpu

TEST(PciRules, AWholeListingWithoutAnAmdGpuIsNoGpu) {
  const Draft draft = the("pci.no-gpu", machine_with({}));
  EXPECT_EQ(draft.subject, "");
  EXPECT_EQ(draft.variant, "");
  EXPECT_EQ(draft.evidence.at(0).source, "/sys/bus/pci/devices");
  EXPECT_THAT(draft.evidence.at(0).text, HasSubstr("14 functions, none of vendor 1002"));
}

TEST(PciRules, NoGpuNamesTheGpusThatAreThere) {
  Facts facts = machine_with({});
  facts.pci.others.push_back({"0000:01:00.0", text("10de:2704"), text("nvidia")});
  EXPECT_EQ(the("pci.no-gpu", facts).variant, "other-gpu");
  EXPECT_EQ(the("pci.no-gpu", facts).values.at("others"), "10de:2704 at 0000:01:00.0");
  facts.pci.others = {{"0000:00:02.0", text("1234:1111"), text("bochs-drm")}};
  EXPECT_EQ(the("pci.no-gpu", facts).variant, "guest");
}

TEST(PciRules, NoGpuNeedsTheWholeListing) {
  Facts facts = machine_with({});
  facts.pci.functions = Observed<int>::unobserved("EACCES");
  EXPECT_THAT(ids(facts), IsEmpty());
  facts.pci.functions = Observed<int>::absent();
  EXPECT_THAT(ids(facts), IsEmpty());
}

TEST(PciRules, NoGpuIsNormalUnderWslAndWrongWhereKfdHasOne) {
  Facts wsl = machine_with({});
  wsl.host.wsl = seen(true);
  EXPECT_THAT(ids(wsl), IsEmpty());
  Facts unknown = machine_with({});
  unknown.host.wsl = Observed<bool>();
  EXPECT_THAT(ids(unknown), ElementsAre("pci.no-gpu"));
  Facts contradicted = machine_with({});
  set_kfd(contradicted, {cpu_node(), gpu_node("0000:03:00.0")});
  EXPECT_THAT(ids(contradicted), IsEmpty());
}

// ---- gpu-too-old, gpu-unlisted

TEST(PciRules, GpusThatKfdNeverTookAreTooOld) {
  const Facts facts = machine_with({healthy_gpu("0000:01:00.0", "1002:6818")});  // Pitcairn
  const Draft draft = the("pci.gpu-too-old", facts);
  EXPECT_FALSE(draft.severity);
  EXPECT_EQ(draft.values.at("generation"), "GCN 1");
  EXPECT_EQ(ids(facts).size(), 1U);
}

TEST(PciRules, AnUnknownGpuUnderRadeonIsTooOldAndAKnownOneIsJudgedByItsModel) {
  PciGpu aruba = healthy_gpu("0000:00:01.0", "1002:9901");
  aruba.driver = text("radeon");
  EXPECT_EQ(the("pci.gpu-too-old", machine_with({aruba})).variant, "radeon");
  PciGpu hawaii = healthy_gpu("0000:02:00.0", "1002:67b1");
  hawaii.driver = text("radeon");
  EXPECT_THAT(ids(machine_with({hawaii})), IsEmpty());
}

TEST(PciRules, AnOldGpuBesideOneThatComputesIsOnlyWorthAWord) {
  const Facts facts = machine_with({healthy_gpu("0000:01:00.0", "1002:6818"), healthy_gpu()});
  EXPECT_EQ(the("pci.gpu-too-old", facts).severity, Severity::info);
  const Facts two_old =
      machine_with({healthy_gpu("0000:01:00.0", "1002:6818"), healthy_gpu("0000:02:00.0", "1002:6818")});
  for (const Draft& draft : judge(two_old)) EXPECT_FALSE(draft.severity);
}

TEST(PciRules, AGpuThatKfdTookIsNotTooOld) {
  Facts facts = machine_with({healthy_gpu("0000:01:00.0", "1002:6818")});
  set_kfd(facts, {cpu_node(), gpu_node("0000:01:00.0")});
  EXPECT_THAT(ids(facts), IsEmpty());
}

TEST(PciRules, AnIdOutsideTheTablesIsUnlistedAndNothingWorse) {
  PciGpu unknown = healthy_gpu("0000:03:00.0", "1002:fffe");
  EXPECT_THAT(ids(machine_with({unknown})), ElementsAre("pci.gpu-unlisted@0000:03:00.0"));
  unknown.device_id = Observed<std::string>::unobserved("EIO");
  EXPECT_THAT(ids(machine_with({unknown})), IsEmpty());
}

// ---- vfio-bound

TEST(PciRules, AGpuUnderVfioIsNamed) {
  PciGpu gpu = healthy_gpu();
  gpu.driver = text("vfio-pci");
  gpu.driver_override = text("vfio-pci");
  const Draft draft = the("pci.vfio-bound", machine_with({gpu}));
  EXPECT_FALSE(draft.severity);
  EXPECT_EQ(draft.evidence.size(), 2U);
}

TEST(PciRules, AHostThatLendsOneGpuAndKeepsAnotherIsNotBroken) {
  PciGpu lent = healthy_gpu("0000:0a:00.0");
  lent.driver = text("vfio-pci");
  EXPECT_EQ(the("pci.vfio-bound", machine_with({healthy_gpu(), lent})).severity, Severity::info);
  PciGpu also_lent = healthy_gpu();
  also_lent.driver = text("vfio-pci");
  for (const Draft& draft : judge(machine_with({also_lent, lent}))) EXPECT_FALSE(draft.severity);
}

TEST(PciRules, AGpuWithoutADriverIsNotUnderVfio) {
  PciGpu gpu = healthy_gpu();
  gpu.driver = Observed<std::string>::absent();
  EXPECT_THAT(ids(machine_with({gpu})), IsEmpty());
}

// ---- device-lost

TEST(PciRules, AnAwakeGpuThatDoesNotAnswerIsLost) {
  PciGpu gpu = healthy_gpu();
  gpu.answers_config = seen(false);
  EXPECT_EQ(the("pci.device-lost", machine_with({gpu})).confidence, Confidence::confirmed);
  gpu.power_state = Observed<std::string>();  // old kernels do not say
  EXPECT_THAT(ids(machine_with({gpu})), ElementsAre("pci.device-lost@0000:03:00.0"));
}

TEST(PciRules, ASleepingGpuAndAVirtualFunctionReadAllOnesByDesign) {
  PciGpu gpu = healthy_gpu();
  gpu.answers_config = seen(false);
  PciGpu asleep = gpu;
  asleep.runtime_status = text("suspended");
  EXPECT_THAT(ids(machine_with({asleep})), IsEmpty());
  PciGpu cold = gpu;
  cold.power_state = text("D3cold");
  EXPECT_THAT(ids(machine_with({cold})), IsEmpty());
  PciGpu unknown = gpu;
  unknown.runtime_status = Observed<std::string>();
  EXPECT_THAT(ids(machine_with({unknown})), IsEmpty());
  PciGpu virtual_function = gpu;
  virtual_function.physical_function = text("0000:02:00.0");
  EXPECT_THAT(ids(machine_with({virtual_function})), IsEmpty());
}

}  // namespace
}  // namespace rocdiag
