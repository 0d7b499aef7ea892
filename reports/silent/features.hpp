// What a person can see of a pair without knowing its bytes: fields of the two engines and how they compare.
// Causes are conjunctions of conditions on these.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "reports/silent/judge.hpp"

namespace pageproof::silent {

struct Features {
  std::uint8_t prefill_format = 0;  // a Format
  std::uint8_t decode_format = 0;
  std::uint8_t prefill_layout = 0;  // a region::Layout
  std::uint8_t decode_layout = 0;
  std::uint8_t ranks = 0;          // 0: equal TP sizes, 1: decode has more, 2: prefill has more
  std::uint8_t prefill_heads = 1;  // KV heads of a rank
  std::uint8_t decode_heads = 1;
  std::uint8_t prefill_tokens = 16;  // of a kernel block
  std::uint8_t decode_tokens = 16;
  std::uint8_t splits = 0;   // 1: manager blocks are split into kernel blocks differently
  std::uint8_t granule = 8;  // x of the decoder's cache
  std::uint8_t dtypes = 0;   // 1: the caches' dtypes differ
  std::uint8_t groups = 1;   // KV-cache groups
  std::uint8_t permute = 0;  // enable_permute_local_kv; of the hash check no byte depends

  friend auto operator<=>(const Features&, const Features&) = default;
};

Features features_of(const Candidate& local, const Candidate& remote, Flags flags);

// In how many ways the two sides differ: the fewer, the plainer an example.
int differences(const Features& features);

// A condition on a pair, as it is told: "the page formats differ", "decode layout LHBNC".
struct Condition {
  std::string text;
  std::function<bool(const Features&)> holds;
};

// All conditions, plainer ones first.
std::span<const Condition> conditions();

std::string_view to_string(Format format);

}  // namespace pageproof::silent
