// SPDX-License-Identifier: MIT
#include "readers/kfd_topology.h"

#include <gtest/gtest.h>

namespace rocdiag {
namespace {

using Properties = std::map<std::string, std::uint64_t>;

KfdNode node_with(Properties properties, std::vector<KfdMemoryBank> memory = {}) {
  KfdNode node;
  node.properties = Observed<Properties>::of(std::move(properties));
  node.memory = std::move(memory);
  derive_kfd_node(node);
  return node;
}

TEST(KfdTopology, NamesTheIsaWithAHexadecimalMinorAndStep) {
  EXPECT_EQ(gfx_name(80003), "gfx803");
  EXPECT_EQ(gfx_name(90010), "gfx90a");
  EXPECT_EQ(gfx_name(90012), "gfx90c");
  EXPECT_EQ(gfx_name(100301), "gfx1031");
  EXPECT_EQ(gfx_name(110501), "gfx1151");
  EXPECT_EQ(gfx_name(120001), "gfx1201");
}

TEST(KfdTopology, NamesNoIsaForACpuOrForNonsense) {
  EXPECT_FALSE(gfx_name(0));
  EXPECT_FALSE(gfx_name(99));
  EXPECT_FALSE(gfx_name(90099));
  EXPECT_FALSE(gfx_name(18446744073709551615ULL));
}

TEST(KfdTopology, FindsThePciAddressInTheLocationId) {
  EXPECT_EQ(kfd_address(25600, 0), "0000:64:00.0");
  EXPECT_EQ(kfd_address(2563, 1), "0001:0a:00.3");
  EXPECT_EQ(kfd_address(768, 0x10000), "10000:03:00.0");
  EXPECT_FALSE(kfd_address(0, 0));
  EXPECT_FALSE(kfd_address(0x10000, 0));
}

TEST(KfdTopology, ReadsAGpuNode) {
  const KfdNode node = node_with(
      {{"simd_count", 80},
       {"simd_per_cu", 2},
       {"gfx_target_version", 100301},
       {"location_id", 768},
       {"domain", 0},
       {"drm_render_minor", 128},
       {"mem_banks_count", 2}},
      {{0, {{"heap_type", 1}, {"size_in_bytes", 268435456}}}, {1, {{"heap_type", 2}, {"size_in_bytes", 1024}}}});
  EXPECT_TRUE(node.is_gpu.is(true));
  EXPECT_TRUE(node.gfx.is("gfx1031"));
  EXPECT_TRUE(node.address.is("0000:03:00.0"));
  EXPECT_TRUE(node.render_minor.is(128));
  EXPECT_TRUE(node.compute_units.is(40));
  EXPECT_TRUE(node.vram_bytes.is(268436480U));
}

TEST(KfdTopology, TakesNoSystemMemoryForVram) {
  const KfdNode node = node_with({{"simd_count", 0}}, {{0, {{"heap_type", 0}, {"size_in_bytes", 32882008064}}}});
  EXPECT_TRUE(node.is_gpu.is(false));
  EXPECT_TRUE(node.vram_bytes.is_absent());
}

TEST(KfdTopology, KeysThatAnOldKernelLacksAreAbsent) {
  const KfdNode node = node_with({{"simd_count", 256}, {"location_id", 6400}});
  EXPECT_TRUE(node.is_gpu.is(true));
  EXPECT_TRUE(node.gfx.is_absent());
  EXPECT_TRUE(node.compute_units.is_absent());
  EXPECT_TRUE(node.render_minor.is_absent());
  EXPECT_TRUE(node.address.is("0000:19:00.0"));
}

TEST(KfdTopology, ABankThatWasNotReadLeavesTheSumUnknown) {
  const KfdNode node =
      node_with({{"simd_count", 80}, {"mem_banks_count", 2}}, {{0, {{"heap_type", 1}, {"size_in_bytes", 1024}}}});
  EXPECT_TRUE(node.vram_bytes.is_unobserved());
}

TEST(KfdTopology, UnreadPropertiesLeaveEverythingUnknown) {
  KfdNode node;
  node.hidden = true;
  derive_kfd_node(node);
  EXPECT_TRUE(node.is_gpu.is_unobserved());
  EXPECT_TRUE(node.gfx.is_unobserved());
  EXPECT_TRUE(node.address.is_unobserved());
  EXPECT_TRUE(node.vram_bytes.is_unobserved());
}

TEST(KfdTopology, HugeNumbersDoNotWrapAround) {
  const KfdNode node = node_with({{"simd_count", 18446744073709551615ULL},
                                  {"simd_per_cu", 1},
                                  {"drm_render_minor", 18446744073709551615ULL},
                                  {"location_id", 18446744073709551615ULL}});
  EXPECT_TRUE(node.compute_units.is_absent());
  EXPECT_TRUE(node.render_minor.is_absent());
  EXPECT_TRUE(node.address.is_absent());
}

}  // namespace
}  // namespace rocdiag
