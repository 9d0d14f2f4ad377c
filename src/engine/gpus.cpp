// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>

#include "core/pci_address.h"
#include "engine/judge.h"

namespace rocdiag {
namespace {

GpuNode node_of(const KfdNode& node) {
  return {node.id, node.render_minor.optional(), node.compute_units.optional(), node.vram_bytes.optional()};
}

GpuReport from_pci(const PciGpu& gpu, const Knowledge& knowledge) {
  GpuReport report;
  report.pci = gpu.address;
  report.device_id = gpu.device_id.optional();
  report.vram_bytes = gpu.vram_bytes.optional();
  report.numa_node = gpu.numa_node.optional();
  report.driver = gpu.driver.optional();
  if (gpu.gc_version) {
    if (const auto gfx = knowledge.gfx_of_gc(*gpu.gc_version)) {
      report.gfx = gfx;
      report.gfx_from = "ip_discovery";
    }
  }
  return report;
}

// Ids of a node are decimal: 4098 is 0x1002.
std::optional<std::string> device_id_of(const KfdNode& node) {
  if (!node.properties) return std::nullopt;
  const auto vendor = node.properties->find("vendor_id");
  const auto device = node.properties->find("device_id");
  if (vendor == node.properties->end() || device == node.properties->end()) return std::nullopt;
  constexpr const char* kDigits = "0123456789abcdef";
  const auto hex = [&](std::uint64_t value) {
    std::string text(4, '0');
    for (auto c = text.rbegin(); c != text.rend(); ++c, value >>= 4U) *c = kDigits[value & 0xfU];
    return text;
  };
  return hex(vendor->second) + ":" + hex(device->second);
}

void add_node(GpuReport& report, const KfdNode& node) {
  report.nodes.push_back(node_of(node));
  if (node.gfx) {  // KFD knows best: an override changes what the runtime says, never this
    report.gfx = *node.gfx;
    report.gfx_from = "kfd";
  }
  if (!report.device_id) report.device_id = device_id_of(node);
}

// Where PCI did not tell the memory, the nodes do: the sum over the partitions.
void complete(GpuReport& report, const std::optional<std::string>& revision, const Knowledge& knowledge) {
  if (!report.vram_bytes && !report.nodes.empty()) {
    std::uint64_t sum = 0;
    for (const GpuNode& node : report.nodes) sum += node.vram_bytes.value_or(0);
    if (sum > 0) report.vram_bytes = sum;
  }
  if (!report.device_id) return;
  const auto model = knowledge.gpu(*report.device_id, revision);
  if (!model) return;
  report.name = model->name;
  if (!report.gfx) {
    report.gfx = model->gfx;
    report.gfx_from = "device id";
  }
}

}  // namespace

std::vector<GpuReport> gpu_reports(const Facts& facts, const Knowledge& knowledge) {
  std::vector<GpuReport> reports;
  std::map<std::string, std::optional<std::string>> revisions;  // by address
  for (const PciGpu& gpu : facts.pci.gpus) {
    reports.push_back(from_pci(gpu, knowledge));
    revisions[gpu.address] = gpu.revision.optional();
  }
  std::map<std::string, int> seen;  // nodes at the very same address: such an address cannot be trusted
  for (const KfdNode& node : facts.kfd.nodes)
    if (node.is_gpu.is(true) && node.address) ++seen[*node.address];
  for (const KfdNode& node : facts.kfd.nodes) {
    if (!node.is_gpu.is(true)) continue;
    const bool placed = node.address && seen[*node.address] == 1;
    const auto known = std::find_if(reports.begin(), reports.end(), [&](const GpuReport& report) {
      return placed && !report.pci.empty() && slot_of(report.pci) == slot_of(*node.address);
    });
    if (known != reports.end()) {
      add_node(*known, node);
      continue;
    }
    GpuReport report;
    if (placed) report.pci = slot_of(*node.address) + ".0";
    add_node(report, node);
    reports.push_back(std::move(report));
  }
  for (GpuReport& report : reports) complete(report, revisions[report.pci], knowledge);
  std::stable_sort(reports.begin(), reports.end(),
                   [](const GpuReport& a, const GpuReport& b) { return a.pci < b.pci; });
  return reports;
}

}  // namespace rocdiag
