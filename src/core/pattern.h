// SPDX-License-Identifier: MIT
// Patterns over paths and names, as the shell matches them.
#pragma once

#include <string>
#include <vector>

namespace rocdiag {

// One level of a path: `*` does not match a leading dot, as in the shell.
bool name_matches(const std::string& pattern, const std::string& name);
// Ids and layer names: `*` matches anything.
bool text_matches(const std::string& pattern, const std::string& text);

// "/a/b/c" → "a", "b", "c". Empty and "." components are dropped; ".." stays for the caller to judge.
std::vector<std::string> split_path(const std::string& path);
// The folder that holds `path`; "/" for a path with one component.
std::string parent_of(const std::string& path);
std::string name_of(const std::string& path);

}  // namespace rocdiag
