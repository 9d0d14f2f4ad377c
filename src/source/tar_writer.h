// SPDX-License-Identifier: MIT
// A .tar.gz in memory: ustar headers with GNU long names, the same bytes for the same input.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace rocdiag {

class TarWriter {
 public:
  explicit TarWriter(std::int64_t mtime);  // seconds since 1970, of every file
  ~TarWriter();
  TarWriter(const TarWriter&) = delete;
  TarWriter& operator=(const TarWriter&) = delete;

  void add_file(const std::string& name, std::string_view content);  // mode 0600
  std::string finish();                                              // the packed archive; call once, last

 private:
  struct State;
  void add_header(const std::string& name, std::size_t size, char type);
  void add_padded(std::string_view bytes);
  void pack(std::string_view bytes, int flush);

  std::unique_ptr<State> state_;
};

}  // namespace rocdiag
