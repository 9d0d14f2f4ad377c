// SPDX-License-Identifier: MIT
#include "rocdiag/snapshot.h"

#include "core/pattern.h"

namespace rocdiag {
namespace {

template <class T>
Result<T> find(const Answers<T>& answers, const std::string& path) {
  const auto it = answers.find(path);
  if (it == answers.end()) return Error{Errc::not_recorded, 0, {}};
  return it->second;
}

// Walks one level of the pattern after the other; `prefix` is what is fixed so far.
void walk(const Snapshot& snapshot, const std::vector<std::string>& parts, std::size_t level, const std::string& prefix,
          std::vector<std::string>& found) {
  if (level == parts.size()) {
    found.push_back(prefix);
    return;
  }
  if (!is_pattern(parts[level])) {
    walk(snapshot, parts, level + 1, prefix + "/" + parts[level], found);
    return;
  }
  const auto names = snapshot.list(prefix.empty() ? "/" : prefix);
  if (!names) return;
  for (const std::string& name : *names)
    if (name_matches(parts[level], name)) walk(snapshot, parts, level + 1, prefix + "/" + name, found);
}

const RecordedCommand* find_command(const Snapshot& snapshot, const std::vector<std::string>& argv,
                                    const std::map<std::string, std::string>& env) {
  for (const RecordedCommand& c : snapshot.commands)
    if (c.argv == argv && c.env == env) return &c;
  return nullptr;
}

}  // namespace

Result<std::string> Snapshot::read(const std::string& path) const { return find(files, path); }
Result<std::vector<std::string>> Snapshot::list(const std::string& path) const { return find(listings, path); }
Result<std::string> Snapshot::link(const std::string& path) const { return find(links, path); }
Result<FileStat> Snapshot::stat(const std::string& path) const { return find(stats, path); }
Status Snapshot::open(const std::string& path) const { return find(opens, path); }

Result<CommandOutcome> Snapshot::run(const std::vector<std::string>& argv,
                                     const std::map<std::string, std::string>& overlay) const {
  const RecordedCommand* command = find_command(*this, argv, overlay);
  if (command == nullptr) return Error{Errc::not_recorded, 0, {}};
  return command->outcome;
}

Observed<std::string> Snapshot::variable(const std::string& name) const {
  const Where where{"environment", 0};
  const auto it = env.find(name);
  if (it != env.end()) return Observed<std::string>::of(it->second, where);
  if (env_complete) return Observed<std::string>::absent(where);
  return Observed<std::string>::unobserved("environment not recorded", where);
}

std::vector<std::string> Snapshot::matches(const std::string& pattern) const {
  std::vector<std::string> found;
  walk(*this, split_path(pattern), 0, "", found);
  return found;
}

bool Snapshot::holds(const Question& question) const {
  switch (question.ask) {
    case Ask::read:
      return files.count(question.path) > 0;
    case Ask::list:
      return listings.count(question.path) > 0;
    case Ask::link:
      return links.count(question.path) > 0;
    case Ask::stat:
      return stats.count(question.path) > 0;
    case Ask::open:
      return opens.count(question.path) > 0;
    case Ask::run:
      return find_command(*this, question.command.argv, question.command.env) != nullptr;
  }
  return false;
}

}  // namespace rocdiag
