// SPDX-License-Identifier: MIT
#include "source/route.h"

#include <gtest/gtest.h>

namespace rocdiag {
namespace {

TEST(Route, WhatADriverAnswersIsReadInAChild) {
  for (const char* path : {
           "/sys/class/kfd/kfd/topology/nodes/1/properties",
           "/sys/devices/virtual/kfd/kfd/topology/generation_id",
           "/sys/class/drm/card0/device/mem_info_vram_total",
           "/sys/class/drm/card0/device/ip_discovery/die/0/GC/0/major",
           "/sys/class/drm/card0-DP-1/status",
           "/sys/bus/pci/devices/0000:03:00.0/pp_dpm_pcie",
           "/sys/bus/pci/devices/0000:03:00.0/hwmon/hwmon3/temp1_input",
           "/sys/devices/pci0000:00/0000:00:01.0/0000:03:00.0/mem_info_gtt_total",
           "/sys/kernel/iommu_groups/7/devices/0000:03:00.0/config",
           "/dev/anything",
       })
    EXPECT_EQ(route_of(Ask::read, path), Route::child) << path;
}

TEST(Route, WhatReadsOrWakesTheDeviceOrTakesItsLockIsReadInAChild) {
  for (const char* name : {"config", "current_link_speed", "max_link_width", "resource0_resize", "uevent",
                           "driver_override", "sriov_numvfs", "link/l1_aspm"})
    EXPECT_EQ(route_of(Ask::read, std::string("/sys/bus/pci/devices/0000:03:00.0/") + name), Route::child) << name;
}

TEST(Route, WhatTheKernelHoldsInMemoryIsReadDirectly) {
  for (const char* path : {
           "/sys/bus/pci/devices/0000:03:00.0/vendor",
           "/sys/bus/pci/devices/0000:03:00.0/device",
           "/sys/class/drm/card0/device/device",
           "/sys/devices/pci0000:00/0000:00:01.0/0000:03:00.0/power/runtime_status",
           "/sys/bus/pci/devices/0000:03:00.0/aer_dev_fatal",
           "/sys/module/amdgpu/version",
           "/sys/devices/system/node/online",
           "/proc/cmdline",
           "/proc/self/status",
           "/etc/os-release",
       })
    EXPECT_EQ(route_of(Ask::read, path), Route::direct) << path;
}

TEST(Route, AnotherProcessIsReadInAChildForItsLocksMayBeHeld) {
  EXPECT_EQ(route_of(Ask::read, "/proc/1/cgroup"), Route::child);
  EXPECT_EQ(route_of(Ask::link, "/proc/1/exe"), Route::direct);
}

TEST(Route, ListingsLinksAndStatesNeedNoChild) {
  for (const Ask ask : {Ask::list, Ask::link, Ask::stat})
    EXPECT_EQ(route_of(ask, "/sys/class/kfd/kfd/topology/nodes"), Route::direct);
}

TEST(Route, OnlyGpuNodesAreOpened) {
  EXPECT_EQ(route_of(Ask::open, "/dev/kfd"), Route::child);
  EXPECT_EQ(route_of(Ask::open, "/dev/dri/renderD128"), Route::child);
  EXPECT_EQ(route_of(Ask::open, "/dev/dxg"), Route::child);
  for (const char* path : {"/dev/sda", "/dev/kfd2", "/dev/dri/../sda", "/etc/passwd", "dev/kfd"})
    EXPECT_EQ(route_of(Ask::open, path), Route::refused) << path;
}

TEST(Route, DebugfsTracefsAndTheLogReadersFileAreRefusedHoweverWritten) {
  for (const char* path : {"/sys/kernel/debug", "/sys/kernel/debug/dri/0/amdgpu_regs", "//sys/./kernel//debug/x",
                           "/sys/class/../kernel/debug/x", "/sys/kernel/tracing/trace", "/proc/kmsg", "relative", ""})
    for (const Ask ask : {Ask::read, Ask::list, Ask::link, Ask::stat})
      EXPECT_EQ(route_of(ask, path), Route::refused) << path;
}

TEST(Route, PatternsWalkOnlyWhereFactsLie) {
  for (const char* pattern : {"/sys/bus/pci/devices/*/vendor", "/sys/class/kfd/kfd/topology/nodes/*/properties",
                              "/opt/*", "/opt/rocm*/.info/version", "/dev/dri/renderD*", "/etc/modprobe.d/*.conf",
                              "/var/lib/dkms/amdgpu/*", "/boot/vmlinuz-[0-9]*"})
    EXPECT_TRUE(may_expand(pattern)) << pattern;
  for (const char* pattern : {"/*", "/home/*", "/sys/*", "/sys/kernel/debug/dri/*", "/sys/kernel/*/dri",
                              "/proc/*/cmdline", "/opt/../home/*", "/optional/*", "opt/*", "/etc/*"})
    EXPECT_FALSE(may_expand(pattern)) << pattern;
}

TEST(Route, KnowsADeviceByALongDomainToo) {
  for (const char* device : {"/sys/bus/pci/devices/0000:03:00.0/", "/sys/bus/pci/devices/10000:e1:00.0/"}) {
    EXPECT_EQ(route_of(Ask::read, std::string(device) + "config"), Route::child) << device;
    EXPECT_EQ(route_of(Ask::read, std::string(device) + "vendor"), Route::direct) << device;
  }
}

}  // namespace
}  // namespace rocdiag
