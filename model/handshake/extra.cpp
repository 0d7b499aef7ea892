#include "model/handshake/extra.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "model/region/layout.hpp"

namespace pageproof::handshake {
namespace {

constexpr const char* kTokensFirst = "tokens_first";
constexpr const char* kFp8Rewrite = "fp8_rewrite";

constexpr std::uint64_t kLayoutTokensFirst = static_cast<std::uint64_t>(region::Layout::lbnhc) + 1;

bool one_of(std::uint64_t dtype, std::initializer_list<std::uint64_t> dtypes) {
  return std::ranges::find(dtypes, dtype) != dtypes.end();
}

}  // namespace

std::vector<std::string> names(const Extras& extras) {
  std::vector<std::string> found;
  if (extras.tokens_first) found.emplace_back(kTokensFirst);
  if (extras.fp8_rewrite) found.emplace_back(kFp8Rewrite);
  return found;
}

Expected<Extras> parse_extras(const std::string& text, const std::string& field) {
  Extras extras;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    if (word == kTokensFirst) {
      extras.tokens_first = true;
    } else if (word == kFp8Rewrite) {
      extras.fp8_rewrite = true;
    } else {
      return std::unexpected(Error{"", field, word, "neither tokens_first nor fp8_rewrite"});
    }
  }
  return extras;
}

Extras needed(const Facts& facts, const Extras& allowed, bool prefill_on_rocm) {
  const bool writes_e4m3 = facts.remote.dtype == kDtypeFp8E4m3fn ||
                           (!prefill_on_rocm && one_of(facts.remote.dtype, {kDtypeFp8, kDtypeFp8E4m3}));
  const bool reads_fnuz = one_of(facts.local.dtype, {kDtypeFp8, kDtypeFp8E4m3, kDtypeFp8E4m3fnuz});
  return {.tokens_first = allowed.tokens_first && facts.remote.layout == kLayoutTokensFirst,
          .fp8_rewrite =
              allowed.fp8_rewrite && writes_e4m3 && reads_fnuz && facts.local.dims % kGranuleBytes == 0};
}

Facts with_extras(const Facts& facts, const Extras& granted) {
  Facts seen = facts;
  if (granted.tokens_first) seen.remote.layout = kLayoutHeadsFirst;
  if (granted.fp8_rewrite) seen.local.dtype = seen.remote.dtype = kDtypeBfloat16;
  return seen;
}

}  // namespace pageproof::handshake
