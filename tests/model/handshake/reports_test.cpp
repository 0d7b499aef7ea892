// Public reports about engines and handshakes, each with the kind around it. Those about regions, views and
// the hash stand beside what they concern: P02 and P06 in region/inspect_test, P07 and P18 in
// region/registration_test, P19 in receive_test, P21 in hash_test, P03 in negotiate_test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/handshake/negotiate.hpp"
#include "model/handshake/receive.hpp"
#include "model/page/format.hpp"
#include "tests/model/handshake/sides.hpp"

namespace pageproof::handshake {
namespace {

using testing::HasSubstr;

// P01 (vllm #22663, #22745): 8 heads, D = 128, 16 tokens, prefill TP 1, decode TP 2, LBNHC. Cutting a rank's
// heads as bytes would give rank 1 tokens 8 to 15 of all heads.
TEST(Reports, P01HeadsAreNotOutsideTokens) {
  for (const std::uint64_t rank : {0, 1}) {
    const auto tp2 = [&](Engine& e) { e.tp_size = 2, e.tp_rank = rank; };
    const EngineSide local = decode(Layout::lbnhc, tp2);
    const EngineSide remote = prefill(Layout::lbnhc);
    const Attempt attempt = meet_today(local, remote);
    EXPECT_EQ(verdict(attempt), "check 12 RuntimeError");
    EXPECT_THAT(attempt.rejection->message, HasSubstr("requires contiguous heads"));
    EXPECT_FALSE(meet_proposed(local, remote).accepted());
    // What it would have read: the bytes of the slice, as places in the remote's [N, H, 2D] block.
    const auto read = planned_read(local, {{0, remote.metadata}}, 1, {{0}}, {{0}}, false, false);
    const Copy& copy = read->copies.front();
    const std::uint64_t row = 2 * 128 * 2;
    const std::uint64_t first = (copy.remote - remote.registration.regions[0].base) / row;
    const std::uint64_t last = first + copy.bytes / row - 1;
    EXPECT_EQ(first / 8, rank * 8);  // token
    EXPECT_EQ(last / 8, rank * 8 + 7);
    EXPECT_EQ(first % 8, 0u);  // all heads
    EXPECT_EQ(last % 8, 7u);
  }
}

// The kind: whatever the head count, ranks and direction, a layout with tokens outside heads is refused under
// unequal TP unless every rank holds whole copies, and never with equal TP.
TEST(Reports, P01Kind) {
  for (const Layout layout : region::kLayouts) {
    for (const auto& [local_tp, remote_tp] : {std::pair{2, 1}, {1, 2}, {4, 2}, {2, 8}, {2, 2}}) {
      const auto local_change = [&](Engine& e) { e.tp_size = static_cast<std::uint64_t>(local_tp); };
      const auto remote_change = [&](Engine& e) { e.tp_size = static_cast<std::uint64_t>(remote_tp); };
      const bool refused =
          !meet_today(decode(layout, local_change), prefill(layout, remote_change)).accepted();
      EXPECT_EQ(refused, local_tp != remote_tp && !is_block_contiguous(layout))
          << to_string(layout) << local_tp << remote_tp;
    }
  }
}

// P08 (vllm #33759): shuffled pages written, LBNHC pages read.
TEST(Reports, P08ReadAndWriteFormatsDiffer) {
  const auto shuffle = [](Engine& e) { e.shuffle = true; };
  const EngineSide local = decode(Layout::lbnhc, [](Engine& e) { e.backend = Backend::triton_attn; });
  const EngineSide remote =
      prefill(Layout::lbhnc, [&](Engine& e) { shuffle(e), e.announces_page_format = true; });
  const Verdict verdict =
      negotiate(local, remote.metadata, {.tp_size = 1, .hash_matched = true, .engine = remote.engine});
  EXPECT_FALSE(verdict.accepted());
  const Engine enabled = engine_named("decode", [](Engine& e) {
    e.backend = Backend::triton_attn;
    e.convert_page_format = true;
  });
  const Verdict named = negotiate(side(enabled, Layout::lbnhc), remote.metadata,
                                  {.tp_size = 1, .hash_matched = true, .engine = remote.engine});
  EXPECT_EQ(named.reason, Reason::remote_not_standard);
  EXPECT_EQ(named.remote, "aiter-shuffled");
  // And the formats do differ: an element of the report's shape lies elsewhere in the two.
  const Shape shape{8, 16, 128, 2};
  const Coordinate element{.block = 0, .side = Side::key, .head = 0, .token = 1, .dim = 0};
  EXPECT_NE(page::locate(**page::find_format("standard"), shape, element).byte,
            page::locate(**page::find_format("aiter-shuffled"), shape, element).byte);
}

// P16 (vllm #45330, #45879): 8 KV heads, prefill TP 8, decode TP 16, slots of 4096 B, 16 tokens: equal
// block_len of 65,536 B is right, for the heads are replicated. Control: 32 heads, decode TP 4, prefill TP 2,
// equal lengths.
TEST(Reports, P16ReplicatedHeads) {
  const auto shape = [](std::uint64_t heads, std::uint64_t tp) {
    return [=](Engine& e) {
      e.model.kv_heads = e.model.query_heads = heads;
      e.model.head_dim = 1024;  // 2 · 1024 · 2 B = 4096 B a (token, head)
      e.tp_size = tp;
    };
  };
  const EngineSide local = decode(Layout::lbhnc, shape(8, 16));
  const EngineSide remote = prefill(Layout::lbhnc, shape(8, 8));
  EXPECT_EQ(local.metadata.block_lens[0], 65536u);
  EXPECT_EQ(remote.metadata.block_lens[0], 65536u);
  EXPECT_EQ(verdict(meet_today(local, remote)), "accepted");

  const EngineSide control = decode(Layout::lbhnc, shape(32, 4));
  AgentMetadata equal = prefill(Layout::lbhnc, shape(32, 2)).metadata;
  Worker fresh;
  EXPECT_FALSE(add_remote_agent(control, fresh, equal, 0, 2).has_value());
  equal.block_lens = control.metadata.block_lens;
  Worker worker;
  const auto rejection = add_remote_agent(control, worker, equal, 0, 2);
  ASSERT_TRUE(rejection.has_value());
  EXPECT_EQ(rejection->check, 14u);
  EXPECT_EQ(rejection->exception, Exception::assertion_error);
}

TEST(Reports, P16Kind) {
  // Engines of one model always have lengths that fit, for every pair of sizes that divide; check 5 alone
  // refuses.
  for (const std::uint64_t heads : {1, 2, 4, 8, 32}) {
    for (const std::uint64_t local_tp : {1, 2, 4, 8, 16}) {
      for (const std::uint64_t remote_tp : {1, 2, 4, 8, 16}) {
        const auto shape = [&](std::uint64_t tp) {
          return [=](Engine& e) {
            e.model.kv_heads = heads;
            e.tp_size = tp;
          };
        };
        const Attempt attempt =
            meet_today(decode(Layout::lbhnc, shape(local_tp)), prefill(Layout::lbhnc, shape(remote_tp)));
        const bool gathers_replicas = remote_tp > local_tp && remote_tp > heads;
        EXPECT_EQ(verdict(attempt), gathers_replicas ? "check 5 AssertionError" : "accepted")
            << heads << " " << local_tp << " " << remote_tp;
      }
    }
  }
}

// P17 (vllm #52516), the handshake's part: 4 heads, prefill TP 8, decode TP 1 is refused by check 5.
TEST(Reports, P17MoreRanksThanHeads) {
  const auto shape = [](std::uint64_t tp) {
    return [=](Engine& e) {
      e.model.kv_heads = 4;
      e.tp_size = tp;
    };
  };
  EXPECT_EQ(verdict(meet_today(decode(Layout::lbhnc, shape(1)), prefill(Layout::lbhnc, shape(8)))),
            "check 5 AssertionError");
}

// P21's kind: whichever factor differs, today's handshake stops at the hash, and only there.
TEST(Reports, P21Kind) {
  const std::vector<std::function<void(Engine&)>> factors = {
      [](Engine& e) { e.hma = true; },
      [](Engine& e) { e.vllm_version = "0.31.0"; },
      [](Engine& e) { e.connector_version = 11; },
      [](Engine& e) { e.model.name = "other"; },
      [](Engine& e) { e.cache_dtype = "bfloat16"; },
      [](Engine& e) { e.transfer_mode = region::TransferMode::push; },
  };
  for (const auto& change : factors) {
    EXPECT_EQ(verdict(meet_today(decode(), prefill(Layout::lbhnc, change))), "hash RuntimeError");
    const auto unenforced = [](Engine& e) { e.enforce_handshake_compat = false; };
    EXPECT_EQ(verdict(meet_today(decode(Layout::lbhnc, unenforced), prefill(Layout::lbhnc, change))),
              "accepted");
    // It is the decoder's setting that counts.
    const auto both = [&](Engine& e) { change(e), unenforced(e); };
    EXPECT_EQ(verdict(meet_today(decode(), prefill(Layout::lbhnc, both))), "hash RuntimeError");
  }
}

}  // namespace
}  // namespace pageproof::handshake
