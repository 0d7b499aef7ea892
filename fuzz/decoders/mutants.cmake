# Faulty decoders: a target linked with a copy of one source in which one piece of text is another. The corpus has a
# file that each of them fails on. Configuring fails where the text is no longer in the source.
#
#   pageproof_decoder_mutant(NAME TARGET handshake_msgpack SOURCE path TEXT "..." BECOMES "...")
#
# makes decode_mutant_NAME and adds NAME to PAGEPROOF_DECODER_MUTANTS, with the file that it is to fail on.
set(PAGEPROOF_DECODER_MUTANTS)

function(pageproof_decoder_mutant name)
  cmake_parse_arguments(ARG "" "TARGET;SOURCE;TEXT;BECOMES;FAILS_ON;LAW" "" ${ARGN})
  set(source ${PROJECT_SOURCE_DIR}/${ARG_SOURCE})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} text)
  string(FIND "${text}" "${ARG_TEXT}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "decoder mutant ${name}: ${ARG_SOURCE} has no \"${ARG_TEXT}\"")
  endif()
  string(REPLACE "${ARG_TEXT}" "${ARG_BECOMES}" text "${text}")
  # The copy takes the place of the original's object file, which therefore holds nothing else.
  string(REGEX MATCH "^[a-z]+" top ${ARG_SOURCE})
  set_source_files_properties(${source} DIRECTORY ${PROJECT_SOURCE_DIR}/${top} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set(copy ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}.cpp)
  file(CONFIGURE OUTPUT ${copy} CONTENT "${text}" @ONLY)
  pageproof_decoder_target(mutant_${name} FROM ${ARG_TARGET} ROOMS ${rooms_of_${ARG_TARGET}} REPLACES ${copy})
  add_dependencies(decoders decode_mutant_${name})
  list(APPEND PAGEPROOF_DECODER_MUTANTS "${name}|${ARG_TARGET}|${ARG_FAILS_ON}|${ARG_LAW}")
  set(PAGEPROOF_DECODER_MUTANTS "${PAGEPROOF_DECODER_MUTANTS}" PARENT_SCOPE)
endfunction()

pageproof_decoder_mutant(no_depth_limit TARGET handshake_msgpack SOURCE model/handshake/msgpack_scan.cpp
  TEXT "if (open_.size() == kDeepestNesting)" BECOMES "if (false)"
  FAILS_ON nested_33_deep LAW "nested deeper than the bound")
pageproof_decoder_mutant(allocates_what_is_announced TARGET handshake_msgpack SOURCE model/handshake/msgpack_scan.cpp
  TEXT "if (least > left())"
  BECOMES "if (std::string(container ? announced % (1u << 26) : 0, 'a').find('b') == 0 || least > left())"
  FAILS_ON array_announces_2_to_25 LAW "no more memory than the input justifies")
pageproof_decoder_mutant(number_as_key_passes TARGET handshake_msgpack SOURCE model/handshake/msgpack_scan.cpp
  TEXT "if (kind != Kind::text)" BECOMES "if (kind == Kind::map)"
  FAILS_ON key_is_a_number LAW "the scan and the decoder agree")
pageproof_decoder_mutant(hole_in_the_data_passes TARGET safetensors SOURCE golden/container/header.cpp
  TEXT "if (begin(tensor) > end) return" BECOMES "if (false) return"
  FAILS_ON hole_between_tensors LAW "tensors follow one another")
pageproof_decoder_mutant(loose_base64 TARGET names SOURCE model/handshake/base64.cpp
  TEXT "if (base64(out) != text) return refuse()" BECOMES "if (false) return refuse()"
  FAILS_ON base64_with_loose_bits LAW "base64 comes back")
pageproof_decoder_mutant(block_id_twice TARGET block_ids SOURCE model/page/plain/block_ids.cpp
  TEXT "if (listed[id]) return" BECOMES "if (false) return"
  FAILS_ON id_twice LAW "every id stands once")
pageproof_decoder_mutant(unknown_key_passes TARGET engine_description SOURCE model/region/engine_json.cpp
  TEXT "fields.refuse_unknown_keys()" BECOMES "(void)fields"
  FAILS_ON unknown_key LAW "every key that was read is a field")
pageproof_decoder_mutant(json_ends_at_a_nul TARGET engine_description SOURCE model/json/strict_json.cpp
  TEXT "nul != std::string_view::npos" BECOMES "nul == std::string_view::npos - 1"
  FAILS_ON bytes_after_a_nul LAW "JSON has no NUL byte")
set(PAGEPROOF_DECODER_MUTANTS "${PAGEPROOF_DECODER_MUTANTS}" PARENT_SCOPE)
