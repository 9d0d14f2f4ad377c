// SPDX-License-Identifier: MIT
#include "readers/signature_match.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <utility>

#include "readers/kernel_log.h"

namespace rocdiag {
namespace {

constexpr std::int64_t kMaxMemory = std::int64_t{64} << 20;  // for the automaton of all patterns together

RE2::Options options() {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);  // logs are bytes: "." takes what is not UTF-8, too
  options.set_log_errors(false);
  options.set_max_mem(kMaxMemory);
  return options;
}

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

// The next line of `rest`, without its end, and `rest` after it.
std::string_view next_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line.substr(0, SignatureMatcher::kMaxLine);
}

// `scratch` holds the line where it had to be changed.
KernelLine clean_line(std::string_view line, std::string& scratch) {
  if (line.find('\x1b') == std::string_view::npos) return take_apart(line);
  scratch = without_colours(line);
  return take_apart(scratch);
}

struct Place {
  std::string_view line;
  std::size_t number = 0;
};

// Where the hits are. Their texts are copied only when it is known which are kept.
class Places {
 public:
  struct Group {
    std::size_t count = 0;
    std::vector<Place> kept;
  };
  using Key = std::pair<std::size_t, std::optional<std::string>>;  // signature, address

  void add(const Key& key, Place place) {
    auto it = groups_.find(key);
    if (it == groups_.end()) {
      if (groups_.size() >= SignatureMatcher::kMaxPairs) {
        ++dropped_;
        return;
      }
      it = groups_.emplace(key, Group{}).first;
    }
    Group& group = it->second;
    ++group.count;
    const bool all_full = kept_ >= SignatureMatcher::kKeptInAll && group.kept.size() >= 2;
    if (all_full || group.kept.size() >= SignatureMatcher::kKeptEach) {
      group.kept.back() = place;
    } else {
      group.kept.push_back(place);
      ++kept_;
    }
  }

  const std::map<Key, Group>& groups() const { return groups_; }
  std::size_t dropped() const { return dropped_; }

 private:
  std::map<Key, Group> groups_;
  std::size_t kept_ = 0;
  std::size_t dropped_ = 0;
};

}  // namespace

SignatureMatcher::SignatureMatcher(const std::vector<Signature>& signatures)
    : signatures_(signatures), all_(options(), RE2::UNANCHORED) {
  for (const Signature& signature : signatures) {
    patterns_.push_back(std::make_unique<RE2>(signature.regex, options()));
    std::string error = patterns_.back()->error();
    if (!patterns_.back()->ok() || all_.Add(signature.regex, &error) < 0)
      throw std::runtime_error("signature " + signature.id + ": " + error);
  }
  if (!all_.Compile()) throw std::runtime_error("the signatures together take more memory than they may");
}

const SignatureMatcher& SignatureMatcher::kernel() {
  static const SignatureMatcher matcher(kernel_signatures());
  return matcher;
}

std::vector<int> SignatureMatcher::signatures_in(std::string_view text) const {
  std::vector<int> found;
  RE2::Set::ErrorInfo error{RE2::Set::kNoError};
  if (all_.Match(piece(text), &found, &error) || error.kind == RE2::Set::kNoError) {
    std::sort(found.begin(), found.end());
    return found;
  }
  // Out of memory for this line is not "no match": each pattern by itself needs little.
  for (std::size_t n = 0; n < patterns_.size(); ++n)
    if (RE2::PartialMatch(piece(text), *patterns_[n])) found.push_back(static_cast<int>(n));
  return found;
}

SignatureHit SignatureMatcher::hit_at(std::size_t signature, std::string_view line, std::size_t number) const {
  std::string scratch;
  const KernelLine clean = clean_line(line, scratch);
  const RE2& pattern = *patterns_[signature];
  std::vector<re2::StringPiece> groups(static_cast<std::size_t>(pattern.NumberOfCapturingGroups()) + 1);
  pattern.Match(piece(clean.text), 0, clean.text.size(), RE2::UNANCHORED, groups.data(),
                static_cast<int>(groups.size()));
  SignatureHit hit;
  hit.line = number;
  hit.text = std::string(clean.text.substr(0, kMaxText));
  hit.seconds = clean.seconds;
  for (std::size_t n = 1; n < groups.size(); ++n)
    hit.captures.emplace_back(groups[n].data(), std::min(groups[n].size(), kMaxCapture));
  return hit;
}

LogMatches SignatureMatcher::match(std::string_view log) const {
  LogMatches matches;
  Places places;
  std::string scratch;
  while (!log.empty()) {
    const Place place{next_line(log), ++matches.lines};
    const std::string_view text = clean_line(place.line, scratch).text;
    const std::vector<int> found = signatures_in(text);
    if (found.empty()) continue;
    const auto address = pci_address_in(text);
    for (const int signature : found) places.add({static_cast<std::size_t>(signature), address}, place);
  }
  matches.dropped = places.dropped();
  for (const auto& [key, group] : places.groups()) {
    SignatureHits hits{&signatures_[key.first], key.second, group.count, {}};
    for (const Place& place : group.kept) hits.kept.push_back(hit_at(key.first, place.line, place.number));
    matches.hits.push_back(std::move(hits));
  }
  return matches;
}

}  // namespace rocdiag
