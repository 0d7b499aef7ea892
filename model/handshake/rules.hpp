// The RFC's negotiation as one table of rules, evaluated over a truth type: with std::uint64_t and bool it
// decides, with symbolic numbers and truths it is what a solver proves, with Term and Told (told.hpp) it
// explains itself.
//
//   visit_conversion_rules(facts, [&](Reason reason, Truth holds) { ... })     in order; one condition a rule
//
// A pair of different page formats is accepted when every rule holds; the first that fails is the reason. The
// scope is the RFC's first version: standard pages at LBHNC into a shuffled ROCm decoder at LHBNC, and
// nothing else.
#pragma once

#include <cstdint>

namespace pageproof::handshake {

// Reasons in the order of their rules. What each says and from which line of the RFC it comes: reason.hpp.
enum class Reason : std::uint8_t {
  none,  // accepted
  // conversion (tags differ)
  tag_missing,
  remote_not_standard,
  local_not_shuffled,
  remote_layout,
  local_layout,
  not_rocm,
  gluon_decoder,
  tokens_unequal,
  tokens_out_of_scope,
  blocks_per_logical_unequal,
  dtype_unequal,
  dtype_out_of_scope,
  tp_unequal,
  context_parallel_unequal,
  context_parallel_out_of_scope,
  heads_unequal,
  dims_unequal,
  dims_not_granules,
  latent_attention,
  hybrid_memory,
  push_mode,
  host_buffer,
  remote_block_len,
  local_block_len,
  region_count,
  region_names,
  conversion_disabled,
  // match (tags equal): what today accepts and gets wrong
  block_sizes_unequal,
  slots_across_ranks,
  permute_transposes,
  // neither is a rule of the tables
  malformed,     // the metadata contradicts itself
  todays_check,  // one of checks 1 to 19, or a step before them
  reader_trap,   // with strict reading: no decode kernel for these pages
};
inline constexpr Reason kFirstConversionReason = Reason::tag_missing;
inline constexpr Reason kLastConversionReason = Reason::conversion_disabled;
inline constexpr Reason kFirstMatchReason = Reason::block_sizes_unequal;
inline constexpr Reason kLastMatchReason = Reason::permute_transposes;

// The numbers that stand for names in facts. Any other number is a name that the rules do not know; 0 is
// absence.
inline constexpr int kTagAbsent = 0;
inline constexpr int kTagStandard = 1;
inline constexpr int kTagShuffled = 2;
inline constexpr int kLayoutHeadsFirst = 1;  // LBHNC
inline constexpr int kLayoutPlanes = 3;      // LHBNC
inline constexpr int kDtypeBfloat16 = 1;
inline constexpr int kDtypeFloat16 = 2;

template <class Number>
struct SideFacts {
  Number tag;  // of all its regions
  Number layout;
  Number tokens;              // N of a kernel block
  Number blocks_per_logical;  // kernel blocks in a manager block
  Number dtype;               // of the cache
  Number tp;                  // tensor-parallel ranks
  Number context_parallel;    // dcp · pcp
  Number heads;               // KV heads of a rank, at least 1
  Number dims;                // D, at least 1
  Number side_bytes;          // S = heads · tokens · dims · element bytes
  Number block_len;           // bytes, of every region
  Number regions;
};

template <class Number, class Truth>
struct PairFacts {
  SideFacts<Number> local;   // the decoder
  SideFacts<Number> remote;  // the prefill
  Truth enabled;             // the knob
  Truth rocm;                // the decoder runs on ROCm
  Truth gluon;               // the decoder is configured for gluon
  Truth latent;              // MLA
  Truth hybrid;              // the hybrid KV-cache manager is required
  Truth pull;
  Truth device_memory;  // the decoder's regions are in VRAM
  Truth names_agree;    // remote region i names the layer of local regions 2i and 2i+1, as far as both go
  // Match rules only.
  Truth two_slots;  // the format keeps K and V in two slots
  Truth permutes;   // the receive-side permute would run
};

template <class Number, class Truth, class Visit>
void visit_conversion_rules(const PairFacts<Number, Truth>& pair, Visit&& visit) {
  const SideFacts<Number>& local = pair.local;
  const SideFacts<Number>& remote = pair.remote;
  visit(Reason::tag_missing, remote.tag != kTagAbsent);
  visit(Reason::remote_not_standard, remote.tag == kTagStandard);
  visit(Reason::local_not_shuffled, local.tag == kTagShuffled);
  visit(Reason::remote_layout, remote.layout == kLayoutHeadsFirst);
  visit(Reason::local_layout, local.layout == kLayoutPlanes);
  visit(Reason::not_rocm, pair.rocm);
  visit(Reason::gluon_decoder, !pair.gluon);
  visit(Reason::tokens_unequal, local.tokens == remote.tokens);
  visit(Reason::tokens_out_of_scope, local.tokens == 16 || local.tokens == 32);
  visit(Reason::blocks_per_logical_unequal, local.blocks_per_logical == remote.blocks_per_logical);
  visit(Reason::dtype_unequal, local.dtype == remote.dtype);
  visit(Reason::dtype_out_of_scope, local.dtype == kDtypeBfloat16 || local.dtype == kDtypeFloat16);
  visit(Reason::tp_unequal, local.tp == remote.tp);
  visit(Reason::context_parallel_unequal, local.context_parallel == remote.context_parallel);
  visit(Reason::context_parallel_out_of_scope, local.context_parallel == 1);
  visit(Reason::heads_unequal, local.heads == remote.heads);
  visit(Reason::dims_unequal, local.dims == remote.dims);
  visit(Reason::dims_not_granules, local.dims % 8 == 0);
  visit(Reason::latent_attention, !pair.latent);
  visit(Reason::hybrid_memory, !pair.hybrid);
  visit(Reason::push_mode, pair.pull);
  visit(Reason::host_buffer, pair.device_memory);
  visit(Reason::remote_block_len, remote.block_len == 2 * remote.side_bytes);
  visit(Reason::local_block_len, local.block_len == local.side_bytes);
  visit(Reason::region_count, local.regions == 2 * remote.regions);
  visit(Reason::region_names, pair.names_agree);
  visit(Reason::conversion_disabled, pair.enabled);
}

// Rules for a pair of equal formats, beside today's checks: what those accept although the bytes come out
// wrong. They are no part of the RFC's text, which leaves matching pairs as they are.
template <class Number, class Truth, class Visit>
void visit_match_rules(const PairFacts<Number, Truth>& pair, Visit&& visit) {
  const SideFacts<Number>& local = pair.local;
  const SideFacts<Number>& remote = pair.remote;
  visit(Reason::block_sizes_unequal, pair.latent || local.tokens == remote.tokens);
  visit(Reason::slots_across_ranks, !pair.two_slots || local.heads == remote.heads);
  visit(Reason::permute_transposes, !pair.permutes || local.heads == 1 || local.heads == local.tokens);
}

}  // namespace pageproof::handshake
