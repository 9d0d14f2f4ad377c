// SPDX-License-Identifier: MIT
#include "readers/pci_resource.h"

#include <cstdint>

#include "readers/text.h"

namespace rocdiag {
namespace {

constexpr int kBars = 6;  // the lines after them: ROM, SR-IOV BARs, bridge windows
constexpr std::uint64_t kMemory = 0x200;
constexpr std::uint64_t kPrefetchable = 0x2000;
constexpr std::uint64_t kUnset = 0x20000000;

}  // namespace

std::optional<std::vector<PciBar>> read_pci_resource(std::string_view text) {
  const std::vector<std::string> lines = split_lines(text);
  if (lines.size() < kBars) return std::nullopt;
  std::vector<PciBar> bars;
  for (int index = 0; index < kBars; ++index) {
    const std::vector<std::string> words = split_words(lines[static_cast<std::size_t>(index)]);
    if (words.size() != 3) return std::nullopt;
    const auto start = parse_hex(words[0]);
    const auto end = parse_hex(words[1]);
    const auto flags = parse_hex(words[2]);
    if (!start || !end || !flags || *end < *start) return std::nullopt;
    if (*end == 0) continue;
    PciBar bar;
    bar.index = index;
    bar.start = *start;
    bar.size = *end - *start + 1;
    bar.memory = (*flags & kMemory) != 0;
    bar.prefetchable = (*flags & kPrefetchable) != 0;
    bar.assigned = (*flags & kUnset) == 0 && *start != 0;
    bars.push_back(bar);
  }
  return bars;
}

}  // namespace rocdiag
