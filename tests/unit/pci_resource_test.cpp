// SPDX-License-Identifier: MIT
#include "readers/pci_resource.h"

#include <gtest/gtest.h>

namespace rocdiag {
namespace {

constexpr const char* kZero = "0x0000000000000000 0x0000000000000000 0x0000000000000000\n";
constexpr const char* kRx6900xt =
    "0x000000f800000000 0x000000fbffffffff 0x000000000014220c\n"
    "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
    "0x000000fc00000000 0x000000fc0fffffff 0x000000000014220c\n"
    "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
    "0x000000000000e000 0x000000000000e0ff 0x0000000000040101\n"
    "0x00000000fcb00000 0x00000000fcbfffff 0x0000000000040200\n"
    "0x00000000fcc00000 0x00000000fcc1ffff 0x0000000000046200\n";

TEST(PciResource, ListsTheImplementedBarsAndNotTheRom) {
  const auto bars = read_pci_resource(kRx6900xt);
  ASSERT_TRUE(bars);
  ASSERT_EQ(bars->size(), 4U);
  EXPECT_EQ(bars->front(), (PciBar{0, 0xf800000000, 16ULL << 30U, true, true, true}));
  EXPECT_EQ((*bars)[2], (PciBar{4, 0xe000, 256, false, false, true}));
  EXPECT_EQ((*bars)[3], (PciBar{5, 0xfcb00000, 1U << 20U, true, false, true}));
}

TEST(PciResource, ABarWithoutAnAddressIsNotAssigned) {
  const std::string rest = std::string(kZero) + kZero + kZero + kZero + kZero;
  const auto unset = read_pci_resource("0x00000000d0000000 0x00000000dfffffff 0x000000002014220c\n" + rest);
  ASSERT_TRUE(unset);
  EXPECT_FALSE(unset->front().assigned);
  const auto at_zero = read_pci_resource("0x0000000000000000 0x000000000007ffff 0x0000000000040200\n" + rest);
  ASSERT_TRUE(at_zero);
  EXPECT_EQ(at_zero->front().size, 512U << 10U);
  EXPECT_FALSE(at_zero->front().assigned);
}

TEST(PciResource, AnotherFormIsNothing) {
  EXPECT_FALSE(read_pci_resource(""));
  EXPECT_FALSE(read_pci_resource(kZero));  // one line of six
  const std::string rest = std::string(kZero) + kZero + kZero + kZero + kZero;
  EXPECT_FALSE(read_pci_resource("0x2 0x1 0x200\n" + rest));
  EXPECT_FALSE(read_pci_resource("0x1 0x2\n" + rest));
  EXPECT_FALSE(read_pci_resource("start end flags\n" + rest));
  EXPECT_FALSE(read_pci_resource("0x0 0x1ffffffffffffffff 0x200\n" + rest));
}

TEST(PciResource, TheWholeAddressSpaceDoesNotOverflow) {
  const std::string rest = std::string(kZero) + kZero + kZero + kZero + kZero;
  EXPECT_TRUE(read_pci_resource("0x0 0xffffffffffffffff 0x200\n" + rest));
}

}  // namespace
}  // namespace rocdiag
