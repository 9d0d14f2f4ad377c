# SPDX-License-Identifier: MIT
# Run by Embed.cmake: writes OUT, a C++ file with the bytes of every name=path in SPECS.
set(text "// Made by cmake/EmbedFiles.cmake.\n#include \"knowledge/embedded.h\"\nnamespace rocdiag {\nnamespace {\n")
set(table "")
set(n 0)
foreach(spec IN LISTS SPECS)
  string(REGEX MATCH "^([^=]+)=(.*)$" _ "${spec}")
  set(name "${CMAKE_MATCH_1}")
  file(READ "${CMAKE_MATCH_2}" hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(APPEND text "constexpr unsigned char k${n}[] = {${bytes}0};\n")
  string(APPEND table "      {\"${name}\", {reinterpret_cast<const char*>(k${n}), sizeof(k${n}) - 1}},\n")
  math(EXPR n "${n} + 1")
endforeach()
string(APPEND text "}  // namespace\nconst std::map<std::string, std::string_view>& embedded_files() {\n"
                   "  static const std::map<std::string, std::string_view> files = {\n${table}  };\n  return files;\n}\n}\n")
file(WRITE "${OUT}" "${text}")
