// What each flag of a test means.
#pragma once

#include <map>
#include <string>

#include "golden/pages/fixture.hpp"

namespace pageproof::golden {

const std::map<std::string, Note>& all_notes();

}  // namespace pageproof::golden
