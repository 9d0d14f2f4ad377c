// SPDX-License-Identifier: MIT
// Which GPUs are on the PCI bus, and in what state? Ordinary users learn all but the capabilities in configuration
// space. Asleep GPUs are left asleep (README.md).
//   /sys/bus/pci/devices/0000:0c:00.0/resource: 0x000000f800000000 0x000000fbffffffff 0x000000000014220c
#include <algorithm>

#include "core/pattern.h"
#include "probes/pci/attributes.h"
#include "probes/pci/pci.h"
#include "readers/pci_config.h"
#include "readers/pci_resource.h"
#include "readers/text.h"

namespace rocdiag {
namespace {

using namespace pci;

constexpr std::size_t kMaxHops = 32;

struct Capabilities {
  Observed<bool> answers, routing, completer, enabled;
};

Capabilities capabilities_of(const Snapshot& snapshot, const std::string& address) {
  const Where where{attribute_path(address, "config"), 0};
  const auto bytes = snapshot.read(where.source);
  Capabilities all;
  const auto set_all = [&](const Observed<bool>& same) { all.routing = all.completer = all.enabled = same; };
  if (!bytes) {
    all.answers = from_error<bool>(bytes.error(), where);
    set_all(all.answers);
    return all;
  }
  const auto config = read_pci_config(*bytes);
  if (!config) {
    all.answers = Observed<bool>::unobserved("malformed", where);
    set_all(all.answers);
    return all;
  }
  all.answers = Observed<bool>::of(config->answers, where);
  if (!config->capabilities_read) {
    set_all(Observed<bool>::unobserved(
        config->answers ? "only root reads the capabilities" : "the device does not answer", where));
  } else if (!config->atomics) {
    set_all(Observed<bool>::absent(where));
  } else {
    all.routing = Observed<bool>::of(config->atomics->routing, where);
    all.completer = Observed<bool>::of(config->atomics->completer_32 && config->atomics->completer_64, where);
    all.enabled = Observed<bool>::of(config->atomics->requester_enabled, where);
  }
  return all;
}

// From the function itself up to its root port, out of the link's target:
// ../../../devices/pci0000:00/0000:00:01.1/0000:01:00.0
std::vector<std::string> addresses_up(const Snapshot& snapshot, const std::string& address) {
  std::vector<std::string> up{address};
  const auto target = snapshot.link(kDevices + "/" + address);
  if (!target) return up;
  std::vector<std::string> parts = split_path(*target);
  if (parts.empty() || parts.back() != address) return up;
  parts.pop_back();
  while (!parts.empty() && is_address(parts.back()) && up.size() < kMaxHops) {
    up.push_back(parts.back());
    parts.pop_back();
  }
  return up;
}

PciPort port_of(const Snapshot& snapshot, const std::string& address) {
  PciPort port;
  port.address = address;
  port.device_id = device_id_of(snapshot, address);
  port.width_now = width_attribute(snapshot, address, "current_link_width");
  port.width_max = width_attribute(snapshot, address, "max_link_width");
  port.speed_now = speed_attribute(snapshot, address, "current_link_speed");
  port.speed_max = speed_attribute(snapshot, address, "max_link_speed");
  const Capabilities capabilities = capabilities_of(snapshot, address);
  port.atomics_routing = capabilities.routing;
  port.atomics_completer = capabilities.completer;
  return port;
}

// Linux prints "(null)" where no override is set.
Observed<std::string> driver_override_of(const Snapshot& snapshot, const std::string& address) {
  const Observed<std::string> text = text_attribute(snapshot, address, "driver_override");
  return text.is("(null)") || text.is("") ? Observed<std::string>::absent(text.where()) : text;
}

// Kernels before 6.1 have no such file, whatever the device offers.
Observed<bool> resizable_bar_of(const Snapshot& snapshot, const std::string& address, const HostFacts& host) {
  const Where where{attribute_path(address, "resource0_resize"), 0};
  const auto stat = snapshot.stat(where.source);
  if (stat) return Observed<bool>::of(true, where);
  if (!means_absent(stat.error())) return from_error<bool>(stat.error(), where);
  const std::vector<std::string> numbers = split_at(host.kernel_release.optional().value_or(""), '.');
  const std::optional<std::uint64_t> major = parse_decimal(numbers[0]);
  const bool says_so = major && (*major > 6 || (*major == 6 && numbers.size() > 1 && numbers[1] != "0"));
  return says_so ? Observed<bool>::of(false, where) : Observed<bool>::unobserved("this kernel does not say", where);
}

Observed<bool> flag_of(const Observed<int>& number) {
  if (number) return Observed<bool>::of(*number != 0, number.where());
  return number.is_absent() ? Observed<bool>::absent(number.where())
                            : Observed<bool>::unobserved(number.reason(), number.where());
}

Observed<std::vector<std::string>> drm_nodes_of(const Snapshot& snapshot, const std::string& address) {
  const Where where{attribute_path(address, "drm"), 0};
  const auto names = snapshot.list(where.source);
  if (!names) return from_error<std::vector<std::string>>(names.error(), where);
  std::vector<std::string> nodes;
  for (const std::string& name : *names)
    if (name_matches("card[0-9]*", name) || name_matches("renderD[0-9]*", name)) nodes.push_back(printable(name, 32));
  return Observed<std::vector<std::string>>::of(std::move(nodes), where);
}

// Every graphics core of a GPU has the same version, so the first one speaks for all.
Observed<std::string> gc_version_of(const Snapshot& snapshot, const std::string& address) {
  const Where folder{attribute_path(address, "ip_discovery/die"), 0};
  for (const std::string& path : snapshot.matches(folder.source + "/*/11/*/major")) {
    std::string version;
    for (const char* part : {"major", "minor", "revision"}) {
      const auto text = snapshot.read(parent_of(path) + "/" + part);
      const auto number = text ? parse_decimal(trim(*text)) : std::nullopt;
      if (!number) {
        version.clear();
        break;
      }
      version += (version.empty() ? "" : ".") + std::to_string(*number);
    }
    if (!version.empty()) return Observed<std::string>::of(version, {parent_of(path), 0});
  }
  const auto dies = snapshot.list(folder.source);
  return dies ? Observed<std::string>::unobserved("no graphics core listed", folder)
              : from_error<std::string>(dies.error(), folder);
}

Observed<std::vector<PciBar>> bars_of(const Snapshot& snapshot, const std::string& address) {
  const std::string path = attribute_path(address, "resource");
  return observe<std::vector<PciBar>>(snapshot.read(path), {path, 0}, read_pci_resource);
}

PciGpu gpu_of(const Snapshot& snapshot, const std::string& address, const HostFacts& host) {
  PciGpu gpu;
  gpu.address = address;
  gpu.device_id = device_id_of(snapshot, address);
  gpu.class_code = class_of(snapshot, address);
  gpu.revision = hex_attribute(snapshot, address, "revision", 2);
  gpu.subsystem = subsystem_of(snapshot, address);
  gpu.driver = driver_of(snapshot, address);
  gpu.driver_override = driver_override_of(snapshot, address);
  gpu.numa_node = int_attribute(snapshot, address, "numa_node");
  for (const std::string& hop : addresses_up(snapshot, address)) gpu.path.push_back(port_of(snapshot, hop));
  for (std::size_t i = 1; i < gpu.path.size(); ++i) gpu.path[i].aer = aer_of(snapshot, gpu.path[i].address);
  gpu.bars = bars_of(snapshot, address);
  gpu.vram_bytes = bytes_attribute(snapshot, address, "mem_info_vram_total");
  gpu.visible_vram_bytes = bytes_attribute(snapshot, address, "mem_info_vis_vram_total");
  gpu.gtt_bytes = bytes_attribute(snapshot, address, "mem_info_gtt_total");
  gpu.resizable_bar = resizable_bar_of(snapshot, address, host);
  const std::string levels = attribute_path(address, "pp_dpm_pcie");
  gpu.pcie_levels = observe<std::string>(snapshot.read(levels), {levels, 0},
                                         [](const std::string& text) { return std::optional(trim(text)); });
  gpu.aer = aer_of(snapshot, address);
  gpu.sriov_total = int_attribute(snapshot, address, "sriov_totalvfs");
  gpu.sriov_enabled = int_attribute(snapshot, address, "sriov_numvfs");
  gpu.physical_function = link_name(snapshot, address, "physfn");
  gpu.runtime_status = text_attribute(snapshot, address, "power/runtime_status");
  gpu.power_state = text_attribute(snapshot, address, "power_state");
  gpu.d3cold_allowed = flag_of(int_attribute(snapshot, address, "d3cold_allowed"));
  gpu.iommu_group = link_name(snapshot, address, "iommu_group");
  const Capabilities capabilities = capabilities_of(snapshot, address);
  gpu.answers_config = capabilities.answers;
  gpu.atomics_enabled = capabilities.enabled;
  gpu.gc_version = gc_version_of(snapshot, address);
  gpu.compute_partition = text_attribute(snapshot, address, "current_compute_partition");
  gpu.memory_partition = text_attribute(snapshot, address, "current_memory_partition");
  gpu.drm_nodes = drm_nodes_of(snapshot, address);
  return gpu;
}

bool is_gpu_class(const std::string& class_code) {
  return class_code.rfind("03", 0) == 0 || class_code.rfind("12", 0) == 0;
}

// Adds what stands at `address`; false when it cannot be told whether that is a GPU.
bool add_function(const Snapshot& snapshot, const std::string& address, Facts& facts) {
  if (!is_address(address)) return false;
  const Observed<std::string> vendor = vendor_of(snapshot, address);
  const Observed<std::string> class_code = class_of(snapshot, address);
  if (!vendor || !class_code) return false;
  const Observed<std::string> device_id = device_id_of(snapshot, address);
  if (!is_gpu_class(*class_code) && !device_id.is("1414:008e")) return true;  // Hyper-V's paravirtual GPU
  if (*vendor == "1002")
    facts.pci.gpus.push_back(gpu_of(snapshot, address, facts.host));
  else
    facts.pci.others.push_back({address, device_id, driver_of(snapshot, address)});
  return true;
}

}  // namespace

void gather_pci(const Snapshot& snapshot, Facts& facts) {
  facts.pci = PciFacts{};
  const Where where{kDevices, 0};
  const auto listing = snapshot.list(kDevices);
  if (!listing) {
    facts.pci.functions = from_error<int>(listing.error(), where);
    return;
  }
  int unread = 0;
  for (const std::string& name : *listing)
    if (!add_function(snapshot, name, facts)) ++unread;
  facts.pci.functions =
      unread == 0
          ? Observed<int>::of(static_cast<int>(listing->size()), where)
          : Observed<int>::unobserved(
                std::to_string(unread) + " of " + std::to_string(listing->size()) + " functions were not read", where);
}

}  // namespace rocdiag
