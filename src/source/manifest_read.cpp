// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "core/pattern.h"
#include "readers/text.h"
#include "source/bounded_json.h"
#include "source/bundle_tree.h"
#include "source/manifest.h"

namespace rocdiag {
namespace {

using nlohmann::json;

constexpr const char* kSchema = "rocdiag.bundle/1";
constexpr std::size_t kMaxPathBytes = 4096;

// Reads fields by name and type. The first misfit is kept and ends the reading of what follows.
class ManifestReader {
 public:
  ManifestReader(Snapshot& into, BundleLayout& layout) : into_(into), layout_(layout) {}

  Status read(const json& top);

 private:
  void fail(const std::string& field, const std::string& wanted) {
    if (!error_) error_ = Error{Errc::malformed, 0, printable(field, 200) + " is not " + wanted};
  }

  // Calls `take(value, field)` where the object has the field; null counts as missing.
  template <class Take>
  void field(const json& object, const std::string& where, const char* name, Take take) {
    const auto it = object.find(name);
    if (error_ || it == object.end() || it->is_null()) return;
    take(*it, where.empty() ? name : where + "." + name);
  }

  // Calls `take(key, value, field)` for each member of an object.
  template <class Take>
  void members(const json& object, const std::string& where, Take take) {
    if (!object.is_object()) return fail(where, "an object");
    for (const auto& [key, value] : object.items()) {
      if (error_) return;
      take(bytes_from_json_text(key), value, fmt::format("{}[\"{}\"]", where, key));
    }
  }

  template <class Take>
  void elements(const json& array, const std::string& where, Take take) {
    if (!array.is_array()) return fail(where, "an array");
    std::size_t n = 0;
    for (const json& value : array) {
      if (error_) return;
      take(value, fmt::format("{}[{}]", where, n++));
    }
  }

  std::string text(const json& value, const std::string& where) {
    if (value.is_string()) return bytes_from_json_text(value.get_ref<const std::string&>());
    fail(where, "a string");
    return {};
  }
  bool flag(const json& value, const std::string& where) {
    if (!value.is_boolean()) fail(where, "true or false");
    return value.is_boolean() && value.get<bool>();
  }
  template <class T>
  T number(const json& value, const std::string& where) {
    const bool fits =
        value.is_number_integer() &&
        (!value.is_number_unsigned() || value.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max());
    const std::int64_t n = fits ? value.get<std::int64_t>() : 0;
    if (fits && n >= std::int64_t{std::numeric_limits<T>::min()} && n <= std::int64_t{std::numeric_limits<T>::max()})
      return static_cast<T>(n);
    fail(where, "a whole number in range");
    return 0;
  }
  std::string machine_path(const std::string& path, const std::string& where) {
    const auto levels = static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
    if (path.empty() || path.size() > kMaxPathBytes || levels > kMaxBundleLevels)
      fail(where, fmt::format("a path of at most {} bytes and {} levels", kMaxPathBytes, kMaxBundleLevels));
    return path;
  }
  std::vector<std::string> texts(const json& value, const std::string& where) {
    std::vector<std::string> all;
    elements(value, where, [&](const json& v, const std::string& at) { all.push_back(text(v, at)); });
    return all;
  }
  std::map<std::string, std::string> text_map(const json& value, const std::string& where) {
    std::map<std::string, std::string> all;
    members(value, where, [&](const std::string& key, const json& v, const std::string& at) {
      all.insert_or_assign(key, text(v, at));
    });
    return all;
  }

  Error error_value(const json& value, const std::string& where);
  Status open_value(const json& value, const std::string& where);
  FileStat stat_value(const json& value, const std::string& where);
  Observed<Identity> identity(const json& value, const std::string& where);
  Observed<Uname> uname(const json& value, const std::string& where);
  Answers<Done> opens(const json& value, const std::string& where);
  void add_error(Ask ask, const std::string& path, const Error& error);
  void general(const json& top);
  void paths(const json& top);
  void errors(const json& top);
  void listings(const json& top);
  void command(const json& value, const std::string& where);
  CommandOutcome outcome(const json& value, const std::string& where);
  void others(const json& top);

  Snapshot& into_;
  BundleLayout& layout_;
  std::optional<Error> error_;
};

// "EACCES", "timed_out", or {"error": "EIO", "message": "…"}.
Error ManifestReader::error_value(const json& value, const std::string& where) {
  std::string name, message;
  if (value.is_object()) {
    field(value, where, "error", [&](const json& v, const std::string& at) { name = text(v, at); });
    field(value, where, "message", [&](const json& v, const std::string& at) { message = text(v, at); });
  } else {
    name = text(value, where);
  }
  auto error = error_from_code_name(name);
  if (!error) {
    fail(where, "the name of an errno");
    return {};
  }
  error->message = std::move(message);
  return *error;
}

Status ManifestReader::open_value(const json& value, const std::string& where) {
  if (value.is_string() && value.get_ref<const std::string&>() == "ok") return Done{};
  return error_value(value, where);
}

FileStat ManifestReader::stat_value(const json& value, const std::string& where) {
  FileStat stat;
  if (!value.is_object()) {
    fail(where, "an object");
    return stat;
  }
  field(value, where, "type", [&](const json& v, const std::string& at) {
    const auto type = file_type_from_name(text(v, at));
    if (!type) fail(at, "file, folder, link, char, block, fifo, socket or unknown");
    stat.type = type.value_or(FileType::unknown);
  });
  field(value, where, "mode", [&](const json& v, const std::string& at) {
    const std::string digits = text(v, at);
    std::uint32_t mode = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), mode, 8);
    if (code != std::errc() || end != digits.data() + digits.size() || mode > 07777)
      fail(at, "permission bits in octal, such as \"0660\"");
    stat.mode = mode;
  });
  field(value, where, "uid", [&](const json& v, const std::string& at) { stat.uid = number<std::uint32_t>(v, at); });
  field(value, where, "gid", [&](const json& v, const std::string& at) { stat.gid = number<std::uint32_t>(v, at); });
  field(value, where, "rdev", [&](const json& v, const std::string& at) { stat.rdev = text(v, at); });
  return stat;
}

Observed<Identity> ManifestReader::identity(const json& value, const std::string& where) {
  Identity who;
  bool has_uid = false, has_gid = false;
  if (!value.is_object()) fail(where, "an object");
  field(value, where, "uid", [&](const json& v, const std::string& at) {
    who.uid = number<std::uint32_t>(v, at);
    has_uid = true;
  });
  field(value, where, "gid", [&](const json& v, const std::string& at) {
    who.gid = number<std::uint32_t>(v, at);
    has_gid = true;
  });
  if (!has_uid) fail(where + ".uid", "there");  // a default would say that root asked
  if (!has_gid) fail(where + ".gid", "there");
  field(value, where, "user", [&](const json& v, const std::string& at) { who.user = text(v, at); });
  field(value, where, "groups", [&](const json& array, const std::string& at) {
    elements(array, at, [&](const json& v, const std::string& group_at) {
      Group group;
      if (!v.is_object() || !v.contains("id")) return fail(group_at, "an object with an id");
      field(v, group_at, "id", [&](const json& id, const std::string& a) { group.id = number<std::uint32_t>(id, a); });
      field(v, group_at, "name", [&](const json& name, const std::string& a) { group.name = text(name, a); });
      who.groups.push_back(std::move(group));
    });
  });
  return Observed<Identity>::of(std::move(who), {"identity", 0});
}

Observed<Uname> ManifestReader::uname(const json& value, const std::string& where) {
  Uname uname;
  if (!value.is_object()) fail(where, "an object");
  const auto part = [&](const char* name, std::string& into) {
    field(value, where, name, [&](const json& v, const std::string& at) { into = text(v, at); });
  };
  part("sysname", uname.sysname);
  part("release", uname.release);
  part("version", uname.version);
  part("machine", uname.machine);
  return Observed<Uname>::of(std::move(uname), {"uname", 0});
}

Answers<Done> ManifestReader::opens(const json& value, const std::string& where) {
  Answers<Done> answers;
  members(value, where, [&](const std::string& path, const json& v, const std::string& at) {
    answers.insert_or_assign(machine_path(path, at), open_value(v, at));
  });
  return answers;
}

void ManifestReader::general(const json& top) {
  field(top, "", "schema", [&](const json& v, const std::string& at) {
    if (text(v, at) != kSchema) fail(at, fmt::format("\"{}\", the format that this version reads", kSchema));
  });
  field(top, "", "captured", [&](const json& v, const std::string& at) { into_.captured = text(v, at); });
  field(top, "", "redacted", [&](const json& v, const std::string& at) { into_.redacted = flag(v, at); });
  field(top, "", "identity", [&](const json& v, const std::string& at) { into_.identity = identity(v, at); });
  field(top, "", "uname", [&](const json& v, const std::string& at) { into_.uname = uname(v, at); });
  field(top, "", "env", [&](const json& v, const std::string& at) { into_.env = text_map(v, at); });
  field(top, "", "env_complete", [&](const json& v, const std::string& at) { into_.env_complete = flag(v, at); });
  field(top, "", "truncated", [&](const json& v, const std::string& at) { into_.truncated = texts(v, at); });
  field(top, "", "notes", [&](const json& v, const std::string& at) { into_.notes = texts(v, at); });
}

void ManifestReader::paths(const json& top) {
  field(top, "", "links", [&](const json& value, const std::string& where) {
    members(value, where, [&](const std::string& path, const json& v, const std::string& at) {
      into_.links.insert_or_assign(machine_path(path, at), text(v, at));
    });
  });
  field(top, "", "stat", [&](const json& value, const std::string& where) {
    members(value, where, [&](const std::string& path, const json& v, const std::string& at) {
      into_.stats.insert_or_assign(machine_path(path, at), stat_value(v, at));
    });
  });
  field(top, "", "open", [&](const json& v, const std::string& at) { into_.opens = opens(v, at); });
  field(top, "", "stored", [&](const json& value, const std::string& where) {
    members(value, where, [&](const std::string& path, const json& v, const std::string& at) {
      layout_.stored.insert_or_assign(machine_path(path, at), text(v, at));
    });
  });
}

void ManifestReader::add_error(Ask ask, const std::string& path, const Error& error) {
  if (ask == Ask::read) into_.files.try_emplace(path, error);
  if (ask == Ask::list && layout_.listed.count(path) == 0) into_.listings.try_emplace(path, error);
  if (ask == Ask::link) into_.links.try_emplace(path, error);
  if (ask == Ask::stat) into_.stats.try_emplace(path, error);
}

// `errors` answers every ask at a path, unless `ask_errors` says for that path which ask met which error.
void ManifestReader::errors(const json& top) {
  std::set<std::string> told_apart;
  field(top, "", "ask_errors", [&](const json& by_ask, const std::string& where) {
    if (!by_ask.is_object()) return fail(where, "an object");
    for (const AskName& ask : kPathAsks)
      field(by_ask, where, ask.name, [&](const json& value, const std::string& ask_where) {
        members(value, ask_where, [&](const std::string& path, const json& v, const std::string& at) {
          add_error(ask.ask, machine_path(path, at), error_value(v, at));
          told_apart.insert(path);
        });
      });
  });
  field(top, "", "errors", [&](const json& value, const std::string& where) {
    members(value, where, [&](const std::string& path, const json& v, const std::string& at) {
      const Error error = error_value(v, at);
      if (told_apart.count(machine_path(path, at)) > 0) return;
      for (const AskName& ask : kPathAsks) add_error(ask.ask, path, error);
    });
  });
}

void ManifestReader::listings(const json& top) {
  field(top, "", "listed", [&](const json& value, const std::string& where) {
    elements(value, where,
             [&](const json& v, const std::string& at) { layout_.listed.insert(machine_path(text(v, at), at)); });
  });
  field(top, "", "names", [&](const json& value, const std::string& where) {
    members(value, where, [&](const std::string& path, const json& v, const std::string& at) {
      into_.listings.insert_or_assign(machine_path(path, at), texts(v, at));
      layout_.listed.erase(path);
    });
  });
}

CommandOutcome ManifestReader::outcome(const json& value, const std::string& where) {
  CommandOutcome outcome;
  field(value, where, "exit", [&](const json& v, const std::string& at) { outcome.exit = number<int>(v, at); });
  field(value, where, "signal", [&](const json& v, const std::string& at) { outcome.signal = number<int>(v, at); });
  field(value, where, "timed_out", [&](const json& v, const std::string& at) { outcome.timed_out = flag(v, at); });
  field(value, where, "abandoned", [&](const json& v, const std::string& at) { outcome.abandoned = flag(v, at); });
  field(value, where, "truncated", [&](const json& v, const std::string& at) { outcome.truncated = flag(v, at); });
  field(value, where, "duration_ms",
        [&](const json& v, const std::string& at) { outcome.duration_ms = number<std::int64_t>(v, at); });
  return outcome;
}

void ManifestReader::command(const json& value, const std::string& where) {
  if (!value.is_object() || !value.contains("argv")) return fail(where, "an object with an argv");
  RecordedCommand command{{}, {}, Error{}};
  OutputPaths output;
  field(value, where, "argv", [&](const json& v, const std::string& at) { command.argv = texts(v, at); });
  field(value, where, "env", [&](const json& v, const std::string& at) { command.env = text_map(v, at); });
  field(value, where, "out", [&](const json& v, const std::string& at) { output.out = text(v, at); });
  field(value, where, "err", [&](const json& v, const std::string& at) { output.err = text(v, at); });
  const auto error = value.find("error");
  if (error != value.end() && !error->is_null())
    command.outcome = error_value(*error, where + ".error");
  else
    command.outcome = outcome(value, where);
  into_.commands.push_back(std::move(command));
  layout_.outputs.push_back(std::move(output));
}

void ManifestReader::others(const json& top) {
  field(top, "", "as", [&](const json& value, const std::string& where) {
    members(value, where, [&](const std::string& subject, const json& v, const std::string& at) {
      if (!v.is_object()) return fail(at, "an object");
      AsIdentity& as = into_.as[subject];
      field(v, at, "identity", [&](const json& w, const std::string& a) { as.identity = identity(w, a); });
      field(v, at, "open", [&](const json& w, const std::string& a) { as.opens = opens(w, a); });
      field(v, at, "env", [&](const json& w, const std::string& a) { as.env = text_map(w, a); });
    });
  });
}

Status ManifestReader::read(const json& top) {
  if (!top.is_object()) return Error{Errc::malformed, 0, "the manifest is not an object"};
  general(top);
  paths(top);
  listings(top);
  errors(top);
  field(top, "", "commands", [&](const json& value, const std::string& where) {
    elements(value, where, [&](const json& v, const std::string& at) { command(v, at); });
  });
  others(top);
  if (error_) return *error_;
  return Done{};
}

}  // namespace

Status parse_manifest(std::string_view text, Snapshot& into, BundleLayout& layout) {
  auto top = parse_bounded_json(text);
  if (!top) return top.error();
  return ManifestReader(into, layout).read(*top);
}

}  // namespace rocdiag
