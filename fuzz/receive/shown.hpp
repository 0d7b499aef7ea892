// What a log shows of a guard that is left out: data, and a test leaves each guard out, lets the world go on
// and has its log judged.
#pragma once

#include <span>
#include <string_view>

#include "model/receive/names.hpp"

namespace pageproof::fuzz_receive {

struct Shown {
  receive::Guard guard;
  std::string_view rule;       // that `receive check` names; empty: no log shows it
  std::string_view also = {};  // or this one, where it comes first
  std::string_view why = {};   // where no log does
};
std::span<const Shown> shown_table();  // a row for every guard

}  // namespace pageproof::fuzz_receive
