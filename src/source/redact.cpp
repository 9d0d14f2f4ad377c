// SPDX-License-Identifier: MIT
#include "source/redact.h"

#include <algorithm>

#include "core/pattern.h"
#include "readers/text.h"
#include "source/redact_text.h"

namespace rocdiag {
namespace {

constexpr std::size_t kMostNames = 4096;
constexpr unsigned kFirstPerson = 1000, kNobody = 65534;  // user ids

// Calls `change(text, place)` for every string that a bundle can hold.
template <class Change>
class Visitor {
 public:
  explicit Visitor(Change change) : change_(std::move(change)) {}

  void visit(Snapshot& s) {
    identity(s.identity);
    uname(s.uname);
    environment(s.env);
    answers(s.files, [this](std::string& content, const std::string& path) { change_(content, place_of_file(path)); });
    answers(s.listings, [this](std::vector<std::string>& names, const std::string&) {
      for (std::string& name : names) change_(name, {});
      std::sort(names.begin(), names.end());
    });
    answers(s.links, [this](std::string& target, const std::string&) { change_(target, {}); });
    answers(s.stats, [](FileStat&, const std::string&) {});
    answers(s.opens, [](Done&, const std::string&) {});
    for (RecordedCommand& command : s.commands) visit(command);
    others(s.as);
    for (std::string& path : s.truncated) change_(path, {});
    for (std::string& note : s.notes) change_(note, {});
  }

 private:
  static TextPlace place_of_file(const std::string& path) {
    TextPlace place{path, path == "/etc/hostname" || path == "/proc/sys/kernel/hostname", false};
    place.has_versions = path.rfind("/var/lib/dpkg/", 0) == 0 || path.rfind("/var/lib/pacman/", 0) == 0 ||
                         path.find(".dist-info/") != std::string::npos;
    return place;
  }

  static bool lists_packages(const std::vector<std::string>& argv) {
    static const RE2 program(
        R"((?:dpkg|rpm|pip|apt|pacman|dnf|yum|zypper|conda|mamba|micromamba|uv)(?:[0-9.]*|-[a-z\-]*))", RE2::Latin1);
    for (std::size_t i = 0; i < argv.size() && i < 3; ++i)
      if (RE2::FullMatch(name_of(argv[i]), program)) return true;
    return false;
  }

  void identity(Observed<Identity>& observed) {
    if (!observed) return;
    Identity who = *observed;
    change_(who.user, {{}, true, false});
    for (Group& group : who.groups) change_(group.name, {{}, true, false});
    observed = Observed<Identity>::of(std::move(who), observed.where());
  }

  void uname(Observed<Uname>& observed) {
    if (!observed) return;
    Uname uname = *observed;
    for (std::string* part : {&uname.sysname, &uname.release, &uname.version, &uname.machine})
      change_(*part, {{}, false, true});
    observed = Observed<Uname>::of(std::move(uname), observed.where());
  }

  void environment(std::map<std::string, std::string>& env) {
    static const std::set<std::string> names{"USER", "LOGNAME", "SUDO_USER", "USERNAME", "HOSTNAME"};
    for (auto& [name, value] : env) {
      if (is_secret_name(name) && !value.empty() && !is_harmless_value(name, value)) value = kRedacted;
      change_(value, {{}, names.count(name) > 0, false});
    }
  }

  void error(Error& error) { change_(error.message, {}); }

  // The keys are texts as well, so the map is made anew; of two paths that became one, the first stays.
  template <class T, class Inside>
  void answers(Answers<T>& all, Inside inside) {
    Answers<T> changed;
    for (auto& [path, answer] : all) {
      if (answer) {
        inside(answer.value(), path);
      } else {
        Error failure = answer.error();
        error(failure);
        answer = std::move(failure);
      }
      std::string key = path;
      change_(key, {});
      changed.try_emplace(std::move(key), std::move(answer));
    }
    all = std::move(changed);
  }

  void visit(RecordedCommand& command) {
    hide_option_values(command.argv);
    const TextPlace place{{}, false, lists_packages(command.argv)};
    for (std::string& argument : command.argv) change_(argument, {});
    environment(command.env);
    if (command.outcome) {
      change_(command.outcome.value().out, place);
      change_(command.outcome.value().err, place);
      return;
    }
    Error failure = command.outcome.error();
    error(failure);
    command.outcome = std::move(failure);
  }

  void others(std::map<std::string, AsIdentity>& all) {
    std::map<std::string, AsIdentity> changed;
    for (auto& [subject, other] : all) {
      identity(other.identity);
      answers(other.opens, [](Done&, const std::string&) {});
      environment(other.env);
      std::string key = subject;
      change_(key, {});
      changed.try_emplace(std::move(key), std::move(other));
    }
    all = std::move(changed);
  }

  Change change_;
};

template <class Change>
void visit(Snapshot& snapshot, Change change) {
  Visitor<Change>(std::move(change)).visit(snapshot);
}

// NUL bytes may divide texts (environ, cmdline) or pad them; with other control characters the content is binary.
bool is_binary(const std::string& content) {
  if (content.find('\0') == std::string::npos) return false;
  return std::any_of(content.begin(), content.end(),
                     [](char c) {
                       const auto byte = static_cast<unsigned char>(c);
                       return byte == 0x7f || (byte < 0x20 && byte != 0 && byte != '\n' && byte != '\t' &&
                                               byte != '\r' && byte != 0x1b);
                     }) ||
         std::any_of(content.begin(), content.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xf8; });
}

// Patterns look at a line as a whole, some of them once for every word in it: a line of megabytes would take hours.
// Longer ones are cut, between words where there are any.
template <class Change>
std::string in_pieces(const std::string& text, Change change) {
  constexpr std::size_t kLongLine = 2048;
  std::string out;
  std::size_t begin = 0, line = 0;  // of the piece, and of the line looked at
  while (line < text.size()) {
    const std::size_t end = std::min(text.find('\n', line), text.size() - 1) + 1;
    if (end - line <= kLongLine) {
      line = end;
      continue;
    }
    const std::size_t cut = text.find_last_of(" \t,;&", line + kLongLine - 1);
    line = cut == std::string::npos || cut <= line ? line + kLongLine : cut + 1;
    out += change(text.substr(begin, line - begin));
    begin = line;
  }
  return out + change(text.substr(begin));
}

class Redactor {
 public:
  explicit Redactor(const RedactionHints& hints) : hints_(hints) {}

  void run(Snapshot& snapshot) {
    if (hints_.names == RedactNames::yes) learn(snapshot);
    visit(snapshot, [this](std::string& text, const TextPlace& place) { change(text, place); });
    snapshot.redacted = snapshot.redacted || hints_.names == RedactNames::yes;
  }

 private:
  void learn(Snapshot& snapshot);
  std::vector<std::string> people_in_databases(const Snapshot& snapshot);
  void learn_accounts(const Snapshot& snapshot);
  void learn_environment(const std::map<std::string, std::string>& env);
  void learn_hosts(const Snapshot& snapshot);
  void learn_from_text(const std::string& text, const TextPlace& place);
  void learn_user(const std::string& name);
  void learn_host(const std::string& name);
  void learn_serial(const std::string& value);
  std::string serial_pseudonym(const std::string& value);

  void change(std::string& text, const TextPlace& place);
  std::string changed(const std::string& text, const TextPlace& place);

  RedactionHints hints_;
  Pseudonyms pseudonyms_;
  WordMap words_;
  std::set<std::string> system_accounts_;  // of that machine
  std::size_t names_ = 0;
};

void Redactor::learn(Snapshot& snapshot) {
  visit(snapshot, [this](std::string& text, const TextPlace&) { pseudonyms_.reserve_those_in(text); });
  learn_accounts(snapshot);
  learn_hosts(snapshot);
  visit(snapshot, [this](std::string& text, const TextPlace& place) { learn_from_text(text, place); });
}

void Redactor::learn_user(const std::string& name) {
  if (name.empty() || name.size() > 64 || names_ >= kMostNames || words_.holds(name)) return;
  if (is_system_account(name) || system_accounts_.count(name) > 0) return;
  if (Pseudonyms::is_one(PseudonymKind::user, name)) return;
  ++names_;
  const WordUse use = is_technical_word(name) ? WordUse::as_name : WordUse::anywhere;
  words_.add(name, pseudonyms_.of(PseudonymKind::user, name), use);
}

void Redactor::learn_host(const std::string& given) {
  const std::string name = trim(given);
  if (name.empty() || name.size() > 253 || name == "localhost" || name.rfind("localhost.", 0) == 0) return;
  if (name.find_first_of(" \t\n/") != std::string::npos || Pseudonyms::is_one(PseudonymKind::host, name)) return;
  const std::string short_name = name.substr(0, name.find('.'));
  std::string lower = short_name;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::string pseudonym = pseudonyms_.of(PseudonymKind::host, lower);
  const WordUse use = is_technical_word(lower) ? WordUse::as_name : WordUse::anywhere;
  if (name != short_name) words_.add(name, pseudonym, WordUse::anywhere);
  for (const std::string& spelt : {short_name, lower})
    if (!words_.holds(spelt)) words_.add(spelt, pseudonym, use);
}

std::string Redactor::serial_pseudonym(const std::string& value) {
  std::string canonical;
  spellings_of_serial(value, canonical);
  return pseudonyms_.of(PseudonymKind::serial, canonical);
}

void Redactor::learn_serial(const std::string& value) {
  std::string canonical;
  for (const std::string& spelt : spellings_of_serial(value, canonical))
    words_.add(spelt, serial_pseudonym(value), WordUse::anywhere);
}

void Redactor::learn_environment(const std::map<std::string, std::string>& env) {
  for (const char* name : {"USER", "LOGNAME", "SUDO_USER", "USERNAME"})
    if (const auto it = env.find(name); it != env.end()) learn_user(it->second);
  const auto home = env.find("HOME");
  if (home == env.end()) return;
  const auto parts = split_path(home->second);
  if (parts.size() >= 2 && parts[0] != "var" && parts[0] != "usr" && parts[0] != "run") learn_user(parts.back());
}

// People in the user database, and the members of its groups, system accounts aside.
std::vector<std::string> Redactor::people_in_databases(const Snapshot& snapshot) {
  const auto lines = [&](const char* path) {
    const auto content = snapshot.read(path);
    return content ? split_lines(*content) : std::vector<std::string>{};
  };
  std::vector<std::string> people;
  for (const std::string& line : lines("/etc/passwd")) {
    const auto fields = split_at(line, ':');
    const auto uid = fields.size() > 2 ? parse_decimal(fields[2]) : std::nullopt;
    if (!uid) continue;
    if (*uid >= kFirstPerson && *uid < kNobody)
      people.push_back(fields[0]);
    else
      system_accounts_.insert(fields[0]);
  }
  for (const std::string& line : lines("/etc/group")) {
    const auto fields = split_at(line, ':');
    if (fields.size() < 4) continue;
    for (const std::string& member : split_at(fields[3], ',')) people.push_back(trim(member));
  }
  return people;
}

void Redactor::learn_accounts(const Snapshot& snapshot) {
  const auto people = people_in_databases(snapshot);
  const auto learn_process = [&](const Observed<Identity>& who, const std::map<std::string, std::string>& env) {
    if (who && who->uid >= kFirstPerson) learn_user(who->user);
    learn_environment(env);
  };
  learn_process(snapshot.identity, snapshot.env);
  for (const auto& [subject, other] : snapshot.as) learn_process(other.identity, other.env);
  for (const std::string& name : people) learn_user(name);
}

void Redactor::learn_hosts(const Snapshot& snapshot) {
  learn_host(hints_.host);
  for (const char* path : {"/etc/hostname", "/proc/sys/kernel/hostname"})
    if (const auto content = snapshot.read(path)) learn_host(*content);
  if (const auto it = snapshot.env.find("HOSTNAME"); it != snapshot.env.end()) learn_host(it->second);
  for (const RecordedCommand& command : snapshot.commands) {
    if (!command.outcome || command.argv.empty()) continue;
    const std::string program = name_of(command.argv[0]);
    std::string host;
    if (program == "hostname") learn_host(command.outcome->out);
    if (program == "uname" && RE2::PartialMatch(command.outcome->out, R"(^Linux (\S+) \d)", &host)) learn_host(host);
  }
}

void Redactor::learn_from_text(const std::string& text, const TextPlace& place) {
  if (is_serial_file(place.path)) {
    const std::string value = trim(text);
    if (is_real_serial(value)) learn_serial(value);
  }
  if (is_binary(text)) return;
  static const RE2 home(R"(/home/([A-Za-z0-9_][A-Za-z0-9_.\-]*))", RE2::Latin1),
      id(R"((?:\b)uid=([0-9]+)\(([^)\s]+)\))", RE2::Latin1);
  re2::StringPiece rest(text);
  std::string name;
  while (RE2::FindAndConsume(&rest, home, &name)) {
    while (!name.empty() && (name.back() == '.' || name.back() == '-')) name.pop_back();  // "in /home/anna."
    learn_user(name);
  }
  rest = text;
  unsigned uid = 0;
  while (RE2::FindAndConsume(&rest, id, &uid, &name))
    if (uid >= kFirstPerson && uid < kNobody) learn_user(name);
  for (const std::string& value : labelled_serials(text)) learn_serial(value);
}

void Redactor::change(std::string& text, const TextPlace& place) {
  if (text.empty()) return;
  const bool names = hints_.names == RedactNames::yes;
  if (names && is_serial_file(place.path)) {
    if (const std::string value = trim(text); !is_placeholder(value)) text = serial_pseudonym(value) + "\n";
    return;
  }
  if (!place.path.empty() && is_binary(text)) return;
  if (text.find('\0') == std::string::npos) {
    text = changed(text, place);
    return;
  }
  auto pieces = split_at(text, '\0');
  hide_option_values(pieces);
  std::string joined;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    joined += (i == 0 ? "" : std::string(1, '\0')) + changed(pieces[i], place);
  text = std::move(joined);
}

// Full names of people, the fifth field of a line of the user database.
std::string without_full_names(std::string text) {
  static const RE2 pattern(R"((?m)^([^:\s]+:[^:\s]*:[0-9]{4,}:[0-9]+:)[^:\n]+(:[^:\n]*:))", RE2::Latin1);
  RE2::GlobalReplace(&text, pattern, R"(\1\2)");
  return text;
}

std::string Redactor::changed(const std::string& text, const TextPlace& place) {
  const bool names = hints_.names == RedactNames::yes;
  const std::string whole = without_private_keys(names ? without_full_names(text) : text);
  return in_pieces(whole, [&](const std::string& piece) {
    const std::string out = without_secrets(piece);
    return names ? words_.replace(without_addresses(out, place, pseudonyms_), place) : out;
  });
}

}  // namespace

void redact(Snapshot& snapshot, const RedactionHints& hints) { Redactor(hints).run(snapshot); }

}  // namespace rocdiag
