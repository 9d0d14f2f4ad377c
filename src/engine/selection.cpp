// SPDX-License-Identifier: MIT
#include "engine/selection.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/pattern.h"
#include "knowledge/knowledge.h"

namespace rocdiag {
namespace {

bool matches(const std::vector<std::string>& patterns, const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& p) { return text_matches(p, name); });
}

bool names_probe(const std::vector<std::string>& patterns, const Probe& probe) {
  return matches(patterns, std::string(probe.name)) ||
         (probe.layer && matches(patterns, std::string(layer_name(*probe.layer))));
}

std::vector<std::string> layer_and_probe_names() {
  std::vector<std::string> names;
  for (const Layer layer : kLayers) names.emplace_back(layer_name(layer));
  for (const Probe& probe : probe_catalogue())
    if (std::find(names.begin(), names.end(), probe.name) == names.end()) names.emplace_back(probe.name);
  return names;
}

bool any_matches(const std::string& pattern, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& n) { return text_matches(pattern, n); });
}

// The patterns of --only that speak of layers or probes; none: every layer.
std::vector<std::string> layer_patterns(const Selection& selection) {
  std::vector<std::string> patterns;
  const auto names = layer_and_probe_names();
  for (const std::string& pattern : selection.only)
    if (any_matches(pattern, names)) patterns.push_back(pattern);
  return patterns;
}

// Levenshtein: insertions, deletions and replacements.
std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_edits = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t n = edits(word, candidate);
    if (n >= best_edits) continue;
    best = candidate;
    best_edits = n;
  }
  return best;
}

Status check_selection(const Selection& selection) {
  std::vector<std::string> names = layer_and_probe_names();
  for (const FindingText& text : Knowledge::embedded().findings()) names.push_back(text.id);
  for (const auto* patterns : {&selection.only, &selection.skip}) {
    for (const std::string& pattern : *patterns) {
      if (any_matches(pattern, names)) continue;
      const std::string near = nearest(pattern, names);
      return Error{Errc::usage, 0,
                   "'" + pattern + "' matches no layer, probe or finding" +
                       (near.empty() ? "; rocdiag list probes and rocdiag list findings name them"
                                     : "; the nearest name is '" + near + "'")};
    }
  }
  return Done{};
}

std::vector<Probe> select_probes(const Selection& selection) {
  const auto wanted = layer_patterns(selection);
  std::set<std::string_view> names;
  const auto& all = probe_catalogue();
  for (auto probe = all.rbegin(); probe != all.rend(); ++probe) {  // needs point to earlier ones
    const bool selected =
        !probe->layer || wanted.empty() || names_probe(wanted, *probe) || names.count(probe->name) > 0;
    if (!selected || names_probe(selection.skip, *probe)) continue;
    names.insert(probe->name);
    names.insert(probe->needs.begin(), probe->needs.end());
  }
  std::vector<Probe> probes;
  for (const Probe& probe : all)
    if (names.count(probe.name) > 0 && !names_probe(selection.skip, probe)) probes.push_back(probe);
  return probes;
}

bool layer_selected(const Selection& selection, Layer layer) {
  const std::string name(layer_name(layer));
  if (matches(selection.skip, name)) return false;
  if (layer_patterns(selection).empty()) return true;
  const auto probes = select_probes(selection);
  return matches(selection.only, name) ||
         std::any_of(probes.begin(), probes.end(), [&](const Probe& probe) { return probe.layer == layer; });
}

void select_findings(const Selection& selection, std::vector<Finding>& findings) {
  std::vector<std::string> ids;
  const auto names = layer_and_probe_names();
  for (const std::string& pattern : selection.only)
    if (!any_matches(pattern, names)) ids.push_back(pattern);
  std::set<std::string> kept;
  for (const Finding& finding : findings) {
    if (matches(selection.skip, finding.id) || (!ids.empty() && !matches(ids, finding.id))) continue;
    kept.insert(finding.key());
    kept.insert(finding.caused_by.begin(), finding.caused_by.end());
  }
  findings.erase(
      std::remove_if(findings.begin(), findings.end(), [&](const Finding& f) { return kept.count(f.key()) == 0; }),
      findings.end());
}

}  // namespace rocdiag
