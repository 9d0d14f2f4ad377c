// SPDX-License-Identifier: MIT
#include "source/bundle_read.h"

#include <sys/stat.h>

#include <algorithm>

#include "core/pattern.h"
#include "readers/text.h"
#include "source/bundle_tree.h"
#include "source/manifest.h"

namespace rocdiag {
namespace {

// Folders of a bare tree whose listing is not taken for whole: who copies /sys/class/drm has not recorded that
// /sys/class/kfd is missing (docs/adr/0003-bare-trees.md). Besides these: "/" and every folder directly below it.
constexpr const char* kScaffolding[] = {"/sys/*",     "/sys/bus/*",   "/sys/devices/*", "/proc/*", "/usr/*",
                                        "/usr/lib/*", "/usr/local/*", "/usr/share/*",   "/lib/*",  "/var/*",
                                        "/var/lib/*", "/var/log/*",   "/home/*",        "/run/*",  "/opt/*/*"};

bool is_scaffolding(const std::string& folder) {
  const std::size_t levels = split_path(folder).size();
  if (levels <= 1) return true;
  return std::any_of(std::begin(kScaffolding), std::end(kScaffolding), [&](const char* pattern) {
    return split_path(pattern).size() == levels && text_matches(pattern, folder);
  });
}

class SnapshotBuilder {
 public:
  explicit SnapshotBuilder(BundleTree tree) : tree_(std::move(tree)) {}

  Result<Snapshot> run() {
    tree_.lift_only_folder();
    if (!looks_like_bundle(tree_))
      return tree_.error(Errc::malformed, ".", "no manifest.json, no fs/, no sys/ or proc/ here: not a bundle");
    const BundleEntry* manifest = tree_.find(kManifestName);
    take_files(manifest != nullptr || tree_.holds_below("fs") ? "fs/" : "");
    if (manifest == nullptr) {
      list_bare_tree();
    } else {
      if (Status status = take_manifest(*manifest); !status) return status.error();
      fill_listings(layout_.listed);
    }
    return std::move(snapshot_);
  }

 private:
  void take_files(const std::string& prefix) {
    for (auto& [path, entry] : tree_.entries()) {
      if (path.compare(0, prefix.size(), prefix) != 0) continue;
      const std::string on_machine = "/" + path.substr(prefix.size());
      if (entry.kind == EntryKind::file) snapshot_.files.emplace(on_machine, std::move(entry.content));
      if (entry.kind == EntryKind::link) snapshot_.links.emplace(on_machine, entry.content);
      if (entry.kind == EntryKind::folder) folders_.push_back(on_machine);
    }
  }

  Status take_manifest(const BundleEntry& manifest) {
    if (manifest.kind != EntryKind::file) return tree_.error(Errc::malformed, kManifestName, "not a regular file");
    if (Status status = parse_manifest(manifest.content, snapshot_, layout_); !status)
      return tree_.error(status.error().code, kManifestName, describe(status.error()));
    for (const auto& [on_machine, path] : layout_.stored) {
      const BundleEntry* content = tree_.find(path);
      if (content == nullptr || content->kind != EntryKind::file)
        return tree_.error(Errc::malformed, kManifestName, "stored: there is no file " + printable(path, 200));
      snapshot_.files.insert_or_assign(on_machine, content->content);
    }
    for (std::size_t i = 0; i < snapshot_.commands.size(); ++i) {
      auto& outcome = snapshot_.commands[i].outcome;
      if (!outcome) continue;
      outcome.value().out = output(layout_.outputs[i].out);
      outcome.value().err = output(layout_.outputs[i].err);
    }
    return Done{};
  }

  std::string output(const std::string& path) const {
    const BundleEntry* entry = tree_.find(path);
    return entry != nullptr && entry->kind == EntryKind::file ? entry->content : std::string{};
  }

  // Every folder of the tree, be it named or implied by what lies in it, counts as listed whole, scaffolding aside.
  void list_bare_tree() {
    std::set<std::string> listed;
    const auto add = [&](std::string folder) {
      while (folder != "/" && listed.insert(folder).second) folder = parent_of(folder);
    };
    for (const std::string& folder : folders_) add(folder);
    for (const auto& [path, content] : snapshot_.files) add(parent_of(path));
    for (const auto& [path, target] : snapshot_.links) add(parent_of(path));
    for (auto it = listed.begin(); it != listed.end();) it = is_scaffolding(*it) ? listed.erase(it) : std::next(it);
    fill_listings(listed);
  }

  void fill_listings(const std::set<std::string>& listed) {
    for (auto& [folder, names] : names_by_trace(snapshot_, listed, folders_))
      snapshot_.listings.insert_or_assign(folder, std::move(names));
  }

  BundleTree tree_;
  Snapshot snapshot_;
  BundleLayout layout_;
  std::vector<std::string> folders_;
};

Result<Snapshot> build(Result<BundleTree> tree) {
  if (!tree) return tree.error();
  return SnapshotBuilder(std::move(tree.value())).run();
}

}  // namespace

Result<Snapshot> load_bundle(const std::string& path) {
  struct stat status {};
  const bool is_folder = stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  return build(is_folder ? read_folder(path) : unpack_archive_file(path));
}

Result<Snapshot> load_bundle_bytes(std::string_view archive) { return build(unpack_archive_bytes(archive)); }

}  // namespace rocdiag
