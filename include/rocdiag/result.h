// SPDX-License-Identifier: MIT
// A value or the reason why there is none. Member names follow std::expected, which GCC 11 lacks.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace rocdiag {

enum class Errc {
  system,        // the kernel answered with an errno: prefer it whenever there is one
  timed_out,     // a deadline passed before the answer came; the machine may be slow or wedged
  abandoned,     // a child ignored SIGKILL (D state): stronger than timed_out, the driver is stuck
  not_recorded,  // nobody asked, or the bundle does not hold the answer: says nothing about the machine
  refused,       // our own rules forbid the question (a path or glob outside the allow-list)
  too_large,     // over one of our limits; what came before it is dropped
  malformed,     // it was read and is not what its format promises
  usage,         // the person asked for something that cannot be
};

struct Error {
  Errc code = Errc::malformed;
  int errno_value = 0;  // only with Errc::system
  std::string message;  // one line for a person, without a trailing full stop

  bool operator==(const Error&) const = default;
};

// "ENOENT", "EACCES" …; "errno 123" for one without a name here.
std::string errno_name(int errno_value);
// The reverse; 0 for an unknown name.
int errno_from_name(const std::string& name);
// One line: the errno's name, or the message, or what the code means.
std::string describe(const Error& error);

Error system_error(int errno_value, std::string message = {});

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return content_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  const T& value() const& { return std::get<0>(content_); }
  T& value() & { return std::get<0>(content_); }
  T&& value() && { return std::get<0>(std::move(content_)); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }
  const Error& error() const { return std::get<1>(content_); }

  bool operator==(const Result&) const = default;

 private:
  std::variant<T, Error> content_;
};

struct Done {
  bool operator==(const Done&) const = default;
};
// For steps that yield nothing but success or the reason against it: `return Done{};`
using Status = Result<Done>;

}  // namespace rocdiag
