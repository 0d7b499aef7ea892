// How an execution on symbols ends that proves nothing: with the name of the check that refused it. Thrown
// inside this room and caught by whoever started the launch; nothing of it leaves the room as an exception.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace pageproof::machine {

enum class Check : std::uint8_t {
  instruction,      // every executed instruction is one that is modelled
  registers,        // registers are the kernel's own, tuples aligned
  undefined_value,  // nothing undefined decides anything or is stored
  data_arithmetic,  // data is moved, masked and permuted, never computed with
  bounds,           // accesses lie in a page, a table or the LDS of the launch
  alignment,        // and are multiples of their width
  wait,             // a loaded register is waited for before it is used
  hazard,           // and no instruction comes too soon behind another, see hazards.hpp
  in_flight,        // nothing is in flight at a barrier
  race,             // no two work-items of one barrier epoch conflict
  workgroups,       // no two workgroups conflict
  memory,           // scratch, or a store to what is only read
  ends,             // every wave ends
  bytes,            // output byte j is input byte pi(j)
  lines,            // 128-byte lines touched an access, against the ideal
};

// "race"
std::string to_string(Check check);

struct Refutation {
  Check check;
  std::string what;
};

template <class... Values>
[[noreturn]] [[gnu::cold]] void refute(Check check, fmt::format_string<Values...> text, Values&&... values) {
  throw Refutation{check, fmt::format(text, std::forward<Values>(values)...)};
}

}  // namespace pageproof::machine
