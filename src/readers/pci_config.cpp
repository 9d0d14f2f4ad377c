// SPDX-License-Identifier: MIT
#include "readers/pci_config.h"

#include <cstddef>
#include <cstdint>

namespace rocdiag {
namespace {

constexpr std::size_t kHeaderSize = 64;
constexpr std::size_t kCapabilitiesEnd = 256;  // the list never leaves the first 256 bytes
constexpr std::size_t kStatus = 0x06;
constexpr std::uint32_t kStatusHasCapabilities = 1U << 4U;
constexpr std::size_t kCapabilityPointer = 0x34;
constexpr int kMaxCapabilities = 48;  // as the kernel: a list in a circle ends too

constexpr std::uint32_t kExpressId = 0x10;
constexpr std::size_t kExpressFlags = 0x02;
constexpr std::size_t kDeviceCapabilities2 = 0x24;
constexpr std::size_t kDeviceControl2 = 0x28;
constexpr std::size_t kExpressSize = kDeviceControl2 + 2;

std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = size; i > 0; --i) value = value << 8U | static_cast<unsigned char>(bytes[at + i - 1]);
  return value;
}

bool bit(std::uint32_t value, unsigned position) { return (value >> position & 1U) != 0; }

// `at` is the place of a PCI Express capability; false when the bytes end inside it.
bool read_express(std::string_view bytes, std::size_t at, PciConfig& config) {
  if (at + kExpressFlags + 2 > bytes.size()) return false;
  const std::uint32_t version = number_at(bytes, at + kExpressFlags, 2) & 0xfU;
  if (version < 2) return true;  // version 1 ends before Device Capabilities 2
  if (at + kExpressSize > bytes.size()) return false;
  const std::uint32_t capabilities = number_at(bytes, at + kDeviceCapabilities2, 4);
  const std::uint32_t control = number_at(bytes, at + kDeviceControl2, 2);
  config.atomics = PciAtomics{bit(capabilities, 6), bit(capabilities, 7), bit(capabilities, 8), bit(control, 6)};
  return true;
}

}  // namespace

std::optional<PciConfig> read_pci_config(std::string_view bytes) {
  if (bytes.size() < kHeaderSize) return std::nullopt;
  PciConfig config;
  config.answers = number_at(bytes, 0, 4) != 0xffffffffU;
  if (!config.answers) return config;
  if ((number_at(bytes, kStatus, 2) & kStatusHasCapabilities) == 0) {
    config.capabilities_read = true;
    return config;
  }
  std::size_t at = number_at(bytes, kCapabilityPointer, 1) & ~3U;
  for (int n = 0; n < kMaxCapabilities && at >= kHeaderSize; ++n) {
    if (at + 2 > bytes.size() || at + 2 > kCapabilitiesEnd) return config;
    const std::uint32_t id = number_at(bytes, at, 1);
    const std::uint32_t next = number_at(bytes, at + 1, 1);
    if (id == 0 && next == 0) return config;  // a copy that was cut at 64 bytes and filled up with zeros
    if (id == kExpressId) {
      config.capabilities_read = read_express(bytes, at, config);
      return config;
    }
    at = next & ~3U;
    if (at == 0) config.capabilities_read = true;
  }
  return config;
}

}  // namespace rocdiag
