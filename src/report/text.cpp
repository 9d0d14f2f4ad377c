// SPDX-License-Identifier: MIT
#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "readers/text.h"
#include "report/layout.h"

namespace rocdiag {
namespace {

constexpr std::size_t kLabel = 7;  // "do     ", "then   "
constexpr std::size_t kMaxEvidence = 4;

const char* sign_of(LayerStatus status) {
  switch (status) {
    case LayerStatus::pass:
      return "✓";
    case LayerStatus::warn:
      return "!";
    case LayerStatus::fail:
      return "✗";
    case LayerStatus::blocked:
    case LayerStatus::skipped:
      return "–";
    case LayerStatus::unknown:
      return "?";
  }
  return "?";
}

const char* sign_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "✗";
    case Severity::warning:
      return "!";
    case Severity::info:
      return "–";
  }
  return "?";
}

const char* colour_of(const std::string& sign) {
  if (sign == "✓") return "32";
  if (sign == "✗") return "31";
  if (sign == "!") return "33";
  return "2";
}

// What has to happen after the commands of a remedy.
std::string afterwards(const Remedy& remedy) {
  const auto needs = [&](const char* what) {
    return std::find(remedy.needs.begin(), remedy.needs.end(), what) != remedy.needs.end();
  };
  if (needs("reboot")) return "then reboot";
  if (needs("relogin")) return "then log out and in";
  return "";
}

// The same words once the subject is taken out: such findings show as one block.
std::string shape_of(const Finding& finding) {
  std::string shape = finding.id + severity_name(finding.severity);
  for (const Remedy& remedy : finding.remedies)
    for (const std::string& command : remedy.commands) shape += "\n" + command;
  if (finding.subject.empty()) return shape;
  for (std::size_t at = shape.find(finding.subject); at != std::string::npos; at = shape.find(finding.subject, at))
    shape.erase(at, finding.subject.size());
  return shape;
}

// A container changes what every other line means, so the first line names it.
std::string where_we_are(const ContainerFacts& container) {
  if (container.kind.is_absent()) return ", no container";
  if (!container.kind) return "";
  if (*container.kind == "other") return ", in a container";
  const bool sandbox = *container.kind == "firejail" || *container.kind == "flatpak" || *container.kind == "snap";
  const char* article = *container.kind == "apptainer" ? "an" : "a";
  return fmt::format(", in {} {} {}", article, *container.kind, sandbox ? "sandbox" : "container");
}

class TextReport {
 public:
  TextReport(const Report& report, const TextStyle& style)
      : report_(report), style_(style), width_(std::max<std::size_t>(style.width, 40)) {}

  std::string render() {
    header();
    ladder();
    blocks();
    side_notes();
    closing();
    return style_.unicode ? out_ : to_ascii(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + "\n"; }
  std::string coloured(const std::string& text, const char* code) const {
    return style_.colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }
  std::string sign(const std::string& s) const { return coloured(s, colour_of(s)); }

  // `text` wrapped behind `first`, further lines indented to the same column.
  void paragraph(const std::string& first, const std::string& text) {
    const std::size_t indent = columns(first);
    bool is_first = true;
    for (const std::string& part : wrap(text, width_ > indent + 20 ? width_ - indent : 20)) {
      line((is_first ? first : std::string(indent, ' ')) + part);
      is_first = false;
    }
  }

  void header() {
    const HostFacts& host = report_.facts.host;
    std::string text = host.os_name ? *host.os_name : "Unknown system";
    if (host.kernel_release) text += " · Linux " + *host.kernel_release;
    if (host.uid) text += *host.uid == 0 ? " · as root" : " · as an ordinary user";
    text += where_we_are(report_.facts.container);
    if (report_.source_kind != "live") text += " · from a " + report_.source_kind;
    paragraph("", text);
    line("");
  }

  void ladder() {
    for (const LayerReport& layer : report_.layers) {
      const std::string s = sign_of(layer.status);
      const std::string first = fmt::format("  {}  ", pad(std::string(layer_name(layer.layer)), 9));
      bool is_first = true;
      for (const std::string& part : wrap(layer.summary, width_ - std::min<std::size_t>(width_ - 20, 16))) {
        line(is_first ? first + sign(s) + "  " + part : std::string(columns(first) + 3, ' ') + part);
        is_first = false;
      }
      if (is_first) line(first + sign(s));
    }
    line("");
  }

  void blocks() {
    std::vector<std::string> shown;
    for (const Finding& finding : report_.findings) {
      if (!finding.root_cause || finding.severity == Severity::info) continue;
      const std::string shape = shape_of(finding);
      if (std::find(shown.begin(), shown.end(), shape) != shown.end()) continue;
      shown.push_back(shape);
      block(finding, shape);
    }
  }

  void block(const Finding& finding, const std::string& shape) {
    title(finding);
    paragraph("  ", finding.detail);
    also_at(finding, shape);
    evidence(finding);
    explained(finding);
    if (!finding.remedies.empty()) line("");
    bool is_first = true;
    for (const Remedy& r : finding.remedies) {
      // The first thing to do speaks for itself when it is a command; anything else needs its sentence.
      const bool says_itself = is_first && r.kind != "look";
      if (r.commands.empty() || !says_itself) paragraph("  " + pad(is_first ? "do" : "or", kLabel), r.summary);
      commands(r, r.commands.empty() || !says_itself ? "" : "do");
      is_first = false;
    }
    if (!finding.remedies.empty()) labelled("then", "rocdiag check");
    for (const Remedy& r : finding.remedies) {
      for (const std::string& command : r.undo) labelled(&command == &r.undo.front() ? "undo" : "", command);
    }
    labelled("more", "rocdiag explain " + finding.id);
    line("");
    after_that(finding);
  }

  void title(const Finding& finding) {
    const std::string s = sign_of(finding.severity);
    std::string id = finding.id;
    if (finding.confidence != Confidence::confirmed) id += "   " + confidence_name(finding.confidence);
    const auto lines = wrap(finding.title, width_ - 2);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::string text = (i == 0 ? sign(s) + " " : "  ") + lines[i];
      const std::size_t used = 2 + columns(lines[i]);
      if (i + 1 == lines.size()) {
        if (used + 2 + columns(id) > width_)
          line(text), text = std::string(width_ - std::min(width_ - 2, columns(id)), ' ');
        else
          text += std::string(width_ - used - columns(id), ' ');
        text += coloured(id, "2");
      }
      line(text);
    }
  }

  void also_at(const Finding& finding, const std::string& shape) {
    std::vector<std::string> others;
    for (const Finding& other : report_.findings)
      if (&other != &finding && other.root_cause && !other.subject.empty() && shape_of(other) == shape)
        others.push_back(other.subject);
    if (others.empty()) return;
    std::string text = "The same at ";
    for (std::size_t i = 0; i < others.size(); ++i) text += (i == 0 ? "" : ", ") + others[i];
    paragraph("  ", text + ".");
  }

  void evidence(const Finding& finding) {
    std::size_t shown = 0;
    for (const Evidence& e : finding.evidence) {
      if (++shown > kMaxEvidence) break;
      const std::string where = e.line > 0 ? fmt::format("{}:{}", e.source, e.line) : e.source;
      paragraph("  " + where + "   ", printable(e.text));
    }
    if (finding.evidence.size() > kMaxEvidence)
      line(fmt::format("  … and {} more in the JSON report", finding.evidence.size() - kMaxEvidence));
  }

  void explained(const Finding& finding) {
    const std::string key = finding.key();
    std::vector<std::string> titles;
    for (const Finding& other : report_.findings) {
      if (other.next || std::find(other.caused_by.begin(), other.caused_by.end(), key) == other.caused_by.end())
        continue;
      titles.push_back(other.title);
    }
    if (titles.empty()) return;
    std::string text = "It explains: ";
    for (std::size_t i = 0; i < titles.size(); ++i) text += (i == 0 ? "" : "; ") + titles[i];
    paragraph("  ", text + ".");
  }

  void after_that(const Finding& finding) {
    const std::string key = finding.key();
    for (const Finding& other : report_.findings) {
      if (!other.next || other.caused_by.front() != key) continue;
      paragraph("  ", fmt::format("After that: {} ({}).", other.title, other.id));
      line("");
    }
  }

  void labelled(const std::string& label, const std::string& text) { line("  " + pad(label, kLabel) + text); }

  void commands(const Remedy& r, const std::string& label) {
    const std::string then = afterwards(r);
    for (std::size_t i = 0; i < r.commands.size(); ++i) {
      std::string text = r.commands[i];
      const bool is_last = i + 1 == r.commands.size();
      const bool fits = 2 + kLabel + columns(text) + 6 + columns(then) <= width_;
      if (is_last && !then.empty() && fits) text += "      " + then;
      labelled(i == 0 ? label : "", text);
      if (is_last && !then.empty() && !fits) labelled("", then);
    }
    if (!r.risk.empty()) paragraph("  " + pad("risk", kLabel), r.risk);
  }

  void side_notes() {
    bool any = false;
    for (const Finding& finding : report_.findings) {
      if (finding.severity != Severity::info || !finding.root_cause) continue;
      paragraph(sign("–") + " ", fmt::format("{} ({})", finding.title, finding.id));
      any = true;
    }
    for (const std::string& note : report_.notes) {
      paragraph("  ", printable(note));
      any = true;
    }
    if (any) line("");
  }

  void closing() {
    std::size_t now = 0;
    std::size_t warnings = 0;
    std::size_t later = 0;
    for (const Finding& f : report_.findings) {
      now += f.root_cause && f.severity == Severity::error ? 1U : 0U;
      warnings += f.root_cause && f.severity == Severity::warning ? 1U : 0U;
      later += f.next ? 1U : 0U;
    }
    std::string text = verdict_name(report_.verdict);
    if (now > 0) text += fmt::format(": {} {} now", now, now == 1 ? "cause" : "causes");
    if (now == 0 && report_.verdict == Verdict::unknown) text += ": " + undecided();
    if (later > 0) text += fmt::format(", {} next", later);
    if (warnings > 0) text += fmt::format(", {} {}", warnings, warnings == 1 ? "warning" : "warnings");
    line(fmt::format("{} · {:.1f} s", text, static_cast<double>(report_.duration_ms) / 1000.0));
  }

  // Which rung keeps the verdict open.
  std::string undecided() const {
    for (const LayerReport& layer : report_.layers)
      if (layer.status == LayerStatus::fail)
        return fmt::format("{} fails and what it shows does not name the cause", layer_name(layer.layer));
    for (const LayerReport& layer : report_.layers)
      if (layer.status == LayerStatus::unknown) return fmt::format("{} gave no answer", layer_name(layer.layer));
    return "nothing found broken, and no program was run on the GPU";
  }

  const Report& report_;
  const TextStyle& style_;
  const std::size_t width_;
  std::string out_;
};

}  // namespace

std::string report_as_text(const Report& report, const TextStyle& style) { return TextReport(report, style).render(); }

}  // namespace rocdiag
