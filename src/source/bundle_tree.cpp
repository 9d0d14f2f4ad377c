// SPDX-License-Identifier: MIT
#include "source/bundle_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/pattern.h"
#include "readers/text.h"

namespace rocdiag {
namespace {

constexpr std::array<std::string_view, 4> kRootNames{"sys", "proc", "dev", "etc"};
constexpr std::size_t kMiB = 1U << 20U;

std::string top_of(const std::string& path) { return path.substr(0, path.find('/')); }

}  // namespace

bool is_root_name(std::string_view name) {
  return std::find(kRootNames.begin(), kRootNames.end(), name) != kRootNames.end();
}

bool looks_like_bundle(const BundleTree& tree) {
  if (tree.find(kManifestName) != nullptr || tree.holds_below("fs")) return true;
  return std::any_of(kRootNames.begin(), kRootNames.end(),
                     [&](std::string_view name) { return tree.holds_below(std::string(name)); });
}

Error BundleTree::error(Errc code, std::string_view path, const std::string& what) const {
  return {code, 0, fmt::format("{}: {}: {}", printable(name_, 200), printable(path, 200), what)};
}

Error BundleTree::system_error_at(int errno_value, std::string_view path) const {
  Error error = this->error(Errc::system, path, errno_name(errno_value));
  error.errno_value = errno_value;
  return error;
}

Result<std::string> BundleTree::clean_path(std::string_view path) const {
  if (!path.empty() && path.front() == '/') return error(Errc::malformed, path, "an absolute path");
  std::string clean;
  for (const std::string& part : split_path(std::string(path))) {
    if (part == "..") return error(Errc::malformed, path, "a path with \"..\"");
    clean += (clean.empty() ? "" : "/") + part;
  }
  return clean;
}

Status BundleTree::admit(const std::string& path, std::size_t size) const {
  if (entries_.size() >= kMaxBundleEntries)
    return error(Errc::too_large, path, fmt::format("more than {} entries", kMaxBundleEntries));
  const auto slashes = static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
  if (slashes >= kMaxBundleLevels)
    return error(Errc::too_large, path, fmt::format("more than {} levels of folders", kMaxBundleLevels));
  const bool is_manifest = slashes <= 1 && name_of(path) == kManifestName;
  const std::size_t most = is_manifest ? kMaxManifestBytes : kMaxBundleFileBytes;
  if (size > most) return error(Errc::too_large, path, fmt::format("larger than {} MiB", most / kMiB));
  if (size > kMaxBundleBytes - bytes_)
    return error(Errc::too_large, path, fmt::format("more than {} MiB unpacked", kMaxBundleBytes / kMiB));
  return Done{};
}

Status BundleTree::add(const std::string& path, BundleEntry entry) {
  const auto there = entries_.find(path);
  if (there != entries_.end()) {
    if (there->second.kind == EntryKind::folder && entry.kind == EntryKind::folder) return Done{};
    return error(Errc::malformed, path, "is in the bundle twice");
  }
  if (Status status = admit(path, entry.content.size()); !status) return status;
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const BundleEntry* above = find(path.substr(0, slash));
    if (above != nullptr && above->kind != EntryKind::folder)
      return error(Errc::malformed, path, "lies below something that is no folder");
  }
  if (entry.kind != EntryKind::folder && holds_below(path)) return error(Errc::malformed, path, "is a folder as well");
  bytes_ += entry.content.size();
  entries_.emplace(path, std::move(entry));
  return Done{};
}

bool BundleTree::holds_below(const std::string& folder) const {
  const auto own = entries_.find(folder);
  if (own != entries_.end() && own->second.kind == EntryKind::folder) return true;
  const auto next = entries_.lower_bound(folder + "/");
  return next != entries_.end() && next->first.compare(0, folder.size() + 1, folder + "/") == 0;
}

const BundleEntry* BundleTree::find(const std::string& path) const {
  const auto it = entries_.find(path);
  return it == entries_.end() ? nullptr : &it->second;
}

void BundleTree::lift_only_folder() {
  if (entries_.empty() || looks_like_bundle(*this)) return;
  const std::string top = top_of(entries_.begin()->first);
  const std::string prefix = top + "/";
  std::map<std::string, BundleEntry> lifted;
  for (const auto& [path, entry] : entries_) {
    const bool is_top = path == top && entry.kind == EntryKind::folder;
    if (!is_top && path.compare(0, prefix.size(), prefix) != 0) return;
  }
  for (auto& [path, entry] : entries_)
    if (path != top) lifted.emplace(path.substr(prefix.size()), std::move(entry));
  entries_ = std::move(lifted);
}

}  // namespace rocdiag
