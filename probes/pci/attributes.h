// SPDX-License-Identifier: MIT
// Single attributes of /sys/bus/pci/devices/ADDRESS as facts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rocdiag/facts/pci.h"
#include "rocdiag/snapshot.h"

namespace rocdiag::pci {

inline const std::string kDevices = "/sys/bus/pci/devices";

inline std::string attribute_path(const std::string& address, const std::string& name) {
  return kDevices + "/" + address + "/" + name;
}

// "0000:03:00.0"; the domain has eight digits at most (Intel VMD: "10000:e1:00.0").
bool is_address(const std::string& text);

// Who a function is. Where the attribute was not recorded its uevent says the same.
Observed<std::string> vendor_of(const Snapshot& snapshot, const std::string& address);     // "1002"
Observed<std::string> device_id_of(const Snapshot& snapshot, const std::string& address);  // "1002:73df"
Observed<std::string> class_of(const Snapshot& snapshot, const std::string& address);      // "030000"
Observed<std::string> driver_of(const Snapshot& snapshot, const std::string& address);     // "amdgpu"; absent: none
Observed<std::string> subsystem_of(const Snapshot& snapshot, const std::string& address);  // "1da2:e445"

Observed<std::string> text_attribute(const Snapshot& snapshot, const std::string& address, const std::string& name);
Observed<std::string> hex_attribute(const Snapshot& snapshot, const std::string& address, const std::string& name,
                                    std::size_t digits);
Observed<int> int_attribute(const Snapshot& snapshot, const std::string& address, const std::string& name);
Observed<std::uint64_t> bytes_attribute(const Snapshot& snapshot, const std::string& address, const std::string& name);
Observed<std::string> link_name(const Snapshot& snapshot, const std::string& address, const std::string& name);

// Lanes, "current_link_width": what no link can have (0, 63, 255) is unobserved, for there is no link to speak of.
Observed<int> width_attribute(const Snapshot& snapshot, const std::string& address, const std::string& name);
// Gigatransfers per second, "current_link_speed": "16.0 GT/s PCIe", older kernels "8 GT/s"; "Unknown" is unobserved.
Observed<double> speed_attribute(const Snapshot& snapshot, const std::string& address, const std::string& name);
// aer_dev_correctable, aer_dev_nonfatal and aer_dev_fatal; absent where the device has no AER capability.
Observed<AerCounters> aer_of(const Snapshot& snapshot, const std::string& address);

}  // namespace rocdiag::pci
