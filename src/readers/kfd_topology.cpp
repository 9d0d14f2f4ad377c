// SPDX-License-Identifier: MIT
#include "readers/kfd_topology.h"

#include <fmt/format.h>

#include <limits>

namespace rocdiag {
namespace {

constexpr std::uint64_t kHeapVramVisible = 1, kHeapVramHidden = 2;  // HSA_MEM_HEAP_TYPE_FB_PUBLIC, …_FB_PRIVATE

std::optional<std::uint64_t> property(const KfdNode& node, const std::string& key) {
  if (!node.properties) return std::nullopt;
  const auto it = node.properties->find(key);
  return it == node.properties->end() ? std::nullopt : std::optional(it->second);
}

template <class T>
Observed<T> of_optional(std::optional<T> value, const Where& where) {
  return value ? Observed<T>::of(*value, where) : Observed<T>::absent(where);
}

std::optional<int> positive_int(std::uint64_t value) {
  if (value == 0 || value > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) return std::nullopt;
  return static_cast<int>(value);
}

Observed<bool> is_gpu(const KfdNode& node) {
  if (const auto simd_count = property(node, "simd_count"))
    return Observed<bool>::of(*simd_count > 0, node.properties.where());
  if (node.gpu_id) return Observed<bool>::of(*node.gpu_id != 0, node.gpu_id.where());
  return Observed<bool>::unobserved("neither simd_count nor gpu_id could be read", node.properties.where());
}

std::optional<int> compute_units(const KfdNode& node) {
  const auto simd_count = property(node, "simd_count");
  const auto simd_per_cu = property(node, "simd_per_cu");
  if (!simd_count || !simd_per_cu || *simd_per_cu == 0) return std::nullopt;
  return positive_int(*simd_count / *simd_per_cu);
}

// Absent for a node without local memory. A bank that was not read would make the sum too small.
Observed<std::uint64_t> vram_bytes(const KfdNode& node) {
  const Where where = node.properties.where();
  const auto banks = property(node, "mem_banks_count");
  if (banks && *banks > node.memory.size())
    return Observed<std::uint64_t>::unobserved("not every memory bank could be read", where);
  std::uint64_t sum = 0;
  for (const KfdMemoryBank& bank : node.memory) {
    const auto heap = bank.properties.find("heap_type");
    const auto size = bank.properties.find("size_in_bytes");
    if (heap == bank.properties.end() || size == bank.properties.end())
      return Observed<std::uint64_t>::unobserved("malformed memory bank", where);
    if (heap->second == kHeapVramVisible || heap->second == kHeapVramHidden) sum += size->second;
  }
  return sum == 0 ? Observed<std::uint64_t>::absent(where) : Observed<std::uint64_t>::of(sum, where);
}

}  // namespace

std::optional<std::string> gfx_name(std::uint64_t target_version) {
  const std::uint64_t major = target_version / 10000, minor = target_version / 100 % 100, step = target_version % 100;
  if (major == 0 || major > 99 || minor > 15 || step > 15) return std::nullopt;
  return fmt::format("gfx{}{:x}{:x}", major, minor, step);
}

std::optional<std::string> kfd_address(std::uint64_t location_id, std::uint64_t domain) {
  if (location_id == 0 || location_id > 0xffff || domain > 0xffffffff) return std::nullopt;
  return fmt::format("{:04x}:{:02x}:{:02x}.{}", domain, location_id >> 8U, location_id >> 3U & 0x1fU, location_id & 7U);
}

void derive_kfd_node(KfdNode& node) {
  node.is_gpu = is_gpu(node);
  if (!node.properties) {
    const std::string reason = node.hidden ? "hidden by the device cgroup" : "the properties could not be read";
    node.gfx = Observed<std::string>::unobserved(reason);
    node.address = Observed<std::string>::unobserved(reason);
    node.render_minor = Observed<int>::unobserved(reason);
    node.compute_units = Observed<int>::unobserved(reason);
    node.vram_bytes = Observed<std::uint64_t>::unobserved(reason);
    return;
  }
  const Where where = node.properties.where();
  node.gfx = of_optional(gfx_name(property(node, "gfx_target_version").value_or(0)), where);
  node.address =
      of_optional(kfd_address(property(node, "location_id").value_or(0), property(node, "domain").value_or(0)), where);
  node.render_minor = of_optional(positive_int(property(node, "drm_render_minor").value_or(0)), where);
  node.compute_units = of_optional(compute_units(node), where);
  node.vram_bytes = vram_bytes(node);
}

}  // namespace rocdiag
