// SPDX-License-Identifier: MIT
#include "readers/pci_config.h"

#include <gtest/gtest.h>

#include <string>

namespace rocdiag {
namespace {

void put(std::string& bytes, std::size_t at, std::uint32_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xffU);
}

// An RX 6900 XT whose list of capabilities starts at 0x48: vendor specific, then PCI Express at 0x64.
std::string config_space(std::size_t size = 256) {
  std::string bytes(256, '\0');
  put(bytes, 0x00, 0x73bf1002, 4);
  put(bytes, 0x06, 0x0010, 2);  // has capabilities
  put(bytes, 0x34, 0x48, 1);
  put(bytes, 0x48, 0x6409, 2);
  put(bytes, 0x64, 0x0010, 2);
  put(bytes, 0x66, 0x0012, 2);  // version 2, legacy endpoint
  bytes.resize(size);
  return bytes;
}

TEST(PciConfig, ReadsAtomicsOfDeviceCapabilitiesAndControl) {
  std::string bytes = config_space();
  put(bytes, 0x64 + 0x24, 1U << 6U | 1U << 7U | 1U << 8U, 4);
  put(bytes, 0x64 + 0x28, 1U << 6U, 2);
  const auto config = read_pci_config(bytes);
  ASSERT_TRUE(config);
  EXPECT_TRUE(config->answers);
  ASSERT_TRUE(config->capabilities_read);
  EXPECT_EQ(config->atomics, (PciAtomics{true, true, true, true}));
}

TEST(PciConfig, KeepsTheBitsApart) {
  std::string bytes = config_space();
  put(bytes, 0x64 + 0x24, 1U << 7U, 4);
  EXPECT_EQ(read_pci_config(bytes)->atomics, (PciAtomics{false, true, false, false}));
  bytes = config_space();
  put(bytes, 0x64 + 0x28, 1U << 6U, 2);
  EXPECT_EQ(read_pci_config(bytes)->atomics, (PciAtomics{false, false, false, true}));
}

TEST(PciConfig, AllOnesMeanThatNoDeviceAnswers) {
  const auto config = read_pci_config(std::string(256, '\xff'));
  ASSERT_TRUE(config);
  EXPECT_FALSE(config->answers);
  EXPECT_FALSE(config->capabilities_read);
}

TEST(PciConfig, TheSixtyFourBytesOfAnOrdinaryUserSayNothingOfCapabilities) {
  const auto config = read_pci_config(config_space(64));
  ASSERT_TRUE(config);
  EXPECT_TRUE(config->answers);
  EXPECT_FALSE(config->capabilities_read);
}

TEST(PciConfig, TheSameFilledUpWithZerosSaysNothingEither) {
  std::string bytes = config_space(64);
  bytes.resize(4096);
  EXPECT_FALSE(read_pci_config(bytes)->capabilities_read);
}

TEST(PciConfig, ADeviceWithoutPciExpressHasNoAtomicsRegisters) {
  std::string bytes = config_space();
  put(bytes, 0x48, 0x0009, 2);  // the list ends after the first
  EXPECT_TRUE(read_pci_config(bytes)->capabilities_read);
  EXPECT_FALSE(read_pci_config(bytes)->atomics);
  put(bytes, 0x06, 0, 2);  // no list at all
  EXPECT_TRUE(read_pci_config(bytes)->capabilities_read);
}

TEST(PciConfig, VersionOneEndsBeforeTheAtomicsRegisters) {
  std::string bytes = config_space();
  put(bytes, 0x66, 0x0011, 2);
  put(bytes, 0x64 + 0x24, 0xffffffff, 4);
  EXPECT_TRUE(read_pci_config(bytes)->capabilities_read);
  EXPECT_FALSE(read_pci_config(bytes)->atomics);
}

TEST(PciConfig, AListInACircleOrOutOfTheSpaceEnds) {
  std::string bytes = config_space();
  put(bytes, 0x48, 0x4809, 2);
  EXPECT_FALSE(read_pci_config(bytes)->capabilities_read);
  put(bytes, 0x48, 0x1009, 2);  // into the header
  EXPECT_FALSE(read_pci_config(bytes)->capabilities_read);
  put(bytes, 0x34, 0xfc, 1);
  put(bytes, 0xfc, 0x0010, 2);
  put(bytes, 0xfe, 0x0012, 2);  // cut inside the capability
  EXPECT_FALSE(read_pci_config(bytes)->capabilities_read);
  for (std::size_t size = 64; size < 256; ++size) EXPECT_TRUE(read_pci_config(bytes.substr(0, size))) << size;
}

TEST(PciConfig, LessThanAHeaderIsNothing) {
  EXPECT_FALSE(read_pci_config(""));
  EXPECT_FALSE(read_pci_config(config_space(63)));
}

}  // namespace
}  // namespace rocdiag
