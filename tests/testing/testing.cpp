// SPDX-License-Identifier: MIT
#include "testing/testing.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "core/pattern.h"
#include "engine/ask.h"
#include "knowledge/knowledge.h"
#include "rocdiag/rule.h"
#include "source/recorded.h"

namespace rocdiag::testing {
namespace {

// Folders that hold a mentioned one but are not taken for listed whole: nobody writes down all of /sys/class.
bool is_scaffolding(const std::string& folder) {
  const auto parts = split_path(folder);
  return parts.size() <= 1 || (parts.size() == 2 && parts[0] == "sys");
}

template <class T>
void fail(Answers<T>& answers, const std::string& path, int errno_value) {
  answers.insert_or_assign(path, system_error(errno_value));
}

}  // namespace

void LiteralMachine::mention(const std::string& path) {
  for (std::string at = path; at != "/"; at = parent_of(at)) {
    const std::string folder = parent_of(at);
    if (is_scaffolding(folder)) continue;
    auto& listing = snapshot_.listings.try_emplace(folder, std::vector<std::string>{}).first->second;
    if (!listing) continue;
    auto& names = *listing;
    const auto place = std::lower_bound(names.begin(), names.end(), name_of(at));
    if (place == names.end() || *place != name_of(at)) names.insert(place, name_of(at));
  }
}

LiteralMachine& LiteralMachine::file(const std::string& path, const std::string& content) {
  mention(path);
  snapshot_.files.insert_or_assign(path, content);
  snapshot_.stats.insert_or_assign(path, FileStat{FileType::file, {}, {}, {}, ""});
  return *this;
}

LiteralMachine& LiteralMachine::link(const std::string& path, const std::string& target) {
  mention(path);
  snapshot_.links.insert_or_assign(path, target);
  return *this;
}

LiteralMachine& LiteralMachine::device(const std::string& path, std::uint32_t mode, std::uint32_t uid,
                                       std::uint32_t gid, const std::string& open) {
  mention(path);
  snapshot_.stats.insert_or_assign(path, FileStat{FileType::char_device, mode, uid, gid, ""});
  snapshot_.opens.insert_or_assign(path, open == "ok" ? Status(Done{}) : Status(system_error(errno_from_name(open))));
  return *this;
}

LiteralMachine& LiteralMachine::error(const std::string& path, const std::string& name) {
  const int value = errno_from_name(name);
  fail(snapshot_.files, path, value);
  fail(snapshot_.listings, path, value);
  fail(snapshot_.links, path, value);
  fail(snapshot_.stats, path, value);
  fail(snapshot_.opens, path, value);
  return *this;
}

LiteralMachine& LiteralMachine::folder(const std::string& path) {
  mention(path);
  snapshot_.listings.try_emplace(path, std::vector<std::string>{});
  return *this;
}

LiteralMachine& LiteralMachine::command(const std::vector<std::string>& argv, const std::string& out, int exit) {
  CommandOutcome outcome;
  outcome.exit = exit;
  outcome.out = out;
  snapshot_.commands.push_back({argv, {}, outcome});
  return *this;
}

LiteralMachine& LiteralMachine::identity(std::uint32_t uid, const std::string& user, const std::vector<Group>& groups) {
  const std::uint32_t gid = groups.empty() ? uid : groups.front().id;
  snapshot_.identity = Observed<Identity>::of({uid, gid, user, groups}, {"identity", 0});
  return *this;
}

LiteralMachine& LiteralMachine::release(const std::string& kernel_release) {
  snapshot_.uname = Observed<Uname>::of({"Linux", kernel_release, "", "x86_64"}, {"uname", 0});
  return *this;
}

LiteralMachine& LiteralMachine::variable(const std::string& name, const std::string& value) {
  snapshot_.env[name] = value;
  snapshot_.env_complete = true;
  return *this;
}

Facts facts_of(const LiteralMachine& machine) {
  RecordedSource source({machine.snapshot()});
  return ask_all(source, probe_catalogue(), std::chrono::steady_clock::now() + std::chrono::seconds(20)).facts;
}

std::vector<Draft> drafts_for(const Facts& facts) {
  std::vector<Draft> all;
  for (const Rule& rule : rule_catalogue())
    for (Draft& draft : rule.judge(facts, Knowledge::embedded())) all.push_back(std::move(draft));
  return all;
}

std::vector<std::string> ids_of(const std::vector<Draft>& drafts) {
  std::vector<std::string> ids;
  for (const Draft& draft : drafts) ids.push_back(finding_key(draft.id, draft.subject));
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::optional<Draft> draft_with_id(const std::vector<Draft>& drafts, const std::string& id) {
  std::optional<Draft> found;
  for (const Draft& draft : drafts) {
    if (draft.id != id) continue;
    if (found) return std::nullopt;
    found = draft;
  }
  return found;
}

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "rocdiag-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path ScratchFolder::write(const std::string& name, const std::string& content) const {
  auto path = path_ / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::string read_whole(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void expect_golden(const std::filesystem::path& file, const std::string& actual) {
  const char* update = std::getenv("ROCDIAG_UPDATE_GOLDEN");
  if (update != nullptr && std::string(update) == "1") std::ofstream(file, std::ios::binary) << actual;
  const std::string expected = std::filesystem::exists(file) ? read_whole(file) : "";
  EXPECT_EQ(actual, expected) << file << " differs; ROCDIAG_UPDATE_GOLDEN=1 rewrites it";
}

std::string binary() { return ROCDIAG_BINARY; }

std::optional<std::filesystem::path> shared_folder() {
  auto path = std::filesystem::path(ROCDIAG_SOURCE_DIR).parent_path() / "shared";
  if (!std::filesystem::is_directory(path / "fixtures")) return std::nullopt;
  return path;
}

}  // namespace rocdiag::testing
