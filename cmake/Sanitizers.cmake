# Executables of a few files under a sanitizer, whatever the build's own compiler and flags are.
#
#   pageproof_sanitized(NAME COMPILER path SANITIZE thread DEFINITIONS ... SOURCES ... [PLAIN_SOURCES ...] [LIBRARIES ...])
#
#   pageproof_links_with_sanitizer(<out> COMPILER SANITIZER)   does that compiler have the sanitizer's runtime?
#
# PLAIN_SOURCES are compiled without the sanitizer. The executable is sanitized/NAME in
# the current build folder.
function(pageproof_sanitized name)
  cmake_parse_arguments(ARG "" "COMPILER;SANITIZE" "DEFINITIONS;SOURCES;PLAIN_SOURCES;LIBRARIES" ${ARGN})
  set(sanitize -fsanitize=${ARG_SANITIZE} -fno-sanitize-recover=undefined)
  list(TRANSFORM ARG_DEFINITIONS PREPEND -D)
  foreach(source IN LISTS ARG_SOURCES ARG_PLAIN_SOURCES)
    cmake_path(GET source FILENAME file)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.${file}.o)
    set(flags ${sanitize})
    if(source IN_LIST ARG_PLAIN_SOURCES)
      set(flags)
    endif()
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${ARG_COMPILER} -std=c++23 -O1 -g -Wall -Wextra ${flags} ${ARG_DEFINITIONS}
              -I${PROJECT_SOURCE_DIR} -MD -MF ${object}.d -c ${PROJECT_SOURCE_DIR}/${source} -o ${object}
      DEPENDS ${PROJECT_SOURCE_DIR}/${source}
      DEPFILE ${object}.d
      COMMENT "Compiling ${file} for ${name}"
      VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/sanitized)
  set(executable ${CMAKE_CURRENT_BINARY_DIR}/sanitized/${name})
  add_custom_command(OUTPUT ${executable}
    COMMAND ${ARG_COMPILER} ${sanitize} ${objects} ${ARG_LIBRARIES} -o ${executable}
    DEPENDS ${objects}
    VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${executable})
endfunction()

function(pageproof_links_with_sanitizer out compiler sanitizer)
  set(probe ${PROJECT_BINARY_DIR}/sanitizer_probe)
  file(WRITE ${probe}.cpp "int main() {}\n")
  execute_process(COMMAND ${compiler} -fsanitize=${sanitizer} ${probe}.cpp -o ${probe}
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    set(${out} OFF PARENT_SCOPE)
  else()
    set(${out} ON PARENT_SCOPE)
  endif()
endfunction()
