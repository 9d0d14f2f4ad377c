// SPDX-License-Identifier: MIT
// A healthy machine as facts, and ways to break it: for the tests of the kfd rules.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "knowledge/knowledge.h"
#include "rules/rules.h"
#include "testing/testing.h"

namespace rocdiag::testing::kfd {

using Gids = std::vector<std::uint32_t>;
using Names = std::vector<std::string>;

template <class T>
Observed<T> seen(T value, const std::string& source = "test") {
  return Observed<T>::of(std::move(value), {source, 0});
}
inline Observed<std::string> text(const std::string& value) { return seen(value); }

inline DeviceNode device(const std::string& path, std::uint32_t mode, std::uint32_t gid, const std::string& group) {
  DeviceNode node;
  node.path = path;
  node.type = text("char");
  node.mode = seen(mode);
  node.uid = seen(0U);
  node.gid = seen(gid);
  node.group_name = text(group);
  node.open = text("ok");
  return node;
}

inline KfdNode kfd_node(int id, std::uint64_t simd_count, const std::string& address, int minor) {
  KfdNode node;
  node.id = id;
  node.properties = seen(std::map<std::string, std::uint64_t>{{"simd_count", simd_count}, {"domain", 0}});
  node.is_gpu = seen(simd_count > 0);
  node.address = address.empty() ? Observed<std::string>::absent() : text(address);
  node.render_minor = minor == 0 ? Observed<int>::absent() : seen(minor);
  return node;
}

inline PciGpu pci_gpu(const std::string& address, const std::string& device_id, const Names& drm_nodes) {
  PciGpu gpu;
  gpu.address = address;
  gpu.device_id = text(device_id);
  gpu.driver = text("amdgpu");
  gpu.drm_nodes = seen(drm_nodes);
  return gpu;
}

inline Facts healthy() {
  Facts facts;
  facts.host.wsl = seen(false);
  facts.pci.functions = seen(20);
  facts.pci.gpus = {pci_gpu("0000:03:00.0", "1002:73df", {"card1", "renderD128"})};
  KfdFacts& kfd = facts.kfd;
  kfd.kfd = device("/dev/kfd", 0660, 992, "render");
  kfd.render_nodes = {device("/dev/dri/renderD128", 0660, 992, "render")};
  kfd.driver_present = seen(true, "/sys/class/kfd/kfd");
  kfd.node_ids = seen(std::vector<int>{0, 1});
  kfd.nodes = {kfd_node(0, 0, "", 0), kfd_node(1, 80, "0000:03:00.0", 128)};
  kfd.generation_before = seen<std::uint64_t>(2);
  kfd.generation_after = seen<std::uint64_t>(2);
  kfd.account.uid = seen(1000U);
  kfd.account.user = text("dev");
  kfd.account.groups = seen(Gids{27, 44, 992, 1000}, "identity");
  kfd.account.database_groups = seen(Gids{27, 44, 992, 1000}, "/etc/group");
  kfd.account.sudo_user = Observed<std::string>::absent();
  kfd.group_database = seen(std::vector<GroupEntry>{
      {0, "root", {}}, {27, "sudo", {"dev"}}, {44, "video", {"dev"}}, {992, "render", {"dev"}}, {1000, "dev", {}}});
  return facts;
}

// The account is in neither place, so both nodes are refused.
inline Facts not_a_member() {
  Facts facts = healthy();
  facts.kfd.account.groups = seen(Gids{27, 44, 1000}, "identity");
  facts.kfd.account.database_groups = seen(Gids{27, 44, 1000}, "/etc/group");
  facts.kfd.kfd.open = text("EACCES");
  facts.kfd.render_nodes[0].open = text("EACCES");
  return facts;
}

inline Facts stale_login() {
  Facts facts = not_a_member();
  facts.kfd.account.database_groups = seen(Gids{27, 44, 992, 1000}, "/etc/group");
  return facts;
}

inline Facts root_only() {
  Facts facts = not_a_member();
  facts.kfd.kfd = device("/dev/kfd", 0600, 0, "root");
  facts.kfd.kfd.open = text("EACCES");
  facts.kfd.render_nodes[0].open = text("ok");
  return facts;
}

inline Facts cpu_nodes_only() {
  Facts facts = healthy();
  facts.kfd.nodes[1] = kfd_node(1, 0, "", 0);
  return facts;
}

inline Facts with_service(const Gids& groups) {
  Facts facts = healthy();
  Account service;
  service.subject = "unit:ollama.service";
  service.uid = seen(997U);
  service.user = text("ollama");
  service.groups = seen(groups, "/etc/group");
  service.database_groups = service.groups;
  facts.kfd.services = {service};
  return facts;
}

inline Facts through_sudo(const Gids& callers_groups) {
  Facts facts = with_service(callers_groups);
  facts.kfd.services[0].subject = "sudo";
  facts.kfd.services[0].uid = seen(1000U);
  facts.kfd.services[0].user = text("dev");
  facts.kfd.account.uid = seen(0U);
  facts.kfd.account.user = text("root");
  facts.kfd.account.groups = seen(Gids{0});
  return facts;
}

inline std::vector<Draft> judged(const Facts& facts) {
  std::vector<Draft> drafts;
  for (const Rule& rule : kfd_rules())
    for (Draft& draft : rule.judge(facts, Knowledge::embedded())) drafts.push_back(std::move(draft));
  return drafts;
}
inline Names keys(const Facts& facts) { return testing::ids_of(judged(facts)); }

inline Finding only_finding(const Facts& facts) {
  const auto drafts = judged(facts);
  if (drafts.size() != 1) throw std::runtime_error("expected one draft");
  return compose(drafts[0], *Knowledge::embedded().finding(drafts[0].id));
}

inline LayerView view(const Facts& facts) { return view_kfd(facts, Knowledge::embedded()); }

inline std::vector<Facts> broken_machines() {
  Facts missing = healthy();
  missing.kfd.kfd.open = Observed<std::string>::absent();
  missing.kfd.driver_present = Observed<bool>::absent();
  Facts unseen = not_a_member();
  unseen.kfd.account.database_groups = {};
  Facts render = not_a_member();
  render.kfd.kfd.open = text("ok");
  Facts render_unseen = unseen;
  render_unseen.kfd.kfd.open = text("ok");
  Facts applied = root_only();
  applied.kfd.udev_rules = seen(Names{"/etc/udev/rules.d/70-amdgpu.rules"});
  Facts wedged = healthy();
  wedged.kfd.kfd.open = text("EINVAL");
  Facts no_render = healthy();
  no_render.pci.gpus[0].drm_nodes = seen(Names{"card1"});
  Facts two = healthy();
  two.pci.gpus.push_back(pci_gpu("0000:04:00.0", "1002:73df", {"renderD129"}));
  Facts unplugged = healthy();
  unplugged.kfd.nodes.push_back(kfd_node(2, 80, "0000:64:00.0", 128));
  return {missing,
          not_a_member(),
          stale_login(),
          root_only(),
          applied,
          unseen,
          render,
          render_unseen,
          wedged,
          cpu_nodes_only(),
          two,
          with_service({44}),
          no_render,
          unplugged,
          through_sudo({27})};
}

}  // namespace rocdiag::testing::kfd
