// SPDX-License-Identifier: MIT
#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "core/pattern.h"
#include "readers/text.h"
#include "source/redact_text.h"

namespace rocdiag {
namespace {

bool is_alnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// The text around a match: '\0' at the ends.
struct Around {
  Around(const std::string& text, re2::StringPiece match)
      : before(text.data(), static_cast<std::size_t>(match.data() - text.data())),
        after(std::string_view(text).substr(before.size() + match.size())) {}
  char left() const { return before.empty() ? '\0' : before.back(); }
  char right() const { return after.empty() ? '\0' : after.front(); }
  std::string_view before, after;
};

// "version 1.2.3.4", "foo==1.2.3.4", "[pip3] foo 1.2.3.4", "usb@5:2.1.4.1": four numbers with dots that are no address.
bool is_version_by_context(std::string_view before, std::string_view after) {
  static const RE2 release(R"((?i)^ ?\((?:release|build|rev))", RE2::Latin1);
  if (RE2::PartialMatch(re2::StringPiece(after.data(), std::min<std::size_t>(after.size(), 10)), release)) return true;
  const std::size_t start = before.find_last_of('\n');
  std::string_view line = start == std::string_view::npos ? before : before.substr(start + 1);
  if (line.substr(0, 4) == "[pip" || line.substr(0, 6) == "[conda") return true;
  if (line.size() > 40) line.remove_prefix(line.size() - 40);
  static const RE2 pattern(
      R"((?i)(?:[=<>~!]=|usb@[0-9]+:|(?:version|ver|\bv|release|revision|firmware|fw|bios|vbios|driver|rocm|hip)["']?[ \t:=("']*)$)",
      RE2::Latin1);
  return RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), pattern);
}

bool is_left_alone(const std::array<unsigned, 4>& n) {
  if (n[0] == 0 || n[0] == 127 || n[0] == 255) return true;  // this host, loopback, masks
  return (n[0] == 192 && n[1] == 0 && n[2] == 2) || (n[0] == 198 && n[1] == 51 && n[2] == 100) ||
         (n[0] == 203 && n[1] == 0 && n[2] == 113);
}

std::string without_ipv4(const std::string& text, Pseudonyms& pseudonyms) {
  static const RE2 pattern(R"([0-9]+(?:\.[0-9]+)+)", RE2::Latin1);
  return rewrite_matches(text, pattern, [&](const Groups& g) -> std::optional<std::string> {
    const std::string match(g[0].data(), g[0].size());
    std::array<unsigned, 4> n{};
    const auto parts = split_at(match, '.');
    if (parts.size() != n.size()) return std::nullopt;
    for (std::size_t i = 0; i < n.size(); ++i) {
      const bool is_padded = parts[i].size() > 1 && parts[i][0] == '0';  // as versions are, and addresses never
      if (is_padded || parts[i].size() > 3 || std::stoul(parts[i]) > 255) return std::nullopt;
      n[i] = static_cast<unsigned>(std::stoul(parts[i]));
    }
    const Around around(text, g[0]);
    const auto glued = [](char c) {
      return is_alnum(c) || (c != '\0' && std::string_view(".-+~_").find(c) != std::string_view::npos);
    };
    const bool ends_sentence = around.right() == '.' && (around.after.size() < 2 || !is_alnum(around.after[1]));
    if (glued(around.left()) || (glued(around.right()) && !ends_sentence)) return std::nullopt;
    if (is_left_alone(n) || is_version_by_context(around.before, around.after)) return std::nullopt;
    return pseudonyms.of(PseudonymKind::ipv4, match);
  });
}

bool is_mac(const std::string& run, char separator) {
  if (run.size() != 17) return false;
  for (std::size_t i = 0; i < run.size(); ++i)
    if ((i % 3 == 2) != (run[i] == separator)) return false;
  // Six numbers with dashes are a date and a time as often as an address.
  const bool letters =
      std::any_of(run.begin(), run.end(), [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
  return separator == ':' || letters;
}

std::string mac_pseudonym(const std::string& mac, Pseudonyms& pseudonyms) {
  std::string plain;
  for (const char c : mac) plain += c == '-' ? ':' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (plain == "00:00:00:00:00:00" || plain == "ff:ff:ff:ff:ff:ff" || Pseudonyms::is_one(PseudonymKind::mac, plain))
    return mac;
  return pseudonyms.of(PseudonymKind::mac, plain);
}

// Valid, and not a C++ name such as a::b: three groups at least, or the prefix of an address that is in use.
bool is_ipv6(const std::string& run) {
  in6_addr address{};
  if (inet_pton(AF_INET6, run.c_str(), &address) != 1) return false;
  const auto groups = split_at(run, ':');
  const auto filled =
      std::count_if(groups.begin(), groups.end(), [](const std::string& group) { return !group.empty(); });
  if (run.find("::") == std::string::npos || filled >= 3) return true;
  static const RE2 prefix(R"((?i)(?:fe[89ab][0-9a-f]|f[cd][0-9a-f]{2}|2[0-9a-f]{3}|ff0[0-9a-f]):.*)", RE2::Latin1);
  return RE2::FullMatch(run, prefix);
}

std::string ipv6_pseudonym(const std::string& run, Pseudonyms& pseudonyms) {
  in6_addr address{};
  std::array<char, INET6_ADDRSTRLEN> spelt{};
  inet_pton(AF_INET6, run.c_str(), &address);
  inet_ntop(AF_INET6, &address, spelt.data(), spelt.size());
  const std::string plain = spelt.data();
  if (Pseudonyms::is_one(PseudonymKind::ipv6, plain)) return run;
  return pseudonyms.of(PseudonymKind::ipv6, plain);
}

// Whether the run goes on beyond what the pattern took: part of a name, a number, or a PCI address.
bool goes_on_left(const Around& around) {
  return is_alnum(around.left()) || around.left() == '.' || around.left() == '_';
}
bool goes_on_right(const Around& around) {
  if (around.right() == '.') return around.after.size() > 1 && is_alnum(around.after[1]);
  return is_alnum(around.right()) || around.right() == '_';
}

// Hexadecimal groups with colons: a MAC address, an IPv6 address, or something else (a PCI address, a time, a dump).
std::string without_colon_addresses(const std::string& text, Pseudonyms& pseudonyms) {
  static const RE2 pattern(R"([0-9A-Fa-f]*(?::[0-9A-Fa-f]*)+)", RE2::Latin1);
  return rewrite_matches(text, pattern, [&](const Groups& g) -> std::optional<std::string> {
    std::string run(g[0].data(), g[0].size());
    if (run.size() < 4 || run.size() > 48) return std::nullopt;
    const std::string front = run[0] == ':' && run[1] != ':' ? ":" : "";                  // "addr:fe80::1"
    const std::string back = run.back() == ':' && run[run.size() - 2] != ':' ? ":" : "";  // "fe80::1: no route"
    run = run.substr(front.size(), run.size() - front.size() - back.size());
    const Around around(text, g[0]);
    if ((front.empty() && goes_on_left(around)) || (back.empty() && goes_on_right(around))) return std::nullopt;
    if (is_mac(run, ':')) return front + mac_pseudonym(run, pseudonyms) + back;
    if (is_ipv6(run)) return front + ipv6_pseudonym(run, pseudonyms) + back;
    return std::nullopt;
  });
}

std::string without_dashed_macs(const std::string& text, Pseudonyms& pseudonyms) {
  static const RE2 pattern(R"([0-9A-Fa-f]{2}(?:-[0-9A-Fa-f]{2})+)", RE2::Latin1);
  return rewrite_matches(text, pattern, [&](const Groups& g) -> std::optional<std::string> {
    const std::string run(g[0].data(), g[0].size());
    const Around around(text, g[0]);
    const auto glued = [](char c) { return is_alnum(c) || c == '-' || c == '_'; };
    if (!is_mac(run, '-') || glued(around.left()) || glued(around.right())) return std::nullopt;
    return mac_pseudonym(run, pseudonyms);
  });
}

std::string without_mail(const std::string& text, Pseudonyms& pseudonyms) {
  if (text.find('@') == std::string::npos) return text;
  static const RE2 pattern(R"(([A-Za-z0-9._%+\-]+)@([A-Za-z0-9\-]+(?:\.[A-Za-z0-9\-]+)*\.([A-Za-z]{2,24})))",
                           RE2::Latin1);
  static const std::set<std::string> units{"service", "socket", "target", "slice", "scope",
                                           "timer",   "mount",  "device", "path",  "so"};
  return rewrite_matches(text, pattern, [&](const Groups& g) -> std::optional<std::string> {
    const std::string mail(g[0].data(), g[0].size()), top(g[3].data(), g[3].size());
    if (units.count(top) > 0 || mail.rfind("git@", 0) == 0 || mail.rfind("REDACTED@", 0) == 0 || top == "invalid")
      return std::nullopt;
    return pseudonyms.of(PseudonymKind::mail, mail);
  });
}

}  // namespace

std::string without_addresses(const std::string& text, const TextPlace& place, Pseudonyms& pseudonyms) {
  std::string out = without_mail(text, pseudonyms);
  out = without_dashed_macs(without_colon_addresses(out, pseudonyms), pseudonyms);
  return place.has_versions ? out : without_ipv4(out, pseudonyms);
}

namespace {

struct Form {
  PseudonymKind kind;
  const char* pattern;  // its first group holds the number
};
const Form kForms[] = {
    {PseudonymKind::user, R"(user-(\d{1,6}))"},
    {PseudonymKind::host, R"(host-(\d{1,6}))"},
    {PseudonymKind::serial, R"(serial-(\d{1,6}))"},
    {PseudonymKind::mail, R"(mail-(\d{1,6})@example\.invalid)"},
    {PseudonymKind::mac, R"(02:00:00:00:([0-9a-f]{2}:[0-9a-f]{2}))"},
    {PseudonymKind::ipv4, R"(192\.0\.2\.(\d{1,3}))"},
    {PseudonymKind::ipv6, R"(2001:db8::([0-9a-f]{1,4}))"},
};

const RE2& pattern_of(PseudonymKind kind) {
  static std::map<PseudonymKind, std::unique_ptr<RE2>> patterns = [] {
    std::map<PseudonymKind, std::unique_ptr<RE2>> made;
    for (const Form& form : kForms) made[form.kind] = std::make_unique<RE2>(form.pattern, RE2::Latin1);
    return made;
  }();
  return *patterns.at(kind);
}

std::string pseudonym(PseudonymKind kind, unsigned n) {
  switch (kind) {
    case PseudonymKind::user:
      return fmt::format("user-{}", n);
    case PseudonymKind::host:
      return fmt::format("host-{}", n);
    case PseudonymKind::serial:
      return fmt::format("serial-{}", n);
    case PseudonymKind::mail:
      return fmt::format("mail-{}@example.invalid", n);
    case PseudonymKind::mac:
      return fmt::format("02:00:00:00:{:02x}:{:02x}", n >> 8U & 0xffU, n & 0xffU);
    case PseudonymKind::ipv4: {  // the three networks set aside for documentation, then the last address again
      const unsigned at = std::min(n, 3 * 254U) - 1;
      static constexpr std::array kNetworks{"192.0.2", "198.51.100", "203.0.113"};
      return fmt::format("{}.{}", kNetworks[at / 254], at % 254 + 1);
    }
    case PseudonymKind::ipv6:
      return fmt::format("2001:db8::{:x}", n);
  }
  return {};
}

}  // namespace

bool Pseudonyms::is_one(PseudonymKind kind, const std::string& text) { return RE2::FullMatch(text, pattern_of(kind)); }

void Pseudonyms::reserve_those_in(const std::string& text) {
  for (const Form& form : kForms) {
    const bool hexadecimal = form.kind == PseudonymKind::mac || form.kind == PseudonymKind::ipv6;
    re2::StringPiece rest(text);
    std::string digits;
    while (RE2::FindAndConsume(&rest, pattern_of(form.kind), &digits)) {
      if (form.kind == PseudonymKind::user && rest.starts_with(".slice")) continue;  // systemd's, not ours
      digits.erase(std::remove(digits.begin(), digits.end(), ':'), digits.end());
      const auto n = hexadecimal ? parse_hex(digits) : parse_decimal(digits);
      if (n) last_[form.kind] = std::max(last_[form.kind], static_cast<unsigned>(*n));
    }
  }
}

std::string Pseudonyms::of(PseudonymKind kind, const std::string& original) {
  const auto [it, is_new] = given_[kind].try_emplace(original);
  if (is_new) it->second = pseudonym(kind, ++last_[kind]);
  return it->second;
}

}  // namespace rocdiag
