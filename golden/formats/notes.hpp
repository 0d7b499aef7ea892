// What each flag of a test of page formats means.
#pragma once

#include <map>
#include <string>

#include "golden/pages/fixture.hpp"

namespace pageproof::golden::formats {

const std::map<std::string, Note>& all_notes();

}  // namespace pageproof::golden::formats
