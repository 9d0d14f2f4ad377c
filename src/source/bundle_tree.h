// SPDX-License-Identifier: MIT
// What a bundle is made of before it means anything: paths and bytes, within the limits of docs/bundle-format.md.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "rocdiag/result.h"

namespace rocdiag {

constexpr std::size_t kMaxBundleBytes = 64U << 20U;     // unpacked, everything together
constexpr std::size_t kMaxBundleEntries = 20'000;       // files, folders and links
constexpr std::size_t kMaxBundleLevels = 64;            // of folders
constexpr std::size_t kMaxBundleFileBytes = 4U << 20U;  // of one file
constexpr std::size_t kMaxManifestBytes = 16U << 20U;
constexpr const char* kManifestName = "manifest.json";

enum class EntryKind { file, folder, link };

struct BundleEntry {
  EntryKind kind = EntryKind::file;
  std::string content;  // of a link: its target
};

// Entries by path ("fs/proc/cmdline"). Folders appear only where the bundle names them.
class BundleTree {
 public:
  // `name` is what messages call the bundle.
  explicit BundleTree(std::string name) : name_(std::move(name)) {}

  // The one spelling of `path` inside the bundle; an error for an absolute one and for "..". Empty: the top itself.
  Result<std::string> clean_path(std::string_view path) const;
  // Whether one more entry of `size` bytes is within the limits: asked before its content is read.
  Status admit(const std::string& path, std::size_t size) const;
  // `path` as clean_path() gives it. Refuses what is there already, and what would lie below a file or a link.
  Status add(const std::string& path, BundleEntry entry);
  // Where everything lies in one folder that is not itself part of a bundle, that folder becomes the top.
  void lift_only_folder();

  bool holds_below(const std::string& folder) const;  // or the folder itself
  const BundleEntry* find(const std::string& path) const;
  std::map<std::string, BundleEntry>& entries() { return entries_; }
  const std::map<std::string, BundleEntry>& entries() const { return entries_; }
  const std::string& name() const { return name_; }

  // "NAME: PATH: what", on one line and safe to print.
  Error error(Errc code, std::string_view path, const std::string& what) const;
  Error system_error_at(int errno_value, std::string_view path) const;

 private:
  std::string name_;
  std::map<std::string, BundleEntry> entries_;
  std::size_t bytes_ = 0;
};

// True for the top of a bundle or of a bare tree: it has a manifest, fs/, or a folder of a machine's root.
bool looks_like_bundle(const BundleTree& tree);
// The names of a machine's root by which a bare tree is known.
bool is_root_name(std::string_view name);

// Unpacks a .tar or .tar.gz in memory. Nothing else is accepted, and nothing is written to disk.
Result<BundleTree> unpack_archive_file(const std::string& path);
Result<BundleTree> unpack_archive_bytes(std::string_view archive);
// Reads a folder without following a link. Of a folder that is no bundle, nothing is read.
Result<BundleTree> read_folder(const std::string& path);

}  // namespace rocdiag
