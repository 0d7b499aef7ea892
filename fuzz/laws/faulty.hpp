// Mutants of the converter: a plain converter, written element by element from the contracts, with one fault
// in it. Without a fault it satisfies every law; with one it must be refuted by the laws named beside it.
#pragma once

#include <span>
#include <string>

#include "fuzz/laws/converter.hpp"

namespace pageproof::fuzz {

enum class Fault {
  none,
  // the order of elements
  value_as_heads_dims_tokens,
  sides_exchanged,
  halves_taken_as_sides,
  tokens_and_granules_exchanged,
  two_byte_granule_always,
  nan_made_quiet,
  // how much is converted
  last_token_forgotten,
  last_layer_forgotten,
  inverse_forgets_last_head,
  inverse_exchanges_sides,
  remainder_of_threads_forgotten,
  // in place
  reads_after_writing,
  middle_head_cut_at_its_start,
  landing_taken_as_sides,
  // orders and rewrite
  tokens_first_ignored,
  heads_cut_as_in_heads_first,
  inverse_in_place_as_sides,
  inverse_in_place_forgets_a_half,
  negative_zero_kept,
  nan_kept,
  one_nan_kept,
  rewritten_twice,
  inverse_not_rewritten,
  // where blocks lie
  strides_taken_as_dense,
  from_used_for_to,
  only_to_sorted,
  wide_ids_read_as_narrow,
  offset_wraps_at_32_bits,
  offset_wraps_at_31_bits,
  ids_cut_to_8_bits,
  // what else is written
  one_block_too_many,
  neighbour_written,
  gap_cleared,
  source_written,
  inverse_writes_planes,
  // what is refused
  num_blocks_exchanged,
  range_not_checked,
  negative_not_checked,
  duplicates_not_checked,
  ids_cut_to_32_bits,
  refused_after_writing,
  page_bound_ignored,
  page_bound_inclusive,
};

struct FaultEntry {
  Fault fault;
  std::string name;
  std::string what;  // in a few words
  std::string law;   // the law that must refute it
};

// Every fault but `none`; a fault that two laws must refute stands twice.
std::span<const FaultEntry> faults();

Converter faulty_converter(Fault fault);

}  // namespace pageproof::fuzz
