// SPDX-License-Identifier: MIT
// Which GPUs does KFD offer, and may we open them? Needs no privilege.
//   /sys/class/kfd/kfd/topology/nodes/1/properties: gfx_target_version 100301
#include "probes/kfd/kfd.h"
#include "probes/kfd/paths.h"

namespace rocdiag {
namespace {

using namespace kfd;

constexpr std::uint32_t kOverflowId = 65534;  // what an id without a mapping looks like in a user namespace

void ask_topology(std::vector<Question>& questions) {
  questions.push_back(read_file(kGenerationBefore));
  questions.push_back(list_folder(kNodes));
  for (const char* attribute :
       {"gpu_id", "name", "properties", "mem_banks/*/properties", "io_links/*/properties", "p2p_links/*/properties"})
    questions.push_back(read_file(kNodes + "/*/" + attribute));
  questions.push_back(read_file(kGenerationAfter));  // last: a source answers in order
}

void ask_device(const std::string& path, std::vector<Question>& questions) {
  questions.push_back(stat_file(path));
  questions.push_back(open_device(path));
}

void ask_services(std::vector<Question>& questions) {
  for (const std::string& name : kServiceNames) {
    const std::string units = unit_pattern(name);
    questions.push_back(read_file(units));
    questions.push_back(read_file(units + ".d/*.conf"));
  }
}

bool closed_to_its_group(const DeviceNode& node) {
  return node.mode && (*node.mode & 0060U) != 0060U && (*node.mode & 0006U) != 0006U;
}

std::vector<const DeviceNode*> devices(const Facts& facts) {
  std::vector<const DeviceNode*> all{&facts.kfd.kfd};
  for (const DeviceNode& node : facts.kfd.render_nodes) all.push_back(&node);
  return all;
}

Question ask_getent(const std::string& database, std::uint32_t id) {
  Command getent;
  getent.argv = {"getent", database, std::to_string(id)};
  return run_command(std::move(getent));
}

// What only a machine with a fault is asked: about a hundred rule files, and a name service that may be remote.
void ask_about_refusals(const Facts& facts, std::vector<Question>& questions) {
  bool ask_udev = false, refused = false;
  for (const DeviceNode* node : devices(facts)) {
    ask_udev = ask_udev || closed_to_its_group(*node);
    if (!node->open.is("EACCES") || !node->gid || *node->gid == 0 || *node->gid == kOverflowId) continue;
    refused = true;
    questions.push_back(ask_getent("group", *node->gid));  // the group database may be more than /etc/group
  }
  const Account& account = facts.kfd.account;
  if (refused && account.uid && account.user.is_absent()) questions.push_back(ask_getent("passwd", *account.uid));
  if (!ask_udev) return;
  for (const std::string& folder : kUdevFolders) questions.push_back(read_file(folder + "/*.rules"));
}

}  // namespace

std::vector<Question> kfd_questions(const Facts& facts) {
  std::vector<Question> questions;
  ask_topology(questions);
  questions.push_back(list_folder(kClass));
  ask_device(kDevice, questions);
  ask_device(kRenderPrefix + "*", questions);
  for (const DeviceNode& node : facts.kfd.render_nodes) ask_device(node.path, questions);  // KFD may name more
  questions.push_back(read_file(kGroupFile));
  questions.push_back(read_file(kPasswdFile));
  ask_services(questions);
  ask_about_refusals(facts, questions);
  return questions;
}

}  // namespace rocdiag
