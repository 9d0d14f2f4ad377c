// SPDX-License-Identifier: MIT
#include "rocdiag/finding.h"

#include "rocdiag/report.h"

namespace rocdiag {

std::string severity_name(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::info:
      return "info";
  }
  return "";
}

std::string confidence_name(Confidence confidence) {
  switch (confidence) {
    case Confidence::confirmed:
      return "confirmed";
    case Confidence::likely:
      return "likely";
    case Confidence::possible:
      return "possible";
  }
  return "";
}

std::string verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::healthy:
      return "healthy";
    case Verdict::degraded:
      return "degraded";
    case Verdict::broken:
      return "broken";
    case Verdict::unknown:
      return "unknown";
  }
  return "";
}

std::string finding_key(const std::string& id, const std::string& subject) {
  return subject.empty() ? id : id + "@" + subject;
}

}  // namespace rocdiag
