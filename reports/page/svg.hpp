// gnuplot's SVG, shorter and the same to the eye: a page holds dozens of charts.
#pragma once

#include <string>
#include <string_view>

namespace pageproof::page {

// Where XML would not be read: the text there. Empty: every element is closed in order, attributes are quoted
// and stand once, entities are known, characters are those of XML. No comment, no CDATA, no DOCTYPE.
std::string malformed(std::string_view svg);

// Attributes that gnuplot repeats at every mark become classes; what nothing refers to is left out. Text
// stays as it is.
std::string shortened(std::string_view svg);

}  // namespace pageproof::page
