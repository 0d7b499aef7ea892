// What a log shows of a guard that is left out: data, and a test leaves each guard out, lets the world go on
// and has its log judged.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "model/receive/names.hpp"

namespace pageproof::fuzz_receive {

struct Shown {
  receive::Guard guard;
  std::array<std::string_view, 4> rules = {};  // that `receive check` may name first; none: no log shows it
  std::string_view why = {};                   // where none does

  bool names(std::string_view rule) const;
  bool visible() const { return !rules[0].empty(); }
};
std::span<const Shown> shown_table();  // a row for every guard

}  // namespace pageproof::fuzz_receive
