#include "kernels/plan/shifted_copy.hpp"

#include <cstddef>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pageproof::plan {
namespace {

template <class Id>
void plain(const Id* from, std::size_t count, Id shift, Id* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = from[i] + shift;
}

#if defined(__x86_64__)
#define PAGEPROOF_AVX2 __attribute__((target("avx2")))

PAGEPROOF_AVX2 __m256i repeated(std::uint64_t value) {
  return _mm256_set1_epi64x(static_cast<long long>(value));
}
PAGEPROOF_AVX2 __m256i repeated(std::int32_t value) {
  return _mm256_set1_epi32(value);
}
template <class Id>
PAGEPROOF_AVX2 __m256i sum(__m256i a, __m256i b) {
  return sizeof(Id) == 8 ? _mm256_add_epi64(a, b) : _mm256_add_epi32(a, b);
}

// Two cache lines a turn; single values before the first line begins and behind the last turn.
template <class Id, Stores kStores>
PAGEPROOF_AVX2 void wide(const Id* from, std::size_t count, Id shift, Id* out) {
  constexpr std::size_t kLine = 64, kAhead = 2048, kTurn = 4 * sizeof(__m256i) / sizeof(Id);
  const std::size_t into_line = reinterpret_cast<std::uintptr_t>(out) % kLine;
  std::size_t head = into_line == 0 ? 0 : (kLine - into_line) / sizeof(Id);
  if (head > count) head = count;
  plain(from, head, shift, out);
  const __m256i shifts = repeated(shift);
  std::size_t i = head;
  for (; count - i >= kTurn; i += kTurn) {
    const auto* source = reinterpret_cast<const __m256i*>(from + i);
    auto* line = reinterpret_cast<__m256i*>(out + i);
    if constexpr (kStores == Stores::fetched) {
      const auto ahead =
          reinterpret_cast<std::uintptr_t>(line) + kAhead;  // may be no address: then nothing is done
      __builtin_prefetch(reinterpret_cast<const void*>(ahead), 1);
      __builtin_prefetch(reinterpret_cast<const void*>(ahead + kLine), 1);
    }
    for (int k = 0; k < 4; ++k) {
      const __m256i values = sum<Id>(_mm256_loadu_si256(source + k), shifts);
      if constexpr (kStores == Stores::streamed) {
        _mm256_stream_si256(line + k, values);
      } else {
        _mm256_store_si256(line + k, values);
      }
    }
  }
  plain(from + i, count - i, shift, out + i);
}

template <class Id>
void best(const Id* from, std::size_t count, Id shift, Id* out, Stores stores) {
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (!has_avx2) return plain(from, count, shift, out);
  if (stores == Stores::streamed) return wide<Id, Stores::streamed>(from, count, shift, out);
  if (stores == Stores::fetched) return wide<Id, Stores::fetched>(from, count, shift, out);
  wide<Id, Stores::cached>(from, count, shift, out);
}
#else
template <class Id>
void best(const Id* from, std::size_t count, Id shift, Id* out, Stores) {
  plain(from, count, shift, out);
}
#endif

}  // namespace

void shifted_copy(std::span<const std::uint64_t> from, std::uint64_t shift, std::uint64_t* out,
                  Stores stores) {
  best(from.data(), from.size(), shift, out, stores);
}

void shifted_copy(std::span<const std::int32_t> from, std::int32_t shift, std::int32_t* out, Stores stores) {
  best(from.data(), from.size(), shift, out, stores);
}

void finish(Stores stores) {
#if defined(__x86_64__)
  if (stores == Stores::streamed) _mm_sfence();
#else
  static_cast<void>(stores);
#endif
}

}  // namespace pageproof::plan
