// The style sheet: one column of text, tables and small charts beside each other where there is room, and a
// form for paper in which every folded part is open.
#pragma once

#include <string_view>

namespace pageproof::page {

extern const std::string_view kStyle;

}  // namespace pageproof::page
