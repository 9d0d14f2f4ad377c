// SPDX-License-Identifier: MIT
#include "report/facts_json.h"

#include <nlohmann/json.hpp>

namespace nlohmann {

template <class T>
struct adl_serializer<rocdiag::Observed<T>> {
  static void to_json(json& j, const rocdiag::Observed<T>& observed) {
    if (observed)
      j = *observed;
    else if (observed.is_absent())
      j = nullptr;
    else
      j = {{"unobserved", observed.reason()}};
  }
  static void from_json(const json& j, rocdiag::Observed<T>& observed) {
    if (j.is_null())
      observed = rocdiag::Observed<T>::absent();
    else if (j.is_object() && j.size() == 1 && j.contains("unobserved"))
      observed = rocdiag::Observed<T>::unobserved(j.at("unobserved").template get<std::string>());
    else
      observed = rocdiag::Observed<T>::of(j.template get<T>());
  }
};

}  // namespace nlohmann

namespace rocdiag {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostFacts, os_name, os_id, os_version, kernel_release, machine, uid, wsl)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AerCounters, correctable, nonfatal, fatal, unsupported_requests)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PciPort, address, device_id, width_now, width_max, speed_now, speed_max,
                                   atomics_routing, atomics_completer, aer)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PciBar, index, start, size, memory, prefetchable, assigned)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PciGpu, address, device_id, class_code, revision, subsystem, driver, driver_override,
                                   numa_node, path, bars, vram_bytes, visible_vram_bytes, gtt_bytes, resizable_bar,
                                   pcie_levels, aer, sriov_total, sriov_enabled, physical_function, runtime_status,
                                   power_state, d3cold_allowed, iommu_group, atomics_enabled, answers_config,
                                   gc_version, compute_partition, memory_partition, drm_nodes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OtherGpu, address, device_id, driver)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PciFacts, functions, gpus, others)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceNode, path, type, mode, uid, gid, group_name, open)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KfdMemoryBank, index, properties)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KfdLink, index, peer, properties)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KfdNode, id, hidden, gpu_id, name, properties, memory, links, is_gpu, gfx, address,
                                   render_minor, compute_units, vram_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Account, subject, uid, groups, database_groups)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KfdFacts, kfd, render_nodes, driver_present, node_ids, nodes, generation_before,
                                   generation_after, account, services, udev_rules)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ContainerFacts, kind, user_namespace, scheduler, job_gpus, dri)

nlohmann::json facts_as_json(const Facts& facts) {
  return {{"host", facts.host}, {"pci", facts.pci}, {"kfd", facts.kfd}, {"container", facts.container}};
}

}  // namespace rocdiag
