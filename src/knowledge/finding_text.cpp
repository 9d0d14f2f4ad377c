// SPDX-License-Identifier: MIT
#include "knowledge/finding_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

namespace rocdiag {
namespace {

using nlohmann::json;

std::optional<Severity> severity_from(const std::string& name) {
  for (const Severity s : {Severity::error, Severity::warning, Severity::info})
    if (severity_name(s) == name) return s;
  return std::nullopt;
}

std::vector<std::string> strings(const json& record, const char* key) {
  return record.value(key, std::vector<std::string>{});
}

RemedyText remedy_from(const json& record) {
  RemedyText text;
  text.variant = record.value("variant", "");
  text.remedy.kind = record.at("kind");
  text.remedy.summary = record.at("summary");
  text.remedy.commands = strings(record, "commands");
  text.remedy.needs = strings(record, "needs");
  text.remedy.risk = record.value("risk", "");
  text.remedy.undo = strings(record, "undo");
  return text;
}

FindingText finding_from(const json& record) {
  FindingText text;
  text.id = record.at("id");
  const auto layer = layer_from_name(record.at("layer").get<std::string>());
  const auto severity = severity_from(record.at("severity"));
  if (!layer || !severity) throw std::runtime_error("unknown layer or severity of " + text.id);
  text.layer = *layer;
  text.severity = *severity;
  text.meaning = record.at("meaning");
  text.title = record.value("title", text.meaning);
  text.detail = record.value("detail", "");
  text.why = record.value("why", "");
  text.check = strings(record, "check");
  text.explains = strings(record, "explains");
  text.after = strings(record, "after");
  text.titles = record.value("titles", text.titles);
  text.details = record.value("details", text.details);
  text.links = strings(record, "links");
  for (const json& remedy : record.value("remedies", json::array())) text.remedies.push_back(remedy_from(remedy));
  return text;
}

const std::string& by_variant(const std::map<std::string, std::string>& variants, const std::string& variant,
                              const std::string& otherwise) {
  const auto it = variants.find(variant);
  return it == variants.end() ? otherwise : it->second;
}

void fill_in_all(std::vector<std::string>& texts, const std::map<std::string, std::string>& values) {
  for (std::string& text : texts) text = fill_in(text, values);
}

}  // namespace

void read_finding_texts(const std::string& path, std::string_view content, std::vector<FindingText>& into) {
  try {
    const json file = json::parse(content);
    if (file.at("schema") != "rocdiag.findings/1") throw std::runtime_error("unknown schema");
    for (const json& record : file.at("findings")) into.push_back(finding_from(record));
  } catch (const std::exception& e) {
    throw std::runtime_error(path + ": " + e.what());
  }
}

std::string fill_in(const std::string& text, const std::map<std::string, std::string>& values) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = std::min(text.find('{', at), text.size());
    out.append(text, at, open - at);
    if (open == text.size()) break;
    const std::size_t close = text.find('}', open);
    const auto value = close == std::string::npos ? values.end() : values.find(text.substr(open + 1, close - open - 1));
    if (value == values.end()) {
      out += '{';
      at = open + 1;
    } else {
      out += value->second;
      at = close + 1;
    }
  }
  return out;
}

Finding compose(const Draft& draft, const FindingText& text) {
  Finding finding;
  finding.id = draft.id;
  finding.subject = draft.subject;
  finding.layer = text.layer;
  finding.severity = draft.severity.value_or(text.severity);
  finding.confidence = draft.confidence;
  finding.title = fill_in(by_variant(text.titles, draft.variant, text.title), draft.values);
  finding.detail = fill_in(by_variant(text.details, draft.variant, text.detail), draft.values);
  finding.evidence = draft.evidence;
  const bool has_own = std::any_of(text.remedies.begin(), text.remedies.end(),
                                   [&](const RemedyText& r) { return r.variant == draft.variant; });
  for (const RemedyText& candidate : text.remedies) {
    if (candidate.variant != (has_own ? draft.variant : "")) continue;
    Remedy remedy = candidate.remedy;
    remedy.summary = fill_in(remedy.summary, draft.values);
    remedy.risk = fill_in(remedy.risk, draft.values);
    fill_in_all(remedy.commands, draft.values);
    fill_in_all(remedy.undo, draft.values);
    finding.remedies.push_back(std::move(remedy));
  }
  return finding;
}

}  // namespace rocdiag
