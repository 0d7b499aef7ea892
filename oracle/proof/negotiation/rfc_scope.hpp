// The scope of the RFC's first version, stated apart from the rule table: what the RFC's sentences say of a
// pair, item by item, each with the place that it comes from. Lengths are stated through the shape, not
// through the table's side_bytes. Accepting is proved to be the same as being in this scope.
//
// Items marked `added` are in no sentence of the RFC: the table asks for them, and fails closed where the RFC
// is silent. They stand here so that completeness can be stated exactly.
#pragma once

#include <span>

#include "oracle/proof/negotiation/table.hpp"

namespace pageproof::proof {

struct ScopeItem {
  std::string name;     // "tokens"
  std::string words;    // "16- or 32-token pages"
  std::string source;   // "RFC, scope"
  std::string subject;  // what an example shows against it: "the decoder's tokens"
  bool added = false;
  Formula holds;
  std::vector<handshake::Reason> rules;  // those of the table that say it
};

std::vector<ScopeItem> rfc_scope(const SymbolicPair& pair);

}  // namespace pageproof::proof
