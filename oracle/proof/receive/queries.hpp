// Single questions to the solver about the receive model, and a transition in words.
#pragma once

#include <string>
#include <vector>

#include "oracle/proof/receive/engines.hpp"
#include "oracle/proof/receive/system.hpp"

namespace pageproof::proof::receive_proof {

// Is there anything that fulfils all of the assumptions? unsat: there is not.
FactRow asked(z3::context& context, const std::string& name, const std::vector<z3::expr>& assumptions,
              std::uint32_t seed);

std::string words(const Transition& transition);  // "B: allocate sharing the block"

// Calls ask(); what Z3 throws becomes a row without an answer.
template <class Ask>
std::vector<FactRow> rows_of(Ask&& ask) {
  std::vector<FactRow> rows;
  try {
    ask(rows);
  } catch (const z3::exception& error) {
    rows.push_back({.name = error.msg()});
  }
  return rows;
}

}  // namespace pageproof::proof::receive_proof
