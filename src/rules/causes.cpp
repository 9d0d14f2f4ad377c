// SPDX-License-Identifier: MIT
#include "rules/causes.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <tuple>

#include "core/pattern.h"

namespace rocdiag {
namespace {

bool matches_any(const std::vector<std::string>& patterns, const std::string& id) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return text_matches(pattern, id); });
}

// Another account ("unit:ollama.service", "sudo") than the one that asked: its trouble is its own.
bool is_other_account(const std::string& subject) { return subject == "sudo" || subject.rfind("unit:", 0) == 0; }

// A finding about the whole machine touches every subject; two subjects touch only when they are the same.
bool subjects_meet(const Finding& a, const Finding& b) {
  if (a.subject == b.subject) return true;
  if (is_other_account(a.subject) || is_other_account(b.subject)) return false;
  return a.subject.empty() || b.subject.empty();
}

// Explanations climb the ladder: what is broken above cannot be why something below is.
bool stands_below(const Finding& cause, const Finding& symptom) { return cause.layer <= symptom.layer; }

// Something that does not matter cannot be why something that matters is broken.
bool grave_enough(const Finding& cause, const Finding& symptom) { return cause.severity <= symptom.severity; }

std::vector<Finding> compose_all(const std::vector<Draft>& drafts, const Knowledge& knowledge) {
  std::vector<Finding> findings;
  for (const Draft& draft : drafts) {
    const FindingText* text = knowledge.finding(draft.id);
    if (text == nullptr)
      throw std::logic_error("a rule speaks of " + draft.id + ", which data/findings/ does not know");
    if (draft.evidence.empty()) throw std::logic_error("a rule states " + draft.id + " without evidence");
    Finding finding = compose(draft, *text);
    const auto same = std::find_if(findings.begin(), findings.end(),
                                   [&](const Finding& other) { return other.key() == finding.key(); });
    if (same == findings.end()) {
      findings.push_back(std::move(finding));
    } else {
      same->confidence = std::min(same->confidence, finding.confidence);
      same->evidence.insert(same->evidence.end(), finding.evidence.begin(), finding.evidence.end());
    }
  }
  return findings;
}

using Edges = std::vector<std::set<std::size_t>>;  // by symptom: its direct causes

// Every cause reachable from `at`, itself left out.
void collect_causes(const Edges& edges, std::size_t at, std::set<std::size_t>& into) {
  for (const std::size_t cause : edges[at])
    if (into.insert(cause).second) collect_causes(edges, cause, into);
}

// Two findings that claim to explain each other would leave no cause: the first in ladder order keeps its claim.
Edges explanations(const std::vector<Finding>& findings, const Knowledge& knowledge) {
  Edges edges(findings.size());
  for (std::size_t cause = 0; cause < findings.size(); ++cause) {
    const FindingText& text = *knowledge.finding(findings[cause].id);
    for (std::size_t symptom = 0; symptom < findings.size(); ++symptom) {
      if (cause == symptom || !matches_any(text.explains, findings[symptom].id)) continue;
      const Finding& below = findings[cause];
      const Finding& above_it = findings[symptom];
      if (!subjects_meet(below, above_it) || !stands_below(below, above_it) || !grave_enough(below, above_it)) continue;
      std::set<std::size_t> above;
      collect_causes(edges, cause, above);
      if (above.count(symptom) == 0) edges[symptom].insert(cause);
    }
  }
  return edges;
}

void mark_symptoms(std::vector<Finding>& findings, const Edges& edges) {
  for (std::size_t i = 0; i < findings.size(); ++i) {
    findings[i].root_cause = edges[i].empty();
    std::set<std::size_t> causes;
    collect_causes(edges, i, causes);
    for (const std::size_t cause : causes)
      if (edges[cause].empty()) findings[i].caused_by.push_back(findings[cause].key());
  }
}

void mark_next(std::vector<Finding>& findings, const Knowledge& knowledge) {
  for (Finding& later : findings) {
    if (!later.root_cause) continue;
    const std::vector<std::string>& after = knowledge.finding(later.id)->after;
    for (const Finding& now : findings)
      if (&now != &later && now.root_cause && !now.next && matches_any(after, now.id) && subjects_meet(now, later) &&
          grave_enough(now, later))
        later.caused_by.push_back(now.key());
    if (later.caused_by.empty()) continue;
    later.next = true;
    later.root_cause = false;
  }
}

auto rank(const Finding& f) {
  const int role = f.root_cause ? 0 : f.next ? 1 : 2;
  return std::make_tuple(role, f.severity, f.confidence, f.layer, f.id, f.subject);
}

}  // namespace

std::vector<Finding> analyse(const std::vector<Draft>& drafts, const Knowledge& knowledge) {
  std::vector<Finding> findings = compose_all(drafts, knowledge);
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::tie(a.layer, a.id) < std::tie(b.layer, b.id);
  });
  mark_symptoms(findings, explanations(findings, knowledge));
  mark_next(findings, knowledge);
  std::sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) { return rank(a) < rank(b); });
  return findings;
}

}  // namespace rocdiag
