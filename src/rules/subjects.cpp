// SPDX-License-Identifier: MIT
#include "rules/subjects.h"

#include "core/pci_address.h"

namespace rocdiag {

std::optional<GpuModel> model_of(const PciGpu& gpu, const Knowledge& knowledge) {
  if (!gpu.device_id) return std::nullopt;
  return knowledge.gpu(*gpu.device_id, gpu.revision.optional());
}

bool may_compute(const PciGpu& gpu, const Knowledge& knowledge) {
  const auto model = model_of(gpu, knowledge);
  return !model || model->kfd_supported;
}

bool is_node_of(const KfdNode& node, const PciGpu& gpu) {
  if (!node.address) return false;
  const std::string in_kfd = slot_of(*node.address);
  const std::string on_bus = slot_of(gpu.address);
  if (node.properties && node.properties->count("domain") > 0) return in_kfd == on_bus;
  const std::size_t a = in_kfd.find(':');
  const std::size_t b = on_bus.find(':');
  return a != std::string::npos && b != std::string::npos && in_kfd.substr(a) == on_bus.substr(b);
}

}  // namespace rocdiag
