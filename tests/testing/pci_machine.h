// SPDX-License-Identifier: MIT
// Facts of the pci domain written down: a healthy GPU, and what tests change about it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "knowledge/knowledge.h"
#include "rocdiag/rule.h"
#include "rules/rules.h"
#include "testing/testing.h"

namespace rocdiag::testing::pci {

template <class T>
Observed<T> seen(T value, const std::string& source = "/sys/somewhere") {
  return Observed<T>::of(std::move(value), {source, 0});
}
inline Observed<std::string> text(const char* value) { return seen<std::string>(value); }

inline PciPort port(const std::string& address, const std::string& id, int now = 16, int max = 16) {
  PciPort p;
  p.address = address;
  p.device_id = seen(id);
  p.width_now = seen(now);
  p.width_max = seen(max);
  p.speed_now = seen(16.0);
  p.speed_max = seen(16.0);
  p.atomics_routing = seen(true);
  p.atomics_completer = seen(true);
  p.aer = seen(AerCounters{});
  return p;
}

// A healthy Radeon RX 6700 XT behind its own switch, as root sees it.
inline PciGpu healthy_gpu(const std::string& address = "0000:03:00.0", const char* id = "1002:73df") {
  PciGpu gpu;
  gpu.address = address;
  gpu.device_id = text(id);
  gpu.class_code = text("030000");
  gpu.revision = text("c1");
  gpu.driver = text("amdgpu");
  gpu.path = {port(address, id), port("0000:02:00.0", "1002:1479"), port("0000:01:00.0", "1002:1478"),
              port("0000:00:01.1", "1022:1633")};
  gpu.bars = seen(std::vector<PciBar>{{0, 0xf800000000, 16ULL << 30U, true, true, true},
                                      {2, 0xfc00000000, 256U << 20U, true, true, true},
                                      {4, 0xe000, 256, false, false, true},
                                      {5, 0xfcb00000, 1U << 20U, true, false, true}});
  gpu.vram_bytes = seen<std::uint64_t>(12ULL << 30U, "/sys/bus/pci/devices/0000:03:00.0/mem_info_vram_total");
  gpu.visible_vram_bytes = seen<std::uint64_t>(12ULL << 30U);
  gpu.pcie_levels = text("0: 2.5GT/s, x1 81Mhz \n1: 16.0GT/s, x16 619Mhz *");
  gpu.aer = seen(AerCounters{}, "/sys/bus/pci/devices/0000:03:00.0/aer_dev_correctable");
  gpu.physical_function = Observed<std::string>::absent();
  gpu.runtime_status = text("active");
  gpu.power_state = text("D0");
  gpu.answers_config = seen(true);
  gpu.atomics_enabled = seen(true);
  return gpu;
}

inline Facts machine_with(std::vector<PciGpu> gpus) {
  Facts facts;
  facts.host.wsl = seen(false);
  facts.pci.functions = seen(14, "/sys/bus/pci/devices");
  facts.pci.gpus = std::move(gpus);
  return facts;
}

inline KfdNode cpu_node() {
  KfdNode node;
  node.is_gpu = seen(false);
  return node;
}

inline KfdNode gpu_node(const std::string& address) {
  KfdNode node;
  node.id = 1;
  node.is_gpu = seen(true);
  node.address = seen(address);
  node.gfx = text("gfx1031");
  return node;
}

// The whole topology was read.
inline void set_kfd(Facts& facts, std::vector<KfdNode> nodes) {
  facts.kfd.driver_present = seen(true);
  std::vector<int> ids;
  for (const KfdNode& node : nodes) ids.push_back(node.id);
  facts.kfd.node_ids = seen(ids, "/sys/class/kfd/kfd/topology/nodes");
  facts.kfd.nodes = std::move(nodes);
}

// What the rules of the pci domain say, by key, and the one draft with an id.
inline std::vector<Draft> judge(const Facts& facts) {
  std::vector<Draft> all;
  for (const Rule& rule : pci_rules())
    for (Draft& draft : rule.judge(facts, Knowledge::embedded())) all.push_back(std::move(draft));
  return all;
}
inline std::vector<std::string> ids(const Facts& facts) { return ids_of(judge(facts)); }
inline Draft the(const std::string& id, const Facts& facts) {
  const auto draft = draft_with_id(judge(facts), id);
  EXPECT_TRUE(draft) << id;
  return draft.value_or(Draft{});
}

// KFD took no GPU, and the root port completes no AtomicOps.
inline Facts without_atomics() {
  PciGpu gpu = healthy_gpu();
  gpu.atomics_enabled = seen(false);
  gpu.path[3].atomics_completer = seen(false);
  Facts facts = machine_with({gpu});
  set_kfd(facts, {cpu_node()});
  return facts;
}

// The slot's link, at both ends.
inline PciGpu narrow_gpu(int now = 8) {
  PciGpu gpu = healthy_gpu();
  gpu.path[2].width_now = seen(now);
  gpu.path[3].width_now = seen(now);
  return gpu;
}

}  // namespace rocdiag::testing::pci
