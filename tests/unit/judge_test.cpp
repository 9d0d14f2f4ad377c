// SPDX-License-Identifier: MIT
// From facts to a verdict: what the layers, the GPUs and the commands of the report are.
#include "engine/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/check.h"
#include "source/recorded.h"
#include "testing/testing.h"

namespace rocdiag {
namespace {

using ::testing::ElementsAre;
using testing::LiteralMachine;
using ::testing::SizeIs;

const std::string kNode0 = "/sys/class/kfd/kfd/topology/nodes/0";
const std::string kNode1 = "/sys/class/kfd/kfd/topology/nodes/1";
const std::string kGpu = "/sys/bus/pci/devices/0000:03:00.0";

LiteralMachine machine_with_gpu() {
  LiteralMachine machine;
  machine.release("6.8.0-49-generic")
      .file(kGpu + "/vendor", "0x1002\n")
      .file(kGpu + "/device", "0x73df\n")
      .file(kGpu + "/class", "0x030000\n")
      .file(kGpu + "/revision", "0xc1\n")
      .link(kGpu + "/driver", "../../../bus/pci/drivers/amdgpu")
      .file(kNode0 + "/gpu_id", "0\n")
      .file(kNode0 + "/properties", "cpu_cores_count 16\nsimd_count 0\n")
      .file(kNode1 + "/gpu_id", "35218\n")
      .file(
          kNode1 + "/properties",
          "simd_count 80\nsimd_per_cu 2\ngfx_target_version 100301\nlocation_id 768\ndomain 0\ndrm_render_minor 128\n")
      .file("/etc/group", "root:x:0:\nrender:x:992:\ndev:x:1000:\n")
      .file("/etc/passwd", "root:x:0:0::/root:/bin/sh\ndev:x:1000:1000::/home/dev:/bin/sh\n")
      .device("/dev/dri/renderD128", 0660, 0, 992, "ok");
  return machine;
}

Report report_of(const LiteralMachine& machine, const Selection& selection = {}) {
  RecordedSource source({machine.snapshot()});
  return check(source, selection, std::chrono::seconds(10)).report;
}

LayerReport layer_of(const Report& report, Layer layer) { return report.layers.at(static_cast<std::size_t>(layer)); }

TEST(Judge, WhatWorksIsStillUnknownUntilAProgramRan) {
  LiteralMachine machine = machine_with_gpu();
  machine.device("/dev/kfd", 0660, 0, 992, "ok").identity(1000, "dev", {{1000, "dev"}, {992, "render"}});
  const Report report = report_of(machine);
  EXPECT_EQ(layer_of(report, Layer::pci).status, LayerStatus::pass);
  EXPECT_EQ(layer_of(report, Layer::kfd).status, LayerStatus::pass);
  EXPECT_EQ(layer_of(report, Layer::hip).status, LayerStatus::skipped);
  EXPECT_EQ(report.verdict, Verdict::unknown);
}

TEST(Judge, LayersAboveABrokenOneWaitForIt) {
  LiteralMachine machine = machine_with_gpu();
  machine.device("/dev/kfd", 0660, 0, 992, "EACCES").identity(1000, "dev", {{1000, "dev"}});
  const Report report = report_of(machine);
  EXPECT_EQ(report.verdict, Verdict::broken);
  EXPECT_EQ(layer_of(report, Layer::kfd).status, LayerStatus::fail);
  EXPECT_EQ(layer_of(report, Layer::hsa).status, LayerStatus::blocked);
  EXPECT_EQ(layer_of(report, Layer::hsa).blocked_by, Layer::kfd);
  EXPECT_EQ(layer_of(report, Layer::kernel).status, LayerStatus::skipped);  // it stands below
}

TEST(Judge, LeftOutLayersAreSkippedAndNeverBlocked) {
  LiteralMachine machine = machine_with_gpu();
  machine.device("/dev/kfd", 0660, 0, 992, "EACCES").identity(1000, "dev", {{1000, "dev"}});
  const Report report = report_of(machine, {{"pci", "kfd"}, {}});
  EXPECT_EQ(layer_of(report, Layer::app).status, LayerStatus::skipped);
  const Report only_pci = report_of(machine, {{"pci"}, {}});
  EXPECT_THAT(only_pci.findings, SizeIs(0));
}

TEST(Judge, RootGetsCommandsWithoutSudo) {
  LiteralMachine machine = machine_with_gpu();
  machine.device("/dev/kfd", 0660, 0, 992, "EINVAL").identity(0, "root", {{0, "root"}});
  LiteralMachine bare;  // its remedy has sudo behind a pipe
  bare.folder("/sys/bus/pci/devices").identity(0, "root", {{0, "root"}});
  for (const Report& report : {report_of(machine), report_of(bare)}) {
    ASSERT_FALSE(report.findings.empty());
    for (const Finding& finding : report.findings)
      for (const Remedy& remedy : finding.remedies)
        for (const std::string& command : remedy.commands)
          EXPECT_EQ(command.find("sudo "), std::string::npos) << command;
  }
}

TEST(Judge, TheAccountThatCalledSudoKeepsItsOwnCommands) {
  LiteralMachine machine = machine_with_gpu();
  machine.device("/dev/kfd", 0660, 0, 992, "ok").identity(0, "root", {{0, "root"}}).variable("SUDO_USER", "dev");
  const Report report = report_of(machine);
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_EQ(report.findings[0].key(), "kfd.permission@sudo");
  EXPECT_THAT(report.findings[0].remedies.at(0).commands, ElementsAre("sudo usermod -aG render $USER"));
}

TEST(Judge, TheReportNamesNoAccount) {
  LiteralMachine machine = machine_with_gpu();
  machine.device("/dev/kfd", 0660, 0, 992, "EACCES").identity(1000, "dev", {{1000, "dev"}});
  for (const Finding& finding : report_of(machine).findings) {
    EXPECT_EQ(finding.detail.find("dev,"), std::string::npos);
    for (const Evidence& e : finding.evidence) EXPECT_EQ(e.text.find(" dev"), std::string::npos) << e.text;
  }
}

TEST(Judge, PartitionsAreNodesOfOneGpu) {
  LiteralMachine machine = machine_with_gpu();
  for (const int part : {2, 3})
    machine.file("/sys/class/kfd/kfd/topology/nodes/" + std::to_string(part) + "/properties",
                 "simd_count 80\nsimd_per_cu 2\ngfx_target_version 100301\nlocation_id " + std::to_string(767 + part) +
                     "\ndomain 0\ndrm_render_minor " + std::to_string(127 + part) + "\n");
  const Report report = report_of(machine);
  ASSERT_THAT(report.gpus, SizeIs(1));
  EXPECT_THAT(report.gpus[0].nodes, SizeIs(3));
  EXPECT_EQ(report.gpus[0].gfx, "gfx1031");
  EXPECT_EQ(report.gpus[0].gfx_from, "kfd");
  EXPECT_EQ(report.gpus[0].name, "AMD Radeon RX 6700 XT");
}

}  // namespace
}  // namespace rocdiag
