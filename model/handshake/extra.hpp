// Conversions outside the RFC's first version that the converter serves, each behind a flag that somebody
// sets for a pair of engines. Without flags no verdict is another: the rule table is the same, and a flag
// only says that one of its conditions counts as fulfilled for facts of that kind.
//
//   tokens_first   the prefill's cache is LBNHC (NHD): its pages are [N, H, 2D]       fulfils remote_layout
//   fp8_rewrite    the prefill writes OCP e4m3 codes, the decoder reads e4m3fnuz       fulfils dtype_unequal
//   and
//                  codes: rewritten on the way, at twice the scale                     dtype_out_of_scope
//
// The way back, planes into pages, is not negotiated: the RFC's split read has no counterpart for it.
#pragma once

#include <string>
#include <vector>

#include "model/handshake/facts.hpp"
#include "model/page/plain/error.hpp"

namespace pageproof::handshake {

struct Extras {
  bool tokens_first = false;
  bool fp8_rewrite = false;

  friend bool operator==(const Extras&, const Extras&) = default;
};

std::vector<std::string> names(const Extras& extras);
// "tokens_first,fp8_rewrite"; refused: any other word.
Expected<Extras> parse_extras(const std::string& text, const std::string& field);

// Which of the allowed extras this pair needs: the prefill is LBNHC; the caches hold 8-bit e4m3, those of the
// prefill not fnuz, those of the decoder not fn, in heads of whole granules (D a multiple of 16). A dtype
// named "fp8" or "fp8_e4m3" is each platform's own: the decoder's may be fnuz, and so may the prefill's where
// it is known to run on ROCm, whose pages the rewrite would spoil.
Extras needed(const Facts& facts, const Extras& allowed, bool prefill_on_rocm);

// The facts as the rules may see them once these extras are granted.
Facts with_extras(const Facts& facts, const Extras& granted);

// Of a pair that is rejected with these extras allowed: the fewest with which accepted(extras) is true; none
// where no extra serves it.
template <class Accepted>
Extras extras_that_serve(const Extras& allowed, const Accepted& accepted) {
  for (const Extras more : {Extras{true, false}, Extras{false, true}, Extras{true, true}}) {
    if (accepted(
            Extras{more.tokens_first || allowed.tokens_first, more.fp8_rewrite || allowed.fp8_rewrite})) {
      return more;
    }
  }
  return {};
}

// What a caller of such a pair must know.
inline constexpr const char* kScaleWarning =
    "fp8_rewrite: the decoder must read with twice the prefill's scales; AITER's asm and ll4mi paths are "
    "given ones; and the prefill must store OCP codes, as CUDA does, which its metadata does not tell";

}  // namespace pageproof::handshake
