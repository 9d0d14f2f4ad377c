// SPDX-License-Identifier: MIT
// manifest.json: everything in a bundle that is not file content (docs/bundle-format.md).
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rocdiag/snapshot.h"

namespace rocdiag {

// Paths inside the bundle; empty: no output.
struct OutputPaths {
  std::string out, err;
};

// How a snapshot lies in its bundle.
struct BundleLayout {
  std::set<std::string> listed;               // folders whose names follow from the answers: names_by_trace()
  std::map<std::string, std::string> stored;  // content not under fs/: path on the machine → path in the bundle
  std::vector<OutputPaths> outputs;           // of each command, in order
};

// Fills `into` with all but file contents, listings of `layout.listed` and output of commands. Fills what `into` does
// not answer yet; an answer that is there stays. A field of the wrong type is an error that names it.
Status parse_manifest(std::string_view text, Snapshot& into, BundleLayout& layout);
// Errc::too_large for what parse_manifest() would refuse.
Result<std::string> print_manifest(const Snapshot& snapshot, const BundleLayout& layout);

using NamesByFolder = std::map<std::string, std::vector<std::string>>;
// The names each of `folders` must hold, because something recorded there or one of `more` lies below it. Sorted.
NamesByFolder names_by_trace(const Snapshot& snapshot, const std::set<std::string>& folders,
                             const std::vector<std::string>& more);

// How errors, types and asks are spelt in the manifest.
struct AskName {
  Ask ask;
  const char* name;
};
constexpr AskName kPathAsks[] = {{Ask::read, "read"}, {Ask::list, "list"}, {Ask::link, "link"}, {Ask::stat, "stat"}};
std::string error_code_name(const Error& error);  // "EACCES", "timed_out"
std::optional<Error> error_from_code_name(const std::string& name);
std::string file_type_name(FileType type);  // "char", "folder"
std::optional<FileType> file_type_from_name(const std::string& name);

}  // namespace rocdiag
