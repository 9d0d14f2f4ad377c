// SPDX-License-Identifier: MIT
#include "report/json.h"

#include <nlohmann/json.hpp>

#include "report/facts_json.h"

namespace rocdiag {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json as_json(const LayerReport& layer) {
  Json json = {{"name", layer_name(layer.layer)}, {"status", layer_status_name(layer.status)}};
  json["blocked_by"] = layer.blocked_by ? Json(layer_name(*layer.blocked_by)) : Json(nullptr);
  json["summary"] = layer.summary;
  json["duration_ms"] = layer.duration_ms;
  return json;
}

Json as_json(const GpuReport& gpu) {
  Json json = {{"pci", gpu.pci.empty() ? Json(nullptr) : Json(gpu.pci)},
               {"device_id", or_null(gpu.device_id)},
               {"name", or_null(gpu.name)},
               {"gfx", or_null(gpu.gfx)},
               {"gfx_from", gpu.gfx_from.empty() ? Json(nullptr) : Json(gpu.gfx_from)},
               {"vram_bytes", or_null(gpu.vram_bytes)},
               {"numa_node", or_null(gpu.numa_node)},
               {"driver", or_null(gpu.driver)}};
  const bool has_node = !gpu.nodes.empty();
  json["node"] = has_node ? Json(gpu.nodes.front().id) : Json(nullptr);
  json["render"] = has_node && gpu.nodes.front().render_minor
                       ? Json("/dev/dri/renderD" + std::to_string(*gpu.nodes.front().render_minor))
                       : Json(nullptr);
  json["nodes"] = Json::array();
  for (const GpuNode& node : gpu.nodes)
    json["nodes"].push_back({{"id", node.id},
                             {"render_minor", or_null(node.render_minor)},
                             {"compute_units", or_null(node.compute_units)},
                             {"vram_bytes", or_null(node.vram_bytes)}});
  return json;
}

Json as_json(const Remedy& remedy) {
  return {{"kind", remedy.kind}, {"summary", remedy.summary}, {"commands", remedy.commands}, {"needs", remedy.needs},
          {"risk", remedy.risk}, {"undo", remedy.undo},       {"trial", remedy.trial}};
}

Json as_json(const Finding& finding) {
  Json json = {{"id", finding.id},
               {"subject", finding.subject},
               {"layer", layer_name(finding.layer)},
               {"severity", severity_name(finding.severity)},
               {"confidence", confidence_name(finding.confidence)},
               {"root_cause", finding.root_cause},
               {"next", finding.next},
               {"caused_by", finding.caused_by},
               {"title", finding.title},
               {"detail", finding.detail},
               {"evidence", Json::array()},
               {"remedies", Json::array()}};
  for (const Evidence& e : finding.evidence)
    json["evidence"].push_back({{"source", e.source}, {"line", e.line}, {"text", e.text}});
  for (const Remedy& remedy : finding.remedies) json["remedies"].push_back(as_json(remedy));
  return json;
}

}  // namespace

std::string report_as_json(const Report& report, const std::string& knowledge_version) {
  Json json = {{"schema", "rocdiag.report/1"},
               {"rocdiag", {{"version", ROCDIAG_VERSION}, {"knowledge", knowledge_version}}},
               {"source", {{"kind", report.source_kind}}},
               {"verdict", verdict_name(report.verdict)},
               {"duration_ms", report.duration_ms},
               {"layers", Json::array()},
               {"gpus", Json::array()},
               {"findings", Json::array()},
               {"notes", report.notes}};
  for (const LayerReport& layer : report.layers) json["layers"].push_back(as_json(layer));
  for (const GpuReport& gpu : report.gpus) json["gpus"].push_back(as_json(gpu));
  for (const Finding& finding : report.findings) json["findings"].push_back(as_json(finding));
  json["facts"] = Json(facts_as_json(report.facts));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rocdiag
