// The commit that this program was built from: with a seed it names a run.
#pragma once

#include <string_view>

namespace pageproof::fuzz {

std::string_view commit();  // 12 hex digits, or "unknown" where it was built outside git

}  // namespace pageproof::fuzz
