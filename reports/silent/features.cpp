#include "reports/silent/features.hpp"

#include <fmt/format.h>

#include <vector>

#include "model/region/layout.hpp"

namespace pageproof::silent {
namespace {

constexpr std::array kFormats = {Format::standard, Format::shuffled, Format::rocm_attn,
                                 Format::cpu_attn, Format::page_16,  Format::latent};
constexpr std::uint8_t kTwoHeads = 2;

bool two_slots(std::uint8_t format) {
  const auto named = static_cast<Format>(format);
  return named == Format::shuffled || named == Format::rocm_attn || named == Format::page_16;
}

std::uint8_t byte(std::uint64_t value) {
  return static_cast<std::uint8_t>(value);
}

void add_relations(std::vector<Condition>& all) {
  using F = const Features&;
  all.push_back({"page formats differ", [](F f) { return f.prefill_format != f.decode_format; }});
  all.push_back({"page formats are equal", [](F f) { return f.prefill_format == f.decode_format; }});
  all.push_back({"layouts differ", [](F f) { return f.prefill_layout != f.decode_layout; }});
  all.push_back({"layouts are equal", [](F f) { return f.prefill_layout == f.decode_layout; }});
  all.push_back({"dtypes differ", [](F f) { return f.dtypes != 0; }});
  all.push_back({"KV heads of a rank differ", [](F f) { return f.prefill_heads != f.decode_heads; }});
  all.push_back({"KV heads of a rank are equal", [](F f) { return f.prefill_heads == f.decode_heads; }});
  all.push_back({"kernel blocks differ", [](F f) { return f.prefill_tokens != f.decode_tokens; }});
  all.push_back({"kernel blocks are equal", [](F f) { return f.prefill_tokens == f.decode_tokens; }});
  all.push_back({"manager blocks are split differently", [](F f) { return f.splits != 0; }});
  all.push_back({"enable_permute_local_kv", [](F f) { return f.permute != 0; }});
  all.push_back({"TP sizes differ", [](F f) { return f.ranks != 0; }});
  all.push_back({"decode has more ranks", [](F f) { return f.ranks == 1; }});
  all.push_back({"prefill has more ranks", [](F f) { return f.ranks == 2; }});
  all.push_back({"several KV-cache groups", [](F f) { return f.groups > 1; }});
}

void add_sides(std::vector<Condition>& all) {
  using F = const Features&;
  all.push_back({"prefill pages have two slots", [](F f) { return two_slots(f.prefill_format); }});
  all.push_back({"decode pages have two slots", [](F f) { return two_slots(f.decode_format); }});
  all.push_back({"prefill pages have a slot a head", [](F f) { return !two_slots(f.prefill_format); }});
  all.push_back({"decode pages have a slot a head", [](F f) { return !two_slots(f.decode_format); }});
  all.push_back({"decode ranks have several KV heads", [](F f) { return f.decode_heads > 1; }});
  all.push_back({"decode ranks have one KV head", [](F f) { return f.decode_heads == 1; }});
  all.push_back({"prefill ranks have several KV heads", [](F f) { return f.prefill_heads > 1; }});
  all.push_back({"prefill ranks have one KV head", [](F f) { return f.prefill_heads == 1; }});
  all.push_back({"decode ranks have two KV heads", [](F f) { return f.decode_heads == kTwoHeads; }});
  all.push_back({"elements have 1 byte", [](F f) { return f.granule == 16; }});
  all.push_back({"elements have 2 bytes", [](F f) { return f.granule == 8; }});
  all.push_back({"kernel blocks have more tokens than a granule elements",
                 [](F f) { return f.decode_tokens > f.granule; }});
  all.push_back({"kernel blocks have more than 16 tokens", [](F f) { return f.decode_tokens > 16; }});
}

void add_values(std::vector<Condition>& all) {
  for (const Format format : kFormats) {
    const auto value = byte(static_cast<std::uint64_t>(format));
    all.push_back({fmt::format("prefill pages are {}", to_string(format)),
                   [value](const Features& f) { return f.prefill_format == value; }});
    all.push_back({fmt::format("decode pages are {}", to_string(format)),
                   [value](const Features& f) { return f.decode_format == value; }});
    all.push_back({fmt::format("one side's pages are {}", to_string(format)), [value](const Features& f) {
                     return (f.decode_format == value) != (f.prefill_format == value);
                   }});
    all.push_back({fmt::format("decode pages are not {}", to_string(format)),
                   [value](const Features& f) { return f.decode_format != value; }});
  }
  for (const region::Layout layout : region::kLayouts) {
    const auto value = byte(static_cast<std::uint64_t>(layout));
    all.push_back({fmt::format("prefill layout {}", to_string(layout)),
                   [value](const Features& f) { return f.prefill_layout == value; }});
    all.push_back({fmt::format("decode layout {}", to_string(layout)),
                   [value](const Features& f) { return f.decode_layout == value; }});
  }
}

}  // namespace

Features features_of(const Candidate& local, const Candidate& remote, Flags flags) {
  const region::Engine& here = local.engine();
  const region::Engine& there = remote.engine();
  const bool splits = region::blocks_per_logical_block(here) != region::blocks_per_logical_block(there);
  return {.prefill_format = byte(static_cast<std::uint64_t>(remote.cache->format)),
          .decode_format = byte(static_cast<std::uint64_t>(local.cache->format)),
          .prefill_layout = byte(static_cast<std::uint64_t>(remote.side.layout)),
          .decode_layout = byte(static_cast<std::uint64_t>(local.side.layout)),
          .ranks = byte(here.tp_size == there.tp_size  ? 0
                        : here.tp_size > there.tp_size ? 1
                                                       : 2),
          .prefill_heads = byte(remote.cache->heads),
          .decode_heads = byte(local.cache->heads),
          .prefill_tokens = byte(there.kernel_block_size),
          .decode_tokens = byte(here.kernel_block_size),
          .splits = byte(splits ? 1 : 0),
          .granule = byte(kGranuleBytes / region::element_bytes_of(here)),
          .dtypes = byte(same_encoding(here, there) ? 0 : 1),
          .groups = byte(here.model.groups),
          .permute = byte(flags.permute ? 1 : 0)};
}

int differences(const Features& f) {
  return (f.prefill_format != f.decode_format) + (f.prefill_layout != f.decode_layout) + (f.ranks != 0) +
         (f.prefill_tokens != f.decode_tokens) + (f.splits != 0) + (f.dtypes != 0) + (f.permute != 0);
}

std::span<const Condition> conditions() {
  static const std::vector<Condition> all = [] {
    std::vector<Condition> made;
    add_relations(made);
    add_sides(made);
    add_values(made);
    return made;
  }();
  return all;
}

std::string_view to_string(Format format) {
  constexpr std::array names = {region::kStandard, region::kShuffled, region::kClassicPaged,
                                region::kCpuVec,   region::kPage16,   std::string_view("latent")};
  return names[static_cast<std::size_t>(format)];
}

}  // namespace pageproof::silent
