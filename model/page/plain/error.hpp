// What is said when input is refused: one line that names the subject (a file, an option, a tensor), the
// field in it and the value found. Input errors are values (std::expected<T, Error>); only a bug asserts.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace pageproof {

struct Error {
  std::string subject;  // a file's path, an option's name
  std::string field;    // what in it: "data_offsets of k_plane", "head_dim"
  std::string value;    // as it was found
  std::string problem;  // what is wrong with it, and what would be right
};

// Text that came from outside, fit for one line of a terminal: control characters and bytes that are not
// UTF-8 are written as \xNN, long text is cut near 200 bytes.
std::string printable(std::string_view text);

// "pages.safetensors: data_offsets of k_plane: [0, 99]: ends beyond the 64 data bytes"; one line of UTF-8
// whatever the input held (control characters and other bytes are escaped, long values are cut near 200
// bytes).
std::string to_string(const Error& error);

template <class T>
using Expected = std::expected<T, Error>;

}  // namespace pageproof
