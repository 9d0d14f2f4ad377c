// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>

#include "core/pattern.h"
#include "probes/kfd/accounts.h"
#include "probes/kfd/kfd.h"
#include "probes/kfd/paths.h"
#include "readers/kfd_topology.h"
#include "readers/text.h"

namespace rocdiag {
namespace {

using namespace kfd;

std::string type_name(FileType type) {
  switch (type) {
    case FileType::file:
      return "file";
    case FileType::folder:
      return "folder";
    case FileType::link:
      return "link";
    case FileType::char_device:
      return "char";
    case FileType::block_device:
      return "block";
    case FileType::fifo:
      return "fifo";
    case FileType::socket:
      return "socket";
    case FileType::unknown:
      return "unknown";
  }
  return "unknown";
}

template <class T>
Observed<T> from_optional(std::optional<T> value, const Where& where) {
  return value ? Observed<T>::of(*value, where) : Observed<T>::unobserved("not recorded", where);
}

void gather_stat(const Snapshot& snapshot, DeviceNode& device) {
  const Where where{device.path, 0};
  const auto stat = snapshot.stat(device.path);
  if (!stat) {
    device.type = from_error<std::string>(stat.error(), where);
    device.mode = from_error<std::uint32_t>(stat.error(), where);
    device.uid = from_error<std::uint32_t>(stat.error(), where);
    device.gid = from_error<std::uint32_t>(stat.error(), where);
    return;
  }
  device.type = Observed<std::string>::of(type_name(stat->type), where);
  device.mode = from_optional(stat->mode, where);
  device.uid = from_optional(stat->uid, where);
  device.gid = from_optional(stat->gid, where);
}

Observed<std::string> gather_open(const Snapshot& snapshot, const std::string& path) {
  const Where where{path, 0};
  const Status opened = snapshot.open(path);
  if (opened) return Observed<std::string>::of("ok", where);
  if (means_absent(opened.error())) return Observed<std::string>::absent(where);
  if (opened.error().code != Errc::system) return from_error<std::string>(opened.error(), where);
  return Observed<std::string>::of(errno_name(opened.error().errno_value), where);
}

DeviceNode gather_device(const Snapshot& snapshot, const AccountDatabases& databases, const std::string& path) {
  DeviceNode device;
  device.path = path;
  gather_stat(snapshot, device);
  device.open = gather_open(snapshot, path);
  // What one of the two answers shows to be missing is missing for the other.
  if (device.open.is_unobserved() && device.type.is_absent()) device.open = Observed<std::string>::absent({path, 0});
  if (device.type.is_unobserved() && device.open.is_absent()) device.type = Observed<std::string>::absent({path, 0});
  if (device.gid) device.group_name = group_name(databases, *device.gid);
  return device;
}

// Every render node of the listing, and those that KFD names although no listing shows them.
std::vector<DeviceNode> gather_render_nodes(const Snapshot& snapshot, const AccountDatabases& databases,
                                            const std::vector<KfdNode>& nodes) {
  std::set<int> minors;
  for (const std::string& path : snapshot.matches(kRenderPrefix + "*"))
    if (const auto minor = parse_int(path.substr(kRenderPrefix.size())); minor && *minor >= 0) minors.insert(*minor);
  for (const KfdNode& node : nodes)
    if (node.render_minor) minors.insert(*node.render_minor);
  std::vector<DeviceNode> devices;
  devices.reserve(minors.size());
  for (const int minor : minors)
    devices.push_back(gather_device(snapshot, databases, kRenderPrefix + std::to_string(minor)));
  return devices;
}

Observed<std::uint64_t> read_number(const Snapshot& snapshot, const std::string& path) {
  return observe<std::uint64_t>(snapshot.read(path), {path, 0},
                                [](const std::string& text) { return parse_decimal(text); });
}

Observed<std::vector<int>> numbered_folders(const Snapshot& snapshot, const std::string& path) {
  return observe<std::vector<int>>(snapshot.list(path), {path, 0}, [](const std::vector<std::string>& names) {
    std::vector<int> numbers;
    for (const std::string& name : names)
      if (const auto number = parse_int(name); number && *number >= 0) numbers.push_back(*number);
    std::sort(numbers.begin(), numbers.end());
    return std::optional(numbers);
  });
}

std::optional<std::map<std::string, std::uint64_t>> some_properties(const std::string& text) {
  auto properties = parse_properties(text);
  properties.erase("unique_id");  // a serial number: it tells nothing about a fault and belongs in no report
  if (properties.empty()) return std::nullopt;
  return properties;
}

bool is_eperm(const Result<std::string>& answer) {
  return !answer && answer.error().code == Errc::system && answer.error().errno_value == EPERM;
}

void gather_parts(const Snapshot& snapshot, const std::string& folder, KfdNode& node) {
  const auto properties_in = [&](const std::string& path) {
    const auto text = snapshot.read(path);
    return text ? some_properties(*text) : std::nullopt;
  };
  const auto banks = numbered_folders(snapshot, folder + "/mem_banks");
  for (const int index : banks ? *banks : std::vector<int>{})
    if (auto p = properties_in(folder + "/mem_banks/" + std::to_string(index) + "/properties"))
      node.memory.push_back({index, std::move(*p)});
  for (const bool peer : {false, true}) {
    const std::string links = folder + (peer ? "/p2p_links" : "/io_links");
    const auto indices = numbered_folders(snapshot, links);
    for (const int index : indices ? *indices : std::vector<int>{})
      if (auto p = properties_in(links + "/" + std::to_string(index) + "/properties"))
        node.links.push_back({index, peer, std::move(*p)});
  }
}

KfdNode gather_node(const Snapshot& snapshot, int id) {
  const std::string folder = kNodes + "/" + std::to_string(id);
  KfdNode node;
  node.id = id;
  const auto properties = snapshot.read(folder + "/properties");
  // The kernel answers EPERM for a GPU that the caller's device cgroup does not grant:
  // kfd_devcgroup_check_permission().
  node.hidden = is_eperm(snapshot.read(folder + "/gpu_id")) || is_eperm(properties);
  node.gpu_id = read_number(snapshot, folder + "/gpu_id");
  node.name = observe<std::string>(snapshot.read(folder + "/name"), {folder + "/name", 0},
                                   [](const std::string& text) { return std::optional(printable(trim(text))); });
  node.properties =
      observe<std::map<std::string, std::uint64_t>>(properties, {folder + "/properties", 0}, some_properties);
  gather_parts(snapshot, folder, node);
  derive_kfd_node(node);
  return node;
}

Observed<bool> driver_present(const Snapshot& snapshot, const Observed<std::vector<int>>& node_ids) {
  const Where where{kClass, 0};
  if (node_ids) return Observed<bool>::of(true, where);
  const auto listing = snapshot.list(kClass);
  if (!listing) return from_error<bool>(listing.error(), where);
  return Observed<bool>::of(true, where);
}

bool names_kfd(const std::string& rules) {
  for (const std::string& line : split_lines(rules))
    if (const std::string rule = trim(line); !rule.empty() && rule[0] != '#' && rule.find("kfd") != std::string::npos)
      return true;
  return false;
}

Observed<std::vector<std::string>> gather_udev_rules(const Snapshot& snapshot) {
  using Paths = std::vector<std::string>;
  std::set<std::string> names;
  Paths naming;
  bool any_folder = false, all_read = true;
  for (const std::string& folder : kUdevFolders) {
    any_folder = any_folder || snapshot.list(folder).has_value();
    for (const std::string& path : snapshot.matches(folder + "/*.rules")) {
      if (!names.insert(name_of(path)).second) continue;  // hidden by one of the same name
      const auto rules = snapshot.read(path);
      all_read = all_read && rules.has_value();
      if (rules && names_kfd(*rules)) naming.push_back(path);
    }
  }
  if (!any_folder) return Observed<Paths>::unobserved("not asked, or not recorded");
  if (naming.empty() && !all_read) return Observed<Paths>::unobserved("not every rule file could be read");
  return Observed<Paths>::of(std::move(naming), {"udev rules", 0});
}

}  // namespace

void gather_kfd(const Snapshot& snapshot, Facts& facts) {
  KfdFacts kfd;
  const AccountDatabases databases = read_databases(snapshot);
  kfd.generation_before = read_number(snapshot, kGenerationBefore);
  kfd.generation_after = read_number(snapshot, kGenerationAfter);
  kfd.node_ids = numbered_folders(snapshot, kNodes);
  if (kfd.node_ids)
    for (const int id : *kfd.node_ids) kfd.nodes.push_back(gather_node(snapshot, id));
  kfd.driver_present = driver_present(snapshot, kfd.node_ids);
  kfd.kfd = gather_device(snapshot, databases, kDevice);
  kfd.render_nodes = gather_render_nodes(snapshot, databases, kfd.nodes);
  kfd.account = gather_account(snapshot, databases);
  kfd.services = gather_other_accounts(snapshot, databases);
  kfd.group_database = databases.groups;
  kfd.udev_rules = gather_udev_rules(snapshot);
  facts.kfd = std::move(kfd);
}

}  // namespace rocdiag
