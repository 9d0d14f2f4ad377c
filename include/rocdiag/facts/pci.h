// SPDX-License-Identifier: MIT
// What the PCI bus says about GPUs. Attribute names and formats: the kernel's
// Documentation/ABI/testing/sysfs-bus-pci and the amdgpu driver's own attributes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rocdiag/observed.h"

namespace rocdiag {

// A base address register. A BAR of size 0 is not implemented and not listed.
struct PciBar {
  int index = 0;
  std::uint64_t start = 0, size = 0;  // bytes
  bool memory = false, prefetchable = false;
  bool assigned = false;  // false: the kernel found no room for it

  bool operator==(const PciBar&) const = default;
};

// Totals since boot.
struct AerCounters {
  std::uint64_t correctable = 0, nonfatal = 0, fatal = 0;
  std::uint64_t unsupported_requests = 0;  // part of nonfatal; boot-time probing makes harmless ones

  bool operator==(const AerCounters&) const = default;
};

// One end of a link. Widths are lanes (1 to 32), speeds gigatransfers per second (2.5 to 64).
struct PciPort {
  std::string address;              // "0000:03:00.0"
  Observed<std::string> device_id;  // "1002:1478"
  Observed<int> width_now, width_max;
  Observed<double> speed_now, speed_max;
  // AtomicOps by Device Capabilities 2: a switch port routes them, a root port completes 32 and 64 bit ones.
  Observed<bool> atomics_routing, atomics_completer;
  Observed<AerCounters> aer;  // of a port; the GPU's own are PciGpu::aer

  bool operator==(const PciPort&) const = default;
};

// A function of vendor 1002 and class 03xx (display) or 12xx (processing accelerator: Instinct).
struct PciGpu {
  std::string address;               // "0000:03:00.0": the key of this GPU everywhere
  Observed<std::string> device_id;   // "1002:73df"
  Observed<std::string> class_code;  // "030000"
  Observed<std::string> revision;    // "c1"
  Observed<std::string> subsystem;   // "1da2:e445"
  Observed<std::string> driver;      // "amdgpu"; absent: none is bound
  Observed<std::string> driver_override;
  Observed<int> numa_node;    // -1: the firmware does not say
  std::vector<PciPort> path;  // from the GPU itself up to the root port
  Observed<std::vector<PciBar>> bars;
  Observed<std::uint64_t> vram_bytes, visible_vram_bytes, gtt_bytes;
  Observed<bool> resizable_bar;       // the device offers it (resourceN_resize is there); Linux 6.1 and later say so
  Observed<std::string> pcie_levels;  // pp_dpm_pcie: link states of the power management, the current one starred
  Observed<AerCounters> aer;
  Observed<int> sriov_total, sriov_enabled;  // virtual functions it could have, and has
  Observed<std::string> physical_function;   // address; absent: this is not a virtual function
  Observed<std::string> runtime_status;      // "active", "suspended" …
  Observed<std::string> power_state;         // "D0", "D3cold" …
  Observed<bool> d3cold_allowed;
  Observed<std::string> iommu_group;  // absent: no IOMMU translates for it
  Observed<bool>
      atomics_enabled;  // Device Control 2, AtomicOp Requester Enable: the driver got atomics to the root port
  Observed<bool> answers_config;                              // false: config space reads all ones, the device is gone
  Observed<std::string> gc_version;                           // "11.0.1": graphics core in ip_discovery
  Observed<std::string> compute_partition, memory_partition;  // "SPX", "NPS1"; MI300 family only
  Observed<std::vector<std::string>> drm_nodes;               // "card1", "renderD128"

  bool operator==(const PciGpu&) const = default;
};

// A display or accelerator function of another vendor.
struct OtherGpu {
  std::string address;
  Observed<std::string> device_id;
  Observed<std::string> driver;

  bool operator==(const OtherGpu&) const = default;
};

struct PciFacts {
  // Functions on the bus. A value means: the listing was whole and every function's vendor and class was read,
  // so that a GPU not listed here is not there.
  Observed<int> functions;
  std::vector<PciGpu> gpus;
  std::vector<OtherGpu> others;

  bool operator==(const PciFacts&) const = default;
};

}  // namespace rocdiag
