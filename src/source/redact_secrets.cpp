// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cctype>
#include <optional>

#include "source/redact_text.h"

namespace rocdiag {
namespace {

std::string text_of(re2::StringPiece piece) { return {piece.data(), piece.size()}; }

bool has_digit(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

// A variable or a key, not a word of a sentence: HF_TOKEN, api_key, DBPASSWORD.
bool is_identifier(const std::string& name) {
  static const RE2 pattern(R"([A-Z0-9_.\-]+|[A-Za-z0-9.\-]*_[A-Za-z0-9_.\-]*)", RE2::Latin1);
  return RE2::FullMatch(name, pattern);
}

// Only blanks, quotes and list marks stand before it on its line: a key of a file, not a word of a sentence.
bool begins_line(const std::string& text, std::size_t at) {
  while (at > 0 && text[at - 1] != '\n') {
    const char c = text[--at];
    if (std::string_view(" \t\r\"'{[,-#>").find(c) == std::string_view::npos) return false;
  }
  return true;
}

bool looks_secret(const std::string& value) { return value.size() >= 6 && has_digit(value); }

// The name of an assignment, with the quote that may follow it, and the name alone.
struct Name {
  explicit Name(re2::StringPiece piece)
      : written(text_of(piece)), plain(written.substr(0, written.find_last_not_of("\"'") + 1)) {}
  std::string written, plain;
};

// `password: correct horse` as a line of its own: everything behind the colon is the value.
std::string without_assigned_lines(const std::string& text) {
  static const RE2 pattern(R"(([A-Za-z0-9_.\-]+["']?)([ \t]*:[ \t]*|[ \t]+=[ \t]*)([^\s"'][^\r\n]*))", RE2::Latin1);
  return rewrite_matches(text, pattern, [&](const Groups& g) -> std::optional<std::string> {
    const Name name(g[1]);
    if (!is_secret_name(name.plain) || is_harmless_value(name.plain, text_of(g[3]))) return std::nullopt;
    if (!begins_line(text, static_cast<std::size_t>(g[1].data() - text.data()))) return std::nullopt;
    return name.written + text_of(g[2]) + kRedacted;
  });
}

std::string without_quoted_values(const std::string& text) {
  static const RE2 pattern(R"(([A-Za-z0-9_.\-]+["']?)([ \t]*[=:][ \t]*)("[^"\n]*"|'[^'\n]*'))", RE2::Latin1);
  return rewrite_matches(text, pattern, [](const Groups& g) -> std::optional<std::string> {
    const Name name(g[1]);
    const std::string quoted = text_of(g[3]), inner = quoted.substr(1, quoted.size() - 2);
    if (!is_secret_name(name.plain) || inner.empty() || is_harmless_value(name.plain, inner)) return std::nullopt;
    return name.written + text_of(g[2]) + quoted[0] + kRedacted + quoted[0];
  });
}

// In the middle of a line one word is the value: `A_TOKEN=x` always, `token: x` only when x looks like a secret.
std::string without_assigned_words(const std::string& text) {
  static const RE2 pattern(R"(([A-Za-z0-9_.\-]+["']?)([ \t]*[=:][ \t]*)([^\s"']+))", RE2::Latin1);
  return rewrite_matches(text, pattern, [](const Groups& g) -> std::optional<std::string> {
    const Name name(g[1]);
    const std::string separator = text_of(g[2]), value = text_of(g[3]);
    if (!is_secret_name(name.plain) || is_harmless_value(name.plain, value)) return std::nullopt;
    if (separator != "=" && !is_identifier(name.plain) && !looks_secret(value)) return std::nullopt;
    return name.written + separator + kRedacted;
  });
}

// "--token x", but not the end of "systemd-load-credentials".
std::string without_option_values(const std::string& text) {
  static const RE2 pattern(R"((--?[A-Za-z0-9][A-Za-z0-9_\-]*)([ \t]+)([^\s\-][^\s]*))", RE2::Latin1);
  return rewrite_matches(text, pattern, [&](const Groups& g) -> std::optional<std::string> {
    const std::string name = text_of(g[1]);
    const char before = g[1].data() == text.data() ? ' ' : g[1].data()[-1];
    if (std::string_view(" \t\n\r\"'`[(,=").find(before) == std::string_view::npos) return std::nullopt;
    if (!is_secret_name(name) || is_harmless_value(name, text_of(g[3]))) return std::nullopt;
    return name + text_of(g[2]) + kRedacted;
  });
}

// Tokens known by their shape, and those that a URL or a header carries.
std::string without_known_shapes(const std::string& text) {
  static const RE2 token(
      R"((^|[^A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|glpat-[A-Za-z0-9_\-]{12,}|hf_[A-Za-z0-9]{16,}|)"
      R"(sk-[A-Za-z0-9_\-]{16,}|xox[a-z]-[A-Za-z0-9\-]{8,}|(?:AKIA|ASIA)[A-Z0-9]{12,}|AIza[A-Za-z0-9_\-]{20,}|npm_[A-Za-z0-9]{20,}|)"
      R"(eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]+))",
      RE2::Latin1);
  static const RE2 url(R"(([A-Za-z][A-Za-z0-9+.\-]*://)[^/\s:@"']*:[^/\s@"']+@)", RE2::Latin1);
  static const RE2 bearer(R"((?i)\b((?:bearer|basic)[ \t]+)([A-Za-z0-9._~+/=\-]{8,}))", RE2::Latin1);
  std::string out = text;
  RE2::GlobalReplace(&out, token, R"(\1REDACTED)");
  RE2::GlobalReplace(&out, url, R"(\1REDACTED@)");
  return rewrite_matches(out, bearer, [](const Groups& g) -> std::optional<std::string> {
    if (!has_digit(text_of(g[2]))) return std::nullopt;  // "basic authentication"
    return text_of(g[1]) + kRedacted;
  });
}

}  // namespace

bool is_secret_name(const std::string& name) {
  static const RE2 pattern(
      R"((?i)secret|passw(?:or)?d|passphrase|api[_\-]?key|access[_\-]?key|private[_\-]?key|credential|)"
      R"((?:tokens?|cookies?|auth|authorization|auth_?key)(?:$|[^a-z]))",
      RE2::Latin1);
  return RE2::PartialMatch(name, pattern);
}

// What a tool says about a secret, and numbers of tokens, are no secrets.
bool is_harmless_value(const std::string& name, const std::string& value) {
  static const RE2 said(
      R"((?i)(?:true|false|yes|no|on|off|none|null|nil|\(null\)|\(none\)|unset|not set|empty|missing|invalid|expired|denied|failed|)"
      R"(failure|required|rejected|disabled|enabled|ok|error|unknown|not found|permission denied|unexpected|redacted)(?:[^A-Za-z0-9][^0-9]*)?)",
      RE2::Latin1);
  static const RE2 number(R"([0-9.]{1,9}(?:[^A-Za-z0-9].*)?)", RE2::Latin1);
  static const RE2 counted(R"((?i)token|cookie|auth)", RE2::Latin1);
  static const RE2 strong(R"((?i)secret|passw|key|credential)", RE2::Latin1);
  static const RE2 small(R"(0x[0-9A-Fa-f]{1,4})", RE2::Latin1);  // a register that is called AUTH_KEY
  const bool says_nothing = std::none_of(value.begin(), value.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0;
  });
  if (says_nothing || RE2::FullMatch(value, said) || RE2::FullMatch(value, small)) return true;
  return RE2::FullMatch(value, number) && RE2::PartialMatch(name, counted) && !RE2::PartialMatch(name, strong);
}

void hide_option_values(std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    std::string& value = arguments[i + 1];
    if (name.rfind('-', 0) != 0 || name.find('=') != std::string::npos || !is_secret_name(name)) continue;
    if (!value.empty() && value[0] != '-' && !is_harmless_value(name, value)) value = kRedacted;
  }
}

std::string without_private_keys(const std::string& text) {
  if (text.find("PRIVATE KEY-----") == std::string::npos) return text;
  static const RE2 block(R"((?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z))",
                         RE2::Latin1);
  static const RE2 tail(R"((?:[A-Za-z0-9+/=]{16,}\s+)*-----END [A-Z0-9 ]*PRIVATE KEY-----)", RE2::Latin1);
  std::string out = text;
  RE2::GlobalReplace(&out, block, "[private key REDACTED]");
  RE2::GlobalReplace(&out, tail, "[private key REDACTED]");
  return out;
}

std::string without_secrets(const std::string& text) {
  return without_assigned_words(
      without_quoted_values(without_assigned_lines(without_option_values(without_known_shapes(text)))));
}

}  // namespace rocdiag
