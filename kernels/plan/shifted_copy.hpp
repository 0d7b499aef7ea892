// out[i] = from[i] + shift, with AVX2 where this CPU has it: the one loop that ids are made of. The
// compiler's baseline (SSE2) reaches a third to two thirds of that.
#pragma once

#include <cstdint>
#include <span>

namespace pageproof::plan {

// @pre from.size() values at `out`, which does not overlap `from`; no sum wraps
void shifted_copy(std::span<const std::uint64_t> from, std::uint64_t shift, std::uint64_t* out);
void shifted_copy(std::span<const std::int32_t> from, std::int32_t shift, std::int32_t* out);

}  // namespace pageproof::plan
