# SPDX-License-Identifier: MIT
# What rocdiag links. A user's LD_LIBRARY_PATH must not reach any of it (docs/adr/0001-linking.md): the C++ runtime,
# libarchive, RE2 and zlib are linked statically, fmt is used as headers, and only glibc stays dynamic.
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 2.1 REQUIRED)

# Sets VAR to lib<name>.a, or to the shared library with a warning where no archive is installed.
function(rocdiag_find_static VAR name)
  find_library(${VAR} NAMES lib${name}.a)
  if(NOT ${VAR})
    find_library(${VAR} NAMES ${name} REQUIRED)
    message(WARNING "lib${name}.a not found: LD_LIBRARY_PATH will be able to replace lib${name} under rocdiag")
  endif()
endfunction()
rocdiag_find_static(ROCDIAG_ARCHIVE archive)
rocdiag_find_static(ROCDIAG_RE2 re2)
rocdiag_find_static(ROCDIAG_Z z)

add_library(rocdiag_dependencies INTERFACE)
target_link_libraries(
  rocdiag_dependencies INTERFACE nlohmann_json::nlohmann_json fmt::fmt-header-only CLI11::CLI11 ${ROCDIAG_ARCHIVE}
                                 ${ROCDIAG_RE2} ${ROCDIAG_Z} Threads::Threads)
target_link_options(rocdiag_dependencies INTERFACE -static-libstdc++ -static-libgcc)
