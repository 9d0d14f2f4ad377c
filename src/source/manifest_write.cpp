// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "source/bounded_json.h"
#include "source/bundle_tree.h"
#include "source/manifest.h"

namespace rocdiag {
namespace {

using Json = nlohmann::ordered_json;

Json text(const std::string& bytes) { return json_text_from(bytes); }

Json texts(const std::vector<std::string>& all) {
  Json array = Json::array();
  for (const std::string& one : all) array.push_back(text(one));
  return array;
}

Json text_map(const std::map<std::string, std::string>& all) {
  Json object = Json::object();
  for (const auto& [key, value] : all) object[json_text_from(key)] = text(value);
  return object;
}

Json error_value(const Error& error) {
  if (error.message.empty()) return error_code_name(error);
  return {{"error", error_code_name(error)}, {"message", text(error.message)}};
}

Json identity(const Identity& who) {
  Json groups = Json::array();
  for (const Group& group : who.groups) groups.push_back({{"id", group.id}, {"name", text(group.name)}});
  return {{"uid", who.uid}, {"gid", who.gid}, {"user", text(who.user)}, {"groups", groups}};
}

Json uname(const Uname& u) {
  return {{"sysname", text(u.sysname)},
          {"release", text(u.release)},
          {"version", text(u.version)},
          {"machine", text(u.machine)}};
}

Json opens(const Answers<Done>& answers) {
  Json object = Json::object();
  for (const auto& [path, answer] : answers)
    object[json_text_from(path)] = answer ? Json("ok") : error_value(answer.error());
  return object;
}

Json stat_value(const FileStat& stat) {
  Json object{{"type", file_type_name(stat.type)}};
  if (stat.mode) object["mode"] = fmt::format("{:04o}", *stat.mode);
  if (stat.uid) object["uid"] = *stat.uid;
  if (stat.gid) object["gid"] = *stat.gid;
  if (!stat.rdev.empty()) object["rdev"] = text(stat.rdev);
  return object;
}

// Errors by path, then by ask, as the snapshot holds them.
using ErrorsByPath = std::map<std::string, std::map<std::string, const Error*>>;

template <class T>
void collect(const Answers<T>& answers, const char* ask, ErrorsByPath& errors) {
  for (const auto& [path, answer] : answers)
    if (!answer) errors[path][ask] = &answer.error();
}

bool same_plain_errno(const std::map<std::string, const Error*>& by_ask) {
  const Error& first = *by_ask.begin()->second;
  for (const auto& [ask, error] : by_ask)
    if (*error != first) return false;
  return first.code == Errc::system && first.message.empty();
}

// `errors` is for every reader of this format; where it says too much or too little, `ask_errors` says which ask met
// which error.
void add_errors(const Snapshot& snapshot, Json& top) {
  ErrorsByPath by_path;
  collect(snapshot.files, "read", by_path);
  collect(snapshot.listings, "list", by_path);
  collect(snapshot.links, "link", by_path);
  collect(snapshot.stats, "stat", by_path);
  Json errors = Json::object(), ask_errors = Json::object();
  for (const auto& [path, by_ask] : by_path) {
    for (const auto& [ask, error] : by_ask)
      if (error->code == Errc::system) errors[json_text_from(path)] = errno_name(error->errno_value);
    if (by_ask.size() == std::size(kPathAsks) && same_plain_errno(by_ask)) continue;
    for (const auto& [ask, error] : by_ask) ask_errors[ask][json_text_from(path)] = error_value(*error);
  }
  if (!errors.empty()) top["errors"] = errors;
  if (!ask_errors.empty()) top["ask_errors"] = ask_errors;
}

void add_listings(const Snapshot& snapshot, const BundleLayout& layout, Json& top) {
  top["listed"] = texts({layout.listed.begin(), layout.listed.end()});
  Json names = Json::object();
  for (const auto& [path, listing] : snapshot.listings)
    if (listing && layout.listed.count(path) == 0) names[json_text_from(path)] = texts(*listing);
  if (!names.empty()) top["names"] = names;
}

void add_paths(const Snapshot& snapshot, const BundleLayout& layout, Json& top) {
  add_listings(snapshot, layout, top);
  Json links = Json::object(), stats = Json::object();
  for (const auto& [path, target] : snapshot.links)
    if (target) links[json_text_from(path)] = text(*target);
  for (const auto& [path, stat] : snapshot.stats)
    if (stat) stats[json_text_from(path)] = stat_value(*stat);
  top["links"] = links;
  top["stat"] = stats;
  top["open"] = opens(snapshot.opens);
  add_errors(snapshot, top);
  if (!layout.stored.empty()) top["stored"] = text_map(layout.stored);
  if (!snapshot.truncated.empty()) top["truncated"] = texts(snapshot.truncated);
}

Json command(const RecordedCommand& command, const OutputPaths& output) {
  Json object{{"argv", texts(command.argv)}, {"env", text_map(command.env)}};
  if (!command.outcome) {
    object["error"] = error_value(command.outcome.error());
    return object;
  }
  const CommandOutcome& o = *command.outcome;
  object["exit"] = o.exit ? Json(*o.exit) : Json();
  object["signal"] = o.signal ? Json(*o.signal) : Json();
  object["timed_out"] = o.timed_out;
  if (o.abandoned) object["abandoned"] = true;
  if (o.truncated) object["truncated"] = true;
  object["duration_ms"] = o.duration_ms;
  if (!output.out.empty()) object["out"] = output.out;
  if (!output.err.empty()) object["err"] = output.err;
  return object;
}

Json others(const std::map<std::string, AsIdentity>& as) {
  Json object = Json::object();
  for (const auto& [subject, other] : as) {
    Json& o = object[json_text_from(subject)] = Json::object();
    if (other.identity) o["identity"] = identity(*other.identity);
    o["open"] = opens(other.opens);
    o["env"] = text_map(other.env);
  }
  return object;
}

}  // namespace

Result<std::string> print_manifest(const Snapshot& snapshot, const BundleLayout& layout) {
  Json top{{"schema", "rocdiag.bundle/1"}, {"rocdiag", ROCDIAG_VERSION}, {"captured", text(snapshot.captured)}};
  top["redacted"] = snapshot.redacted;
  if (snapshot.identity) top["identity"] = identity(*snapshot.identity);
  if (snapshot.uname) top["uname"] = uname(*snapshot.uname);
  top["env"] = text_map(snapshot.env);
  top["env_complete"] = snapshot.env_complete;
  add_paths(snapshot, layout, top);
  Json commands = Json::array();
  for (std::size_t i = 0; i < snapshot.commands.size(); ++i)
    commands.push_back(command(snapshot.commands[i], layout.outputs[i]));
  top["commands"] = commands;
  if (!snapshot.as.empty()) top["as"] = others(snapshot.as);
  if (!snapshot.notes.empty()) top["notes"] = texts(snapshot.notes);
  std::string printed = top.dump(1) + "\n";
  if (printed.size() > kMaxManifestBytes)
    return Error{Errc::too_large, 0, fmt::format("larger than {} MiB", kMaxManifestBytes >> 20U)};
  if (const auto again = parse_bounded_json(printed); !again) return again.error();
  return printed;
}

}  // namespace rocdiag
