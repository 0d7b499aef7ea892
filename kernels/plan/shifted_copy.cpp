#include "kernels/plan/shifted_copy.hpp"

#include <cstddef>

namespace pageproof::plan {
namespace {

template <class Id>
void plain(const Id* __restrict from, std::size_t count, Id shift, Id* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = from[i] + shift;
}

#if defined(__x86_64__)
// The same text; the attribute lets the compiler use wider vectors.
template <class Id>
__attribute__((target("avx2"))) void wide(const Id* __restrict from, std::size_t count, Id shift,
                                          Id* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = from[i] + shift;
}

template <class Id>
void best(const Id* from, std::size_t count, Id shift, Id* out) {
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (has_avx2) {
    wide(from, count, shift, out);
  } else {
    plain(from, count, shift, out);
  }
}
#else
template <class Id>
void best(const Id* from, std::size_t count, Id shift, Id* out) {
  plain(from, count, shift, out);
}
#endif

}  // namespace

void shifted_copy(std::span<const std::uint64_t> from, std::uint64_t shift, std::uint64_t* out) {
  best(from.data(), from.size(), shift, out);
}

void shifted_copy(std::span<const std::int32_t> from, std::int32_t shift, std::int32_t* out) {
  best(from.data(), from.size(), shift, out);
}

}  // namespace pageproof::plan
