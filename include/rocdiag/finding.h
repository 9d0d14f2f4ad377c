// SPDX-License-Identifier: MIT
// A cause or a symptom, with what shows it and what cures it. Ids are a contract: `domain.slug`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rocdiag/layer.h"
#include "rocdiag/remedy.h"

namespace rocdiag {

enum class Severity {
  error,    // compute does not work
  warning,  // it works, but degraded or about to break
  info,
};
enum class Confidence {
  confirmed,  // a trial, or direct observation
  likely,
  possible,
};
std::string severity_name(Severity severity);
std::string confidence_name(Confidence confidence);

// A quotation: what was read, and where.
struct Evidence {
  std::string source;  // path or command
  int line = 0;        // 0: the whole
  std::string text;    // one line

  bool operator==(const Evidence&) const = default;
};

// What a rule says: an id, whom it concerns, what shows it. The words come from data/findings/.
struct Draft {
  std::string id;
  std::string subject;  // PCI address, path or "unit:…"; empty: the machine
  Confidence confidence = Confidence::likely;
  std::vector<Evidence> evidence;             // never empty: no evidence, no finding
  std::map<std::string, std::string> values;  // fill the {names} in the texts
  std::string variant;                        // picks texts and remedies marked for this variant; empty: the plain ones
  std::optional<Severity> severity;           // only to lower the default, with a reason in the code
};

// "id@subject", or the id alone for the machine.
std::string finding_key(const std::string& id, const std::string& subject);

struct Finding {
  std::string id;
  std::string subject;
  Layer layer = Layer::pci;
  Severity severity = Severity::info;
  Confidence confidence = Confidence::possible;
  bool root_cause = false;             // set by cause analysis
  bool next = false;                   // not now, but as soon as its causes are cured
  std::vector<std::string> caused_by;  // keys
  std::string title, detail;
  std::vector<Evidence> evidence;
  std::vector<Remedy> remedies;

  std::string key() const { return finding_key(id, subject); }
};

}  // namespace rocdiag
