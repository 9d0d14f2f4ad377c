// SPDX-License-Identifier: MIT
// Finds the signatures of data/signatures/ in a log, in one pass and in time linear in its length.
#pragma once

#include <re2/re2.h>
#include <re2/set.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/signatures.h"

namespace rocdiag {

struct SignatureHit {
  std::size_t line = 0;               // from 1
  std::string text;                   // without the log's prefix; bytes, see printable()
  std::vector<std::string> captures;  // by group of the regex; empty where the group took no part
  std::optional<double> seconds;      // since boot
};

// What one signature found for one device.
struct SignatureHits {
  const Signature* signature = nullptr;
  std::optional<std::string> pci_address;  // the first in the line; none where the lines name no device
  std::size_t count = 0;
  std::vector<SignatureHit> kept;  // in the order of the log; the first and the last of all are always among them
};

struct LogMatches {
  std::vector<SignatureHits> hits;  // in the order of the signatures, then by address
  std::size_t lines = 0;
  std::size_t dropped = 0;  // hits not even counted in `hits`: the log names more devices than any machine has
};

class SignatureMatcher {
 public:
  static constexpr std::size_t kMaxLine = 4096;     // bytes of a line that are looked at
  static constexpr std::size_t kMaxText = 1024;     // bytes of a line that are kept
  static constexpr std::size_t kMaxCapture = 256;   // bytes
  static constexpr std::size_t kKeptEach = 50;      // hits kept for a signature and a device
  static constexpr std::size_t kKeptInAll = 10000;  // past it, the first and the last of each
  static constexpr std::size_t kMaxPairs = 4096;    // of a signature and a device

  // `signatures` must outlive the matcher. Throws std::runtime_error for a regex that RE2 does not take.
  explicit SignatureMatcher(const std::vector<Signature>& signatures);

  // For kernel_signatures(), compiled on first use.
  static const SignatureMatcher& kernel();

  LogMatches match(std::string_view log) const;  // bytes; safe to call from several threads

 private:
  std::vector<int> signatures_in(std::string_view text) const;
  SignatureHit hit_at(std::size_t signature, std::string_view line, std::size_t number) const;

  const std::vector<Signature>& signatures_;
  std::vector<std::unique_ptr<RE2>> patterns_;  // one for each signature
  RE2::Set all_;
};

}  // namespace rocdiag
