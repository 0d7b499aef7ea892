// Text into HTML that is also XML: every element closed, every attribute quoted, so that any XML parser can
// check the page. What came from outside passes through `escaped`; nothing else makes text of a page safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pageproof::page {

// Safe between tags and in a quoted attribute. What XML has no place for (control characters, bytes that are
// not UTF-8) is written as \xNN.
std::string escaped(std::string_view text);

// The text, or its first `most` characters and an ellipsis.
std::string capped(std::string_view text, std::size_t most = 200);
// "1 cell", "3 cells"
std::string counted(std::size_t count, std::string_view one);
// Bytes of the character that begins the text; 0: no UTF-8, or no character that a page shows.
std::size_t character_bytes(std::string_view text);

// For a person: four significant digits, no exponent from 0.001 to 1e9, a true minus sign.
std::string rounded(double value);
std::string percent(double share);  // "+4.71 %", "−12.3 %"
// The shortest text that reads back as the same number: for programs.
std::string exact(double value);

// What stands after "data:image/svg+xml," in a quoted attribute: shorter than base64, and still to be read.
std::string uri_data(std::string_view svg);

// One word of a command line, for a person who copies it: quoted where a shell would read more into it.
std::string shell_word(std::string_view text);

enum class Holds : std::uint8_t {
  words,
  number,
  text
};  // text: sentences and paths, which may wrap anywhere
struct Column {
  std::string head;  // HTML
  Holds holds = Holds::words;
};
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  // HTML
};
// In a box that scrolls sideways where it is wider than the page.
std::string html_of(const Table& table);

}  // namespace pageproof::page
