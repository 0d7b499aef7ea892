// gnuplot's SVG, shorter and the same to the eye: a page holds dozens of charts.
#pragma once

#include <string>
#include <string_view>

namespace pageproof::page {

// Attributes that gnuplot repeats at every mark become classes; what nothing refers to is left out. Text
// stays as it is.
std::string shortened(std::string_view svg);

}  // namespace pageproof::page
