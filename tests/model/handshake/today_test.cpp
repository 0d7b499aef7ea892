// Today's handshake: the pairs of the connector spec §9 with the verdicts that it states, the order of the
// steps, and what a failed validation leaves behind (traps T7, T8).
#include "model/handshake/today.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/handshake/wire.hpp"
#include "tests/model/handshake/bytes.hpp"
#include "tests/model/handshake/sides.hpp"

namespace pageproof::handshake {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Reply reply_of(const EngineSide& remote, std::uint64_t rank = 0) {
  return {rank, encode(remote.payload())};
}

Attempt shake(const EngineSide& local, const Worker& worker, const EngineSide& remote) {
  const std::vector<Reply> replies = {reply_of(remote)};
  return handshake_today(local, worker, replies, remote.engine.engine_id, remote.engine.tp_size);
}

void permuting(Engine& engine) {
  engine.enable_permute_local_kv = true;
}
void two_heads(Engine& engine) {
  engine.model.kv_heads = 2;
}

struct Row {
  const char* name;
  EngineSide prefill;
  EngineSide decode;
  const char* verdict;
};

// Spec §9: what today's code does with the RFC's pairs. Whether the bytes are then right is decided
// elsewhere.
TEST(Today, TheTableOfPairs) {
  const auto tp2 = [](Engine& e) { e.tp_size = 2; };
  const auto shuffled_tp2 = [](Engine& e) {
    e.shuffle = true;
    e.tp_size = 2;
  };
  const auto cuda = [](Engine& e) { e.backend = Backend::flash_attn; };
  const auto unified = [](Engine& e) { e.backend = Backend::rocm_aiter_unified_attn; };
  const auto unenforced = [](Engine& e) { e.enforce_handshake_compat = false; };
  const auto shuffled_two = [](Engine& e) {
    e.shuffle = true;
    e.model.kv_heads = 2;
  };
  const auto shuffled_permuting = [](Engine& e) {
    e.shuffle = true;
    e.enable_permute_local_kv = true;
  };
  const std::vector<Row> rows = {
      {"standard to shuffled, both LBHNC", prefill(), decode(Layout::lbhnc, shuffled), "accepted"},
      {"shuffled to standard, both LBHNC", prefill(Layout::lbhnc, shuffled), decode(), "accepted"},
      {"standard LBHNC to shuffled LHBNC", prefill(), decode(Layout::lhbnc, shuffled),
       "check 10 RuntimeError"},
      {"the same, permuting", prefill(), decode(Layout::lhbnc, shuffled_permuting),
       "check 14 AssertionError"},
      {"standard to shuffled, both LHBNC, 8 heads", prefill(Layout::lhbnc), decode(Layout::lhbnc, shuffled),
       "check 14 AssertionError"},
      {"standard to shuffled, both LHBNC, 2 heads", prefill(Layout::lhbnc, two_heads),
       decode(Layout::lhbnc, shuffled_two), "accepted"},
      {"shuffled LHBNC to shuffled LHBNC", prefill(Layout::lhbnc, shuffled), decode(Layout::lhbnc, shuffled),
       "accepted"},
      {"shuffled LBHNC, decode TP 2", prefill(Layout::lbhnc, shuffled), decode(Layout::lbhnc, shuffled_tp2),
       "accepted"},
      {"shuffled LBHNC, prefill TP 2", prefill(Layout::lbhnc, shuffled_tp2), decode(Layout::lbhnc, shuffled),
       "accepted"},
      {"shuffled LHBNC, decode TP 2", prefill(Layout::lhbnc, shuffled), decode(Layout::lhbnc, shuffled_tp2),
       "check 12 RuntimeError"},
      {"shuffled LHBNC, prefill TP 2", prefill(Layout::lhbnc, shuffled_tp2), decode(Layout::lhbnc, shuffled),
       "check 12 RuntimeError"},
      {"AITER unified to AITER FA", prefill(Layout::lbhnc, unified), decode(), "hash RuntimeError"},
      {"the same, hash not enforced", prefill(Layout::lbhnc, unified), decode(Layout::lbhnc, unenforced),
       "accepted"},
      {"CUDA FlashAttention to AITER FA", prefill(Layout::lbhnc, cuda), decode(), "accepted"},
      {"CUDA FlashAttention to shuffled AITER FA", prefill(Layout::lbhnc, cuda),
       decode(Layout::lbhnc, shuffled), "accepted"},
      {"standard, decode TP 2", prefill(), decode(Layout::lbhnc, tp2), "accepted"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(verdict(meet_today(row.decode, row.prefill)), row.verdict) << row.name;
    if (row.prefill.engine.tp_size == 1) {
      EXPECT_EQ(verdict(shake(row.decode, {}, row.prefill)), row.verdict) << row.name;
    }
  }
}

// Each numbered check has a pair that reaches it and fails there.
struct Reached {
  std::uint32_t check;
  const char* exception;
  std::function<void(Engine&)> local;
  std::function<void(AgentMetadata&)> remote;
  Layout layout = Layout::lbhnc;
  std::uint64_t remote_tp = 1;
};

const std::function<void(Engine&)> kNoChange = [](Engine&) {};

std::vector<Reached> reached() {
  const auto latent = [](Engine& e) {
    e.model.latent = true;
    e.model.kv_heads = 1;
    e.model.draft_kv_heads = 4;
    e.tp_size = 2;
  };
  const auto none = [](AgentMetadata&) {};
  const auto mamba = [](Engine& e) { e.model.mamba = true; };
  const auto groups = [](Engine& e) {
    e.hma = true;
    e.model.groups = 2;
  };
  return {
      {2, "AssertionError", [](Engine& e) { e.dcp_size = 2; }, [](AgentMetadata& m) { m.dcp_size = 3; }},
      {3, "RuntimeError", mamba, [](AgentMetadata& m) { m.dcp_size = 2; }},
      {5, "AssertionError", [](Engine& e) { e.model.kv_heads = 4; }, none, Layout::lbhnc, 8},
      {6, "NotImplementedError", [=](Engine& e) { latent(e), e.transfer_mode = region::TransferMode::push; },
       none},
      {7, "NotImplementedError", [](Engine& e) { e.dcp_size = 2; },
       [](AgentMetadata& m) {
         m.region_group_ids = {{-1, -1}};
         m.physical_blocks_per_logical_kv_block = 2;
       }},
      {8, "RuntimeError", mamba, [](AgentMetadata& m) { m.physical_blocks_per_logical_kv_block = 2; }},
      {9, "AssertionError", [](Engine& e) { e.memory = region::MemoryType::dram; },
       [](AgentMetadata& m) { m.block_size = 8; }},
      {10, "RuntimeError", kNoChange, [](AgentMetadata& m) { m.kv_cache_layout = "LBNHC"; }},
      {10, "RuntimeError", kNoChange, [](AgentMetadata& m) { m.kv_cache_layout = "HND"; }},
      {10, "AssertionError", [=](Engine& e) { groups(e), permuting(e); }, none, Layout::lbnhc},
      {11, "RuntimeError", [=](Engine& e) { groups(e), e.backend = Backend::cpu_attn; }, none},
      {12, "RuntimeError", [](Engine& e) { e.tp_size = 2; },
       [](AgentMetadata& m) { m.kv_cache_layout = "LBNHC"; }, Layout::lbnhc},
      {13, "RuntimeError", latent, [](AgentMetadata& m) { m.kv_cache_layout = "LBNHC"; }},
      {14, "AssertionError", kNoChange, [](AgentMetadata& m) { m.block_lens[1] -= 1; }},
      {14, "AssertionError", kNoChange, [](AgentMetadata& m) { m.block_lens.pop_back(); }},
      {16, "AssertionError", kNoChange, [](AgentMetadata& m) { m.kv_caches_base_addr.pop_back(); }},
      {17, "AssertionError", kNoChange, [](AgentMetadata& m) { m.region_num_blocks->pop_back(); }},
      {17, "AssertionError", kNoChange, [](AgentMetadata& m) { m.block_strides->pop_back(); }},
      {17, "AssertionError", kNoChange, [](AgentMetadata& m) { m.region_mem_types->push_back("VRAM"); }},
      {18, "AssertionError", kNoChange, [](AgentMetadata& m) { m.block_strides->back() -= 1; }},
      {19, "AssertionError", kNoChange,
       [](AgentMetadata& m) { std::swap(m.region_names->at(0), m.region_names->at(1)); }},
      {19, "AssertionError", kNoChange, [](AgentMetadata& m) { m.region_names->pop_back(); }},
  };
}

TEST(Today, EveryCheckIsReached) {
  std::set<std::uint32_t> seen = {
      1, 4, 15};  // their pairs stand below: they need a worker that met the engine before
  for (const Reached& row : reached()) {
    const Engine local = engine_named("decode", row.local);
    AgentMetadata metadata = prefill().metadata;
    if (row.layout != Layout::lbhnc || local.tp_size != 1 || row.check == 6) {
      metadata.block_lens = side(local, row.layout).metadata.block_lens;
    }
    row.remote(metadata);
    Worker worker;
    const auto rejection = add_remote_agent(side(local, row.layout), worker, metadata, 0, row.remote_tp);
    ASSERT_TRUE(rejection.has_value()) << row.check;
    EXPECT_EQ(rejection->check, row.check) << to_string(*rejection);
    EXPECT_EQ(to_string(rejection->exception), row.exception) << to_string(*rejection);
    EXPECT_FALSE(rejection->change.empty());
    seen.insert(rejection->check);
  }
  EXPECT_EQ(seen.size(), 19u);
}

TEST(Today, StepsInOrder) {
  const Attempt attempt = shake(decode(), {}, prefill());
  std::vector<std::string> steps = {"decode payload",  "hash",      "decode metadata",
                                    "parallel config", "engine id", "add_remote_agent"};
  for (int i : {0, 2, 3, 4, 5, 6, 7, 8, 9}) steps.push_back("A" + std::to_string(i));
  for (int i = 1; i <= 19; ++i) steps.push_back("check " + std::to_string(i));
  for (int i : {10, 11, 12}) steps.push_back("A" + std::to_string(i));
  steps.insert(steps.end(), {"next reply", "further rank", "remember ranks", "ready"});
  EXPECT_EQ(attempt.trace, steps);
  EXPECT_TRUE(attempt.accepted());
  EXPECT_THAT(attempt.worker.remotes.at("prefill").ready, ElementsAre(0));
  // Again: the cached agent is answered, nothing is done.
  const Attempt again = shake(decode(), attempt.worker, prefill());
  EXPECT_THAT(again.trace, Contains("A0"));
  EXPECT_THAT(again.trace, testing::Not(Contains("A2")));
  EXPECT_EQ(again.worker, attempt.worker);
}

// Two-phase decode: with another hash the metadata is never looked at; with the check off its damage is found
// next.
TEST(Today, TheHashComesBeforeTheMetadata) {
  const HandshakePayload broken{"0000", hex("c1")};
  const std::vector<Reply> replies = {{0, encode(broken)}};
  const Attempt refused = handshake_today(decode(), {}, replies, "prefill", 1);
  EXPECT_EQ(verdict(refused), "hash RuntimeError");
  EXPECT_THAT(refused.trace, ElementsAre("decode payload", "hash", "rejected"));
  EXPECT_EQ(refused.worker, Worker{});
  const auto unenforced = [](Engine& e) { e.enforce_handshake_compat = false; };
  const Attempt later = handshake_today(decode(Layout::lbhnc, unenforced), {}, replies, "prefill", 1);
  EXPECT_EQ(verdict(later), "decode metadata RuntimeError");
  EXPECT_THAT(later.rejection->message, HasSubstr("Failed to decode NixlAgentMetadata"));
}

TEST(Today, RepliesThatAreNoPayload) {
  for (const char* bytes : {"", "c0", "80", "91 91", "81 a1 61 01"}) {
    const std::vector<Reply> replies = {{0, hex(bytes)}};
    const Attempt attempt = handshake_today(decode(), {}, replies, "prefill", 1);
    EXPECT_EQ(verdict(attempt), "decode payload RuntimeError") << bytes;
    EXPECT_EQ(attempt.worker, Worker{});
  }
}

TEST(Today, EngineIdsAreCompared) {
  const std::vector<Reply> replies = {reply_of(prefill())};
  const Attempt attempt = handshake_today(decode(), {}, replies, "another", 1);
  EXPECT_EQ(verdict(attempt), "engine id RuntimeError");
  EXPECT_EQ(attempt.worker, Worker{});
  EXPECT_EQ(verdict(shake(decode(), {}, decode())), "A2 AssertionError");
}

TEST(Today, ContextParallelKinds) {
  const auto remote = prefill(Layout::lbhnc, [](Engine& e) { e.pcp_size = 4, e.dcp_size = 2; });
  EXPECT_EQ(verdict(shake(decode(), {}, remote)), "parallel config NotImplementedError");
  const auto replicated = prefill(Layout::lbhnc, [](Engine& e) { e.pcp_size = 2; });
  const auto sharded = [](Engine& e) { e.dcp_size = 2; };
  EXPECT_EQ(verdict(shake(decode(Layout::lbhnc, sharded), {}, replicated)),
            "parallel config NotImplementedError");
}

TEST(Today, SizesThatDoNotDivideFailBeforeTheChecks) {
  const Engine local = engine_named("decode", [](Engine& e) { e.tp_size = 2; });
  Worker worker;
  EXPECT_EQ(add_remote_agent(side(local), worker, prefill().metadata, 0, 3)->at, "A3");
  EXPECT_THAT(worker.remotes.at("prefill").loaded_agents, IsEmpty());

  AgentMetadata larger_blocks = prefill().metadata;
  larger_blocks.block_size = 32;
  Worker second;
  EXPECT_EQ(add_remote_agent(decode(), second, larger_blocks, 0, 1)->at, "A6");
  EXPECT_THAT(second.remotes.at("prefill").loaded_agents, ElementsAre(0));
  EXPECT_FALSE(second.remotes.at("prefill").num_blocks.has_value());
}

TEST(Today, MixedMemoryFailsLast) {
  AgentMetadata metadata = prefill().metadata;
  metadata.region_mem_types = {{"VRAM", "DRAM"}};
  Worker worker;
  const auto rejection = add_remote_agent(decode(), worker, metadata, 0, 1);
  EXPECT_EQ(rejection->at, "A12");
  EXPECT_EQ(rejection->exception, Exception::not_implemented_error);
}

// Block sizes that divide are accepted, with a descriptor list of its own (A10); more prefill ranks split it
// (A11).
TEST(Today, HandlesOfUnequalSizes) {
  const auto small_blocks = prefill(Layout::lbhnc, [](Engine& e) { e.block_size = e.kernel_block_size = 8; });
  const Attempt ratio = meet_today(decode(), small_blocks);
  EXPECT_EQ(verdict(ratio), "accepted");
  EXPECT_THAT(ratio.worker.local_handles, ElementsAre(8));
  const auto tp4 = prefill(Layout::lbhnc, [](Engine& e) { e.tp_size = 4; });
  const Attempt split = meet_today(decode(), tp4);
  EXPECT_EQ(verdict(split), "accepted");
  EXPECT_THAT(split.worker.split_handles, ElementsAre(std::pair{-4, 16}));
  EXPECT_THAT(split.worker.remotes.at("prefill").remote_handles, ElementsAre(0, 1, 2, 3));
}

// T7: the permute flag is set by a check that passes, stays when a later check fails, and then holds for
// every remote, also for one whose pages need no permuting.
TEST(Today, ThePermuteFlagSticks) {
  const auto shuffled_permuting = [](Engine& e) {
    e.shuffle = true;
    e.enable_permute_local_kv = true;
  };
  const EngineSide local = decode(Layout::lhbnc, shuffled_permuting);
  const Attempt failed = shake(local, {}, prefill());
  EXPECT_EQ(verdict(failed), "check 14 AssertionError");
  EXPECT_TRUE(failed.worker.permute);  // T10: though the local layout is not LBNHC
  const EngineSide second = side(engine_named("second", shuffled), Layout::lhbnc);
  const Attempt matching = shake(local, failed.worker, second);
  EXPECT_EQ(verdict(matching), "accepted");
  EXPECT_TRUE(matching.worker.permute);
  EXPECT_FALSE(shake(local, {}, second).worker.permute);
}

// One permuted remote first, a matching one second, or the other way round: the flag is on for both.
TEST(Today, OneRemoteDecidesForAll) {
  const EngineSide local = decode(Layout::lbnhc, permuting);
  const EngineSide heads_first = side(engine_named("a"), Layout::lbhnc);
  const EngineSide same = side(engine_named("b"), Layout::lbnhc);
  const Worker one = shake(local, shake(local, {}, heads_first).worker, same).worker;
  const Worker other = shake(local, shake(local, {}, same).worker, heads_first).worker;
  EXPECT_TRUE(one.permute);
  EXPECT_TRUE(other.permute);
  EXPECT_FALSE(shake(local, {}, same).worker.permute);
}

// With the flag on, check 12 lets a layout pass that it would refuse otherwise.
TEST(Today, TheFlagOpensCheck12) {
  const EngineSide local = decode(Layout::lbnhc, [](Engine& e) {
    e.enable_permute_local_kv = true;
    e.tp_size = 2;
  });
  const EngineSide heads_first = side(engine_named("a"), Layout::lbhnc);
  const EngineSide same = side(engine_named("b"), Layout::lbnhc);
  EXPECT_EQ(verdict(shake(local, {}, same)), "check 12 RuntimeError");
  EXPECT_EQ(verdict(shake(local, shake(local, {}, heads_first).worker, same)), "accepted");
}

// T8: nothing is rolled back. A prefill that comes back under its id with other sizes is refused by what was
// left.
TEST(Today, AFailedValidationLeavesItsTraces) {
  EngineSide remote = prefill(Layout::lbnhc);
  const Attempt failed = shake(decode(), {}, remote);
  EXPECT_EQ(verdict(failed), "check 10 RuntimeError");
  const RemoteEngine& left = failed.worker.remotes.at("prefill");
  EXPECT_TRUE(left.topology && left.mapping && left.num_blocks);
  EXPECT_THAT(left.loaded_agents, ElementsAre(0));
  EXPECT_THAT(left.bases, testing::SizeIs(1));
  EXPECT_THAT(left.ready, IsEmpty());  // no acceptance leaks
  EXPECT_THAT(left.remote_handles, IsEmpty());

  // Now with the right layout, but more blocks: check 15, for ever.
  const EngineSide more = prefill(Layout::lbhnc, [](Engine& e) { e.num_blocks = 2000; });
  EXPECT_EQ(verdict(shake(decode(), {}, more)), "accepted");
  Attempt again = shake(decode(), failed.worker, more);
  EXPECT_EQ(verdict(again), "check 15 AssertionError");
  ASSERT_FALSE(again.accepted());
  EXPECT_EQ(again.rejection->local, "1024");
  EXPECT_EQ(again.rejection->remote, "2000");
  EXPECT_EQ(verdict(shake(decode(), again.worker, more)), "check 15 AssertionError");

  // With another TP size: check 1.
  Worker worker = failed.worker;
  EXPECT_EQ(add_remote_agent(decode(), worker, prefill().metadata, 0, 2)->check, 1u);

  // Check 4 is reached only this way: the first attempt's block size wins in A6.
  AgentMetadata odd = prefill().metadata;
  odd.block_size = 32;
  EXPECT_EQ(add_remote_agent(decode(), worker, odd, 0, 1)->check, 4u);
}

// A later rank's failure fails the whole job, though the earlier ranks were added.
TEST(Today, AllRanksOrNone) {
  const EngineSide remote = prefill(Layout::lbhnc, [](Engine& e) { e.tp_size = 2; });
  EngineSide odd = remote;
  odd.metadata.num_blocks = 5;
  const std::vector<Reply> replies = {reply_of(remote, 0), reply_of(odd, 1)};
  const Attempt attempt = handshake_today(decode(), {}, replies, "prefill", 2);
  EXPECT_EQ(verdict(attempt), "check 15 AssertionError");
  EXPECT_THAT(attempt.worker.remotes.at("prefill").remote_handles, ElementsAre(0));
  EXPECT_THAT(attempt.worker.remotes.at("prefill").ready, IsEmpty());
}

// The two versions: S0 says HND, has no names to compare, and knows one layout whose heads are contiguous.
TEST(Today, S0) {
  const auto old = [](Engine& e) {
    e.behaviour = region::Behaviour::s0;
    e.connector_version = 7;
  };
  EXPECT_EQ(verdict(shake(decode(Layout::lbhnc, old), {}, prefill(Layout::lbhnc, old))), "accepted");
  EXPECT_EQ(verdict(shake(decode(Layout::lbhnc, old), {}, prefill(Layout::lbnhc, old))),
            "check 10 RuntimeError");
  const auto permuting_old = [&](Engine& e) { old(e), permuting(e); };
  const Attempt permuted = shake(decode(Layout::lbnhc, permuting_old), {}, prefill(Layout::lbhnc, old));
  EXPECT_EQ(verdict(permuted), "accepted");
  EXPECT_TRUE(permuted.worker.permute);
  const auto old_tp2 = [&](Engine& e) { old(e), e.tp_size = 2; };
  EXPECT_EQ(verdict(shake(decode(Layout::lbnhc, old_tp2), {}, prefill(Layout::lbnhc, old))),
            "check 12 RuntimeError");
  EngineSide renamed = prefill(Layout::lbhnc, old);
  renamed.metadata.region_names = {"x", "y"};
  EXPECT_EQ(verdict(shake(decode(Layout::lbhnc, old), {}, renamed)), "accepted");
  EXPECT_EQ(verdict(shake(decode(), {}, prefill(Layout::lbhnc, old))), "hash RuntimeError");
}

// T9: the text says heterogeneous TP, also where TP is equal.
TEST(Today, TheLayoutMessageNamesTheWrongCause) {
  const Attempt attempt = shake(decode(), {}, prefill(Layout::lbnhc));
  EXPECT_THAT(attempt.rejection->message, HasSubstr("Heterogeneous TP expects same kv_cache_layout"));
  EXPECT_EQ(attempt.rejection->local, "LBHNC");
  EXPECT_EQ(attempt.rejection->remote, "LBNHC");
}

TEST(Today, LengthsScaleWithHeads) {
  EXPECT_TRUE(lengths_fit(1024, 2048, {.local_tp = 4, .remote_tp = 2, .kv_heads = 8}));
  EXPECT_FALSE(lengths_fit(1024, 1024, {.local_tp = 4, .remote_tp = 2, .kv_heads = 8}));
  EXPECT_TRUE(lengths_fit(2048, 1024, {.local_tp = 2, .remote_tp = 4, .kv_heads = 8}));
  EXPECT_FALSE(lengths_fit(4096, 1024, {.local_tp = 2, .remote_tp = 4, .kv_heads = 8, .ratio = 2}));
  EXPECT_TRUE(lengths_fit(4096, 4096, {.local_tp = 4, .remote_tp = 2, .kv_heads = 8, .ratio = 2}));
  EXPECT_TRUE(lengths_fit(4096, 2048, {.local_tp = 9, .remote_tp = 1, .replicated = true, .ratio = 2}));
  EXPECT_FALSE(lengths_fit(UINT64_MAX, UINT64_MAX, {.local_tp = 4, .remote_tp = 2, .kv_heads = 8}));
}

}  // namespace
}  // namespace pageproof::handshake
