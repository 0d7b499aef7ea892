#include "fuzz/laws/laws.hpp"

#include <fmt/format.h>

#include <vector>

#include "fuzz/laws/verdict.hpp"

namespace pageproof::fuzz {

std::span<const Law> convert_laws() {
  static const std::vector<Law> laws = {
      {"convert.out_of_place_equals_oracle",
       "converting out of place leaves in every listed block what the oracle's writer leaves",
       out_of_place_equals_oracle},
      {"convert.in_place_equals_out_of_place",
       "converting the landing in place leaves what converting the pages out of place leaves",
       in_place_equals_out_of_place},
      {"convert.inverse_undoes_convert", "converting pages and back gives the pages", inverse_undoes_convert},
      {"convert.convert_undoes_inverse", "converting planes to pages and back gives the planes",
       convert_undoes_inverse},
      {"convert.untouched_bytes_stay",
       "blocks that are not listed, bytes between and around blocks, and the source keep their bytes",
       untouched_bytes_stay},
      {"convert.inverse_in_place_leaves_the_landing",
       "converting planes back in place leaves what a READ of the pages would have left",
       inverse_in_place_leaves_the_landing},
      {"convert.rewrite_is_the_oracles",
       "with the rewrite of e4m3, either way, each byte is the oracle's rewrite of the byte without it",
       rewrite_is_the_oracles},
      {"convert.order_of_ids_is_irrelevant",
       "listing the same pairs of block ids in another order changes no byte", order_of_ids_is_irrelevant},
      {"convert.threads_are_irrelevant", "converting with more threads changes no byte",
       threads_are_irrelevant},
      {"convert.id_width_is_irrelevant", "block ids in 4 and in 8 bytes convert the same blocks",
       id_width_is_irrelevant},
      {"convert.bad_ids_are_refused",
       "a block id that is negative, beyond the pool or a destination twice is refused, and nothing is "
       "written",
       bad_ids_are_refused},
      {"convert.page_bound_is_kept",
       "in place takes pages up to 256 KiB and refuses the next larger one, writing nothing; out of place "
       "takes it",
       page_bound_is_kept},
      {"convert.offsets_are_64_bit",
       "blocks beyond 2 GiB and 4 GiB of their pool are converted like any other", offsets_are_64_bit},
  };
  return laws;
}

Verdict accepts(const Convert& convert, const ConvertJob& job, const std::string& what) {
  const Expected<void> done = convert(job);
  if (done) return {};
  return Refutation{what, "accepted", "refused: " + pageproof::to_string(done.error())};
}

Verdict refuses(const Convert& convert, const ConvertJob& job, const std::string& what) {
  if (!convert(job)) return {};
  return Refutation{what, "refused", "accepted"};
}

Verdict same(const std::optional<Difference>& difference, const std::string& what) {
  if (!difference) return {};
  return Refutation{fmt::format("{}   {}: {} of {} bytes differ", difference->where, what, difference->count,
                                difference->compared),
                    fmt::format("0x{:02x}", static_cast<unsigned>(difference->expected)),
                    fmt::format("0x{:02x}", static_cast<unsigned>(difference->got))};
}

bool is_fast_shape(const Shape& s) {
  const bool tokens = s.tokens == 16 || s.tokens == 32;
  return tokens && (s.head_dim == 64 || s.head_dim == 128 || s.head_dim == 256);
}

}  // namespace pageproof::fuzz
