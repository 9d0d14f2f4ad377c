// SPDX-License-Identifier: MIT
#include "engine/judge.h"

#include <algorithm>

#include "rocdiag/rule.h"
#include "rules/causes.h"

namespace rocdiag {
namespace {

LayerReport own_view(Layer layer, const Facts& facts, const Knowledge& knowledge, const Selection& selection) {
  LayerReport report;
  report.layer = layer;
  report.status = LayerStatus::skipped;
  if (!layer_selected(selection, layer)) {
    report.summary = "left out by --only or --skip";
  } else if (const auto view = view_layer(layer, facts, knowledge)) {
    report.status = view->status;
    report.summary = view->summary;
  } else {
    report.summary = "this version does not ask about it";
  }
  return report;
}

// A finding about a layer outranks what the layer's own facts looked like.
void apply_findings(LayerReport& layer, const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {  // gravest first
    if (finding.layer != layer.layer || finding.next || finding.severity == Severity::info) continue;
    const LayerStatus status = finding.severity == Severity::error ? LayerStatus::fail : LayerStatus::warn;
    const bool worse =
        status == LayerStatus::fail ? layer.status != LayerStatus::fail : layer.status == LayerStatus::pass;
    if (!worse) continue;
    if (status == LayerStatus::fail) layer.summary = finding.title;
    layer.status = status;
  }
}

// A rung above a broken one cannot work, whatever it would say: it waits.
void block_above(std::vector<LayerReport>& layers, const Selection& selection) {
  const auto broken =
      std::find_if(layers.begin(), layers.end(), [](const LayerReport& l) { return l.status == LayerStatus::fail; });
  if (broken == layers.end()) return;
  for (auto layer = broken + 1; layer != layers.end(); ++layer) {
    const bool open = layer->status == LayerStatus::skipped || layer->status == LayerStatus::unknown;
    if (!open || !layer_selected(selection, layer->layer)) continue;
    layer->status = LayerStatus::blocked;
    layer->blocked_by = broken->layer;
    layer->summary = "waits for " + std::string(layer_name(broken->layer));
  }
}

// Nothing passes for working until a kernel ran on the GPU (docs/adr/0004-verdict.md).
Verdict verdict_of(const std::vector<LayerReport>& layers, const std::vector<Finding>& findings) {
  const auto has = [&](Severity severity) {
    return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) { return f.severity == severity; });
  };
  if (has(Severity::error)) return Verdict::broken;
  const auto passed = [](const LayerReport& l) {
    return l.status == LayerStatus::pass || l.status == LayerStatus::warn;
  };
  const bool hip_ran = std::any_of(layers.begin(), layers.end(),
                                   [&](const LayerReport& l) { return l.layer == Layer::hip && passed(l); });
  const bool open_question = std::any_of(layers.begin(), layers.end(), [](const LayerReport& l) {
    return l.status == LayerStatus::unknown || l.status == LayerStatus::fail;
  });
  if (!hip_ran || open_question) return Verdict::unknown;
  return has(Severity::warning) ? Verdict::degraded : Verdict::healthy;
}

// Root needs no sudo, and some machines that root works on do not have it. What is for the account that called sudo is
// for its own shell.
void drop_sudo(std::vector<Finding>& findings) {
  constexpr std::string_view kSudo = "sudo ";
  const auto drop = [&](std::vector<std::string>& commands) {
    for (std::string& command : commands)
      for (std::size_t at = command.find(kSudo); at != std::string::npos; at = command.find(kSudo, at))
        if (at == 0 || command[at - 1] == ' ')
          command.erase(at, kSudo.size());
        else
          at += kSudo.size();
  };
  for (Finding& finding : findings) {
    if (finding.subject == "sudo") continue;
    for (Remedy& remedy : finding.remedies) {
      drop(remedy.commands);
      drop(remedy.undo);
    }
  }
}

}  // namespace

Report judge(const Facts& facts, const Knowledge& knowledge, const Selection& selection) {
  Report report;
  report.facts = facts;
  report.gpus = gpu_reports(facts, knowledge);
  std::vector<Draft> drafts;
  for (const Rule& rule : rule_catalogue())
    for (Draft& draft : rule.judge(facts, knowledge)) drafts.push_back(std::move(draft));
  report.findings = analyse(drafts, knowledge);
  select_findings(selection, report.findings);
  if (facts.host.uid.is(0)) drop_sudo(report.findings);
  for (const Layer layer : kLayers) report.layers.push_back(own_view(layer, facts, knowledge, selection));
  for (LayerReport& layer : report.layers) apply_findings(layer, report.findings);
  block_above(report.layers, selection);
  report.verdict = verdict_of(report.layers, report.findings);
  return report;
}

}  // namespace rocdiag
