// The arguments of `pageproof plan` as values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/plan_options.hpp"
#include "kernels/plan/blocks.hpp"
#include "kernels/plan/strategy.hpp"
#include "model/page/plain/error.hpp"
#include "reports/plan/sides.hpp"

namespace pageproof::cli {

// "0,3,5-9;4": a list a transfer group, in the order written; "none" and nothing: an empty list. Refused,
// naming the part: what is no id and no range, a range that runs backwards, more than kMostListedBlocks ids.
inline constexpr std::uint64_t kMostListedBlocks = std::uint64_t{1} << 20;
Expected<plan::BlockGroups> parse_block_groups(std::string_view text, const std::string& option);

// "0x7f0000000000:1073741824", both numbers decimal or hexadecimal.
Expected<plan::Staging> parse_staging(std::string_view text);

Expected<std::optional<plan::Strategy>> parse_strategy(std::string_view text);  // nothing: auto

// A word for bash: in single quotes where it has other than letters, digits and a few signs.
std::string shell_word(std::string_view word);

// The command that plans this again, by this strategy.
std::string replay_of(const PlanOptions& options, std::string_view strategy);

// What a capture does not tell.
struct CapturedRank {
  std::uint64_t tp_size = 1;
  std::uint64_t tp_rank = 0;
  std::uint64_t kv_heads = 8;
};
Expected<reports::PlanParty> read_party(const std::string& path, const CapturedRank& captured);

}  // namespace pageproof::cli
