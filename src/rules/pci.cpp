// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "rules/pci_gpu.h"
#include "rules/rules.h"
#include "rules/subjects.h"

namespace rocdiag {
namespace {

// QEMU, Red Hat (virtio), VMware, VirtualBox, Cirrus as QEMU emulates it, Hyper-V: what a guest shows as its display.
bool is_virtual(const OtherGpu& other) {
  static const std::set<std::string> vendors{"1234", "1b36", "1af4", "15ad", "80ee", "1013", "1414"};
  return other.device_id && vendors.count(other.device_id->substr(0, 4)) > 0;
}

std::vector<Draft> judge_no_gpu(const Facts& facts, const Knowledge&) {
  const PciFacts& pci = facts.pci;
  if (!pci.functions || !pci.gpus.empty() || facts.host.wsl.is(true)) return {};
  const auto computes = [](const KfdNode& node) { return node.is_gpu.is(true); };
  if (std::any_of(facts.kfd.nodes.begin(), facts.kfd.nodes.end(), computes)) return {};
  Draft draft;
  draft.id = "pci.no-gpu";
  draft.confidence = Confidence::confirmed;
  draft.evidence.push_back(
      quote(pci.functions, fmt::format("{} functions, none of vendor 1002 with class 03xx or 12xx", *pci.functions)));
  std::string listed;
  for (const OtherGpu& other : pci.others) {
    const std::string id = other.device_id.optional().value_or("unknown id");
    draft.evidence.push_back(quote(other.device_id, "another vendor's GPU: " + id));
    listed += (listed.empty() ? "" : ", ") + id + " at " + other.address;
  }
  draft.values = {{"functions", std::to_string(*pci.functions)}, {"others", listed}};
  if (pci.others.empty()) return {draft};
  draft.variant = std::all_of(pci.others.begin(), pci.others.end(), is_virtual) ? "guest" : "other-gpu";
  return {draft};
}

// "gcn1" → "GCN 1", "rdna3.5" → "RDNA 3.5", "vega" → "VEGA".
std::string generation_text(const std::string& generation) {
  std::string text;
  for (const char c : generation) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isdigit(byte) != 0 && !text.empty() && std::isalpha(static_cast<unsigned char>(text.back())) != 0)
      text += ' ';
    text += static_cast<char>(std::toupper(byte));
  }
  return text;
}

bool is_supported(const PciGpu& gpu, const Knowledge& knowledge) {
  const auto model = model_of(gpu, knowledge);
  return model && model->kfd_supported;
}

template <class Predicate>
bool another_gpu(const Facts& facts, const PciGpu& than, Predicate predicate) {
  return std::any_of(facts.pci.gpus.begin(), facts.pci.gpus.end(),
                     [&](const PciGpu& gpu) { return gpu.address != than.address && predicate(gpu); });
}

std::vector<Draft> judge_gpu_too_old(const Facts& facts, const Knowledge& knowledge) {
  return for_each_gpu(facts, [&](const PciGpu& gpu) -> std::optional<Draft> {
    if (!gpu.device_id || kfd_took(gpu, facts.kfd) == KfdTook::yes) return std::nullopt;
    const auto model = model_of(gpu, knowledge);
    // The radeon driver ends with GCN 2, and every GPU of GCN is in the tables: an unknown one is older still.
    const bool too_old = model ? !model->kfd_supported : gpu.driver.is("radeon");
    if (!too_old) return std::nullopt;
    Draft draft = draft_about(gpu, "pci.gpu-too-old", knowledge);
    draft.values["generation"] = model ? generation_text(model->generation) : "TeraScale or older";
    draft.evidence.push_back(quote(gpu.device_id, fmt::format("{} {}", *gpu.device_id, draft.values["name"])));
    if (!model) {
      draft.variant = "radeon";
      draft.evidence.push_back(quote(gpu.driver, "driver radeon"));
    }
    // Beside a GPU that does compute it only explains why this one does not.
    if (another_gpu(facts, gpu, [&](const PciGpu& other) { return is_supported(other, knowledge); }))
      draft.severity = Severity::info;
    return draft;
  });
}

std::vector<Draft> judge_gpu_unlisted(const Facts& facts, const Knowledge& knowledge) {
  return for_each_gpu(facts, [&](const PciGpu& gpu) -> std::optional<Draft> {
    if (!gpu.device_id || model_of(gpu, knowledge) || gpu.driver.is("radeon")) return std::nullopt;
    Draft draft = draft_about(gpu, "pci.gpu-unlisted", knowledge);
    draft.confidence = Confidence::confirmed;
    draft.values["tables"] = knowledge.version();
    draft.evidence.push_back(quote(gpu.device_id, *gpu.device_id));
    return draft;
  });
}

std::vector<Draft> judge_vfio_bound(const Facts& facts, const Knowledge& knowledge) {
  return for_each_gpu(facts, [&](const PciGpu& gpu) -> std::optional<Draft> {
    if (!gpu.driver.is("vfio-pci") || kfd_took(gpu, facts.kfd) == KfdTook::yes) return std::nullopt;
    Draft draft = draft_about(gpu, "pci.vfio-bound", knowledge);
    draft.confidence = Confidence::confirmed;
    draft.evidence.push_back(quote(gpu.driver, "driver vfio-pci"));
    if (gpu.driver_override) draft.evidence.push_back(quote(gpu.driver_override, *gpu.driver_override));
    // A host that keeps one GPU and lends another to its guests is set up that way on purpose.
    if (another_gpu(facts, gpu, [](const PciGpu& other) { return other.driver.is("amdgpu"); }))
      draft.severity = Severity::info;
    return draft;
  });
}

std::vector<Draft> judge_device_lost(const Facts& facts, const Knowledge& knowledge) {
  return for_each_gpu(facts, [&](const PciGpu& gpu) -> std::optional<Draft> {
    const bool awake = gpu.runtime_status.is("active") || gpu.runtime_status.is("unsupported");
    const bool powered_down = gpu.power_state && gpu.power_state->rfind("D3", 0) == 0;
    // The ids of a virtual function read as all ones by design.
    if (!gpu.answers_config.is(false) || !awake || powered_down || !gpu.physical_function.is_absent())
      return std::nullopt;
    Draft draft = draft_about(gpu, "pci.device-lost", knowledge);
    draft.confidence = Confidence::confirmed;
    draft.evidence.push_back(quote(gpu.answers_config, "reads ff ff ff ff: no device answers"));
    draft.evidence.push_back(quote(gpu.runtime_status, *gpu.runtime_status));
    return draft;
  });
}

}  // namespace

std::vector<Rule> pci_rules() {
  return {
      {{"pci.no-gpu"}, judge_no_gpu},
      {{"pci.device-lost"}, judge_device_lost},
      {{"pci.gpu-too-old"}, judge_gpu_too_old},
      {{"pci.gpu-unlisted"}, judge_gpu_unlisted},
      {{"pci.vfio-bound"}, judge_vfio_bound},
      {{"pci.bar-unassigned"}, judge_bar_unassigned},
      {{"pci.no-atomics"}, judge_no_atomics},
      {{"pci.small-bar"}, judge_small_bar},
      {{"pci.link-degraded"}, judge_link_degraded},
      {{"pci.link-errors"}, judge_link_errors},
  };
}

}  // namespace rocdiag
