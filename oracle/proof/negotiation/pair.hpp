// A pair of engines, decoder and prefill, with every fact that the rules look at symbolic; and what is
// assumed of all pairs:
//
//   sizes       the decoder's heads, tokens, dims, TP size, context-parallel size, regions, kernel blocks per
//               manager block and element bytes are at least 1, its page format has a name. Of the prefill
//               any number may come, 0 included: what is not known is 0
//   elements    bfloat16 and float16 have 2 bytes, and equal dtypes equally many
//   a side      side_bytes = heads · tokens · dims · element bytes, on both sides
//
// Source: what model/handshake/facts.hpp gathers; the byte counts of spec §3.2.
#pragma once

#include "oracle/proof/negotiation/symbols.hpp"
#include "oracle/proof/obligation.hpp"

namespace pageproof::proof {

using SymbolicFacts = handshake::PairFacts<Sym, Formula>;

struct SymbolicPair {
  SymbolicFacts facts;
  Sym local_element_bytes;
  Sym remote_element_bytes;
};

// Declares the variables in `scope` and assumes the above. A flag is a number, 0 or 1.
SymbolicPair pair_in(Scope& scope);

// heads · tokens · dims · element bytes.
Sym shape_bytes(const handshake::SideFacts<Sym>& side, const Sym& element_bytes);

// The same two engines with the roles exchanged: who read now serves. Flags stay as they are.
SymbolicPair exchanged(const SymbolicPair& pair);

// The variables of one side, in the order in which an example makes them small.
Shown sizes_shown(const SymbolicPair& pair);
// And the others: what has no size, flags, lengths that follow.
Shown names_shown(const SymbolicPair& pair);

// "aiter-shuffled" for local.tag = 2, "yes" for enabled = 1; nothing for a plain number.
std::string name_of_value(const std::string& label, std::int64_t value);

// An example that shows both engines and says what was expected and what came.
Example pair_example(const SymbolicPair& pair, std::string expected, std::string got);

}  // namespace pageproof::proof
