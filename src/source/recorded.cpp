// SPDX-License-Identifier: MIT
#include "source/recorded.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/pattern.h"

namespace rocdiag {
namespace {

constexpr int kMaxLinks = 40;  // as the kernel

std::string below(const std::string& folder, const std::string& name) { return fmt::format("{}/{}", folder, name); }

std::string join(const std::vector<std::string>& parts) {
  std::string path;
  for (const std::string& part : parts) path += "/" + part;
  return path.empty() ? "/" : path;
}

// `path` with every recorded link on the way followed; nothing when they go in circles.
std::optional<std::string> follow_links(const Snapshot& record, const std::string& path) {
  std::vector<std::string> rest = split_path(path);
  std::reverse(rest.begin(), rest.end());  // a stack: the next component at the back
  std::vector<std::string> done;
  int links = 0;
  while (!rest.empty()) {
    const std::string part = rest.back();
    rest.pop_back();
    if (part == "..") {
      if (!done.empty()) done.pop_back();
      continue;
    }
    done.push_back(part);
    const auto target = record.links.find(join(done));
    if (target == record.links.end() || !target->second) continue;
    if (++links > kMaxLinks) return std::nullopt;
    if (target->second->rfind('/', 0) == 0)
      done.clear();
    else
      done.pop_back();
    const std::vector<std::string> parts = split_path(*target->second);
    rest.insert(rest.end(), parts.rbegin(), parts.rend());
  }
  return join(done);
}

template <class T>
bool denies(const Answers<T>& answers, const std::string& path) {
  const auto it = answers.find(path);
  return it != answers.end() && !it->second && means_absent(it->second.error());
}

// ENOTDIR for a listing says that something stands there and is no folder: missing is only what would lie below it.
bool lists_as_missing(const Snapshot& record, const std::string& path, bool is_whole_path) {
  const auto it = record.listings.find(path);
  if (it == record.listings.end() || it->second || !means_absent(it->second.error())) return false;
  return !is_whole_path || it->second.error().errno_value == ENOENT;
}

// True when the record shows that nothing stands at `path`: it, or a folder above it, is known to be missing.
bool known_missing(const Snapshot& record, const std::string& path) {
  const std::vector<std::string> parts = split_path(path);
  std::string prefix;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == "..") return false;  // no name that a listing could lack; follow_links() resolves it
    const auto listing = record.listings.find(prefix.empty() ? "/" : prefix);
    if (listing != record.listings.end() && listing->second &&
        std::find(listing->second->begin(), listing->second->end(), parts[i]) == listing->second->end())
      return true;
    prefix += "/" + parts[i];
    if (lists_as_missing(record, prefix, i + 1 == parts.size())) return true;
    if (denies(record.files, prefix) || denies(record.stats, prefix) || denies(record.links, prefix)) return true;
    if (denies(record.opens, prefix)) return true;
  }
  return false;
}

// The last component itself is what a link question is about, so only the folders above it are followed.
std::optional<std::string> real_path_for(Ask ask, const Snapshot& record, const std::string& path) {
  if (ask != Ask::link) return follow_links(record, path);
  const auto folder = follow_links(record, parent_of(path));
  if (!folder) return std::nullopt;
  return (*folder == "/" ? "" : *folder) + "/" + name_of(path);
}

// As it was asked first, then along links, then by what is known to be missing. Links in a circle are an answer too.
template <class T>
std::optional<Result<T>> look_up(const Snapshot& record, Ask ask, const std::string& path, const Answers<T>& answers) {
  if (const auto it = answers.find(path); it != answers.end()) return it->second;
  const auto real_path = real_path_for(ask, record, path);
  if (!real_path) return Result<T>(system_error(ELOOP));
  if (const auto it = answers.find(*real_path); it != answers.end()) return it->second;
  if (known_missing(record, path) || known_missing(record, *real_path)) return Result<T>(system_error(ENOENT));
  return std::nullopt;
}

void note_once(Snapshot& into, std::string note) {
  if (std::find(into.notes.begin(), into.notes.end(), note) == into.notes.end()) into.notes.push_back(std::move(note));
}

template <class T>
void take_first(const std::vector<Snapshot>& records, Ask ask, const std::string& path, Answers<T> Snapshot::*answers,
                Snapshot& into) {
  std::optional<Result<T>> first;
  for (const Snapshot& record : records) {
    auto found = look_up(record, ask, path, record.*answers);
    if (!found) continue;
    if (!first)
      first = std::move(found);
    else if (!(*first == *found))
      note_once(into, "The sources disagree about " + path + "; the first one counts.");
  }
  if (first) (into.*answers).insert_or_assign(path, std::move(*first));
}

}  // namespace

Snapshot RecordedSource::begin() {
  Snapshot s;
  for (const Snapshot& record : records_) {
    if (s.captured.empty()) s.captured = record.captured;
    if (!s.identity) s.identity = record.identity;
    if (!s.uname) s.uname = record.uname;
    if (!s.env_complete) {
      s.env.insert(record.env.begin(), record.env.end());
      s.env_complete = record.env_complete;
    }
    s.as.insert(record.as.begin(), record.as.end());
    s.redacted = s.redacted || record.redacted;
    s.commands.insert(s.commands.end(), record.commands.begin(), record.commands.end());
    s.truncated.insert(s.truncated.end(), record.truncated.begin(), record.truncated.end());
    s.notes.insert(s.notes.end(), record.notes.begin(), record.notes.end());
  }
  return s;
}

void RecordedSource::answer(const std::vector<Question>& questions, Deadline, Snapshot& into) {
  for (const Question& question : questions) {
    if (question.ask == Ask::run) continue;  // begin() brought every recorded command
    if (is_pattern(question.path))
      answer_pattern(question, into);
    else
      answer_path(question.ask, question.path, into);
  }
}

void RecordedSource::answer_path(Ask ask, const std::string& path, Snapshot& into) const {
  switch (ask) {
    case Ask::read:
      return take_first(records_, ask, path, &Snapshot::files, into);
    case Ask::list:
      return take_first(records_, ask, path, &Snapshot::listings, into);
    case Ask::link:
      return take_first(records_, ask, path, &Snapshot::links, into);
    case Ask::stat:
      return take_first(records_, ask, path, &Snapshot::stats, into);
    case Ask::open:
      return take_first(records_, ask, path, &Snapshot::opens, into);
    case Ask::run:
      return;
  }
}

void RecordedSource::answer_pattern(const Question& question, Snapshot& into) const {
  std::vector<std::string> prefixes{""};
  for (const std::string& part : split_path(question.path)) {
    std::vector<std::string> longer;
    for (const std::string& prefix : prefixes) {
      if (!is_pattern(part)) {
        longer.push_back(below(prefix, part));
        continue;
      }
      const std::string folder = prefix.empty() ? "/" : prefix;
      answer_path(Ask::list, folder, into);
      const auto names = into.list(folder);
      if (!names) continue;
      for (const std::string& name : *names)
        if (name_matches(part, name)) longer.push_back(below(prefix, name));
    }
    prefixes = std::move(longer);
  }
  for (const std::string& path : prefixes) answer_path(question.ask, path, into);
}

}  // namespace rocdiag
