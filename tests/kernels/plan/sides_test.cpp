// What is no pair, or only half told: files of other ranks than those that are read, captures that the RFC's
// handshake would refuse, pages that no copy brings over, lists that no region serves.
#include "reports/plan/sides.hpp"

#include <gmock/gmock.h>

#include "model/handshake/document.hpp"
#include "tests/kernels/plan/sides.hpp"
#include "tests/model/handshake/sides.hpp"

namespace pageproof::plan {
namespace {

using handshake::AgentMetadata;
using handshake::Layout;
using reports::PlanParty;
using testing::Contains;
using testing::HasSubstr;

PlanParty told(const std::string& id, const std::function<void(region::Engine&)>& change,
               Layout layout = Layout::lbhnc) {
  return {handshake::side(handshake::engine_named(id, change), layout), true};
}

PlanParty captured(const PlanParty& party, const std::function<void(AgentMetadata&)>& change = {}) {
  AgentMetadata metadata = party.side.metadata;
  if (change) change(metadata);
  auto side = handshake::side_of_capture(
      metadata, std::nullopt,
      {.tp_size = party.side.engine.tp_size, .kv_heads = party.side.engine.model.kv_heads}, "capture");
  EXPECT_TRUE(side.has_value()) << to_string(side.error());
  return {*std::move(side), false};
}

std::string said_of(const Expected<reports::PlannedPair>& pair) {
  return pair ? "planned" : to_string(pair.error());
}

std::string said_of(const PlanParty& local, const std::vector<PlanParty>& remotes) {
  return said_of(reports::plan_pair(local, remotes, {{0}}, {{0}}, std::nullopt));
}

std::vector<std::string> notes_of(const PlanParty& local, const PlanParty& remote) {
  const auto pair = reports::plan_pair(local, {&remote, 1}, {{0}}, {{0, 1}}, std::nullopt);
  EXPECT_TRUE(pair.has_value()) << to_string(pair.error());
  return pair ? pair->notes : std::vector<std::string>{};
}

std::function<void(region::Engine&)> rank_of(std::uint64_t size, std::uint64_t rank,
                                             const std::function<void(region::Engine&)>& change = {}) {
  return [=](region::Engine& e) {
    e.tp_size = size;
    e.tp_rank = rank;
    e.announces_page_format = true;
    if (change) change(e);
  };
}

TEST(PlanRemotes, EachFileIsOfTheRankThatIsRead) {
  const auto local = told("decode", rank_of(1, 0));
  const auto first = told("prefill", rank_of(2, 0)), second = told("prefill", rank_of(2, 1));
  EXPECT_EQ(said_of(local, {first, second}), "planned");
  EXPECT_THAT(said_of(local, {second, first}), HasSubstr("REMOTE: tp_rank: 1: rank 0 is read here"));
  EXPECT_THAT(said_of(local, {first, first}), HasSubstr("REMOTE: tp_rank: 0: rank 1 is read here"));
  EXPECT_EQ(said_of(local, {first}), "planned");   // one for all
  EXPECT_EQ(said_of(local, {second}), "planned");  // whichever it is of
  const auto half = told("decode", rank_of(2, 0)), other = told("decode", rank_of(2, 1));
  EXPECT_EQ(said_of(half, {first}), "planned");
  EXPECT_THAT(said_of(half, {second}), HasSubstr("rank 0 is read here"));
  EXPECT_THAT(said_of(other, {first}), HasSubstr("rank 1 is read here"));
  // One file for two of four ranks, and of none of them.
  EXPECT_EQ(said_of(half, {told("prefill", rank_of(4, 1))}), "planned");
  EXPECT_THAT(said_of(half, {told("prefill", rank_of(4, 2))}),
              HasSubstr("tp_rank: 2: ranks 0 to 1 are read"));
}

TEST(PlanRemotes, FilesAreOfOneEngine) {
  const auto local = told("decode", rank_of(1, 0));
  const auto first = told("prefill", rank_of(2, 0));
  const auto with = [&](const std::function<void(region::Engine&)>& change, const std::string& id = "prefill",
                        Layout layout = Layout::lbhnc) {
    return said_of(local, {first, told(id, rank_of(2, 1, change), layout)});
  };
  EXPECT_EQ(with([](region::Engine& e) { e.base_address = 4096; }), "planned");
  EXPECT_THAT(with({}, "another"), HasSubstr("engine_id"));
  EXPECT_THAT(with([](region::Engine& e) { e.shuffle = true; }), HasSubstr("page format"));
  EXPECT_THAT(with([](region::Engine& e) { e.block_size = 32; }),
              HasSubstr("physical_blocks_per_logical_kv_block"));
  EXPECT_THAT(with([](region::Engine& e) { e.tp_size = 4; }), HasSubstr("tp_size"));
  EXPECT_THAT(with([](region::Engine& e) {
                e.block_size = e.kernel_block_size = 32;
                e.model.kv_heads = 4;
              }),
              HasSubstr("block_size"));
  EXPECT_THAT(with([](region::Engine& e) {
                e.model.kv_heads = 4;
                e.model.head_dim = 256;
              }),
              HasSubstr("model"));
  EXPECT_THAT(with([](region::Engine& e) { e.dtype = region::Dtype::float16; }), HasSubstr("dtype"));
  EXPECT_THAT(with({}, "prefill", Layout::lbnhc), HasSubstr("kv_cache_layout"));
}

TEST(PlanRemotes, OneCaptureIsNotTwoRanks) {
  const auto local = told("decode", rank_of(1, 0));
  const auto first = captured(told("prefill", rank_of(2, 0)));
  const auto second = captured(told("prefill", rank_of(2, 1)), [](AgentMetadata& m) { m.device_id = 1; });
  EXPECT_EQ(said_of(local, {first, second}), "planned");
  EXPECT_THAT(said_of(local, {first, first}), HasSubstr("the same metadata twice"));
  const auto mixed = captured(told("prefill", rank_of(2, 1)), [](AgentMetadata& m) { m.block_size = 8; });
  EXPECT_THAT(said_of(local, {first, mixed}), HasSubstr("block_size"));
}

// A capture is judged like a description, by all that it tells.
class CapturedForPlanes : public testing::Test {
 protected:
  const PlanParty decoder =
      told("decode", [](region::Engine& e) { e.shuffle = e.announces_page_format = true; }, Layout::lhbnc);
  const PlanParty prefill = told("prefill", [](region::Engine& e) { e.announces_page_format = true; });

  std::string remote(const std::function<void(AgentMetadata&)>& change) const {
    const std::string with_described = said_of(decoder, {captured(prefill, change)});
    const std::string with_captured = said_of(captured(decoder), {captured(prefill, change)});
    EXPECT_EQ(with_described == "planned", with_captured == "planned") << with_described << "\n"
                                                                       << with_captured;
    return with_described;
  }
  std::string local(const std::function<void(AgentMetadata&)>& change) const {
    const std::string with_described = said_of(captured(decoder, change), {prefill});
    const std::string with_captured = said_of(captured(decoder, change), {captured(prefill)});
    EXPECT_EQ(with_described == "planned", with_captured == "planned") << with_described << "\n"
                                                                       << with_captured;
    return with_described;
  }
};

TEST_F(CapturedForPlanes, IsPlannedWhereTheHandshakeWouldAccept) {
  EXPECT_EQ(remote({}), "planned");
  EXPECT_EQ(local({}), "planned");
  EXPECT_EQ(remote([](AgentMetadata& m) { m.region_page_formats.reset(); }), "planned");  // not told
  EXPECT_EQ(local([](AgentMetadata& m) { m.region_page_formats.reset(); }), "planned");
}

TEST_F(CapturedForPlanes, IsRefusedForWhatItTells) {
  EXPECT_THAT(remote([](AgentMetadata& m) { m.kv_cache_layout = "LBNHC"; }), HasSubstr("remote_layout"));
  EXPECT_THAT(remote([](AgentMetadata& m) { std::swap(m.region_names->at(0), m.region_names->at(1)); }),
              HasSubstr("region_names"));
  EXPECT_THAT(remote([](AgentMetadata& m) { m.region_names->at(0) = "elsewhere"; }),
              HasSubstr("region_names"));
  EXPECT_THAT(remote([](AgentMetadata& m) { m.physical_blocks_per_logical_kv_block = 2; }),
              HasSubstr("blocks_per_logical_unequal"));
  EXPECT_THAT(remote([](AgentMetadata& m) { m.region_mem_types->at(1) = "DRAM"; }), HasSubstr("memory"));
  EXPECT_THAT(remote([](AgentMetadata& m) { m.dcp_size = 2; }), HasSubstr("rejected"));
  EXPECT_THAT(remote([](AgentMetadata& m) { m.pcp_size = 2; }), HasSubstr("rejected"));
  EXPECT_THAT(local([](AgentMetadata& m) { m.kv_cache_layout = "LBHNC"; }), HasSubstr("local_layout"));
  EXPECT_THAT(local([](AgentMetadata& m) { m.dcp_size = 2; }), HasSubstr("rejected"));
  EXPECT_THAT(local([](AgentMetadata& m) { m.physical_blocks_per_logical_kv_block = 2; }),
              HasSubstr("blocks_per_logical_unequal"));
  EXPECT_THAT(local([](AgentMetadata& m) {
                for (std::string& type : *m.region_mem_types) type = "DRAM";
              }),
              HasSubstr("host_buffer"));
  EXPECT_THAT(local([](AgentMetadata& m) { m.attn_backend_name = "FLASHINFER"; }), HasSubstr("not_rocm"));
}

// A format that is told is not the other side's because that side says nothing.
TEST(PlanPages, AnUntaggedSideIsNotTakenForAFormatThatIsNotStandard) {
  const auto shuffled = told("decode", [](region::Engine& e) { e.shuffle = e.announces_page_format = true; });
  const auto standard = told("prefill", {});
  EXPECT_THAT(said_of(shuffled, {captured(standard)}), HasSubstr("page format"));
  EXPECT_THAT(said_of(captured(standard), {told("other", [](region::Engine& e) { e.shuffle = true; })}),
              HasSubstr("page format"));
  EXPECT_THAT(said_of(captured(shuffled), {captured(standard)}), HasSubstr("page format"));
  EXPECT_EQ(said_of(told("decode", {}), {captured(standard)}), "planned");  // the RFC takes it for standard
}

TEST(PlanPages, TwoSlotsOfUnequalBlocksAreNoPartsOfEachOther) {
  const auto sized = [](std::uint64_t tokens) {
    return [=](region::Engine& e) {
      e.shuffle = true;
      e.block_size = e.kernel_block_size = tokens;
    };
  };
  const auto local = told("decode", sized(32)), remote = told("prefill", sized(16));
  const auto pair = reports::plan_pair(local, {&remote, 1}, {{1}}, {{2, 3}}, std::nullopt);
  ASSERT_TRUE(pair.has_value()) << to_string(pair.error());
  const Choice choice = choose(pair->request, std::nullopt, {});
  EXPECT_FALSE(choice.chosen.has_value());
  ASSERT_FALSE(choice.options.empty());
  EXPECT_EQ(choice.options[0].not_chosen, "takes K and V of one page for K of a larger one: unequal blocks");
}

// Pairs that today lets through and the RFC would not.
TEST(PlanPages, SaysWhatTheHandshakesSay) {
  const auto sized = [](std::uint64_t tokens) {
    return [=](region::Engine& e) { e.block_size = e.kernel_block_size = tokens; };
  };
  EXPECT_THAT(notes_of(told("decode", sized(32)), told("prefill", sized(16))),
              Contains(HasSubstr("block_sizes_unequal")));
  EXPECT_THAT(
      notes_of(told("decode", [](region::Engine& e) { e.dtype = region::Dtype::float16; }), told("p", {})),
      Contains(HasSubstr("elements_unequal")));
  EXPECT_THAT(
      notes_of(told("decode", [](region::Engine& e) { e.model.name = "other"; }), told("prefill", {})),
      Contains(HasSubstr("hash")));
  EXPECT_THAT(notes_of(told("decode",
                            [](region::Engine& e) {
                              e.model.kv_heads = 4;
                              e.model.head_dim = 256;
                            }),
                       told("prefill", {})),
              Contains(HasSubstr("hash")));
  EXPECT_TRUE(notes_of(told("decode", {}), told("prefill", {})).empty());
}

TEST(PlanPages, SaysWhichHeadsTheConverterTakes) {
  const auto notes = [](std::uint64_t dims) {
    const auto sized = [=](bool shuffle) {
      return [=](region::Engine& e) {
        e.model.head_dim = dims;
        e.shuffle = shuffle;
      };
    };
    return notes_of(told("decode", sized(true), Layout::lhbnc), told("prefill", sized(false)));
  };
  EXPECT_TRUE(notes(128).empty());
  EXPECT_THAT(notes(96), Contains(HasSubstr("head_dim of 64, 128 or 256, not 96")));
}

TEST(PlanPages, HeadsThatWouldLandAsTokensAreRefused) {
  const auto decoder = [](std::uint64_t heads) {
    return [=](region::Engine& e) {
      e.enable_permute_local_kv = true;
      e.model.kv_heads = heads;
    };
  };
  const auto heads = [](std::uint64_t count) { return [=](region::Engine& e) { e.model.kv_heads = count; }; };
  EXPECT_THAT(said_of(told("decode", decoder(8), Layout::lbnhc), {told("prefill", heads(8))}),
              testing::Not("planned"));
  EXPECT_THAT(said_of(told("decode", decoder(8)), {told("prefill", heads(8))}), "planned");
}

TEST(PlanGroups, EveryListIsServedAndEveryRegionHasAList) {
  const auto grouped = [](const std::string& id, std::vector<std::int64_t> groups) {
    return captured(told(id, {}), [&](AgentMetadata& m) { m.region_group_ids = groups; });
  };
  const auto said = [&](const std::vector<std::int64_t>& groups, const BlockGroups& to,
                        const BlockGroups& from) {
    const auto local = grouped("decode", groups), remote = grouped("prefill", groups);
    const auto pair = reports::plan_pair(local, {&remote, 1}, to, from, std::nullopt);
    if (!pair) return to_string(pair.error());
    const auto made = plan(pair->request, Strategy::whole, {}, {});
    return made ? std::string("planned") : to_string(made.error());
  };
  EXPECT_EQ(said({0, 1}, {{1}, {2}}, {{1}, {2}}), "planned");
  EXPECT_EQ(said({0, -1}, {{1}, {2}}, {{1}, {2}}), "planned");
  EXPECT_EQ(said({7, 7}, {{1}}, {{1}}), "planned");  // one group: all lists are its own
  EXPECT_THAT(said({0, 1}, {{1}, {2}, {3}}, {{1}, {2}, {3}}), HasSubstr("no region serves list 2"));
  EXPECT_EQ(said({0, 1}, {{1}, {2}, {}}, {{1}, {2}, {}}), "planned");  // nothing is lost
  EXPECT_THAT(said({0, 7}, {{1}, {2}}, {{1}, {2}}), HasSubstr("regions[1].group: 7"));
  EXPECT_THAT(said({0, 1}, {{1}}, {{1}}), HasSubstr("regions[1].group: 1"));
}

TEST(PlanGroups, AGroupBelowSharedIsNone) {
  Side side = dense(1 << 20, 2, 512, 8);
  side.regions[1].group = -5;
  const auto made = prepare(side, side, Split::none, {});
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(to_string(made.error()), "local: regions[1].group: -5: no transfer group: 0 or more, or -1");
}

// Spec §2.1 A7.
TEST(PlanGroups, ARemoteThatTellsNoneHasTheLocalOnes) {
  const auto local = captured(told("decode", {}),
                              [](AgentMetadata& m) { m.region_group_ids = std::vector<std::int64_t>{0, 1}; });
  const auto remote = captured(told("prefill", {}), [](AgentMetadata& m) { m.region_group_ids.reset(); });
  const auto pair = reports::plan_pair(local, {&remote, 1}, {{1}, {2}}, {{3}, {4}}, std::nullopt);
  ASSERT_TRUE(pair.has_value()) << to_string(pair.error());
  EXPECT_EQ(planned(pair->request, Strategy::whole).cost.planned, 2u);
}

TEST(PlanPages, SaysThatMambaIsNotPlanned) {
  const auto mamba = [](region::Engine& e) { e.model.mamba = true; };
  EXPECT_THAT(notes_of(told("decode", mamba), told("prefill", mamba)), Contains(HasSubstr("Mamba")));
  const auto sized = [](AgentMetadata& m) { m.ssm_sizes = {512, 256}; };
  EXPECT_THAT(notes_of(captured(told("decode", {}), sized), captured(told("prefill", {}), sized)),
              Contains(HasSubstr("Mamba")));
}

TEST(PlanBlocks, ADroppedPrefixIsLookedAtToo) {
  const auto local = told("decode", {}), remote = told("prefill", {});
  const auto said = [&](const BlockIds& to, const BlockIds& from) {
    return said_of(reports::plan_pair(local, {&remote, 1}, {to}, {from}, std::nullopt));
  };
  EXPECT_EQ(said({5}, {1023, 3}), "planned");
  EXPECT_THAT(said({5}, {1024, 3}), HasSubstr("1024"));
  EXPECT_THAT(said({}, {99999}), HasSubstr("99999"));
  EXPECT_THAT(said({5}, {3, 3}), HasSubstr("stands twice"));
  EXPECT_THAT(said({5, 6}, {3, 3}), HasSubstr("stands twice"));
}

}  // namespace
}  // namespace pageproof::plan
