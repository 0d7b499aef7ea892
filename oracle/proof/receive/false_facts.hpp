// Facts that are false, among those that are written down: the induction has to fail of each, and the search
// has to show a state in which it does not hold.
#pragma once

#include <cstdint>

#include "model/receive/life.hpp"

namespace pageproof::proof::receive_proof {

enum class FalseFact : std::uint8_t { no_read_in_flight, block_held_by_one };

template <class Number>
auto holds(FalseFact fact, const receive::Life<Number>& life, const receive::Page<Number>& page) {
  if (fact == FalseFact::no_read_in_flight) return life.outstanding == 0;
  return page.refs <= 1;
}

}  // namespace pageproof::proof::receive_proof
