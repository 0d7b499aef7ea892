// What each reason says: its name, the sentence, what to change, and where it comes from. Reasons of the
// first version's scope are the RFC's; the others are marked with what asks for them.
#pragma once

#include <span>
#include <string_view>

#include "model/handshake/rules.hpp"

namespace pageproof::handshake {

enum class Origin : std::uint8_t {
  rfc_scope,   // "Scope of the first version", or the negotiation of §1
  rfc_layout,  // follows from §3: the split read and the contract with the converter
  added,       // asked for by neither: fails closed where the RFC is silent
  today,       // not a rule of the RFC
};

struct ReasonFacts {
  Reason reason;
  std::string_view name;      // "tokens_out_of_scope"
  std::string_view sentence;  // "the decoder's pages hold neither 16 nor 32 tokens"
  std::string_view change;    // "use 16-token blocks on both sides"
  Origin origin;
};

std::span<const ReasonFacts> reasons();  // in the order of Reason
const ReasonFacts& facts_of(Reason reason);
std::string_view to_string(Reason reason);
std::string_view to_string(Origin origin);

}  // namespace pageproof::handshake
