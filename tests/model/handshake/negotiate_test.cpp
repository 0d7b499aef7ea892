// The RFC's negotiation: its pair is accepted only when enabled, every other is refused with its reason,
// acceptance belongs to one remote engine, and the table read with bool, text or a counter is one table.
#include "model/handshake/negotiate.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "model/handshake/reader.hpp"
#include "model/handshake/wire.hpp"
#include "tests/model/handshake/sides.hpp"

namespace pageproof::handshake {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Change = std::function<void(Engine&)>;

void convertible(Engine& engine) {
  engine.shuffle = true;
  engine.convert_page_format = true;
  engine.announces_page_format = true;
}
void tagged(Engine& engine) {
  engine.announces_page_format = true;
}
EngineSide converter(const Change& change = [](Engine&) {}) {
  return decode(Layout::lhbnc, [&](Engine& e) { convertible(e), change(e); });
}
EngineSide source(Layout layout = Layout::lbhnc, const Change& change = [](Engine&) {}) {
  return prefill(layout, [&](Engine& e) { tagged(e), change(e); });
}
std::string met(const EngineSide& local, const EngineSide& remote) {
  const Verdict verdict = meet_proposed(local, remote);
  return verdict.accepted() ? std::string(to_string(verdict.outcome))
                            : std::string(to_string(verdict.reason));
}

TEST(Negotiate, TheRfcsPair) {
  const Verdict verdict = meet_proposed(converter(), source());
  EXPECT_EQ(verdict.outcome, Outcome::convert) << to_string(verdict);
  EXPECT_THAT(verdict.warnings, IsEmpty());
  EXPECT_FALSE(verdict.permutes);
  // Virtual halves line up one to one with the decoder's planes.
  const EngineSide local = converter();
  const auto halves = regions_of(verdict.seen, "");
  ASSERT_EQ(halves->size(), local.registration.regions.size());
  for (std::size_t i = 0; i < halves->size(); ++i) {
    EXPECT_EQ((*halves)[i].block_len, local.registration.regions[i].block_len);
    EXPECT_EQ((*halves)[i].name, local.registration.regions[i].name);
    EXPECT_EQ((*halves)[i].base, source().registration.regions[i / 2].base + i % 2 * 32768);
    EXPECT_EQ((*halves)[i].block_stride, 65536u);
  }
}

TEST(Negotiate, OffByDefault) {
  const Engine plain;
  EXPECT_FALSE(plain.convert_page_format);
  EXPECT_EQ(met(converter([](Engine& e) { e.convert_page_format = false; }), source()),
            "conversion_disabled");
}

struct Case {
  Reason reason;
  EngineSide local;
  EngineSide remote;
};

// A pair for every reason of the conversion table, as small a step from the RFC's pair as there is.
std::vector<Case> cases() {
  const auto set_tokens = [](std::uint64_t tokens) {
    return [tokens](Engine& e) { e.block_size = e.kernel_block_size = tokens; };
  };
  const auto kv_dtype = [](const char* dtype) { return [dtype](Engine& e) { e.cache_dtype = dtype; }; };
  const auto unenforced = [](const Change& change) {
    return [change](Engine& e) { e.enforce_handshake_compat = false, change(e); };
  };
  const auto planes_elsewhere = [](Engine& e) { e.platform = region::Platform::cuda; };
  std::vector<Case> all = {
      {Reason::conversion_disabled, converter([](Engine& e) { e.convert_page_format = false; }), source()},
      {Reason::remote_not_standard, converter(),
       source(Layout::lbhnc, [](Engine& e) { e.page_format = region::kPage16; })},
      {Reason::remote_not_standard, decode(Layout::lbhnc, [](Engine& e) { e.convert_page_format = true; }),
       source(Layout::lbhnc, shuffled)},  // the reverse direction
      {Reason::local_not_shuffled,
       converter([](Engine& e) { e.shuffle = false, e.page_format = region::kPage16; }), source()},
      {Reason::remote_layout, converter(), source(Layout::lbnhc)},
      {Reason::remote_layout, converter(), source(Layout::lhbnc)},
      {Reason::remote_layout, converter(), source(Layout::blhnc)},
      {Reason::local_layout, decode(Layout::lbhnc, convertible), source()},
      {Reason::not_rocm, converter(planes_elsewhere), source()},
      {Reason::gluon_decoder, converter([](Engine& e) { e.kernel_path = region::KernelPath::gluon; }),
       source()},
      {Reason::tokens_unequal, converter(set_tokens(32)), source()},
      {Reason::tokens_unequal, converter(), source(Layout::lbhnc, set_tokens(32))},
      {Reason::tokens_out_of_scope, converter(set_tokens(64)), source(Layout::lbhnc, set_tokens(64))},
      {Reason::tokens_out_of_scope, converter(set_tokens(128)), source(Layout::lbhnc, set_tokens(128))},
      {Reason::blocks_per_logical_unequal, converter(),
       source(Layout::lbhnc, [](Engine& e) { e.block_size = 64; })},
      {Reason::dtype_unequal, converter(unenforced([](Engine& e) { e.dtype = region::Dtype::float16; })),
       source()},
      {Reason::dtype_out_of_scope, converter(kv_dtype("fp8")), source(Layout::lbhnc, kv_dtype("fp8"))},
      {Reason::tp_unequal, converter([](Engine& e) { e.tp_size = 2; }), source()},
      {Reason::tp_unequal, converter(), source(Layout::lbhnc, [](Engine& e) { e.tp_size = 2; })},
      {Reason::context_parallel_unequal, converter(),
       source(Layout::lbhnc, [](Engine& e) { e.dcp_size = 2; })},
      {Reason::context_parallel_out_of_scope, converter([](Engine& e) { e.dcp_size = 2; }),
       source(Layout::lbhnc, [](Engine& e) { e.dcp_size = 2; })},
      {Reason::heads_unequal, converter(unenforced([](Engine&) {})),
       source(Layout::lbhnc, [](Engine& e) { e.model.kv_heads = 4; })},
      {Reason::dims_unequal, converter(unenforced([](Engine&) {})),
       source(Layout::lbhnc, [](Engine& e) { e.model.head_dim = 64; })},
      {Reason::hybrid_memory, converter([](Engine& e) {
         e.hma = true;
         e.model.groups = 2;
       }),
       source(Layout::lbhnc,
              [](Engine& e) {
                e.hma = true;
                e.model.groups = 2;
              })},
      {Reason::push_mode, converter([](Engine& e) { e.transfer_mode = region::TransferMode::push; }),
       source(Layout::lbhnc, [](Engine& e) { e.transfer_mode = region::TransferMode::push; })},
      {Reason::host_buffer, converter([](Engine& e) { e.memory = region::MemoryType::dram; }), source()},
      {Reason::region_count, converter(unenforced([](Engine& e) { e.model.layers = 3; })), source()},
  };
  EngineSide renamed = source();
  renamed.metadata.region_names->back() += "x";
  all.push_back({Reason::region_names, converter(), renamed});
  EngineSide longer = source();
  longer.metadata.block_lens = {65552, 65552};
  longer.metadata.block_strides = {65552, 65552};
  all.push_back({Reason::remote_block_len, converter(), longer});
  EngineSide shorter = converter();
  shorter.metadata.block_lens = {32752, 32752, 32752, 32752};
  all.push_back({Reason::local_block_len, shorter, source()});
  return all;
}

TEST(Negotiate, EveryReasonHasItsPair) {
  std::set<Reason> seen;
  for (const Case& one : cases()) {
    const Verdict verdict = meet_proposed(one.local, one.remote);
    EXPECT_EQ(to_string(verdict.reason), to_string(one.reason)) << to_string(verdict);
    EXPECT_FALSE(verdict.accepted());
    EXPECT_FALSE(verdict.rule.empty());
    EXPECT_FALSE(verdict.change.empty());
    EXPECT_FALSE(verdict.local.empty() && verdict.remote.empty()) << to_string(verdict);
    seen.insert(one.reason);
  }
  // Those that no pair of engines reaches first: a missing tag is met before the table, MLA has no page
  // format to differ, and head_dim is a multiple of 8 wherever shuffled pages exist. Their rules are tested
  // on facts, below.
  for (int i = static_cast<int>(kFirstConversionReason); i <= static_cast<int>(kLastConversionReason); ++i) {
    const auto reason = static_cast<Reason>(i);
    const bool by_facts = reason == Reason::tag_missing || reason == Reason::latent_attention ||
                          reason == Reason::dims_not_granules;
    EXPECT_EQ(seen.contains(reason), !by_facts) << to_string(reason);
  }
}

Facts in_scope() {
  const SideFacts<std::uint64_t> local{.tag = kTagShuffled,
                                       .layout = kLayoutPlanes,
                                       .tokens = 16,
                                       .blocks_per_logical = 1,
                                       .dtype = kDtypeBfloat16,
                                       .tp = 1,
                                       .context_parallel = 1,
                                       .heads = 8,
                                       .dims = 128,
                                       .side_bytes = 32768,
                                       .block_len = 32768,
                                       .regions = 4};
  SideFacts<std::uint64_t> remote = local;
  remote.tag = kTagStandard;
  remote.layout = kLayoutHeadsFirst;
  remote.block_len = 65536;
  remote.regions = 2;
  return {.local = local,
          .remote = remote,
          .enabled = true,
          .rocm = true,
          .gluon = false,
          .latent = false,
          .hybrid = false,
          .pull = true,
          .device_memory = true,
          .names_agree = true,
          .two_slots = true,
          .permutes = false};
}

std::vector<Reason> failing(const Facts& facts) {
  std::vector<Reason> out;
  visit_conversion_rules(facts, [&](Reason reason, bool holds) {
    if (!holds) out.push_back(reason);
  });
  return out;
}

// On facts alone each rule can be the only one that fails, but one: a missing tag is not standard either.
TEST(Negotiate, EachRuleIsTheOnlyReasonOfSomeFacts) {
  EXPECT_THAT(failing(in_scope()), IsEmpty());
  using F = std::function<void(Facts&)>;
  const std::vector<std::pair<Reason, F>> breaks = {
      {Reason::conversion_disabled, [](Facts& f) { f.enabled = false; }},
      {Reason::remote_not_standard, [](Facts& f) { f.remote.tag = kTagShuffled; }},
      {Reason::local_not_shuffled, [](Facts& f) { f.local.tag = kTagStandard; }},
      {Reason::remote_layout, [](Facts& f) { f.remote.layout = kLayoutPlanes; }},
      {Reason::local_layout, [](Facts& f) { f.local.layout = kLayoutHeadsFirst; }},
      {Reason::not_rocm, [](Facts& f) { f.rocm = false; }},
      {Reason::gluon_decoder, [](Facts& f) { f.gluon = true; }},
      {Reason::tokens_unequal, [](Facts& f) { f.remote.tokens = 32; }},
      {Reason::tokens_out_of_scope, [](Facts& f) { f.local.tokens = f.remote.tokens = 48; }},
      {Reason::blocks_per_logical_unequal, [](Facts& f) { f.remote.blocks_per_logical = 4; }},
      {Reason::dtype_unequal, [](Facts& f) { f.remote.dtype = kDtypeFloat16; }},
      {Reason::dtype_out_of_scope, [](Facts& f) { f.local.dtype = f.remote.dtype = 4; }},
      {Reason::tp_unequal, [](Facts& f) { f.remote.tp = 2; }},
      {Reason::context_parallel_unequal, [](Facts& f) { f.remote.context_parallel = 2; }},
      {Reason::context_parallel_out_of_scope,
       [](Facts& f) { f.local.context_parallel = f.remote.context_parallel = 2; }},
      {Reason::heads_unequal, [](Facts& f) { f.remote.heads = 4; }},
      {Reason::dims_unequal, [](Facts& f) { f.remote.dims = 64; }},
      {Reason::dims_not_granules, [](Facts& f) { f.local.dims = f.remote.dims = 100; }},
      {Reason::latent_attention, [](Facts& f) { f.latent = true; }},
      {Reason::hybrid_memory, [](Facts& f) { f.hybrid = true; }},
      {Reason::push_mode, [](Facts& f) { f.pull = false; }},
      {Reason::host_buffer, [](Facts& f) { f.device_memory = false; }},
      {Reason::remote_block_len, [](Facts& f) { f.remote.block_len += 1; }},
      {Reason::local_block_len, [](Facts& f) { f.local.block_len += 1; }},
      {Reason::region_count, [](Facts& f) { f.local.regions = 2; }},
      {Reason::region_names, [](Facts& f) { f.names_agree = false; }},
  };
  std::set<Reason> seen;
  for (const auto& [reason, change] : breaks) {
    Facts facts = in_scope();
    change(facts);
    EXPECT_THAT(failing(facts), ElementsAre(reason)) << to_string(reason);
    seen.insert(reason);
  }
  EXPECT_EQ(seen.size(), 26u);
  Facts absent = in_scope();
  absent.remote.tag = kTagAbsent;
  EXPECT_THAT(failing(absent), ElementsAre(Reason::tag_missing, Reason::remote_not_standard));
}

// One table, three readers: bool, text, and a count. The told truth agrees with the bool one on every pair.
TEST(Negotiate, TheToldTruthIsTheTruth) {
  for (const Case& one : cases()) {
    AgentMetadata remote = one.remote.metadata;
    const RemoteKnowledge known{
        .tp_size = one.remote.engine.tp_size, .hash_matched = false, .engine = one.remote.engine};
    std::vector<std::pair<Reason, bool>> by_bool;
    std::vector<std::pair<Reason, bool>> by_text;
    const auto collect = [](auto& out) {
      return [&out](Reason reason, bool holds) { out.emplace_back(reason, holds); };
    };
    const auto told = [&](Reason reason, const Told& truth) {
      by_text.emplace_back(reason, truth.value);
      EXPECT_FALSE(truth.text.empty());
    };
    visit_conversion_rules(facts_of(one.local, remote, known), collect(by_bool));
    visit_match_rules(facts_of(one.local, remote, known), collect(by_bool));
    visit_conversion_rules(told_facts(one.local, remote, known), told);
    visit_match_rules(told_facts(one.local, remote, known), told);
    EXPECT_EQ(by_bool, by_text);
    EXPECT_EQ(by_bool.size(), 31u);
  }
}

TEST(Negotiate, ReasonsInTheOrderOfTheirRules) {
  std::vector<Reason> order;
  visit_conversion_rules(in_scope(), [&](Reason reason, bool) { order.push_back(reason); });
  visit_match_rules(in_scope(), [&](Reason reason, bool) { order.push_back(reason); });
  ASSERT_EQ(order.size(), static_cast<std::size_t>(kLastMatchReason));
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(static_cast<std::size_t>(order[i]), i + 1);
  for (std::size_t i = 0; i < reasons().size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(reasons()[i].reason), i);
}

TEST(Negotiate, AReasonInOneSentence) {
  const auto tokens = [](Engine& e) { e.block_size = e.kernel_block_size = 64; };
  const Verdict verdict = meet_proposed(converter(tokens), source(Layout::lbhnc, tokens));
  EXPECT_EQ(to_string(verdict),
            "rejected (tokens_out_of_scope): the decoder's pages hold neither 16 nor 32 tokens: local 64; "
            "use 16-token "
            "blocks on both sides");
  EXPECT_EQ(verdict.rule, "local.tokens (64) = 16 or local.tokens (64) = 32");
  const Verdict layouts = meet_proposed(converter(), source(Layout::lbnhc));
  EXPECT_EQ(layouts.remote, "LBNHC");
  EXPECT_THAT(to_string(layouts), HasSubstr("VLLM_KV_CACHE_LAYOUT=LBHNC on the prefill"));
}

// The two values are those that differ, also where a rule has more conditions than one.
TEST(Negotiate, AReasonShowsTheValuesThatDiffer) {
  const auto values = [](const EngineSide& local, const EngineSide& remote) {
    const Verdict verdict = meet_proposed(local, remote);
    return fmt::format("{}: {}, {}", to_string(verdict.reason), verdict.local, verdict.remote);
  };
  const auto blocks = [](std::uint64_t tokens) {
    return [tokens](Engine& e) { e.block_size = e.kernel_block_size = tokens; };
  };
  EXPECT_EQ(values(decode(Layout::lbhnc, blocks(32)), source()), "block_sizes_unequal: 32, 16");
  const auto ranks = [](Engine& e) { e.shuffle = true, e.tp_size = 2; };
  EXPECT_EQ(values(decode(Layout::lbhnc, ranks), source(Layout::lbhnc, shuffled)),
            "slots_across_ranks: 4, 8");
  const auto permutes = [](Engine& e) { e.enable_permute_local_kv = true; };
  EXPECT_EQ(values(decode(Layout::lbnhc, permutes), source()), "permute_transposes: LBNHC, LBHNC");
  const auto half = [](Engine& e) { e.dtype = region::Dtype::float16, e.enforce_handshake_compat = false; };
  EXPECT_EQ(values(decode(Layout::lbhnc, half), source()), "elements_unequal: float16, bfloat16");
}

// A missing tag is rejected whenever the local pages are not standard, and stands for standard where they
// are.
TEST(Negotiate, MissingTag) {
  const AgentMetadata untagged = prefill().metadata;
  const RemoteKnowledge known{.tp_size = 1, .hash_matched = true, .engine = {}};
  EXPECT_EQ(negotiate(converter(), untagged, known).reason, Reason::tag_missing);
  EXPECT_EQ(negotiate(decode(Layout::lbhnc, shuffled), untagged, known).reason, Reason::tag_missing);
  EXPECT_EQ(negotiate(decode(), untagged, known).outcome, Outcome::match);
  AgentMetadata empty = untagged;
  empty.region_page_formats = std::vector<std::string>{};
  EXPECT_EQ(negotiate(converter(), empty, known).reason, Reason::malformed);
  AgentMetadata mixed = untagged;
  mixed.region_page_formats = {{"standard", "aiter-shuffled"}};
  EXPECT_EQ(negotiate(converter(), mixed, known).reason, Reason::remote_not_standard);
  EXPECT_EQ(negotiate(decode(), mixed, known).reason, Reason::remote_not_standard);
  mixed.region_page_formats = {{"future", "future"}};
  EXPECT_EQ(negotiate(converter(), mixed, known).reason, Reason::remote_not_standard);
}

// What the wire does not tell is not assumed: with another hash and no description nothing is in scope.
TEST(Negotiate, WhatIsNotKnownIsNotAssumed) {
  const RemoteKnowledge by_hash{.tp_size = 1, .hash_matched = true, .engine = {}};
  EXPECT_EQ(negotiate(converter(), source().metadata, by_hash).outcome, Outcome::convert);
  const RemoteKnowledge nothing{.tp_size = 1, .hash_matched = false, .engine = {}};
  const Verdict verdict = negotiate(converter(), source().metadata, nothing);
  EXPECT_EQ(verdict.reason, Reason::dtype_unequal);
  EXPECT_EQ(verdict.remote, "not known");
}

// The table of spec §9 under the RFC: no pair that comes out wrong is accepted, every right one still is.
TEST(Negotiate, TheTableOfPairs) {
  const auto tp2 = [](Engine& e) { e.tp_size = 2; };
  const auto shuffled_tp2 = [](Engine& e) { e.shuffle = true, e.tp_size = 2; };
  const auto two = [](Engine& e) { e.model.kv_heads = 2; };
  const auto shuffled_two = [](Engine& e) { e.shuffle = true, e.model.kv_heads = 2; };
  const auto permuting = [](Engine& e) { e.shuffle = true, e.enable_permute_local_kv = true; };
  const auto cuda = [](Engine& e) { e.backend = Backend::flash_attn; };
  EXPECT_EQ(met(decode(Layout::lbhnc, shuffled), source()), "local_layout");
  EXPECT_EQ(met(decode(), source(Layout::lbhnc, shuffled)), "remote_not_standard");
  EXPECT_EQ(met(decode(Layout::lhbnc, permuting), source()), "conversion_disabled");
  EXPECT_EQ(met(decode(Layout::lhbnc, shuffled_two), source(Layout::lhbnc, two)), "remote_layout");
  EXPECT_EQ(met(decode(Layout::lhbnc, shuffled), source(Layout::lhbnc, shuffled)), "match");
  EXPECT_EQ(met(decode(Layout::lbhnc, shuffled), source(Layout::lbhnc, shuffled)), "match");
  EXPECT_EQ(met(decode(Layout::lbhnc, shuffled_tp2), source(Layout::lbhnc, shuffled)), "slots_across_ranks");
  EXPECT_EQ(met(decode(Layout::lbhnc, shuffled), source(Layout::lbhnc, shuffled_tp2)), "slots_across_ranks");
  EXPECT_EQ(met(decode(Layout::lhbnc, shuffled_tp2), source(Layout::lhbnc, shuffled)), "todays_check");
  EXPECT_EQ(met(decode(), source(Layout::lbhnc, cuda)), "match");
  EXPECT_EQ(met(converter(), source(Layout::lbhnc, cuda)), "convert");
  EXPECT_EQ(met(decode(Layout::lbhnc, tp2), source()), "match");
  EXPECT_EQ(met(decode(), source(Layout::lbhnc, tp2)), "match");
}

// Decision 2: with the backend's name out of the hash the tag decides.
TEST(Negotiate, DifferentBackends) {
  const Engine fa = engine_named("decode");
  const Engine unified =
      engine_named("prefill", [](Engine& e) { e.backend = Backend::rocm_aiter_unified_attn; });
  const auto without_name = [](const Engine& e, Layout layout = Layout::lbhnc) {
    return *side_with_layout(e, layout, BackendInHash::no);
  };
  EXPECT_EQ(met(side(fa), side(unified)), "todays_check");
  EXPECT_EQ(met(without_name(fa), without_name(unified)), "match");
  Engine shuffling = fa;
  convertible(shuffling);
  EXPECT_EQ(met(without_name(shuffling, Layout::lhbnc), without_name(unified)), "convert");
}

// P03 (vllm #38935): FLASH_ATTN to CPU_ATTN, accepted through its converter alone; the other way round not at
// all.
TEST(Negotiate, CpuRepack) {
  const auto shape = [](Engine& e) { e.model.layers = 28; };
  const auto cpu = [&](Engine& e) {
    shape(e), e.backend = Backend::cpu_attn, e.platform = region::Platform::cpu;
  };
  const auto cuda = [&](Engine& e) {
    shape(e), e.backend = Backend::flash_attn, e.platform = region::Platform::cuda;
  };
  const auto without_name = [](const EngineSide& s) {
    return *side_with_layout(s.engine, s.layout, BackendInHash::no);
  };
  const EngineSide local = without_name(decode(Layout::lbhnc, cpu));
  const EngineSide remote = without_name(prefill(Layout::lbhnc, cuda));
  EXPECT_EQ(met(local, remote), "repack");
  EXPECT_EQ(met(without_name(decode(Layout::lbhnc, cuda)), without_name(prefill(Layout::lbhnc, cpu))),
            "remote_not_standard");
  // Today: the hash refuses; without it the repack flag is set for every remote.
  EXPECT_EQ(verdict(meet_today(decode(Layout::lbhnc, cpu), prefill(Layout::lbhnc, cuda))),
            "hash RuntimeError");
  const auto cpu_unenforced = [&](Engine& e) { cpu(e), e.enforce_handshake_compat = false; };
  const Attempt today = meet_today(decode(Layout::lbhnc, cpu_unenforced), prefill(Layout::lbhnc, cuda));
  EXPECT_TRUE(today.accepted() && today.worker.repack);
  const auto fp8 = [&](Engine& e) { cpu(e), e.cache_dtype = "fp8"; };
  const auto cuda_fp8 = [&](Engine& e) { cuda(e), e.cache_dtype = "fp8"; };
  EXPECT_EQ(met(without_name(decode(Layout::lbhnc, fp8)), without_name(prefill(Layout::lbhnc, cuda_fp8))),
            "dtype_out_of_scope");
}

// The permute branch also requires a local LBNHC cache of standard pages, and then still takes heads for
// tokens.
TEST(Negotiate, PermuteBranch) {
  const auto permuting = [](Engine& e) { e.enable_permute_local_kv = true; };
  const auto equal = [&](Engine& e) { permuting(e), e.model.kv_heads = e.model.query_heads = 16; };
  const auto sixteen = [](Engine& e) { e.model.kv_heads = e.model.query_heads = 16; };
  EXPECT_EQ(met(decode(Layout::lbnhc, permuting), source()), "permute_transposes");
  EXPECT_EQ(met(decode(Layout::lbnhc, equal), source(Layout::lbhnc, sixteen)), "match");
  EXPECT_TRUE(meet_proposed(decode(Layout::lbnhc, equal), source(Layout::lbhnc, sixteen)).permutes);
  EXPECT_EQ(met(decode(Layout::blhnc, equal), source(Layout::lbhnc, sixteen)), "todays_check");
  EXPECT_EQ(met(decode(Layout::lbnhc, permuting), source(Layout::lbnhc)), "match");
  EXPECT_FALSE(meet_proposed(decode(Layout::lbnhc, equal), source(Layout::lbnhc, sixteen)).permutes);
}

TEST(Negotiate, UnequalBlocks) {
  const auto small = [](Engine& e) { e.block_size = e.kernel_block_size = 8; };
  EXPECT_EQ(met(decode(), source(Layout::lbhnc, small)), "block_sizes_unequal");
  const Verdict literal = meet_proposed(decode(), source(Layout::lbhnc, small), {.match_rules = false});
  EXPECT_EQ(literal.outcome, Outcome::match);  // the RFC's text leaves matching formats as they are
}

// With the hash check off nothing else tells that elements differ; what is not known stays as it is today.
TEST(Negotiate, UnequalElements) {
  const auto off = [](Engine& e) { e.enforce_handshake_compat = false; };
  const auto half = [](Engine& e) { e.dtype = region::Dtype::float16; };
  const EngineSide local = decode(Layout::lbhnc, off);
  const EngineSide remote = source(Layout::lbhnc, half);
  EXPECT_EQ(met(local, remote), "elements_unequal");
  EXPECT_TRUE(meet_today(local, remote).accepted());
  const Verdict unknown =
      negotiate(local, remote.metadata, {.tp_size = 1, .hash_matched = false, .engine = {}});
  EXPECT_TRUE(unknown.accepted()) << to_string(unknown);
}

// Today both run, and the permute spoils the rows that the repack reads.
TEST(Negotiate, NothingIsPermutedBeforeARepack) {
  const auto cpu = [](Engine& e) {
    e.backend = Backend::cpu_attn;
    e.platform = region::Platform::cpu;
    e.enforce_handshake_compat = false;
    e.enable_permute_local_kv = true;
  };
  const EngineSide local = decode(Layout::blhnc, cpu);
  const Attempt today = meet_today(local, source());
  EXPECT_TRUE(today.accepted() && today.worker.permute && today.worker.repack);
  EXPECT_EQ(met(local, source()), "todays_check");
  EXPECT_EQ(met(decode(Layout::lbhnc, cpu), source()), "repack");
}

// T7: one decoder with a standard and a shuffled prefill is right with both, in either order, and a rejection
// leaves nothing behind.
TEST(Negotiate, AcceptanceBelongsToOneRemote) {
  const EngineSide local = converter();
  const EngineSide standard = side(engine_named("standard", tagged), Layout::lbhnc);
  const EngineSide same =
      side(engine_named("same", [](Engine& e) { shuffled(e), tagged(e); }), Layout::lhbnc);
  const EngineSide odd = side(engine_named("odd", tagged), Layout::lbnhc);
  const auto shake = [&](const Acceptances& before, const EngineSide& remote) {
    const std::vector<Reply> replies = {{0, encode(remote.payload())}};
    return handshake_proposed(local, before, replies, remote.engine.engine_id, 1);
  };
  const Acceptances one = shake(shake({}, standard).accepted, same).accepted;
  const Acceptances other = shake(shake({}, same).accepted, standard).accepted;
  EXPECT_EQ(one, other);
  EXPECT_EQ(one.at("standard").outcome, Outcome::convert);
  EXPECT_EQ(one.at("same").outcome, Outcome::match);
  const ProposedAttempt refused = shake(one, odd);
  EXPECT_EQ(refused.verdict.reason, Reason::remote_layout);
  EXPECT_EQ(refused.accepted, one);
  EXPECT_THAT(refused.trace, ElementsAre("decode payload", "hash", "decode metadata", "parallel config",
                                         "engine id", "negotiate", "metadata", "tag present", "tags compared",
                                         "scope: facts", "scope: tag_missing", "scope: remote_not_standard",
                                         "scope: local_not_shuffled", "scope: remote_layout", "rejected"));
  // A second try with what was wrong put right is judged afresh.
  const EngineSide mended = side(engine_named("odd", tagged), Layout::lbhnc);
  EXPECT_EQ(shake(refused.accepted, mended).verdict.outcome, Outcome::convert);
}

TEST(Negotiate, TheExchangeFailsInOrder) {
  const EngineSide local = converter();
  const auto shake = [&](std::vector<std::byte> bytes, const char* id) {
    const std::vector<Reply> replies = {{0, std::move(bytes)}};
    return handshake_proposed(local, {}, replies, id, 1);
  };
  EXPECT_THAT(shake({}, "prefill").verdict.rule, HasSubstr("NixlHandshakePayload"));
  EXPECT_THAT(shake(encode(HandshakePayload{"x", {}}), "prefill").verdict.rule, HasSubstr("hash mismatch"));
  EXPECT_THAT(shake(encode(HandshakePayload{local.hash, {}}), "prefill").verdict.rule,
              HasSubstr("NixlAgentMetadata"));
  EXPECT_THAT(shake(encode(source().payload()), "other").verdict.rule, HasSubstr("engine ID mismatch"));
  EXPECT_TRUE(shake(encode(source().payload()), "prefill").verdict.accepted());
  EXPECT_THAT(handshake_proposed(local, {}, {}, "prefill", 1).accepted, IsEmpty());
}

// The reader trap: 32-token pages and GQA above 16 have no asm kernel once the batch makes the dispatcher
// take asm.
TEST(Negotiate, ReaderTrap) {
  const auto trap = [](const Change& change) {
    return meet_proposed(converter(change), source(Layout::lbhnc, [&](Engine& e) {
                           change(e);
                           e.platform = region::Platform::rocm;
                         }));
  };
  const auto tokens32 = [](Engine& e) { e.block_size = e.kernel_block_size = 32; };
  EXPECT_EQ(asm_batch(converter().engine), 20u);  // 32 query heads, 304 compute units: above batch 19
  const Verdict wide = trap(tokens32);
  EXPECT_EQ(wide.outcome, Outcome::convert);
  ASSERT_EQ(wide.warnings.size(), 1u);
  EXPECT_THAT(wide.warnings[0],
              HasSubstr("no asm kernel reads 32-token pages: decode aborts from batch 20 on"));
  EXPECT_THAT(trap([&](Engine& e) { tokens32(e), e.max_batch = 19; }).warnings, IsEmpty());
  EXPECT_THAT(trap([&](Engine& e) { tokens32(e), e.kernel_path = region::KernelPath::ll4mi; }).warnings,
              IsEmpty());
  EXPECT_THAT(trap([&](Engine& e) { tokens32(e), e.model.head_dim = 64; }).warnings, IsEmpty());
  EXPECT_THAT(trap([&](Engine& e) { tokens32(e), e.model.head_dim = 256; }).warnings, IsEmpty());
  EXPECT_THAT(trap([](Engine& e) { e.model.query_heads = 128; }).warnings, IsEmpty());
  const Verdict gqa = trap([](Engine& e) { e.model.query_heads = 136; });
  ASSERT_EQ(gqa.warnings.size(), 1u);
  EXPECT_THAT(gqa.warnings[0], HasSubstr("GQA ratio of 17"));
  const Verdict strict =
      meet_proposed(converter(tokens32), source(Layout::lbhnc, tokens32), {.strict_reader = true});
  EXPECT_EQ(strict.reason, Reason::reader_trap);
  EXPECT_FALSE(strict.accepted());
  EXPECT_EQ(meet_proposed(converter(), source(), {.strict_reader = true}).outcome, Outcome::convert);
}

TEST(Negotiate, MalformedMetadata) {
  AgentMetadata metadata = source().metadata;
  metadata.block_lens.push_back(1);
  const Verdict verdict =
      negotiate(converter(), metadata, {.tp_size = 1, .hash_matched = true, .engine = {}});
  EXPECT_EQ(verdict.reason, Reason::malformed);
  EXPECT_THAT(verdict.remote, HasSubstr("$.block_lens 3 entries"));
}

TEST(Negotiate, TheKnobsEntryIsTheTable) {
  const std::string entry = knob_entry();
  for (const ReasonFacts& facts : reasons()) {
    const bool listed = entry.find("`" + std::string(facts.name) + "`") != std::string::npos;
    const bool rule = facts.reason >= kFirstConversionReason && facts.reason <= kLastConversionReason;
    EXPECT_EQ(listed, rule) << facts.name;
  }
}

// ---- conversions beside the first version's: only where they are allowed, and only what was allowed

Change cache(const char* dtype) {
  return [dtype](Engine& e) { e.cache_dtype = dtype, e.enforce_handshake_compat = false; };
}

// The same on CUDA, where fp8 is OCP e4m3.
Change cuda_cache(const char* dtype) {
  return [dtype](Engine& e) { cache(dtype)(e), e.platform = region::Platform::cuda; };
}

TEST(Extras, TokensFirstIsAcceptedWhereAllowedAndNowhereElse) {
  const Extras allowed{.tokens_first = true};
  EXPECT_EQ(met(converter(), source(Layout::lbnhc)), "remote_layout") << "the default is as it was";
  const Verdict verdict = meet_proposed(converter(), source(Layout::lbnhc), {.allowed = allowed});
  EXPECT_EQ(verdict.outcome, Outcome::convert) << to_string(verdict);
  EXPECT_EQ(verdict.extras, allowed);
  EXPECT_THAT(to_string(verdict), HasSubstr("with tokens_first"));
  // It needs no extra where the prefill is LBNHC's other, and serves no third layout.
  EXPECT_EQ(meet_proposed(converter(), source(), {.allowed = allowed}).extras, Extras{});
  EXPECT_EQ(meet_proposed(converter(), source(Layout::lhbnc), {.allowed = allowed}).reason,
            Reason::remote_layout);
  EXPECT_EQ(meet_proposed(converter(), source(Layout::lbnhc), {.allowed = {.fp8_rewrite = true}}).reason,
            Reason::remote_layout);
}

TEST(Extras, Fp8RewriteIsForE4m3PagesReadAsFnuz) {
  const Policy allowed{.allowed = {.fp8_rewrite = true}};
  for (const auto& [prefill_dtype, decode_dtype, accepted] :
       {std::tuple{"fp8", "fp8", true}, std::tuple{"fp8_e4m3", "fp8_e4m3", true},
        std::tuple{"fp8_e5m2", "fp8_e5m2", false}, std::tuple{"int8", "int8", false}}) {
    const EngineSide local = converter(cache(decode_dtype)),
                     remote = source(Layout::lbhnc, cuda_cache(prefill_dtype));
    EXPECT_EQ(meet_proposed(local, remote).reason, Reason::dtype_out_of_scope) << prefill_dtype;
    const Verdict verdict = meet_proposed(local, remote, allowed);
    EXPECT_EQ(verdict.accepted(), accepted) << prefill_dtype << ": " << to_string(verdict);
    if (!accepted) continue;
    EXPECT_THAT(verdict.warnings, ElementsAre(HasSubstr("twice the prefill's scales")));
    const EngineSide on_rocm = source(Layout::lbhnc, cache(prefill_dtype));
    EXPECT_EQ(meet_proposed(local, on_rocm, allowed).reason, Reason::dtype_out_of_scope) << "fnuz already";
  }
}

TEST(Extras, FactsDecideWhatIsNeeded) {
  Facts facts{};
  facts.remote.layout = kLayoutHeadsFirst;
  facts.remote.dtype = kDtypeFp8E4m3fn;
  facts.local.dtype = kDtypeFp8E4m3fnuz;
  facts.local.dims = 128;
  const Extras all{true, true};
  EXPECT_EQ(needed(facts, all, false), (Extras{false, true}));
  EXPECT_EQ(needed(facts, {}, false), Extras{});
  facts.local.dims = 120;
  EXPECT_EQ(needed(facts, all, false), Extras{}) << "half a granule";
  facts.local.dims = 128;
  facts.remote.dtype = kDtypeFp8E4m3fnuz;
  EXPECT_EQ(needed(facts, all, false), Extras{}) << "the prefill's codes are fnuz already";
  facts.remote.dtype = kDtypeFp8;
  facts.local.dtype = kDtypeFp8E4m3fn;
  EXPECT_EQ(needed(facts, all, false), Extras{}) << "the decoder reads e4m3";
  facts.local.dtype = kDtypeFp8;
  EXPECT_EQ(needed(facts, all, false), (Extras{false, true}));
  EXPECT_EQ(needed(facts, all, true), Extras{}) << "on ROCm fp8 may be fnuz already";
  facts.remote.dtype = kDtypeFp8E4m3fn;
  EXPECT_EQ(needed(facts, all, true), (Extras{false, true})) << "named, it is known";
}

// A flag lifts one condition: whatever else is wrong is still the reason.
TEST(Extras, EveryOtherRuleStillHolds) {
  const Policy all{.allowed = {true, true}};
  std::size_t checked = 0;
  for (const Case& c : cases()) {
    if (c.reason == Reason::remote_layout || c.reason == Reason::dtype_unequal ||
        c.reason == Reason::dtype_out_of_scope) {
      continue;
    }
    EXPECT_EQ(meet_proposed(c.local, c.remote, all).reason, c.reason) << to_string(c.reason);
    ++checked;
  }
  EXPECT_GT(checked, 15u);
}

TEST(Extras, TheFewestThatServeAreNamed) {
  const auto serve = [](const EngineSide& local, const EngineSide& remote) {
    return extras_that_serve(Extras{}, [&](const Extras& extras) {
      return meet_proposed(local, remote, {.allowed = extras}).accepted();
    });
  };
  EXPECT_EQ(serve(converter(), source(Layout::lbnhc)), (Extras{true, false}));
  EXPECT_EQ(serve(converter(cache("fp8")), source(Layout::lbhnc, cuda_cache("fp8"))), (Extras{false, true}));
  EXPECT_EQ(serve(converter(cache("fp8")), source(Layout::lbnhc, cuda_cache("fp8"))), (Extras{true, true}));
  EXPECT_EQ(serve(converter(), source(Layout::lhbnc)), Extras{});
}

TEST(Extras, NamesAreParsed) {
  EXPECT_EQ(parse_extras("tokens_first,fp8_rewrite", "--allow").value(), (Extras{true, true}));
  EXPECT_EQ(parse_extras("", "--allow").value(), Extras{});
  EXPECT_EQ(parse_extras("nhd", "--allow").error().value, "nhd");
  EXPECT_THAT(names(Extras{true, true}), ElementsAre("tokens_first", "fp8_rewrite"));
}

}  // namespace
}  // namespace pageproof::handshake
