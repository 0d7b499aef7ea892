// Runs gnuplot: commands to its standard input, SVG from its standard output; no shell, no file, no start-up
// files of the user, a limit on time and on output. Text from outside reaches it only through `quoted`.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "model/page/plain/error.hpp"

namespace pageproof::page {

struct GnuplotLimits {
  std::chrono::milliseconds time{20'000};
  std::size_t bytes = std::size_t{8} << 20;  // of its output
};

// What the program wrote. Refuses: no such program, an exit status that is not 0, a limit passed (the process
// and what it started are ended), output that is no well-formed SVG.
Expected<std::string> drawn(const std::string& program, std::string_view commands,
                            const GnuplotLimits& limits = {});

// A string of gnuplot's language that means the text and nothing else: single quotes, within which nothing is
// substituted. A quote within becomes U+2019 (gnuplot 5.4 reads two of them differently at different places),
// a control character or a byte that is no UTF-8 a space. One line; cut to `most` characters.
std::string quoted(std::string_view text, std::size_t most = 60);

}  // namespace pageproof::page
