// SPDX-License-Identifier: MIT
#include "engine/check.h"

#include <algorithm>

#include "engine/ask.h"
#include "engine/judge.h"

namespace rocdiag {
namespace {

using Clock = std::chrono::steady_clock;

// What root would add is said once, not per layer.
void note_what_root_adds(Report& report) {
  const Facts& facts = report.facts;
  if (!facts.host.uid || *facts.host.uid == 0) return;
  const bool config_unread = std::any_of(facts.pci.gpus.begin(), facts.pci.gpus.end(),
                                         [](const PciGpu& gpu) { return gpu.atomics_enabled.is_unobserved(); });
  if (config_unread) report.notes.emplace_back("Run as root, rocdiag also sees whether PCIe atomics reach the GPU.");
}

}  // namespace

Checked check(Source& source, const Selection& selection, std::chrono::milliseconds budget) {
  const auto start = Clock::now();
  Asked asked = ask_all(source, select_probes(selection), start + budget);
  Checked checked{judge(asked.facts, Knowledge::embedded(), selection), std::move(asked.snapshot)};
  Report& report = checked.report;
  report.source_kind = source.kind();
  report.notes = checked.snapshot.notes;
  note_what_root_adds(report);
  for (LayerReport& layer : report.layers)
    for (const Probe& probe : probe_catalogue())
      if (probe.layer == layer.layer) layer.duration_ms += asked.duration_ms[probe.name];
  report.duration_ms = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
  return checked;
}

}  // namespace rocdiag
