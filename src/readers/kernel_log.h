// SPDX-License-Identifier: MIT
// A line of a kernel log taken apart, whichever program printed it: dmesg, journalctl, a serial console.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rocdiag {

struct KernelLine {
  std::string_view text;          // what the kernel said; a view into the line
  std::optional<double> seconds;  // since boot; none where the line has a date or no time
};

// Takes off, in any order they come: "<6>", "kern  :info  : ", "[    4.017407] ", "[    T349] " (the caller),
// "[Po jan 19 11:18:32 2026] " (dmesg -T in any language), "2026-01-19T11:18:32,017407+01:00 ",
// "Apr 16 15:55:34 host kernel: ". A line without any of them is all text. Colours must be gone.
KernelLine take_apart(std::string_view line);

// Without the escape sequences of a coloured terminal.
std::string without_colours(std::string_view line);

// The first PCI address in the text as sysfs writes it, "0000:03:00.0". An IOMMU names devices without their domain
// ("device=03:00.0"); that is read as domain 0.
std::optional<std::string> pci_address_in(std::string_view text);

}  // namespace rocdiag
