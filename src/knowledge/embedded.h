// SPDX-License-Identifier: MIT
// The files of data/ as compiled in, by their path there; "demo.tar.gz" is the packed data/demo/.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace rocdiag {

const std::map<std::string, std::string_view>& embedded_files();

}  // namespace rocdiag
