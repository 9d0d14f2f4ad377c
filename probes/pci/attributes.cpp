// SPDX-License-Identifier: MIT
// Attributes and the real lines they are made of:
//   uevent: PCI_ID=1002:73BF      vendor: 0x1002      current_link_speed: 16.0 GT/s PCIe
#include "probes/pci/attributes.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/pattern.h"
#include "readers/text.h"

namespace rocdiag::pci {
namespace {

constexpr std::size_t kLongest = 128;  // no attribute of ours that a person reads is longer

bool is_hex(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// Lower case, without 0x, filled up with zeros to `digits`.
std::optional<std::string> hex_digits(const std::string& raw, std::size_t digits) {
  std::string text = lower(trim(raw));
  if (text.rfind("0x", 0) == 0) text.erase(0, 2);
  if (!is_hex(text) || text.size() > digits) return std::nullopt;
  return std::string(digits - text.size(), '0') + text;
}

// The assignment `key=` of the function's uevent; absent when the file was read and does not hold it.
Observed<std::string> uevent_value(const Snapshot& snapshot, const std::string& address, const std::string& key) {
  const Where where{attribute_path(address, "uevent"), 0};
  const auto content = snapshot.read(where.source);
  if (!content) return Observed<std::string>::unobserved(describe(content.error()), where);
  const std::vector<std::string> lines = split_lines(*content);
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].rfind(key + "=", 0) == 0)
      return Observed<std::string>::of(printable(trim(lines[i].substr(key.size() + 1)), kLongest),
                                       {where.source, static_cast<int>(i) + 1});
  return Observed<std::string>::absent(where);
}

// The half of an "AAAA:BBBB" assignment of the uevent, `attribute` itself first.
Observed<std::string> id_half(const Snapshot& snapshot, const std::string& address, const std::string& attribute,
                              const std::string& key, std::size_t half) {
  Observed<std::string> direct = hex_attribute(snapshot, address, attribute, 4);
  if (direct) return direct;
  const Observed<std::string> pair = uevent_value(snapshot, address, key);
  if (!pair) return direct;
  const std::vector<std::string> halves = split_at(*pair, ':');
  if (halves.size() != 2) return direct;
  const auto digits = hex_digits(halves[half], 4);
  return digits ? Observed<std::string>::of(*digits, pair.where()) : direct;
}

// "first:second"; what is missing of either is missing of the whole.
Observed<std::string> pair_of(const Observed<std::string>& first, const Observed<std::string>& second) {
  if (!first) return first;
  if (!second) return second;
  return Observed<std::string>::of(*first + ":" + *second, second.where());
}

// "NAME count" lines. Old kernels print names with blanks ("Unsupported Request 3"), so the count is the last word.
std::map<std::string, std::uint64_t> read_counters(const std::string& text) {
  std::map<std::string, std::uint64_t> counters;
  for (const std::string& line : split_lines(text)) {
    const std::string row = trim(line);
    const std::size_t blank = row.find_last_of(' ');
    if (blank == std::string::npos) continue;
    if (const auto count = parse_decimal(row.substr(blank + 1))) counters[trim(row.substr(0, blank))] = *count;
  }
  return counters;
}

std::optional<std::uint64_t> counter(const std::map<std::string, std::uint64_t>& counters, const std::string& name) {
  const auto it = counters.find(name);
  return it == counters.end() ? std::nullopt : std::optional(it->second);
}

}  // namespace

bool is_address(const std::string& text) {
  const std::size_t bus = text.find(':');
  if (bus < 4 || bus > 8 || text.size() != bus + 8) return false;
  if (text[bus + 3] != ':' || text[bus + 6] != '.' || text[bus + 7] < '0' || text[bus + 7] > '7') return false;
  return is_hex(text.substr(0, bus)) && is_hex(text.substr(bus + 1, 2)) && is_hex(text.substr(bus + 4, 2));
}

Observed<std::string> text_attribute(const Snapshot& snapshot, const std::string& address, const std::string& name) {
  const std::string path = attribute_path(address, name);
  return observe<std::string>(snapshot.read(path), {path, 0},
                              [](const std::string& text) { return std::optional(printable(trim(text), kLongest)); });
}

Observed<std::string> hex_attribute(const Snapshot& snapshot, const std::string& address, const std::string& name,
                                    std::size_t digits) {
  const std::string path = attribute_path(address, name);
  return observe<std::string>(snapshot.read(path), {path, 0},
                              [&](const std::string& text) { return hex_digits(text, digits); });
}

Observed<int> int_attribute(const Snapshot& snapshot, const std::string& address, const std::string& name) {
  const std::string path = attribute_path(address, name);
  return observe<int>(snapshot.read(path), {path, 0}, [](const std::string& text) { return parse_int(trim(text)); });
}

Observed<std::uint64_t> bytes_attribute(const Snapshot& snapshot, const std::string& address, const std::string& name) {
  const std::string path = attribute_path(address, name);
  return observe<std::uint64_t>(snapshot.read(path), {path, 0},
                                [](const std::string& text) { return parse_decimal(trim(text)); });
}

Observed<std::string> link_name(const Snapshot& snapshot, const std::string& address, const std::string& name) {
  const std::string path = attribute_path(address, name);
  return observe<std::string>(snapshot.link(path), {path, 0}, [](const std::string& target) {
    return std::optional(printable(name_of(target), kLongest));
  });
}

Observed<std::string> vendor_of(const Snapshot& snapshot, const std::string& address) {
  return id_half(snapshot, address, "vendor", "PCI_ID", 0);
}

Observed<std::string> device_id_of(const Snapshot& snapshot, const std::string& address) {
  return pair_of(vendor_of(snapshot, address), id_half(snapshot, address, "device", "PCI_ID", 1));
}

Observed<std::string> subsystem_of(const Snapshot& snapshot, const std::string& address) {
  return pair_of(id_half(snapshot, address, "subsystem_vendor", "PCI_SUBSYS_ID", 0),
                 id_half(snapshot, address, "subsystem_device", "PCI_SUBSYS_ID", 1));
}

Observed<std::string> class_of(const Snapshot& snapshot, const std::string& address) {
  Observed<std::string> direct = hex_attribute(snapshot, address, "class", 6);
  if (direct) return direct;
  const Observed<std::string> assigned = uevent_value(snapshot, address, "PCI_CLASS");
  if (!assigned) return direct;
  const auto digits = hex_digits(*assigned, 6);
  return digits ? Observed<std::string>::of(*digits, assigned.where()) : direct;
}

Observed<std::string> driver_of(const Snapshot& snapshot, const std::string& address) {
  // Copies of sysfs often lose the link, so a missing one counts only where the uevent names no driver either.
  Observed<std::string> link = link_name(snapshot, address, "driver");
  if (link) return link;
  Observed<std::string> assigned = uevent_value(snapshot, address, "DRIVER");
  return assigned.is_unobserved() ? link : assigned;
}

Observed<int> width_attribute(const Snapshot& snapshot, const std::string& address, const std::string& name) {
  constexpr std::array kLanes{1, 2, 4, 8, 12, 16, 32};
  Observed<int> width = int_attribute(snapshot, address, name);
  if (!width || std::find(kLanes.begin(), kLanes.end(), *width) != kLanes.end()) return width;
  return Observed<int>::unobserved("not a link width: " + std::to_string(*width), width.where());
}

Observed<double> speed_attribute(const Snapshot& snapshot, const std::string& address, const std::string& name) {
  const std::string path = attribute_path(address, name);
  return observe<double>(snapshot.read(path), {path, 0}, [](const std::string& text) -> std::optional<double> {
    const std::vector<std::string> words = split_words(text);
    if (words.size() < 2 || words[1] != "GT/s") return std::nullopt;
    return parse_double(words[0]);
  });
}

Observed<AerCounters> aer_of(const Snapshot& snapshot, const std::string& address) {
  const auto total = [&](const std::string& file, const std::string& name) {
    return observe<std::uint64_t>(snapshot.read(attribute_path(address, file)), {attribute_path(address, file), 0},
                                  [&](const std::string& text) { return counter(read_counters(text), name); });
  };
  const Observed<std::uint64_t> correctable = total("aer_dev_correctable", "TOTAL_ERR_COR");
  const Observed<std::uint64_t> nonfatal = total("aer_dev_nonfatal", "TOTAL_ERR_NONFATAL");
  const Observed<std::uint64_t> fatal = total("aer_dev_fatal", "TOTAL_ERR_FATAL");
  for (const auto* part : {&correctable, &nonfatal, &fatal}) {
    if (part->is_absent()) return Observed<AerCounters>::absent(part->where());
    if (!*part) return Observed<AerCounters>::unobserved(part->reason(), part->where());
  }
  AerCounters counters;
  counters.correctable = *correctable;
  counters.nonfatal = *nonfatal;
  counters.fatal = *fatal;
  const auto rows = read_counters(snapshot.read(attribute_path(address, "aer_dev_nonfatal")).value());
  const auto refused = counter(rows, "UnsupReq");
  const auto refused_in_old_words = counter(rows, "Unsupported Request");
  counters.unsupported_requests = refused.value_or(refused_in_old_words.value_or(0));
  return Observed<AerCounters>::of(counters, correctable.where());
}

}  // namespace rocdiag::pci
