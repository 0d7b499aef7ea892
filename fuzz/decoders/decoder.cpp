#include "fuzz/decoders/decoder.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "model/page/plain/utf8.hpp"

namespace pageproof::fuzz {
namespace {

constexpr std::size_t kLongestLine = 1000;

}  // namespace

void must(bool holds, std::string_view law) {
  if (holds) return;
  std::fprintf(stderr, "BROKEN    %.*s\n", static_cast<int>(law.size()), law.data());
  std::fflush(stderr);
  std::abort();
}

void must_be_one_line(const Error& error) {
  const std::string line = to_string(error);
  must(!error.problem.empty(), "an error says what is wrong");
  must(!error.field.empty() || error.subject.starts_with("--"), "an error names the field or the option");
  must(line.size() <= kLongestLine, "an error is a short line");
  must(line.find_first_of("\n\r") == std::string::npos, "an error is one line");
  must(is_utf8(std::as_bytes(std::span(line))), "an error is UTF-8");
}

}  // namespace pageproof::fuzz
