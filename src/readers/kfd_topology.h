// SPDX-License-Identifier: MIT
// The properties of a KFD topology node, read out. Keys: the kernel's drivers/gpu/drm/amd/amdkfd/kfd_topology.c.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rocdiag/facts/kfd.h"

namespace rocdiag {

// gfx_target_version, major * 10000 + minor * 100 + step: 90010 → "gfx90a". Nothing for 0, a CPU node.
std::optional<std::string> gfx_name(std::uint64_t target_version);

// location_id and domain: 25600, 0 → "0000:64:00.0". Nothing for 0, a CPU node, and for what is no PCI address.
std::optional<std::string> kfd_address(std::uint64_t location_id, std::uint64_t domain);

// Fills what is derived from `properties`, `gpu_id` and `memory`: is_gpu to vram_bytes. A key that this kernel does
// not print makes its fact absent; properties that nobody could read leave all of it unobserved.
void derive_kfd_node(KfdNode& node);

}  // namespace rocdiag
