// SPDX-License-Identifier: MIT
#include "source/bundle_write.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "core/pattern.h"
#include "readers/text.h"
#include "source/bundle_tree.h"
#include "source/fd.h"
#include "source/manifest.h"
#include "source/output.h"
#include "source/tar_writer.h"

namespace rocdiag {
namespace {

constexpr std::size_t kMaxStoredPath = 1024;

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Whether the path can be a file's own path under fs/: in its one spelling, and within what file systems take.
bool is_storable(const std::string& path) {
  if (path.size() < 2 || path.size() > kMaxStoredPath || path.find('\0') != std::string::npos) return false;
  const auto parts = split_path(path);
  std::string spelt;
  for (const std::string& part : parts) {
    if (part == ".." || part.size() > NAME_MAX) return false;
    spelt += "/" + part;
  }
  return spelt == path && parts.size() < kMaxBundleLevels - 1;
}

bool has_files_below(const Answers<std::string>& files, const std::string& path) {
  for (auto it = files.lower_bound(path + "/"); it != files.end(); ++it) {
    if (it->first.compare(0, path.size() + 1, path + "/") != 0) return false;
    if (it->second) return true;
  }
  return false;
}

// The entries of the bundle, checked against the limits that its reader keeps. Contents stay in the snapshot.
class Plan {
 public:
  explicit Plan(const Snapshot& snapshot) : snapshot_(snapshot) {}

  Status make() {
    place_files();
    place_outputs();
    decide_listings();
    auto manifest = print_manifest(snapshot_, layout_);
    if (!manifest) return manifest.error();
    manifest_ = std::move(manifest.value());
    contents_[kManifestName] = &manifest_;
    return within_limits();
  }

  const std::map<std::string, const std::string*>& contents() const { return contents_; }

 private:
  void place_files() {
    for (const auto& [path, content] : snapshot_.files) {
      if (!content) continue;
      std::string at = "fs" + path;
      // A path read as a file and, through a link, as a folder cannot be both under fs/.
      if (!is_storable(path) || has_files_below(snapshot_.files, path)) {
        at = fmt::format("files/{:02}", layout_.stored.size() + 1);
        layout_.stored[path] = at;
      }
      contents_[at] = &*content;
    }
  }

  void place_outputs() {
    for (const RecordedCommand& command : snapshot_.commands) {
      OutputPaths& paths = layout_.outputs.emplace_back();
      if (!command.outcome) continue;
      const auto place = [&](const std::string& bytes, const char* stream) -> std::string {
        if (bytes.empty()) return {};
        std::string at = fmt::format("commands/{:02}.{}", layout_.outputs.size(), stream);
        contents_[at] = &bytes;
        return at;
      };
      paths.out = place(command.outcome->out, "out");
      paths.err = place(command.outcome->err, "err");
    }
  }

  // A listing that follows from the answers needs no words; any other is written out in full.
  void decide_listings() {
    std::set<std::string> whole;
    for (const auto& [folder, names] : snapshot_.listings)
      if (names) whole.insert(folder);
    for (const auto& [folder, names] : names_by_trace(snapshot_, whole, {}))
      if (*snapshot_.listings.at(folder) == names) layout_.listed.insert(folder);
  }

  Status within_limits() const {
    BundleTree tree("the bundle");
    std::size_t bytes = 0;
    std::set<std::string> folders;
    for (const auto& [path, content] : contents_) {
      if (Status status = tree.admit(path, content->size()); !status) return status;
      bytes += content->size();
      for (std::string at = parent_of(path); at != "/" && folders.insert(at).second;) at = parent_of(at);
    }
    if (bytes > kMaxBundleBytes)
      return tree.error(Errc::too_large, ".", fmt::format("more than {} MiB", kMaxBundleBytes >> 20U));
    if (contents_.size() + folders.size() > kMaxBundleEntries)
      return tree.error(Errc::too_large, ".", fmt::format("more than {} entries", kMaxBundleEntries));
    return Done{};
  }

  const Snapshot& snapshot_;
  BundleLayout layout_;
  std::string manifest_;
  std::map<std::string, const std::string*> contents_;  // by path in the bundle
};

std::int64_t seconds_of(const std::string& captured) {
  std::tm tm{};
  const char* end = strptime(captured.c_str(), "%Y-%m-%dT%H:%M:%SZ", &tm);
  return end != nullptr && *end == '\0' ? timegm(&tm) : 0;
}

Status save_archive(const Plan& plan, const Snapshot& snapshot, const std::string& path) {
  TarWriter tar(seconds_of(snapshot.captured));
  tar.add_file(kManifestName, *plan.contents().at(kManifestName));
  for (const auto& [name, content] : plan.contents())
    if (name != kManifestName) tar.add_file(name, *content);
  return write_file_atomically(path, tar.finish(), 0600);
}

Status save_file(int top, const std::string& path, const std::string& content) {
  const auto parts = split_path(path);
  Fd folder(dup(top));
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    if (mkdirat(folder.get(), parts[i].c_str(), 0700) != 0 && errno != EEXIST) return system_error(errno);
    folder = Fd(openat(folder.get(), parts[i].c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder.is_open()) return system_error(errno);
  }
  return write_new_file(folder.get(), parts.back(), content, 0600, Flush::no);
}

Status save_folder(const Plan& plan, const std::string& path) {
  return make_folder_atomically(path, [&](int top) -> Status {
    for (const auto& [name, content] : plan.contents()) {
      const Status status = save_file(top, name, *content);
      if (status) continue;
      const int reason = status.error().errno_value;
      return system_error(reason,
                          fmt::format("{}: {}: {}", printable(path, 200), printable(name, 200), errno_name(reason)));
    }
    return Done{};
  });
}

}  // namespace

Status save_bundle(const Snapshot& snapshot, const std::string& path) {
  Plan plan(snapshot);
  if (Status status = plan.make(); !status) return status;
  const bool archive = ends_with(path, ".tar.gz") || ends_with(path, ".tgz");
  return archive ? save_archive(plan, snapshot, path) : save_folder(plan, path);
}

}  // namespace rocdiag
