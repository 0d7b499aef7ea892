# One ctest entry for each check of the registry, read from the program itself when ctest starts, so that the table
# of `pageproof verify` and ctest cannot disagree. CI runs the full form of every check.
execute_process(COMMAND @PAGEPROOF@ verify --list OUTPUT_VARIABLE listing RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "pageproof verify --list failed: ${failed}")
endif()
string(REPLACE "\n" ";" lines "${listing}")
foreach(line IN LISTS lines)
  if(line MATCHES "^([a-z0-9_.]+) ")
    set(entry verify.${CMAKE_MATCH_1})
    add_test(${entry} @PAGEPROOF@ verify ${CMAKE_MATCH_1})
    set_tests_properties(${entry} PROPERTIES LABELS verify SKIP_REGULAR_EXPRESSION "skipped: " TIMEOUT 600)
  endif()
endforeach()
