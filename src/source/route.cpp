// SPDX-License-Identifier: MIT
#include "source/route.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

#include "core/pattern.h"

namespace rocdiag {
namespace {

// Where patterns may walk: folders that hold facts, are small, and answer without asking a driver.
constexpr std::array<std::string_view, 45> kPatternFolders{
    "/sys/bus/pci/devices",
    "/sys/devices",
    "/sys/class/drm",
    "/sys/class/kfd",
    "/sys/class/iommu",
    "/sys/class/hwmon",
    "/sys/class/infiniband",
    "/sys/class/dmi",
    "/sys/module",
    "/sys/kernel/iommu_groups",
    "/sys/fs/cgroup",
    "/dev/dri",
    "/etc/udev",
    "/etc/modprobe.d",
    "/etc/modules-load.d",
    "/etc/systemd",
    "/etc/apt",
    "/etc/yum.repos.d",
    "/etc/zypp/repos.d",
    "/etc/ld.so.conf.d",
    "/etc/default/grub.d",
    "/etc/environment.d",
    "/etc/profile.d",
    "/etc/OpenCL",
    "/etc/cdi",
    "/usr/lib/udev",
    "/usr/lib/modprobe.d",
    "/usr/lib/modules",
    "/usr/lib/firmware",
    "/usr/lib/systemd",
    "/usr/local/lib/modprobe.d",
    "/lib/udev",
    "/lib/modules",
    "/lib/modprobe.d",
    "/lib/firmware",
    "/run/udev",
    "/run/modprobe.d",
    "/run/systemd",
    "/var/lib/dkms",
    "/usr/src",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib64",
    "/opt",
    "/boot",
    "/var/run/cdi",
};

// Attributes of a PCI device that the PCI core answers from memory, without a lock that a driver can hold.
// Not here on purpose: current_link_*, max_link_* and config read the device; resourceN_resize wakes it; uevent,
// driver_override and sriov_numvfs take the device lock on some kernels, which a hung driver probe holds for ever.
constexpr std::array<std::string_view, 20> kInMemory{
    "vendor",           "device",           "class",
    "revision",         "subsystem_vendor", "subsystem_device",
    "numa_node",        "resource",         "modalias",
    "boot_vga",         "local_cpulist",    "enable",
    "d3cold_allowed",   "power_state",      "power/runtime_status",
    "power/control",    "sriov_totalvfs",   "aer_dev_correctable",
    "aer_dev_nonfatal", "aer_dev_fatal",
};

using Parts = std::vector<std::string>;

bool is_under(const Parts& parts, std::string_view folder) {
  const Parts prefix = split_path(std::string(folder));
  return parts.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), parts.begin());
}

bool is_forbidden(const std::string& path, const Parts& parts) {
  if (path.empty() || path.front() != '/' || path.find('\0') != std::string::npos) return true;
  if (std::find(parts.begin(), parts.end(), "..") != parts.end()) return true;
  // debugfs and tracefs reach into drivers; reading /proc/kmsg takes messages away from the system's logger.
  return is_under(parts, "/sys/kernel/debug") || is_under(parts, "/sys/kernel/tracing") ||
         is_under(parts, "/proc/kmsg");
}

// "0000:03:00.0"; behind a volume management device the domain has five digits or more: "10000:e1:00.0"
bool is_pci_address(std::string_view name) {
  constexpr std::string_view kForm = "hhhh:hh:hh.h";
  constexpr std::size_t kMostExtraDigits = 4;
  const auto fits = [](char c, char form) {
    return form == 'h' ? std::isxdigit(static_cast<unsigned char>(c)) != 0 : c == form;
  };
  for (std::size_t extra = 0; extra < kMostExtraDigits && name.size() > kForm.size() && fits(name[0], 'h'); ++extra)
    name.remove_prefix(1);
  return name.size() == kForm.size() && std::equal(name.begin(), name.end(), kForm.begin(), fits);
}

// The attribute's name inside its device's folder; empty where the path goes through no such folder.
std::string attribute_of(const Parts& parts) {
  std::size_t start = parts.size();
  for (std::size_t i = 0; i + 1 < parts.size(); ++i)
    if (is_pci_address(parts[i]) || parts[i] == "device") start = i + 1;
  std::string attribute;
  for (std::size_t i = start; i < parts.size(); ++i) attribute += (i == start ? "" : "/") + parts[i];
  return attribute;
}

bool all_digits(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool reading_may_block(const Parts& parts) {
  if (is_under(parts, "/dev")) return true;
  // Another process's cmdline and environ wait for its memory map's lock; a process in D state can hold it.
  if (is_under(parts, "/proc") && parts.size() > 1 && all_digits(parts[1])) return true;
  if (!is_under(parts, "/sys")) return false;
  const std::string attribute = attribute_of(parts);
  if (!attribute.empty()) return std::find(kInMemory.begin(), kInMemory.end(), attribute) == kInMemory.end();
  for (const std::string_view folder :
       {"/sys/class/kfd", "/sys/devices/virtual/kfd", "/sys/class/drm", "/sys/class/hwmon"})
    if (is_under(parts, folder)) return true;
  return false;
}

}  // namespace

Route route_of(Ask ask, const std::string& path) {
  const Parts parts = split_path(path);
  if (is_forbidden(path, parts)) return Route::refused;
  if (ask == Ask::open) {
    const bool ours = is_under(parts, "/dev/kfd") || is_under(parts, "/dev/dri") || is_under(parts, "/dev/dxg");
    return ours ? Route::child : Route::refused;
  }
  return ask == Ask::read && reading_may_block(parts) ? Route::child : Route::direct;
}

bool may_expand(const std::string& pattern) {
  Parts fixed = split_path(pattern);
  if (is_forbidden(pattern, fixed)) return false;
  fixed.erase(std::find_if(fixed.begin(), fixed.end(), is_pattern), fixed.end());
  return std::any_of(kPatternFolders.begin(), kPatternFolders.end(),
                     [&](std::string_view folder) { return is_under(fixed, folder); });
}

}  // namespace rocdiag
