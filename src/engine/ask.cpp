// SPDX-License-Identifier: MIT
#include "engine/ask.h"

#include <chrono>
#include <set>

namespace rocdiag {
namespace {

using Clock = std::chrono::steady_clock;

std::int64_t milliseconds_since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
}

}  // namespace

Asked ask_all(Source& source, const std::vector<Probe>& probes, Deadline deadline) {
  Asked asked;
  asked.snapshot = source.begin();
  for (const Probe& probe : probes) probe.gather(asked.snapshot, asked.facts);
  std::set<Question> known;
  while (Clock::now() < deadline) {
    const auto start = Clock::now();
    std::vector<Question> round;
    std::vector<std::string_view> askers;
    for (const Probe& probe : probes) {
      const std::size_t before = round.size();
      for (Question& question : probe.questions(asked.facts))
        if (known.insert(question).second) round.push_back(std::move(question));
      if (round.size() > before) askers.push_back(probe.name);
    }
    if (round.empty()) break;
    source.answer(round, deadline, asked.snapshot);
    for (const Probe& probe : probes) probe.gather(asked.snapshot, asked.facts);
    for (const std::string_view name : askers) asked.duration_ms[name] += milliseconds_since(start);
  }
  return asked;
}

}  // namespace rocdiag
