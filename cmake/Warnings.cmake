# SPDX-License-Identifier: MIT
# Flags for our own code: warnings are errors, and hardening that costs nothing here.
add_library(rocdiag_options INTERFACE)
target_compile_options(rocdiag_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                                 -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 and 13 see uses of moved-from optionals in std::variant and std::string that are not there.
  target_compile_options(rocdiag_options INTERFACE -Wno-maybe-uninitialized -Wno-restrict)
endif()
if(ROCDIAG_SANITIZE)
  target_compile_options(rocdiag_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                   -fno-omit-frame-pointer)
  target_link_options(rocdiag_options INTERFACE -fsanitize=address,undefined)
else()
  target_compile_options(rocdiag_options INTERFACE -fstack-protector-strong)
endif()
