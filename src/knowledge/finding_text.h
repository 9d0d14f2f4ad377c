// SPDX-License-Identifier: MIT
// How to speak of a finding: the records of data/findings/ and how they are filled in.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rocdiag/finding.h"

namespace rocdiag {

// A remedy as written in the data: with {names}, and perhaps for one variant of the finding only.
struct RemedyText {
  std::string variant;
  Remedy remedy;
};

struct FindingText {
  std::string id;
  Layer layer = Layer::pci;
  Severity severity = Severity::error;
  std::string meaning;                                 // one line, for lists
  std::string title, detail, why;                      // with {names} from the draft; title defaults to the meaning
  std::vector<std::string> check;                      // commands to see it by hand
  std::vector<std::string> explains;                   // ids, or patterns of ids, that are symptoms of this one
  std::vector<std::string> after;                      // while one of these is a cause, this one bites only next
  std::map<std::string, std::string> titles, details;  // by the draft's variant, instead of title and detail
  std::vector<RemedyText> remedies;
  std::vector<std::string> links;
};

// Appends the records of one file of data/findings/. Throws std::runtime_error naming `path` for one that is not
// as its schema promises.
void read_finding_texts(const std::string& path, std::string_view content, std::vector<FindingText>& into);

// `text` with every {name} replaced; a name without a value stays as it is written, for a test to find.
std::string fill_in(const std::string& text, const std::map<std::string, std::string>& values);

// The draft in words. Remedies of the draft's variant count, or those without one where it has none.
Finding compose(const Draft& draft, const FindingText& text);

}  // namespace rocdiag
