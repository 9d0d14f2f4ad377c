// SPDX-License-Identifier: MIT
// Archives as an attacker would make them, and snapshots compared answer by answer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rocdiag/snapshot.h"

namespace rocdiag::testing {

// One tar header block. `size` is what it promises, whatever follows.
std::string tar_header(const std::string& name, std::uint64_t size, char type = '0', const std::string& link = {});
std::string tar_file(const std::string& name, const std::string& content);
constexpr std::size_t kTarEnd = 1024;  // NUL bytes that end an archive
std::string tar_end();
std::string gzip(std::string_view bytes);
std::string gunzip(std::string_view packed);

// Empty when both give the same answers to everything; else the first difference.
std::string first_difference(const Snapshot& a, const Snapshot& b);

}  // namespace rocdiag::testing
