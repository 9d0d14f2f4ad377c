// SPDX-License-Identifier: MIT
// One typed observation with three states: a value, absent (we looked and it is not there), or
// unobserved (nobody could look, and why). Unobserved is neither absent nor healthy.
#pragma once

#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "rocdiag/result.h"

namespace rocdiag {

// Where something was seen: a path, or a command's argv joined by blanks; line counts from 1, 0 = the whole.
struct Where {
  std::string source;
  int line = 0;

  bool operator==(const Where&) const = default;
};

template <class T>
class Observed {
 public:
  Observed() = default;  // unobserved: "not asked"

  static Observed of(T value, Where where = {}) {
    Observed o;
    o.value_ = std::move(value);
    o.where_ = std::move(where);
    o.reason_.clear();
    return o;
  }
  static Observed absent(Where where = {}) {
    Observed o;
    o.absent_ = true;
    o.where_ = std::move(where);
    o.reason_.clear();
    return o;
  }
  static Observed unobserved(std::string reason, Where where = {}) {
    Observed o;
    o.reason_ = std::move(reason);
    o.where_ = std::move(where);
    return o;
  }

  bool has_value() const { return value_.has_value(); }
  explicit operator bool() const { return has_value(); }
  bool is_absent() const { return absent_; }
  bool is_unobserved() const { return !value_ && !absent_; }

  const T& operator*() const { return *value_; }
  const T* operator->() const { return &*value_; }
  // True only when the value was seen and equals `other`.
  bool is(const T& other) const { return value_ && *value_ == other; }
  std::optional<T> optional() const { return value_; }

  const Where& where() const { return where_; }
  const std::string& reason() const { return reason_; }  // empty unless unobserved

  bool operator==(const Observed& other) const {  // where it was seen does not make it another fact
    return value_ == other.value_ && absent_ == other.absent_;
  }

 private:
  std::optional<T> value_;
  bool absent_ = false;
  Where where_;
  std::string reason_ = "not asked";
};

// ENOENT and ENOTDIR mean that the thing is not there. Every other failure leaves the fact unobserved.
inline bool means_absent(const Error& error) {
  return error.code == Errc::system && (error.errno_value == ENOENT || error.errno_value == ENOTDIR);
}

template <class T>
Observed<T> from_error(const Error& error, Where where) {
  return means_absent(error) ? Observed<T>::absent(std::move(where))
                             : Observed<T>::unobserved(describe(error), std::move(where));
}

// The answer as a fact, through `parse`: const U& → Observed<T> or std::optional<T> (nullopt: malformed).
template <class T, class U, class Parse>
Observed<T> observe(const Result<U>& answer, Where where, Parse parse) {
  if (!answer) return from_error<T>(answer.error(), std::move(where));
  std::optional<T> value = parse(*answer);
  if (!value) return Observed<T>::unobserved("malformed", std::move(where));
  return Observed<T>::of(std::move(*value), std::move(where));
}

}  // namespace rocdiag
