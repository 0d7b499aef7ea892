// out[i] = from[i] + shift, with AVX2 where this CPU has it: the one loop that ids are made of. Stores are
// aligned whatever `out` is: 32 bytes across two cache lines cost a third of the rate. What is larger than
// the caches can be streamed past them, at the rate of memory and without reading the lines first.
#pragma once

#include <cstdint>
#include <span>

namespace pageproof::plan {

enum class Stores : std::uint8_t {
  cached,
  fetched,   // lines are asked for ahead: where they come from the last-level cache, which others use as well
  streamed,  // around the caches
};
inline constexpr Stores kAllStores[] = {Stores::cached, Stores::fetched, Stores::streamed};

// @pre from.size() values at `out`, which does not overlap `from`; no sum wraps
void shifted_copy(std::span<const std::uint64_t> from, std::uint64_t shift, std::uint64_t* out,
                  Stores stores);
void shifted_copy(std::span<const std::int32_t> from, std::int32_t shift, std::int32_t* out, Stores stores);

// After the last streamed copy and before anybody else reads: streamed stores are not ordered by themselves.
void finish(Stores stores);

}  // namespace pageproof::plan
