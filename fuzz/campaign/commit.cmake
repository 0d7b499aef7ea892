# Writes OUTPUT with the commit that SOURCE_DIR stands at; "unknown" outside git.
execute_process(COMMAND git -C ${SOURCE_DIR} rev-parse --short=12 HEAD
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
if(failed)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "fuzz/campaign/commit.hpp"

namespace pageproof::fuzz {

std::string_view commit() {
  return "@commit@";
}

}  // namespace pageproof::fuzz
]])
