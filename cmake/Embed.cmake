# SPDX-License-Identifier: MIT
# Compiles every file of data/ into the binary, reachable by its path there (src/knowledge/embedded.h).
# data/demo/ is packed into one archive first, so that the demo takes the same way as any other bundle.
function(rocdiag_embed OUT)
  set(dir ${CMAKE_BINARY_DIR}/embedded)
  file(GLOB_RECURSE tables CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/data ${CMAKE_SOURCE_DIR}/data/*.json)
  list(FILTER tables EXCLUDE REGEX "^demo/")
  file(GLOB_RECURSE demo CONFIGURE_DEPENDS LIST_DIRECTORIES false ${CMAKE_SOURCE_DIR}/data/demo/*)
  add_custom_command(
    OUTPUT ${dir}/demo.tar.gz
    COMMAND ${CMAKE_COMMAND} -E make_directory ${dir}
    COMMAND ${CMAKE_COMMAND} -E tar czf ${dir}/demo.tar.gz --format=gnutar .
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/data/demo
    DEPENDS ${demo}
    COMMENT "Packing the demo bundle")
  set(inputs ${dir}/demo.tar.gz)
  set(specs "demo.tar.gz=${dir}/demo.tar.gz")
  foreach(table IN LISTS tables)
    list(APPEND inputs ${CMAKE_SOURCE_DIR}/data/${table})
    list(APPEND specs "${table}=${CMAKE_SOURCE_DIR}/data/${table}")
  endforeach()
  add_custom_command(
    OUTPUT ${dir}/embedded.cpp
    COMMAND ${CMAKE_COMMAND} -D "SPECS=${specs}" -D OUT=${dir}/embedded.cpp -P ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
    DEPENDS ${inputs} ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
    COMMENT "Embedding data/"
    VERBATIM)
  set(${OUT}
      ${dir}/embedded.cpp
      PARENT_SCOPE)
endfunction()
