// From the solver's facts to engines: the smallest facts for which a reason is the only one that fails (else
// the first), under what is assumed of facts that documents of a kind can have; then the documents, which
// must come out with these very facts.
#pragma once

#include <optional>

#include "golden/handshake/pair.hpp"
#include "oracle/proof/sym.hpp"

namespace pageproof::golden {

// What the two documents are: two descriptions; a description and a captured payload; two captured payloads.
enum class Kind : std::uint8_t { described, remote_captured, both_captured };

struct Realised {
  Kind kind = Kind::described;
  bool sole = true;
  proof::Values facts;  // the solver's
  Documents documents;
  Judged judged;
};

// nullopt: documents of this kind cannot have such facts, or the engines made from them have others.
// Reason::none asks for an accepted pair.
std::optional<Realised> realised(handshake::Reason reason, Kind kind, bool sole);

// The first that there is: sole before first, descriptions before captures.
std::optional<Realised> smallest_pair(handshake::Reason reason);

// The smallest facts alone, sole, whatever can have them.
proof::Values smallest_facts(handshake::Reason reason);

}  // namespace pageproof::golden
