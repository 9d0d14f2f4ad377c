// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "probes/pci/pci.h"
#include "testing/testing.h"

namespace rocdiag {
namespace {

using ::testing::ElementsAre;
using testing::facts_of;
using testing::LiteralMachine;

const std::string kReal = "/sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:00.0/0000:03:00.0";
const std::string kGpu = "/sys/bus/pci/devices/0000:03:00.0";

void add_port(LiteralMachine& machine, const std::string& real, const std::string& vendor, const std::string& device) {
  const std::string address = real.substr(real.find_last_of('/') + 1);
  machine.link("/sys/bus/pci/devices/" + address, "../../../devices" + real.substr(std::string("/sys/devices").size()));
  machine.file(real + "/vendor", "0x" + vendor + "\n")
      .file(real + "/device", "0x" + device + "\n")
      .file(real + "/class", "0x060400\n")
      .file(real + "/current_link_width", "16\n")
      .file(real + "/max_link_width", "16\n")
      .file(real + "/current_link_speed", "16.0 GT/s PCIe\n")
      .file(real + "/max_link_speed", "16.0 GT/s PCIe\n");
}

// A Radeon RX 6700 XT behind its own switch, as a user without privileges sees it.
LiteralMachine rx6700xt() {
  LiteralMachine machine;
  machine.release("6.8.0-49-generic");
  add_port(machine, "/sys/devices/pci0000:00/0000:00:01.1", "1022", "1633");
  add_port(machine, "/sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0", "1002", "1478");
  add_port(machine, "/sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:00.0", "1002", "1479");
  machine.link(kGpu, "../../../devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:00.0/0000:03:00.0")
      .file(kReal + "/vendor", "0x1002\n")
      .file(kReal + "/device", "0x73df\n")
      .file(kReal + "/class", "0x030000\n")
      .file(kReal + "/revision", "0xc1\n")
      .file(kReal + "/subsystem_vendor", "0x1da2\n")
      .file(kReal + "/subsystem_device", "0xe445\n")
      .file(kReal + "/uevent", "DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=1002:73DF\nPCI_SUBSYS_ID=1DA2:E445\n")
      .link(kReal + "/driver", "../../../../../../bus/pci/drivers/amdgpu")
      .link(kReal + "/iommu_group", "../../../../../../kernel/iommu_groups/16")
      .file(kReal + "/driver_override", "(null)\n")
      .file(kReal + "/numa_node", "-1\n")
      .file(kReal + "/power/runtime_status", "active\n")
      .file(kReal + "/power_state", "D0\n")
      .file(kReal + "/d3cold_allowed", "1\n")
      .file(kReal + "/current_link_width", "16\n")
      .file(kReal + "/max_link_width", "16\n")
      .file(kReal + "/current_link_speed", "8 GT/s\n")
      .file(kReal + "/max_link_speed", "16.0 GT/s PCIe\n")
      .file(kReal + "/mem_info_vram_total", "12868124672\n")
      .file(kReal + "/mem_info_vis_vram_total", "12868124672\n")
      .file(kReal + "/mem_info_gtt_total", "16742928384\n")
      .file(kReal + "/pp_dpm_pcie", "0: 2.5GT/s, x1 81Mhz \n1: 16.0GT/s, x16 619Mhz *\n")
      .file(kReal + "/aer_dev_correctable", "RxErr 2\nBadTLP 1\nTOTAL_ERR_COR 3\n")
      .file(kReal + "/aer_dev_nonfatal", "Undefined 0\nUnsupReq 4\nTOTAL_ERR_NONFATAL 5\n")
      .file(kReal + "/aer_dev_fatal", "Undefined 0\nTOTAL_ERR_FATAL 0\n")
      .file(kReal + "/ip_discovery/die/0/11/0/major", "10\n")
      .file(kReal + "/ip_discovery/die/0/11/0/minor", "3\n")
      .file(kReal + "/ip_discovery/die/0/11/0/revision", "2\n")
      .file(kReal + "/resource0_resize", "0000000000007f00\n")
      .folder(kReal + "/drm/card1")
      .folder(kReal + "/drm/renderD128");
  return machine;
}

TEST(PciProbe, ReadsAGpuAsAnOrdinaryUserSeesIt) {
  const PciFacts pci = facts_of(rx6700xt()).pci;
  EXPECT_TRUE(pci.functions.is(4));
  ASSERT_EQ(pci.gpus.size(), 1U);
  const PciGpu& gpu = pci.gpus.front();
  EXPECT_EQ(gpu.address, "0000:03:00.0");
  EXPECT_TRUE(gpu.device_id.is("1002:73df"));
  EXPECT_TRUE(gpu.revision.is("c1"));
  EXPECT_TRUE(gpu.subsystem.is("1da2:e445"));
  EXPECT_TRUE(gpu.driver.is("amdgpu"));
  EXPECT_TRUE(gpu.driver_override.is_absent());
  EXPECT_TRUE(gpu.numa_node.is(-1));
  EXPECT_TRUE(gpu.vram_bytes.is(12868124672));
  EXPECT_TRUE(gpu.resizable_bar.is(true));
  EXPECT_TRUE(gpu.gc_version.is("10.3.2"));
  EXPECT_TRUE(gpu.iommu_group.is("16"));
  EXPECT_TRUE(gpu.physical_function.is_absent());
  EXPECT_TRUE(gpu.d3cold_allowed.is(true));
  EXPECT_TRUE(gpu.compute_partition.is_absent());
  ASSERT_TRUE(gpu.drm_nodes);
  EXPECT_THAT(*gpu.drm_nodes, ElementsAre("card1", "renderD128"));
  EXPECT_EQ(gpu.vram_bytes.where().source, kGpu + "/mem_info_vram_total");
}

TEST(PciProbe, FollowsThePathUpToTheRootPort) {
  const PciGpu gpu = facts_of(rx6700xt()).pci.gpus.at(0);
  std::vector<std::string> ids;
  for (const PciPort& port : gpu.path) ids.push_back(port.device_id.optional().value_or("?"));
  EXPECT_THAT(ids, ElementsAre("1002:73df", "1002:1479", "1002:1478", "1022:1633"));
  EXPECT_TRUE(gpu.path[0].speed_now.is(8.0));
  EXPECT_TRUE(gpu.path[3].speed_now.is(16.0));
  EXPECT_TRUE(gpu.path[3].width_max.is(16));
}

TEST(PciProbe, CountsErrorsAndKeepsUnsupportedRequestsApart) {
  const PciGpu gpu = facts_of(rx6700xt()).pci.gpus.at(0);
  ASSERT_TRUE(gpu.aer);
  EXPECT_EQ(*gpu.aer, (AerCounters{3, 5, 0, 4}));
  EXPECT_TRUE(gpu.path[1].aer.is_absent());
}

TEST(PciProbe, ReadsTheCounterNamesOfOldKernels) {
  LiteralMachine machine = rx6700xt();
  machine.file(kReal + "/aer_dev_nonfatal", "Unsupported Request 7\nTOTAL_ERR_NONFATAL 7\n");
  EXPECT_EQ(facts_of(machine).pci.gpus.at(0).aer->unsupported_requests, 7U);
}

TEST(PciProbe, ValuesThatNoLinkHasAreUnobserved) {
  LiteralMachine machine = rx6700xt();
  machine.file(kReal + "/current_link_width", "63\n")
      .file(kReal + "/max_link_width", "255\n")
      .file(kReal + "/current_link_speed", "Unknown\n");
  const PciPort port = facts_of(machine).pci.gpus.at(0).path.at(0);
  EXPECT_TRUE(port.width_now.is_unobserved());
  EXPECT_TRUE(port.width_max.is_unobserved());
  EXPECT_TRUE(port.speed_now.is_unobserved());
}

TEST(PciProbe, LeavesASleepingGpuAlone) {
  for (const char* status : {"suspended\n", "suspending\n"}) {
    LiteralMachine machine = rx6700xt();
    machine.file(kReal + "/power/runtime_status", status);
    const Facts facts = facts_of(machine);
    const PciGpu& gpu = facts.pci.gpus.at(0);
    EXPECT_TRUE(gpu.driver.is("amdgpu"));
    EXPECT_TRUE(gpu.vram_bytes.is_unobserved());
    EXPECT_TRUE(gpu.path.at(0).width_max.is_unobserved());
    for (const Question& question : pci_questions(facts))
      for (const char* waking : {"/config", "link_width", "link_speed", "mem_info", "pp_dpm", "ip_discovery"})
        EXPECT_EQ(question.path.find(waking), std::string::npos) << question.path;
  }
}

TEST(PciProbe, AStatusThatCouldNotBeReadIsNoLeaveToWake) {
  LiteralMachine machine = rx6700xt();
  machine.error(kReal + "/power/runtime_status", "EIO");
  EXPECT_TRUE(facts_of(machine).pci.gpus.at(0).vram_bytes.is_unobserved());
}

TEST(PciProbe, AKernelWithoutRuntimePowerManagementAndARecordingWithoutStatusAreAsked) {
  LiteralMachine without = rx6700xt();
  without.error(kReal + "/power/runtime_status", "ENOENT");
  EXPECT_TRUE(facts_of(without).pci.gpus.at(0).vram_bytes.has_value());

  LiteralMachine unsupported = rx6700xt();
  unsupported.file(kReal + "/power/runtime_status", "unsupported\n");
  EXPECT_TRUE(facts_of(unsupported).pci.gpus.at(0).vram_bytes.has_value());

  // As in a dump by hand: the folder of the device was never listed.
  Snapshot recorded = rx6700xt().snapshot();
  recorded.files.erase(kReal + "/power/runtime_status");
  recorded.listings.erase(kReal + "/power");
  recorded.listings.erase(kReal);
  Facts facts;
  gather_pci(recorded, facts);
  facts.pci.gpus.clear();
  PciGpu gpu;
  gpu.runtime_status = Observed<std::string>::unobserved(describe(Error{Errc::not_recorded, 0, {}}));
  gpu.address = "0000:03:00.0";
  facts.pci.gpus.push_back(gpu);
  const auto questions = pci_questions(facts);
  EXPECT_NE(std::find(questions.begin(), questions.end(), read_file(kGpu + "/mem_info_vram_total")), questions.end());
}

TEST(PciProbe, OnlyRootLearnsOfAtomics) {
  std::string config(64, '\0');
  config[0] = 0x02;
  config[1] = 0x10;
  config[6] = 0x10;
  config[0x34] = 0x64;
  LiteralMachine user = rx6700xt();
  user.file(kReal + "/config", config);
  EXPECT_TRUE(facts_of(user).pci.gpus.at(0).answers_config.is(true));
  EXPECT_TRUE(facts_of(user).pci.gpus.at(0).atomics_enabled.is_unobserved());

  config.resize(256);
  config[0x64] = 0x10;
  config[0x66] = 0x02;
  LiteralMachine root = rx6700xt();
  root.file(kReal + "/config", config);
  EXPECT_TRUE(facts_of(root).pci.gpus.at(0).atomics_enabled.is(false));
  EXPECT_TRUE(facts_of(root).pci.gpus.at(0).path.at(0).atomics_routing.is(false));
}

TEST(PciProbe, NoAnswerFromConfigurationSpaceIsAFact) {
  LiteralMachine machine = rx6700xt();
  machine.file(kReal + "/config", std::string(256, '\xff'));
  EXPECT_TRUE(facts_of(machine).pci.gpus.at(0).answers_config.is(false));
}

TEST(PciProbe, TheUeventSpeaksWhereAttributesWereNotRecorded) {
  LiteralMachine machine;
  machine.file(kGpu + "/uevent", "DRIVER=vfio-pci\nPCI_CLASS=38000\nPCI_ID=1002:740F\nPCI_SUBSYS_ID=1002:0C34\n");
  const Facts facts = facts_of(machine);
  ASSERT_EQ(facts.pci.gpus.size(), 1U);
  EXPECT_TRUE(facts.pci.gpus[0].device_id.is("1002:740f"));
  EXPECT_TRUE(facts.pci.gpus[0].class_code.is("038000"));
  EXPECT_TRUE(facts.pci.gpus[0].subsystem.is("1002:0c34"));
  EXPECT_TRUE(facts.pci.gpus[0].driver.is("vfio-pci"));
}

TEST(PciProbe, NoDriverLineMeansThatNoneIsBound) {
  LiteralMachine machine;
  machine.file(kGpu + "/uevent", "PCI_CLASS=30000\nPCI_ID=1002:73DF\n");
  EXPECT_TRUE(facts_of(machine).pci.gpus.at(0).driver.is_absent());
}

TEST(PciProbe, AcceleratorsAreGpusAndTheirAudioIsNot) {
  LiteralMachine machine;
  machine.file("/sys/bus/pci/devices/0000:05:00.0/uevent", "PCI_CLASS=120000\nPCI_ID=1002:74A1\n")
      .file("/sys/bus/pci/devices/0000:05:00.1/uevent", "PCI_CLASS=40300\nPCI_ID=1002:AB28\n");
  const PciFacts pci = facts_of(machine).pci;
  EXPECT_TRUE(pci.functions.is(2));
  ASSERT_EQ(pci.gpus.size(), 1U);
  EXPECT_EQ(pci.gpus[0].address, "0000:05:00.0");
}

TEST(PciProbe, GpusOfOthersAreListedApart) {
  LiteralMachine machine;
  machine.file("/sys/bus/pci/devices/0000:01:00.0/uevent", "DRIVER=nvidia\nPCI_CLASS=30000\nPCI_ID=10DE:2704\n")
      .file("/sys/bus/pci/devices/a8d1:00:00.0/uevent", "DRIVER=dxgkrnl\nPCI_CLASS=30200\nPCI_ID=1414:008E\n");
  const PciFacts pci = facts_of(machine).pci;
  EXPECT_TRUE(pci.gpus.empty());
  ASSERT_EQ(pci.others.size(), 2U);
  EXPECT_TRUE(pci.others[0].device_id.is("10de:2704"));
  EXPECT_TRUE(pci.others[0].driver.is("nvidia"));
}

TEST(PciProbe, OneUnreadFunctionMakesTheListingIncomplete) {
  LiteralMachine machine = rx6700xt();
  machine.folder("/sys/bus/pci/devices/0000:00:18.0");
  EXPECT_TRUE(facts_of(machine).pci.functions.is_unobserved());
  EXPECT_EQ(facts_of(machine).pci.gpus.size(), 1U);

  LiteralMachine odd = rx6700xt();
  odd.file("/sys/bus/pci/devices/not-an-address/vendor", "0x1002\n")
      .file("/sys/bus/pci/devices/not-an-address/class", "0x030000\n");
  EXPECT_TRUE(facts_of(odd).pci.functions.is_unobserved());
  EXPECT_EQ(facts_of(odd).pci.gpus.size(), 1U);
}

TEST(PciProbe, AListingThatFailedIsNotAnEmptyBus) {
  LiteralMachine machine;
  machine.error("/sys/bus/pci/devices", "EACCES");
  EXPECT_TRUE(facts_of(machine).pci.functions.is_unobserved());
  EXPECT_EQ(facts_of(machine).pci.functions.reason(), "EACCES");
  EXPECT_EQ(facts_of(LiteralMachine()).pci.functions.reason(), "not recorded");
}

TEST(PciProbe, AMissingResizeFileSaysSomethingOnlyOnKernelsThatHaveIt) {
  LiteralMachine with = rx6700xt();
  with.error(kReal + "/resource0_resize", "ENOENT");
  EXPECT_TRUE(facts_of(with).pci.gpus.at(0).resizable_bar.is(false));
  with.release("5.15.0-91-generic");
  EXPECT_TRUE(facts_of(with).pci.gpus.at(0).resizable_bar.is_unobserved());
}

TEST(PciProbe, AVirtualFunctionNamesItsPhysicalOne) {
  LiteralMachine machine = rx6700xt();
  machine.link(kReal + "/physfn", "../0000:02:00.0");
  EXPECT_TRUE(facts_of(machine).pci.gpus.at(0).physical_function.is("0000:02:00.0"));
}

TEST(PciProbe, DomainsOfEightDigitsAreAddressesToo) {
  LiteralMachine machine;
  machine.file("/sys/bus/pci/devices/10000:e1:00.0/uevent", "PCI_CLASS=30000\nPCI_ID=1002:744C\n")
      .link("/sys/bus/pci/devices/10000:e1:00.0",
            "../../../devices/pci0000:e0/0000:e0:0e.0/pci10000:e0/10000:e0:06.0/10000:e1:00.0");
  machine.file("/sys/devices/pci0000:e0/0000:e0:0e.0/pci10000:e0/10000:e0:06.0/10000:e1:00.0/uevent",
               "PCI_CLASS=30000\nPCI_ID=1002:744C\n");
  const PciFacts pci = facts_of(machine).pci;
  ASSERT_EQ(pci.gpus.size(), 1U);
  ASSERT_EQ(pci.gpus[0].path.size(), 2U);
  EXPECT_EQ(pci.gpus[0].path[1].address, "10000:e0:06.0");
}

}  // namespace
}  // namespace rocdiag
