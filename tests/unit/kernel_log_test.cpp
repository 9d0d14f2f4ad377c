// SPDX-License-Identifier: MIT
#include "readers/kernel_log.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rocdiag {
namespace {

const std::string kText = "amdgpu 0000:03:00.0: amdgpu: GPU reset begin!";

void expect_apart(const std::string& prefix, std::optional<double> seconds) {
  const std::string line = prefix + kText;
  const KernelLine apart = take_apart(line);
  EXPECT_EQ(apart.text, kText) << prefix;
  EXPECT_EQ(apart.seconds, seconds) << prefix;
}

TEST(KernelLog, TakesOffEveryPrefixWithATimeSinceBoot) {
  expect_apart("[    4.017407] ", 4.017407);
  expect_apart("[245121.541876] ", 245121.541876);
  expect_apart("[    4.017407] [    T349] ", 4.017407);
  expect_apart("[    4.017407] [     C3] ", 4.017407);
  expect_apart("[    4.017407 <    0.000012>] ", 4.017407);
  expect_apart("<6>[    4.017407] ", 4.017407);
  expect_apart("kern  :info  : [    4.017407] ", 4.017407);
  expect_apart("                          [   65.209125] ", 65.209125);
  expect_apart("May 16 15:06:45 host kernel: [    0.000000] ", 0.0);
  expect_apart("[    4.017407] host kernel: ", 4.017407);
}

TEST(KernelLog, TakesOffDatesAndKnowsThatTheyAreNoTimeSinceBoot) {
  expect_apart("[Po jan 19 11:18:32 2026] ", std::nullopt);
  expect_apart("[Mi Dez  3 08:01:02 2025] ", std::nullopt);
  expect_apart("[\xe6\x9c\x88 1\xe6\x9c\x88 19 11:18:32 2026] ", std::nullopt);
  expect_apart("Apr 16 15:55:34 host kernel: ", std::nullopt);
  expect_apart("Apr 16 15:55:34.123456 host kernel: ", std::nullopt);
  expect_apart("11:02:52 host kernel: ", std::nullopt);
  expect_apart("2026-01-19T11:18:32+0100 host kernel: ", std::nullopt);
  expect_apart("2026-01-19T11:18:32,017407+01:00 ", std::nullopt);
  expect_apart("Thu 2026-04-16 15:55:34 CEST host kernel: ", std::nullopt);
  expect_apart("1745000000.123456 host kernel: ", std::nullopt);
  expect_apart("kernel: ", std::nullopt);
  expect_apart("<6>", std::nullopt);
  expect_apart("", std::nullopt);
}

TEST(KernelLog, LeavesATextThatOnlyLooksLikeAPrefix) {
  for (const std::string text :
       {"[drm] Initialized amdgpu 3.61.0 for 0000:03:00.0 on minor 1", "[Hardware Error]: Machine check events logged",
        "[CRTC:79:crtc-0] flip_done timed out", "BUG: unable to handle kernel: oops", "<idle>: x", "< 12 >", "[", "<",
        "# CONFIG_HSA_AMD is not set", "2026-01-19T", "[12", "[    4]", "kern"})
    EXPECT_EQ(take_apart(text).text, text);
}

TEST(KernelLog, KeepsTheBlanksInFrontOfATrace) {
  EXPECT_EQ(take_apart("[    4.017407]  ? amdgpu_irq_put+0x46/0x70 [amdgpu]").text,
            " ? amdgpu_irq_put+0x46/0x70 [amdgpu]");
}

TEST(KernelLog, StopsAfterASixthPart) {
  std::string line;
  for (int n = 0; n < 1000; ++n) line += "[    1.000000] ";
  EXPECT_EQ(take_apart(line).text.size(), line.size() - 6 * std::string("[    1.000000] ").size());
}

TEST(KernelLog, TakesOffColours) {
  const std::string line = "\x1b[32m[    4.017407] \x1b[0m\x1b[33mamdgpu 0000:03:00.0: \x1b[0m\x1b[1;31mfailed\x1b[0m";
  EXPECT_EQ(without_colours(line), "[    4.017407] amdgpu 0000:03:00.0: failed");
  EXPECT_EQ(without_colours("cut \x1b"), "cut ");
  EXPECT_EQ(without_colours("cut \x1b[3"), "cut ");
}

TEST(KernelLog, FindsTheFirstPciAddress) {
  EXPECT_EQ(pci_address_in(kText), "0000:03:00.0");
  EXPECT_EQ(pci_address_in("pcieport 0000:00:03.1: AER: error received: 0000:05:00.0"), "0000:00:03.1");
  EXPECT_EQ(pci_address_in("amdgpu 000d:03:00.0: x"), "000d:03:00.0");
  EXPECT_EQ(pci_address_in("amdgpu 0000000D:C1:00.0: x"), "000d:c1:00.0");
  EXPECT_EQ(pci_address_in("vmd 10000:e1:00.0: x"), "10000:e1:00.0");
}

TEST(KernelLog, ReadsTheShortAddressesOfAnIommu) {
  EXPECT_EQ(pci_address_in("DMAR: [DMA Read NO_PASID] Request device [03:00.0] fault addr 0x1000"), "0000:03:00.0");
  EXPECT_EQ(pci_address_in("AMD-Vi: Event logged [IO_PAGE_FAULT device=2b:00.1 domain=0x0000]"), "0000:2b:00.1");
}

TEST(KernelLog, TakesNoClockOrOtherNumberForAPciAddress) {
  for (const char* text : {"at 10:15.3 o'clock", "added device 1002:744c", "0000:03:20.0", "0000:03:00.8",
                           "123456789:03:00.0", "0000:03:00.05", ""})
    EXPECT_EQ(pci_address_in(text), std::nullopt) << text;
}

}  // namespace
}  // namespace rocdiag
