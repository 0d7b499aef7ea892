#include <vector>

#include "fuzz/laws/faulty.hpp"

namespace pageproof::fuzz {

std::span<const FaultEntry> faults() {
  using enum Fault;
  static const std::string oracle = "convert.out_of_place_equals_oracle";
  static const std::string in_place = "convert.in_place_equals_out_of_place";
  static const std::string there_and_back = "convert.inverse_undoes_convert";
  static const std::string back_and_there = "convert.convert_undoes_inverse";
  static const std::string untouched = "convert.untouched_bytes_stay";
  static const std::string order = "convert.order_of_ids_is_irrelevant";
  static const std::string threads = "convert.threads_are_irrelevant";
  static const std::string width = "convert.id_width_is_irrelevant";
  static const std::string landing = "convert.inverse_in_place_leaves_the_landing";
  static const std::string rewrite = "convert.rewrite_is_the_oracles";
  static const std::string bad_ids = "convert.bad_ids_are_refused";
  static const std::string bound = "convert.page_bound_is_kept";
  static const std::string wide = "convert.offsets_are_64_bit";
  static const std::vector<FaultEntry> table = {
      {value_as_heads_dims_tokens, "value_as_heads_dims_tokens", "V is written [H, D, N]", oracle},
      {sides_exchanged, "sides_exchanged", "K goes into the V plane and V into the K plane", oracle},
      {halves_taken_as_sides, "halves_taken_as_sides",
       "the first half of a page is read as K, the second as V", oracle},
      {tokens_and_granules_exchanged, "tokens_and_granules_exchanged", "K is written [H, N, D/x, x]", oracle},
      {two_byte_granule_always, "two_byte_granule_always", "x is 8 also for elements of 1 byte", oracle},
      {nan_made_quiet, "nan_made_quiet", "elements pass through arithmetic: signalling NaNs change", oracle},
      {last_token_forgotten, "last_token_forgotten", "token N-1 is not converted", oracle},
      {last_layer_forgotten, "last_layer_forgotten", "the last of several layers is not converted", oracle},
      {strides_taken_as_dense, "strides_taken_as_dense",
       "block b is taken to begin at b times the block's bytes", oracle},
      {from_used_for_to, "from_used_for_to", "standard block ids are used for the planes too", oracle},
      {ids_cut_to_8_bits, "ids_cut_to_8_bits", "block ids lose their bits above the lowest 8", oracle},
      {num_blocks_exchanged, "num_blocks_exchanged", "ids are checked against the other pool's num_blocks",
       oracle},

      {reads_after_writing, "reads_after_writing",
       "in place, no element is staged before the first is written", in_place},
      {middle_head_cut_at_its_start, "middle_head_cut_at_its_start",
       "in place, the second half is taken to begin with a whole head, also for odd H", in_place},
      {landing_taken_as_sides, "landing_taken_as_sides", "in place, the landed halves are read as K and V",
       in_place},

      {inverse_forgets_last_head, "inverse_forgets_last_head", "the inverse leaves out head H-1",
       there_and_back},
      {inverse_exchanges_sides, "inverse_exchanges_sides", "the inverse reads K from the V plane",
       there_and_back},
      {nan_made_quiet, "nan_made_quiet", "elements pass through arithmetic: signalling NaNs change",
       there_and_back},
      {inverse_forgets_last_head, "inverse_forgets_last_head", "the inverse leaves out head H-1",
       back_and_there},
      {last_token_forgotten, "last_token_forgotten", "token N-1 is not converted", back_and_there},

      {tokens_first_ignored, "tokens_first_ignored", "pages of tokens first are read as heads first", oracle},
      {heads_cut_as_in_heads_first, "heads_cut_as_in_heads_first",
       "in place, pages of tokens first are taken to be cut after H/2 heads", in_place},
      {inverse_in_place_as_sides, "inverse_in_place_as_sides",
       "the inverse in place leaves K and V where the halves belong", landing},
      {inverse_in_place_forgets_a_half, "inverse_in_place_forgets_a_half",
       "the inverse in place leaves the V-plane block as it was", landing},
      {negative_zero_kept, "negative_zero_kept", "0x80 stays, and is NaN", rewrite},
      {nan_kept, "nan_kept", "0x7F and 0xFF stay, and are 240 and -240", rewrite},
      {one_nan_kept, "one_nan_kept", "only 0x7F becomes NaN", rewrite},
      {rewritten_twice, "rewritten_twice", "the rewrite runs twice: NaN becomes 0", rewrite},
      {inverse_not_rewritten, "inverse_not_rewritten", "the inverse keeps the bytes", rewrite},

      {one_block_too_many, "one_block_too_many", "the block after the last listed one is converted too",
       untouched},
      {neighbour_written, "neighbour_written", "block id + 1 is written", untouched},
      {gap_cleared, "gap_cleared", "the bytes between a block and the next are cleared", untouched},
      {source_written, "source_written", "the source of an out-of-place conversion is written", untouched},
      {inverse_writes_planes, "inverse_writes_planes", "the inverse clears the planes it has read",
       untouched},

      {only_to_sorted, "only_to_sorted", "destination ids are sorted without their partners", order},
      {remainder_of_threads_forgotten, "remainder_of_threads_forgotten",
       "blocks left over by the division among threads are not converted", threads},
      {wide_ids_read_as_narrow, "wide_ids_read_as_narrow", "8-byte ids are read as pairs of 4-byte ids",
       width},

      {range_not_checked, "range_not_checked", "ids beyond the pool are skipped instead of refused", bad_ids},
      {negative_not_checked, "negative_not_checked", "negative ids are skipped instead of refused", bad_ids},
      {duplicates_not_checked, "duplicates_not_checked", "a destination listed twice is converted twice",
       bad_ids},
      {ids_cut_to_32_bits, "ids_cut_to_32_bits", "8-byte ids lose their upper half before they are checked",
       bad_ids},
      {refused_after_writing, "refused_after_writing",
       "a bad id is found after the blocks before it were written", bad_ids},
      {num_blocks_exchanged, "num_blocks_exchanged", "ids are checked against the other pool's num_blocks",
       bad_ids},

      {page_bound_ignored, "page_bound_ignored", "in place takes pages of any size", bound},
      {page_bound_inclusive, "page_bound_inclusive", "in place refuses a page of exactly 256 KiB", bound},

      {offset_wraps_at_32_bits, "offset_wraps_at_32_bits", "byte offsets of blocks are computed in 32 bits",
       wide},
      {offset_wraps_at_31_bits, "offset_wraps_at_31_bits", "byte offsets of blocks are computed in 31 bits",
       wide},
  };
  return table;
}

}  // namespace pageproof::fuzz
