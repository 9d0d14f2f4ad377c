// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "core/pattern.h"
#include "source/manifest.h"

namespace rocdiag {
namespace {

struct CodeName {
  Errc code;
  const char* name;
};
constexpr std::array kCodes{
    CodeName{Errc::timed_out, "timed_out"},
    CodeName{Errc::abandoned, "abandoned"},
    CodeName{Errc::not_recorded, "not_recorded"},
    CodeName{Errc::refused, "refused"},
    CodeName{Errc::too_large, "too_large"},
    CodeName{Errc::malformed, "malformed"},
    CodeName{Errc::usage, "usage"},
};

struct TypeName {
  FileType type;
  const char* name;
};
constexpr std::array kTypes{
    TypeName{FileType::file, "file"},          TypeName{FileType::folder, "folder"},
    TypeName{FileType::link, "link"},          TypeName{FileType::char_device, "char"},
    TypeName{FileType::block_device, "block"}, TypeName{FileType::fifo, "fifo"},
    TypeName{FileType::socket, "socket"},      TypeName{FileType::unknown, "unknown"},
};

// Puts each component of `path` into the listing of the folder it lies in, where that one is asked for.
void add_trace(const std::string& path, NamesByFolder& names) {
  std::string folder;
  for (const std::string& part : split_path(path)) {
    const auto listing = names.find(folder.empty() ? "/" : folder);
    if (listing != names.end()) listing->second.push_back(part);
    folder += "/" + part;
  }
}

template <class T>
void add_traces(const Answers<T>& answers, NamesByFolder& names) {
  for (const auto& [path, answer] : answers) {
    const bool stands_there = answer || (answer.error().code == Errc::system && !means_absent(answer.error()));
    if (stands_there) add_trace(path, names);
  }
}

}  // namespace

std::string error_code_name(const Error& error) {
  for (const CodeName& c : kCodes)
    if (c.code == error.code) return c.name;
  return errno_name(error.errno_value);
}

std::optional<Error> error_from_code_name(const std::string& name) {
  for (const CodeName& c : kCodes)
    if (name == c.name) return Error{c.code, 0, {}};
  const int value = errno_from_name(name);
  if (value == 0) return std::nullopt;
  return system_error(value);
}

std::string file_type_name(FileType type) {
  for (const TypeName& t : kTypes)
    if (t.type == type) return t.name;
  return "unknown";
}

std::optional<FileType> file_type_from_name(const std::string& name) {
  for (const TypeName& t : kTypes)
    if (name == t.name) return t.type;
  return std::nullopt;
}

NamesByFolder names_by_trace(const Snapshot& snapshot, const std::set<std::string>& folders,
                             const std::vector<std::string>& more) {
  NamesByFolder names;
  for (const std::string& folder : folders) names.try_emplace(folder);
  add_traces(snapshot.files, names);
  add_traces(snapshot.listings, names);
  add_traces(snapshot.links, names);
  add_traces(snapshot.stats, names);
  add_traces(snapshot.opens, names);
  for (const std::string& folder : folders) add_trace(folder, names);
  for (const std::string& path : more) add_trace(path, names);
  for (auto& [folder, list] : names) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return names;
}

}  // namespace rocdiag
