# A room is a folder with one library target and an include root of its own. Headers are included by their path
# in the tree ("oracle/offset/writer.hpp"), and a target sees only the rooms it names under USES: each room's
# include root is a folder in the build tree that holds nothing but a link to that room.
#
#   pageproof_room(oracle/offset SOURCES writer.cpp USES model/page/plain LIBRARIES fmt::fmt [OBJECT])
#
# makes pageproof_oracle_offset (an INTERFACE library where SOURCES is empty). Which room may use which is
# DESIGN's rule; tests/rooms checks what the compiler really read.
function(pageproof_room_target out room)
  string(REPLACE / _ name ${room})
  set(${out} pageproof_${name} PARENT_SCOPE)
endfunction()

function(pageproof_room room)
  cmake_parse_arguments(ARG "OBJECT" "" "SOURCES;USES;LIBRARIES" ${ARGN})
  pageproof_room_target(target ${room})
  set(root ${PROJECT_BINARY_DIR}/roots/${target})
  cmake_path(GET room PARENT_PATH parent)
  file(MAKE_DIRECTORY ${root}/${parent})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${room} ${root}/${room} SYMBOLIC)
  if(ARG_SOURCES)
    set(kind STATIC)
    if(ARG_OBJECT)
      set(kind OBJECT)
    endif()
    add_library(${target} ${kind} ${ARG_SOURCES})
    target_include_directories(${target} PUBLIC ${root})
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${root})
    set(scope INTERFACE)
  endif()
  foreach(used IN LISTS ARG_USES)
    pageproof_room_target(used_target ${used})
    target_link_libraries(${target} ${scope} ${used_target})
  endforeach()
  target_link_libraries(${target} ${scope} ${ARG_LIBRARIES})
endfunction()

# Sources are compiled several at a time (CMAKE_UNITY_BUILD of the presets: a build from nothing in a third of the
# time), except these: they give something of their own a name that a neighbour also uses, or are made anew often.
function(pageproof_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
