// SPDX-License-Identifier: MIT
#include "knowledge/knowledge.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "knowledge/embedded.h"
#include "knowledge/finding_text.h"

namespace rocdiag {
namespace {

using nlohmann::json;

GpuModel model_of(const std::string& asic, const json& record) {
  GpuModel model;
  model.asic = asic;
  model.gfx = record.at("gfx");
  model.generation = record.at("generation");
  model.integrated = record.at("integrated");
  model.kfd_supported = record.at("kfd_supported");
  model.needs_atomics = record.at("needs_atomics");
  if (record.contains("atomics_optional_from_mec"))
    model.atomics_optional_from_mec = record.at("atomics_optional_from_mec").get<std::uint64_t>();
  return model;
}

}  // namespace

const Knowledge& Knowledge::embedded() {
  static const Knowledge knowledge = load_knowledge(embedded_files());
  return knowledge;
}

std::optional<GpuModel> Knowledge::gpu(const std::string& device_id, const std::optional<std::string>& revision) const {
  const auto device = devices_.find(device_id);
  if (device == devices_.end()) return std::nullopt;
  GpuModel model = device->second.model;
  if (!revision) return model;
  const auto name = device->second.names_by_revision.find(*revision);
  if (name != device->second.names_by_revision.end()) model.name = name->second;
  return model;
}

std::optional<std::string> Knowledge::gfx_of_gc(const std::string& gc_version) const {
  const auto it = gc_to_gfx_.find(gc_version);
  if (it == gc_to_gfx_.end()) return std::nullopt;
  return it->second;
}

const FindingText* Knowledge::finding(std::string_view id) const {
  const auto it = std::lower_bound(findings_.begin(), findings_.end(), id,
                                   [](const FindingText& text, std::string_view wanted) { return text.id < wanted; });
  return it != findings_.end() && it->id == id ? &*it : nullptr;
}

Knowledge load_knowledge(const std::map<std::string, std::string_view>& files) {
  Knowledge knowledge;
  const json gpus = json::parse(files.at("gpus.json"));
  knowledge.version_ = gpus.at("date");
  for (const auto& [gc, gfx] : gpus.at("gc_to_gfx").items()) knowledge.gc_to_gfx_[gc] = gfx;
  for (const json& record : gpus.at("devices")) {
    const std::string asic = record.at("asic");
    Knowledge::Device device;
    device.model = model_of(asic, gpus.at("asics").at(asic));
    device.model.name = record.at("name");
    device.model.integrated = record.value("integrated", device.model.integrated);
    device.model.needs_atomics = record.value("needs_atomics", device.model.needs_atomics);
    if (record.contains("names")) device.names_by_revision = record.at("names");
    knowledge.devices_.emplace(record.at("id"), std::move(device));
  }
  for (const auto& [path, text] : files)
    if (path.rfind("findings/", 0) == 0) read_finding_texts(path, text, knowledge.findings_);
  std::sort(knowledge.findings_.begin(), knowledge.findings_.end(),
            [](const FindingText& a, const FindingText& b) { return a.id < b.id; });
  for (std::size_t i = 1; i < knowledge.findings_.size(); ++i)
    if (knowledge.findings_[i - 1].id == knowledge.findings_[i].id)
      throw std::runtime_error("finding " + knowledge.findings_[i].id + " stands twice in data/findings/");
  return knowledge;
}

}  // namespace rocdiag
