#include "fuzz/plans/plan_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "model/region/engine_json.hpp"

namespace pageproof::fuzz {
namespace {

using plan::Strategy;

constexpr std::uint64_t kTokens = 16;
constexpr std::uint64_t kFarBlocks = (std::uint64_t{1} << 31) + 7;
constexpr std::uint64_t kFarBase = (std::uint64_t{1} << 63) - (std::uint64_t{1} << 44);

// How the two sides' ranks and blocks relate.
enum class Relation { equal, decode_wider, prefill_wider, one_head, unequal_blocks, unequal_managers };

void set_ranks(PlanCase& c, Relation relation, std::uint64_t heads, Choices& choices) {
  std::uint64_t kv_heads = heads;
  if (relation == Relation::decode_wider) {
    c.local.tp_size = 2;
    kv_heads = 2 * heads;
  } else if (relation == Relation::prefill_wider) {
    c.remote.tp_size = 2;
    kv_heads = 2 * heads;
  } else if (relation == Relation::one_head) {
    kv_heads = 1;
    c.local.tp_size = 2;
    c.remote.tp_size = choices.between(1, 2);
  }
  c.local.tp_rank = choices.below(c.local.tp_size);
  if (relation == Relation::unequal_blocks) c.local.kernel_block_size = c.local.block_size = 2 * kTokens;
  if (relation == Relation::unequal_managers) c.local.block_size = 2 * kTokens;
  for (region::Engine* engine : {&c.local, &c.remote}) {
    engine->model.kv_heads = kv_heads;
    engine->model.query_heads = 4 * kv_heads;
  }
}

// Manager blocks of the remote that hold what this many local ones hold.
std::uint64_t remote_count(const PlanCase& c, std::uint64_t local) {
  return local * c.local.block_size / c.remote.block_size;
}

void make_blocks(PlanCase& c, Choices& choices, const PlanExtent& extent) {
  const std::uint64_t count = choices.below(extent.blocks + 1);
  const std::uint64_t there = remote_count(c, count) + (choices.flag() ? 1 : 0);
  c.local.num_blocks = std::max(extent.pool, count) + choices.below(2);
  c.remote.num_blocks = std::max({extent.pool + 2, there, c.local.num_blocks + 1}) + choices.below(2);
  c.to = {choices.distinct_below(count, c.local.num_blocks)};
  c.from = {choices.distinct_below(there, c.remote.num_blocks)};
}

void move_far(PlanCase& c, Choices& choices) {
  if (!choices.one_in(3)) return;
  c.local.base_address = kFarBase + 4096 * choices.below(3);
  c.remote.base_address = kFarBase - 4096 * choices.below(3);
  const std::uint64_t before = kFarBlocks - choices.below(5);
  if (choices.flag()) {
    c.local.num_blocks += before;
    for (std::uint64_t& id : c.to.front()) id += before;
  } else {
    c.remote.num_blocks += before;
    for (std::uint64_t& id : c.from.front()) id += before;
  }
}

nlohmann::json difference(const nlohmann::json& engine, const nlohmann::json& usual) {
  nlohmann::json out = nlohmann::json::object();
  for (const auto& [key, value] : engine.items()) {
    if (value == usual.at(key)) continue;
    out[key] = value.is_object() && usual.at(key).is_object() ? difference(value, usual.at(key)) : value;
  }
  return out;
}

// What of the engine is not as usual; its backend always.
nlohmann::json short_json(const region::Engine& engine) {
  const region::Engine usual;
  nlohmann::json out =
      difference(nlohmann::json(region::to_json(engine)), nlohmann::json(region::to_json(usual)));
  out["backend"] = region::to_string(engine.backend);
  return out;
}

std::string list_of(const plan::BlockGroups& groups) {
  return groups.front().empty() ? "none" : fmt::format("{}", fmt::join(groups.front(), ","));
}

}  // namespace

const PlanExtent& plan_extent(Domain domain) {
  static const PlanExtent small{.layers = 2, .heads = 2, .dim_granules = 1, .blocks = 1, .pool = 1};
  static const PlanExtent wide{
      .layers = 3, .heads = 3, .dim_granules = 2, .blocks = 4, .pool = 5, .far = true};
  return domain == Domain::small ? small : wide;
}

const PlanExtent& conversion_extent(Domain domain) {
  static const PlanExtent small{.layers = 1, .heads = 3, .blocks = 1, .pool = 2, .conversions_only = true};
  static const PlanExtent wide{.layers = 2, .heads = 5, .blocks = 4, .pool = 5, .conversions_only = true};
  return domain == Domain::small ? small : wide;
}

PlanCase make_plan_case(Choices& choices, const PlanExtent& extent) {
  constexpr Strategy all[] = {Strategy::whole, Strategy::slots, Strategy::halves, Strategy::staged,
                              Strategy::run_halves};
  constexpr Strategy converting[] = {Strategy::halves, Strategy::staged};
  PlanCase c;
  c.strategy = extent.conversions_only ? choices.element_of(converting) : choices.element_of(all);
  c.local.engine_id = "decode";
  c.remote.engine_id = "prefill";
  const bool converts = plan::converts(c.strategy);
  Relation relation = Relation::equal;
  if (c.strategy == Strategy::whole) relation = static_cast<Relation>(choices.below(6));
  if (c.strategy == Strategy::slots) relation = static_cast<Relation>(choices.below(3));
  set_ranks(c, relation, choices.between(1, extent.heads), choices);
  const std::uint64_t layers = choices.between(1, extent.layers);
  const std::uint64_t dims = extent.conversions_only ? 64 : 8 * choices.between(1, extent.dim_granules);
  const std::uint64_t layout = c.strategy == Strategy::whole ? choices.below(3) : 0;
  for (region::Engine* engine : {&c.local, &c.remote}) {
    engine->model.layers = layers;
    engine->model.head_dim = dims;
    engine->announces_page_format = true;
    if (c.strategy == Strategy::slots) engine->shuffle = true;
    if (layout == 1 && relation == Relation::equal) engine->environment_layout = region::Layout::lhbnc;
    // Blocks of all layers side by side: strides above lengths, and no manager block that is one page.
    if (layout == 2 && relation != Relation::unequal_managers) {
      engine->backend = region::Backend::triton_attn;
      engine->environment_layout = region::Layout::blhnc;
    }
  }
  if (converts) {
    c.local.shuffle = true;
    c.local.environment_layout = region::Layout::lhbnc;
    c.local.convert_page_format = true;
  }
  make_blocks(c, choices, extent);
  if (extent.far) move_far(c, choices);
  c.staging = {.base = std::uint64_t{1} << 20, .bytes = std::uint64_t{1} << 24};
  return c;
}

Expected<CasePair> pair_of(const PlanCase& c) {
  for (const region::Engine* engine : {&c.local, &c.remote}) {
    if (const auto ok = region::checked(*engine, engine->engine_id); !ok) return std::unexpected(ok.error());
  }
  auto local = handshake::side_of(c.local);
  if (!local) return std::unexpected(local.error());
  auto remote = handshake::side_of(c.remote);
  if (!remote) return std::unexpected(remote.error());
  const reports::PlanParty here{*local, true}, there{*remote, true};
  auto planned = reports::plan_pair(here, {&there, 1}, c.to, c.from, c.strategy);
  if (!planned) return std::unexpected(planned.error());
  return CasePair{*std::move(local), *std::move(remote), *std::move(planned)};
}

std::string to_string(const PlanCase& c) {
  std::string text = fmt::format(
      "pageproof plan <(echo '{}') <(echo '{}') --local-blocks {} --remote-blocks {} --strategy {}",
      short_json(c.local).dump(), short_json(c.remote).dump(), list_of(c.to), list_of(c.from),
      to_string(c.strategy));
  if (c.strategy == Strategy::staged)
    text += fmt::format(" --staging {:#x}:{}", c.staging.base, c.staging.bytes);
  return text;
}

nlohmann::json to_json(const PlanCase& c) {
  return {{"local", short_json(c.local)},
          {"remote", short_json(c.remote)},
          {"local_blocks", c.to},
          {"remote_blocks", c.from},
          {"strategy", std::string(to_string(c.strategy))}};
}

}  // namespace pageproof::fuzz
