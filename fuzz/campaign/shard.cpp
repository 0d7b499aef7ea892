#include "fuzz/campaign/shard.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "fuzz/generate/choices.hpp"

namespace pageproof::fuzz {
namespace {

constexpr std::uint64_t kMostShards = 1'000'000;

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return number;
}

}  // namespace

Expected<Shard> parse_shard(const std::string& text) {
  const auto refuse = [&](const char* problem) {
    return std::unexpected(Error{"--shard", "", text, problem});
  };
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return refuse("not of the form k/n");
  const auto index = whole_number(std::string_view(text).substr(0, slash));
  const auto count = whole_number(std::string_view(text).substr(slash + 1));
  if (!index || !count) return refuse("not of the form k/n with whole numbers");
  if (*count == 0 || *count > kMostShards) return refuse("n is not in 1..1000000");
  if (*index == 0 || *index > *count) return refuse("k is not in 1..n");
  return Shard{*index, *count};
}

std::string to_string(const Shard& shard) {
  return fmt::format("{}/{}", shard.index, shard.count);
}

std::uint64_t round_seed(std::uint64_t seed, std::uint64_t round, const std::string& property) {
  std::uint64_t state = mixed(seed, round);
  for (const char c : property) state = mixed(state, static_cast<unsigned char>(c));
  return state;
}

}  // namespace pageproof::fuzz
