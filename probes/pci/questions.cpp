// SPDX-License-Identifier: MIT
#include <array>
#include <string_view>

#include "probes/pci/attributes.h"
#include "probes/pci/pci.h"

namespace rocdiag {
namespace {

using pci::attribute_path;

// Of every function. The power status comes first of all: it decides what else a GPU may be asked.
constexpr std::array kOfEveryFunction{"vendor", "device", "class", "uevent", "power/runtime_status"};

// The kernel answers these from memory, so they wake nothing.
constexpr std::array kFromMemory{"revision",           "subsystem_vendor", "subsystem_device", "driver_override",
                                 "numa_node",          "resource",         "sriov_totalvfs",   "sriov_numvfs",
                                 "power_state",        "d3cold_allowed",   "aer_dev_fatal",    "aer_dev_nonfatal",
                                 "aer_dev_correctable"};
constexpr std::array kLinksFromMemory{"driver", "physfn", "iommu_group"};
constexpr std::array kOfPortsFromMemory{"aer_dev_fatal", "aer_dev_nonfatal", "aer_dev_correctable"};

// Configuration space. Since Linux 6.18 max_link_width wakes a device too.
constexpr std::array kFromDevice{"current_link_width", "current_link_speed", "max_link_width", "max_link_speed",
                                 "config"};
// Answered by amdgpu. The graphics core has the hardware id 11 in ip_discovery.
constexpr std::array kFromDriver{"mem_info_vram_total",
                                 "mem_info_vis_vram_total",
                                 "mem_info_gtt_total",
                                 "pp_dpm_pcie",
                                 "current_compute_partition",
                                 "current_memory_partition",
                                 "ip_discovery/die/*/11/*/major",
                                 "ip_discovery/die/*/11/*/minor",
                                 "ip_discovery/die/*/11/*/revision"};

template <class Names>
void read_all(const std::string& address, const Names& names, std::vector<Question>& questions) {
  for (const std::string_view name : names) questions.push_back(read_file(attribute_path(address, std::string(name))));
}

// A recording cannot be woken: where it holds no status there is nothing to spare. On a live machine the first round
// always has an answer, and one that failed forbids the rest.
bool may_be_woken(const PciGpu& gpu) {
  const Observed<std::string>& status = gpu.runtime_status;
  if (status) return *status != "suspended" && *status != "suspending";
  return status.is_absent() || status.reason() == describe(Error{Errc::not_recorded, 0, {}});
}

void ask_gpu(const PciGpu& gpu, std::vector<Question>& questions) {
  read_all(gpu.address, kFromMemory, questions);
  for (const char* name : kLinksFromMemory) questions.push_back(resolve_link(attribute_path(gpu.address, name)));
  questions.push_back(stat_file(attribute_path(gpu.address, "resource0_resize")));
  questions.push_back(list_folder(attribute_path(gpu.address, "drm")));
  for (std::size_t i = 1; i < gpu.path.size(); ++i) read_all(gpu.path[i].address, kOfPortsFromMemory, questions);
  if (!may_be_woken(gpu)) return;
  for (const PciPort& port : gpu.path) read_all(port.address, kFromDevice, questions);
  questions.push_back(list_folder(attribute_path(gpu.address, "ip_discovery/die")));
  read_all(gpu.address, kFromDriver, questions);
}

}  // namespace

std::vector<Question> pci_questions(const Facts& facts) {
  std::vector<Question> questions{list_folder(pci::kDevices), resolve_link(pci::kDevices + "/*")};
  read_all("*", kOfEveryFunction, questions);
  for (const PciGpu& gpu : facts.pci.gpus) ask_gpu(gpu, questions);
  return questions;
}

}  // namespace rocdiag
