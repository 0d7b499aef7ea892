#include "fuzz/plans/plan_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "model/handshake/wire.hpp"
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
  if (c.remote.tp_size == c.local.tp_size) c.remote.tp_rank = c.local.tp_rank;
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

bool may_share_ids(const PlanCase& c) {
  return c.groups == Groups::own;
}

// A list for each count, of blocks below `bound`. Lists that one region serves have no block in common.
plan::BlockGroups lists_of(const std::vector<std::uint64_t>& counts, std::uint64_t bound, bool may_share,
                           Choices& choices) {
  plan::BlockGroups lists;
  if (may_share) {
    for (const std::uint64_t count : counts) lists.push_back(choices.distinct_below(count, bound));
    return lists;
  }
  const std::uint64_t total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  const plan::BlockIds all = choices.distinct_below(total, bound);
  auto next = all.begin();
  for (const std::uint64_t count : counts) {
    const auto end = next + static_cast<std::ptrdiff_t>(count);
    lists.emplace_back(next, end);
    next = end;
  }
  return lists;
}

void make_blocks(PlanCase& c, Choices& choices, const PlanExtent& extent) {
  const std::size_t lists = c.groups == Groups::one ? 1 : 2;
  const bool few = lists > 1 && extent.few_groups;
  const auto more = [&] { return few ? 0 : choices.below(2); };
  std::vector<std::uint64_t> here, there;
  std::uint64_t least_here = 0, least_there = 0;
  for (std::size_t list = 0; list < lists; ++list) {
    here.push_back(choices.below(extent.blocks + 1));
    const bool hit = (!few || list + 1 == lists) && choices.flag();
    there.push_back(remote_count(c, here.back()) + (hit ? 1 : 0));
    least_here += here.back();
    least_there += there.back();
  }
  c.local.num_blocks = std::max(extent.pool, least_here) + more();
  c.remote.num_blocks = std::max({extent.pool + 2, least_there, c.local.num_blocks + 1}) + more();
  c.to = lists_of(here, c.local.num_blocks, may_share_ids(c), choices);
  c.from = lists_of(there, c.remote.num_blocks, may_share_ids(c), choices);
}

void move_far(PlanCase& c, Choices& choices) {
  if (!choices.one_in(3)) return;
  c.local.base_address = kFarBase + 4096 * choices.below(3);
  c.remote.base_address = kFarBase - 4096 * choices.below(3);
  const std::uint64_t before = kFarBlocks - choices.below(5);
  const bool local = choices.flag();
  (local ? c.local : c.remote).num_blocks += before;
  for (plan::BlockIds& list : local ? c.to : c.from) {
    for (std::uint64_t& id : list) id += before;
  }
}

void set_groups(PlanCase& c, std::uint64_t layers) {
  for (region::Engine* engine : {&c.local, &c.remote}) {
    engine->model.layers = layers;
    if (c.groups != Groups::overlaid) continue;
    engine->model.groups = 2;
    engine->model.layers = 2 * layers;
  }
}

// No engine's description says that its layers lie apart and have groups of their own; its metadata does.
bool told_by_metadata(const PlanCase& c) {
  return c.groups == Groups::own || c.groups == Groups::own_and_shared;
}

Expected<handshake::EngineSide> side_of(const PlanCase& c, const region::Engine& engine) {
  auto side = handshake::side_of(engine);
  if (!side || !told_by_metadata(c)) return side;
  std::vector<region::Region>& regions = side->registration.regions;
  const std::uint64_t of_a_layer = regions.size() / stored_layers(c);
  for (std::size_t i = 0; i < regions.size(); ++i) regions[i].group = group_of_layer(c, i / of_a_layer);
  side->metadata = handshake::metadata_of(engine, side->layout, side->registration);
  return side;
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

// As the option takes it: "3,4", or "3,4;none" in quotes.
std::string list_of(const plan::BlockGroups& groups) {
  std::vector<std::string> lists;
  for (const plan::BlockIds& ids : groups)
    lists.push_back(ids.empty() ? "none" : fmt::format("{}", fmt::join(ids, ",")));
  const std::string text = fmt::format("{}", fmt::join(lists, ";"));
  return lists.size() == 1 ? text : "'" + text + "'";
}

// What `pageproof plan` reads of an engine: a description, or a capture's metadata.
nlohmann::json document_of(const PlanCase& c, const region::Engine& engine) {
  if (!told_by_metadata(c)) return short_json(engine);
  const auto side = side_of(c, engine);
  if (!side) return short_json(engine);
  return nlohmann::json(handshake::to_json(side->metadata, engine.behaviour));
}

}  // namespace

const PlanExtent& plan_extent(Domain domain) {
  static const PlanExtent small{
      .layers = 2, .heads = 2, .dim_granules = 1, .blocks = 1, .pool = 1, .few_groups = true};
  static const PlanExtent wide{
      .layers = 3, .heads = 3, .dim_granules = 2, .blocks = 4, .pool = 5, .far = true};
  return domain == Domain::small ? small : wide;
}

const PlanExtent& conversion_extent(Domain domain) {
  static const PlanExtent small{.layers = 1, .heads = 3, .blocks = 1, .pool = 2, .conversions_only = true};
  static const PlanExtent wide{.layers = 2, .heads = 5, .blocks = 4, .pool = 5, .conversions_only = true};
  return domain == Domain::small ? small : wide;
}

std::uint64_t stored_layers(const PlanCase& c) {
  return c.local.model.layers / c.local.model.groups;
}

std::int64_t group_of_layer(const PlanCase& c, std::uint64_t layer) {
  if (c.groups == Groups::one) return 0;
  if (c.groups == Groups::overlaid) return plan::kShared;
  const bool last = layer + 1 == stored_layers(c);
  return last && c.groups == Groups::own_and_shared ? plan::kShared : static_cast<std::int64_t>(layer % 2);
}

bool serves(const PlanCase& c, std::uint64_t layer, std::size_t list) {
  const std::int64_t group = group_of_layer(c, layer);
  return group == plan::kShared || group == static_cast<std::int64_t>(list);
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
  std::uint64_t layers = choices.between(1, extent.layers);
  const std::uint64_t dims = extent.conversions_only ? 64 : 8 * choices.between(1, extent.dim_granules);
  const std::uint64_t layout = c.strategy == Strategy::whole ? choices.below(3) : 0;
  for (region::Engine* engine : {&c.local, &c.remote}) {
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
  if (!converts && relation == Relation::equal) c.groups = static_cast<Groups>(choices.below(4));
  if (told_by_metadata(c)) layers = std::max<std::uint64_t>(2, layers);
  set_groups(c, layers);
  make_blocks(c, choices, extent);
  if (extent.far) move_far(c, choices);
  c.staging = {.base = std::uint64_t{1} << 20, .bytes = std::uint64_t{1} << 24};
  return c;
}

Expected<CasePair> pair_of(const PlanCase& c) {
  for (const region::Engine* engine : {&c.local, &c.remote}) {
    if (const auto ok = region::checked(*engine, engine->engine_id); !ok) return std::unexpected(ok.error());
  }
  auto local = side_of(c, c.local);
  if (!local) return std::unexpected(local.error());
  auto remote = side_of(c, c.remote);
  if (!remote) return std::unexpected(remote.error());
  const reports::PlanParty here{*local, true}, there{*remote, true};
  auto planned = reports::plan_pair(here, {&there, 1}, c.to, c.from, c.strategy);
  if (!planned) return std::unexpected(planned.error());
  return CasePair{*std::move(local), *std::move(remote), *std::move(planned)};
}

std::string to_string(const PlanCase& c) {
  std::string text = fmt::format(
      "pageproof plan <(echo '{}') <(echo '{}') --local-blocks {} --remote-blocks {} --strategy {}",
      document_of(c, c.local).dump(), document_of(c, c.remote).dump(), list_of(c.to), list_of(c.from),
      to_string(c.strategy));
  if (c.strategy == Strategy::staged)
    text += fmt::format(" --staging {:#x}:{}", c.staging.base, c.staging.bytes);
  return text;
}

nlohmann::json to_json(const PlanCase& c) {
  return {{"local", document_of(c, c.local)},
          {"remote", document_of(c, c.remote)},
          {"local_blocks", c.to},
          {"remote_blocks", c.from},
          {"strategy", std::string(to_string(c.strategy))}};
}

}  // namespace pageproof::fuzz
