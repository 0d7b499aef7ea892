#include "golden/handshake/realise.hpp"

#include "model/handshake/document.hpp"
#include "model/handshake/wire.hpp"
#include "oracle/proof/counterexample.hpp"
#include "oracle/proof/negotiation/table.hpp"

namespace pageproof::golden {
namespace {

using handshake::Reason;
using handshake::SideFacts;
using proof::Formula;
using proof::Scope;
using proof::Sym;
using proof::SymbolicPair;
using proof::Values;
using region::Engine;
using region::Layout;

constexpr std::uint64_t kOtherTag = 3;           // stands for region::kClassicPaged
constexpr std::uint64_t kCapturedHeadDim = 128;  // a capture does not tell: the default of a description

Formula is(const Sym& sym, std::uint64_t number) {
  return proof::equal(sym, Sym(number));
}
Formula within(const Sym& sym, std::uint64_t low, std::uint64_t high) {
  return proof::all_of({proof::at_most(Sym(low), sym), proof::at_most(sym, Sym(high))});
}

// What an engine of this format and layout registers, for the layouts that keep layers apart.
Formula registered(const SideFacts<Sym>& side, const Sym& layers, const Sym& element_bytes) {
  const Formula standard = is(side.tag, handshake::kTagStandard);
  const Formula planes = is(side.layout, handshake::kLayoutPlanes);
  const Formula whole_pages = proof::all_of(
      {proof::equal(side.regions, layers), proof::equal(side.block_len, Sym(2) * side.side_bytes)});
  const Formula two_planes = proof::all_of(
      {proof::equal(side.regions, Sym(2) * layers), proof::equal(side.block_len, side.side_bytes)});
  const Formula head_planes =
      proof::all_of({proof::equal(side.regions, side.heads * layers),
                     proof::equal(side.block_len, Sym(2) * side.tokens * side.dims * element_bytes)});
  return proof::all_of({proof::implies(proof::negation(planes), whole_pages),
                        proof::implies(proof::all_of({planes, standard}), head_planes),
                        proof::implies(proof::all_of({planes, proof::negation(standard)}), two_planes)});
}

// Sizes that a description may have: named tags, layouts and dtypes, whole granules in two-slot pages.
void assume_side(Scope& scope, const SideFacts<Sym>& side, const Sym& element_bytes) {
  scope.assume(within(side.tag, 1, kOtherTag));
  scope.assume(within(side.layout, 1, handshake::kLayoutPlanes));
  scope.assume(within(side.dtype, 1, 4));
  scope.assume(proof::implies(is(side.dtype, 3), is(element_bytes, 4)));
  scope.assume(proof::implies(is(side.dtype, 4), is(element_bytes, 1)));
  for (const Sym& size : {side.tokens, side.blocks_per_logical, side.tp, side.context_parallel, side.heads,
                          side.dims, side.regions}) {
    scope.assume(proof::at_most(Sym(1), size));
  }
  const Sym tokens = scope.named_division(side.tokens * element_bytes, Sym(16)).remainder;
  const Sym dims = scope.named_division(side.dims * element_bytes, Sym(16)).remainder;
  scope.assume(
      proof::any_of({is(side.tag, handshake::kTagStandard), proof::all_of({is(tokens, 0), is(dims, 0)})}));
}

void assume_realisable(Scope& scope, const SymbolicPair& p, Kind kind, Reason reason) {
  const SideFacts<Sym>& local = p.facts.local;
  const SideFacts<Sym>& remote = p.facts.remote;
  scope.assume(proof::negation(proof::equal(local.tag, remote.tag)));  // else no conversion is asked for
  scope.assume(proof::negation(p.facts.latent));                       // MLA has no page format
  if (kind != Kind::both_captured) {
    assume_side(scope, local, p.local_element_bytes);
    scope.assume(registered(local, scope.size("local.layers"), p.local_element_bytes));
  } else {
    for (const Formula& option : {p.facts.enabled, p.facts.gluon, p.facts.hybrid})
      scope.assume(proof::negation(option));
    scope.assume(is(local.dtype, handshake::kDtypeBfloat16));
    scope.assume(is(local.dims, kCapturedHeadDim));
    scope.assume(is(local.heads, 1));
    scope.assume(is(local.tp, 1));
  }
  if (kind == Kind::described) {
    assume_side(scope, remote, p.remote_element_bytes);
    const Formula page = proof::equal(remote.block_len, Sym(2) * remote.side_bytes);
    const Sym layers = scope.size("remote.layers");
    if (reason == Reason::remote_block_len) {  // a padded page
      scope.assume(proof::less(Sym(2) * remote.side_bytes, remote.block_len));
      scope.assume(proof::at_most(remote.block_len, Sym(4) * remote.side_bytes));
      scope.assume(is(remote.regions, 1));
    } else {
      scope.assume(registered(remote, layers, p.remote_element_bytes));
    }
    scope.assume(p.facts.names_agree);
    return;
  }
  // A capture with an equal hash: the model is the decoder's.
  scope.assume(within(remote.tag, 0, kOtherTag));
  scope.assume(within(remote.layout, 1, handshake::kLayoutPlanes));
  scope.assume(proof::equal(remote.dtype, local.dtype));
  scope.assume(proof::equal(remote.heads, local.heads));
  scope.assume(proof::equal(remote.dims, local.dims));
  scope.assume(is(local.tp, 1));
  scope.assume(is(remote.tp, 1));
  scope.assume(proof::at_most(Sym(1), remote.tokens));
  scope.assume(proof::at_most(Sym(1), remote.blocks_per_logical));
  scope.assume(proof::at_most(Sym(1), remote.context_parallel));
  scope.assume(proof::at_most(Sym(1), remote.regions));
}

// The smallest facts of a pair in `scope`: sizes first, lexicographically, in the order of sizes_shown().
std::optional<Values> solved(const Scope& scope, const SymbolicPair& pair) {
  const proof::Query query{"fixture",        "", proof::Part::whole, proof::Form::named, scope.assumptions(),
                           proof::any_of({})};
  const proof::Smallest found =
      proof::smallest_example(query, proof::sizes_shown(pair), proof::names_shown(pair), 0);
  return found.answer == proof::Answer::sat ? std::optional(found.values) : std::nullopt;
}

bool possible(const Scope& scope, const Formula& more) {
  const proof::Query query{
      "fixture", "", proof::Part::guard, proof::Form::polynomial, scope.assumptions(), proof::any_of({})};
  proof::Query with = query;
  with.assumptions.push_back(more);
  return proof::solve(with, 0, proof::kResourceLimit, proof::Effort::search).answer == proof::Answer::sat;
}

// The rule of this reason fails; those before it hold, and of the others all (sole), or as many as can, taken
// in their order.
void assume_failing(Scope& scope, const SymbolicPair& pair, Reason reason, bool sole) {
  const proof::Rules rules = proof::conversion_rules(pair.facts);
  if (reason != Reason::none) scope.assume(proof::negation(proof::rule_of(rules, reason)));
  for (const proof::Rule& rule : rules) {
    if (rule.reason == reason) continue;
    if (sole || rule.reason < reason || possible(scope, rule.holds)) scope.assume(rule.holds);
  }
}

struct Reader {
  const Values& values;
  std::uint64_t operator()(const std::string& name) const {
    return static_cast<std::uint64_t>(values.at(name));
  }
};

std::string tag_name(std::uint64_t tag) {
  if (tag == handshake::kTagStandard) return std::string(region::kStandard);
  return std::string(tag == handshake::kTagShuffled ? region::kShuffled : region::kClassicPaged);
}

// One engine of ROCM_AITER_FA with the facts of one side.
Engine engine_of(const Reader& fact, const std::string& who, const std::string& id) {
  Engine engine;
  engine.engine_id = id;
  const std::uint64_t tag = fact(who + "tag");
  engine.shuffle = tag == handshake::kTagShuffled;
  if (tag != handshake::kTagStandard && tag != handshake::kTagShuffled) engine.page_format = tag_name(tag);
  engine.announces_page_format = true;
  engine.environment_layout = static_cast<Layout>(fact(who + "layout") - 1);
  engine.kernel_block_size = fact(who + "tokens");
  engine.block_size = engine.kernel_block_size * fact(who + "blocks_per_logical");
  engine.dtype =
      fact(who + "dtype") == handshake::kDtypeFloat16 ? region::Dtype::float16 : region::Dtype::bfloat16;
  if (fact(who + "dtype") == 3) engine.dtype = region::Dtype::float32;
  if (fact(who + "dtype") == 4) engine.cache_dtype = "fp8";
  engine.tp_size = fact(who + "tp");
  engine.dcp_size = fact(who + "context_parallel");
  const std::uint64_t heads = fact(who + "heads");
  engine.model.name = "smallest";
  engine.model.kv_heads = heads == 1 ? 1 : heads * engine.tp_size;
  engine.model.query_heads = engine.model.kv_heads;
  engine.model.head_dim = fact(who + "dims");
  const bool planes = fact(who + "layout") == handshake::kLayoutPlanes;
  const std::uint64_t slots = !planes ? 1 : tag == handshake::kTagStandard ? heads : 2;
  engine.model.layers = std::max<std::uint64_t>(1, fact(who + "regions") / slots);
  const std::uint64_t page = 2 * fact(who + "side_bytes");
  if (fact(who + "block_len") > page) engine.padded_page_bytes = fact(who + "block_len");
  if (fact("hybrid") == 1) {
    engine.hma = true;
    engine.model.groups = 2;
    engine.model.layers *= 2;
  }
  if (fact("pull") == 0) engine.transfer_mode = region::TransferMode::push;
  return engine;
}

Engine decoder_of(const Reader& fact) {
  Engine engine = engine_of(fact, "local.", "decode");
  engine.convert_page_format = fact("enabled") == 1;
  if (fact("rocm") == 0) engine.platform = region::Platform::cuda;
  if (fact("gluon") == 1) engine.kernel_path = region::KernelPath::gluon;
  if (fact("device_memory") == 0) engine.memory = region::MemoryType::dram;
  return engine;
}

// A captured payload with these regions, one after another.
handshake::HandshakePayload capture_of(const Reader& fact, const std::string& who, const std::string& id,
                                       const std::string& hash) {
  handshake::AgentMetadata m;
  m.engine_id = id;
  m.num_blocks = 4 * fact(who + "blocks_per_logical");
  m.kv_cache_layout = to_string(static_cast<Layout>(fact(who + "layout") - 1));
  m.block_size = fact(who + "tokens");
  m.attn_backend_name = "ROCM_AITER_UNIFIED_ATTN";
  m.physical_blocks_per_logical_kv_block = fact(who + "blocks_per_logical");
  m.dcp_size = fact(who + "context_parallel");
  m.block_strides.emplace();
  m.region_num_blocks.emplace();
  m.region_group_ids.emplace();
  m.region_names.emplace();
  m.region_mem_types.emplace();
  const std::uint64_t tag = fact(who + "tag");
  if (tag != handshake::kTagAbsent) m.region_page_formats.emplace();
  const std::uint64_t len = fact(who + "block_len");
  const bool local = who == "local.";
  for (std::uint64_t i = 0; i < fact(who + "regions"); ++i) {
    m.kv_caches_base_addr.push_back((std::uint64_t{1} << 32) + i * len * m.num_blocks);
    m.block_lens.push_back(len);
    m.block_strides->push_back(len);
    m.region_num_blocks->push_back(m.num_blocks);
    m.region_group_ids->push_back(0);
    const std::uint64_t layer = local ? i / 2 : i;
    const bool other = !local && fact("names_agree") == 0;
    m.region_names->push_back("model." + std::string(other ? "decoder." : "") + "layers." +
                              std::to_string(layer) + ".self_attn.attn");
    m.region_mem_types->push_back("VRAM");
    if (m.region_page_formats) m.region_page_formats->push_back(tag_name(tag));
  }
  return {hash, handshake::encode(m, region::Behaviour::s2)};
}

std::optional<Documents> documents_of(const Values& values, Kind kind) {
  const Reader fact{values};
  Documents out;
  if (kind == Kind::both_captured) {
    const std::string hash(64, '0');
    out.local = handshake::to_json(capture_of(fact, "local.", "decode", hash));
    out.remote = handshake::to_json(capture_of(fact, "remote.", "prefill", hash));
    out.kv_heads = fact("local.heads");
    return out;
  }
  Engine local = decoder_of(fact);
  if (kind == Kind::remote_captured) {
    const auto side = handshake::side_of(local);
    if (!side) return std::nullopt;
    out.local = short_description(local);
    out.remote = handshake::to_json(capture_of(fact, "remote.", "prefill", side->hash));
    return out;
  }
  const Engine remote = engine_of(fact, "remote.", "prefill");
  const auto hash = [](const Engine& engine) {
    return handshake::compatibility_hash(handshake::hash_factors(engine, handshake::BackendInHash::no));
  };
  // Two models or dtypes: with the hash compared, the handshake would end there.
  if (hash(local) != hash(remote)) local.enforce_handshake_compat = false;
  out.local = short_description(local);
  out.remote = short_description(remote);
  return out;
}

// The facts that decide, number for number; names count by what the rules say of them.
bool same_facts(const handshake::Facts& facts, const Values& values, const std::vector<Reason>& expected) {
  const Reader fact{values};
  const auto same = [&](const SideFacts<std::uint64_t>& side, const std::string& who) {
    return side.tokens == fact(who + "tokens") &&
           side.blocks_per_logical == fact(who + "blocks_per_logical") && side.tp == fact(who + "tp") &&
           side.context_parallel == fact(who + "context_parallel") && side.heads == fact(who + "heads") &&
           side.dims == fact(who + "dims") && side.side_bytes == fact(who + "side_bytes") &&
           side.block_len == fact(who + "block_len") && side.regions == fact(who + "regions") &&
           side.dtype == fact(who + "dtype") && side.layout == fact(who + "layout");
  };
  return same(facts.local, "local.") && same(facts.remote, "remote.") && failing(facts) == expected;
}

std::vector<Reason> failing_rules(const SymbolicPair& pair, const Values& values) {
  std::vector<Reason> out;
  for (const proof::Rule& rule : proof::conversion_rules(pair.facts)) {
    if (!proof::evaluate(rule.holds, values).value_or(false)) out.push_back(rule.reason);
  }
  return out;
}

}  // namespace

std::optional<Realised> realised(Reason reason, Kind kind, bool sole) {
  Scope scope;
  const SymbolicPair pair = proof::pair_in(scope);
  assume_realisable(scope, pair, kind, reason);
  assume_failing(scope, pair, reason, sole);
  const std::optional<Values> values = solved(scope, pair);
  if (!values) return std::nullopt;
  const std::optional<Documents> documents = documents_of(*values, kind);
  if (!documents) return std::nullopt;
  const Expected<Judged> judged = judge(*documents);
  if (!judged || judged->verdict.reason != reason) return std::nullopt;
  if (!same_facts(judged->facts, *values, failing_rules(pair, *values))) return std::nullopt;
  return Realised{kind, sole, *values, *documents, *judged};
}

std::optional<Realised> smallest_pair(Reason reason) {
  for (const bool sole : {true, false}) {
    for (const Kind kind : {Kind::described, Kind::remote_captured, Kind::both_captured}) {
      if (std::optional<Realised> found = realised(reason, kind, sole)) return found;
    }
  }
  return std::nullopt;
}

Values smallest_facts(Reason reason) {
  Scope scope;
  const SymbolicPair pair = proof::pair_in(scope);
  assume_failing(scope, pair, reason, true);
  return solved(scope, pair).value_or(Values{});
}

}  // namespace pageproof::golden
