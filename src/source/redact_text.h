// SPDX-License-Identifier: MIT
// The parts of redaction: where a text stands, pseudonyms, whole words, secrets, addresses.
#pragma once

#include <re2/re2.h>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rocdiag {

// Where a text stands: some patterns mean something else in some places.
struct TextPlace {
  std::string path;           // of the file whose content it is
  bool is_name = false;       // the whole text is the name of a user or host
  bool has_versions = false;  // numbers with three dots are versions here: lists of packages, kernel releases
};

constexpr const char* kRedacted = "REDACTED";

// Calls `replace(groups)` for each match of `pattern`, left to right; nothing leaves the match as it is and goes on
// behind its first group (behind the match, where there is none).
using Groups = std::vector<re2::StringPiece>;
template <class Replace>
std::string rewrite_matches(const std::string& text, const RE2& pattern, Replace replace) {
  Groups groups(static_cast<std::size_t>(pattern.NumberOfCapturingGroups()) + 1);
  std::string out;
  std::size_t copied = 0, at = 0;
  while (at <= text.size() &&
         pattern.Match(text, at, text.size(), RE2::UNANCHORED, groups.data(), static_cast<int>(groups.size()))) {
    const auto begin = static_cast<std::size_t>(groups[0].data() - text.data());
    const std::size_t end = begin + groups[0].size();
    if (const auto replacement = replace(groups)) {
      out.append(text, copied, begin - copied);
      out += *replacement;
      copied = end;
      at = end;
    } else {
      const bool has_first = groups.size() > 1 && groups[1].data() != nullptr;
      at = has_first ? static_cast<std::size_t>(groups[1].data() + groups[1].size() - text.data()) : end;
    }
    if (end == begin) ++at;
  }
  if (copied == 0 && out.empty()) return text;
  return out.append(text, copied, std::string::npos);
}

enum class PseudonymKind { user, host, serial, mail, mac, ipv4, ipv6 };

class Pseudonyms {
 public:
  // Numbers that stand in `text` as pseudonyms already are not given out again.
  void reserve_those_in(const std::string& text);
  std::string of(PseudonymKind kind, const std::string& original);
  static bool is_one(PseudonymKind kind, const std::string& text);

 private:
  std::map<PseudonymKind, std::map<std::string, std::string>> given_;
  std::map<PseudonymKind, unsigned> last_;
};

enum class WordUse {
  anywhere,  // replaced wherever it stands as a whole word
  as_name,   // a technical word as well: replaced only where it is plainly somebody's name
};

// Whole words and their replacements. A word begins and ends where letters and digits do.
class WordMap {
 public:
  void add(const std::string& word, const std::string& replacement, WordUse use);
  bool holds(const std::string& word) const { return words_.count(word) > 0; }
  std::string replace(const std::string& text, const TextPlace& place) const;

 private:
  struct Entry {
    std::string replacement;
    WordUse use;
  };
  const Entry* match(const std::string& text, std::size_t at, std::size_t& length) const;

  std::unordered_map<std::string, Entry> words_;
  std::set<std::size_t, std::greater<>> lengths_;
};

// Words that a log, a path or a package uses for other things, and names of system accounts.
bool is_technical_word(const std::string& word);
bool is_system_account(const std::string& name);

// Secrets.
bool is_secret_name(const std::string& name);  // "HF_TOKEN", "password", "--api-key"
bool is_harmless_value(const std::string& name, const std::string& value);
std::string without_private_keys(const std::string& text);  // PEM blocks, which span lines
std::string without_secrets(const std::string& text);
// The value after an option such as --token, in place.
void hide_option_values(std::vector<std::string>& arguments);

// Addresses.
std::string without_addresses(const std::string& text, const TextPlace& place, Pseudonyms& pseudonyms);

// Serial numbers: the values that a text shows under a label, as they stand there.
std::vector<std::string> labelled_serials(const std::string& text);
// Every spelling of one serial number that other tools use: hexadecimal with and without 0x, decimal.
std::vector<std::string> spellings_of_serial(const std::string& value, std::string& canonical);
bool is_serial_file(const std::string& path);
bool is_placeholder(const std::string& value);  // "N/A", "0", "Default string"
bool is_real_serial(const std::string& value);

}  // namespace rocdiag
