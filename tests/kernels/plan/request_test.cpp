// Two described engines as a request: unequal TP both ways, replicated heads, two slots, unequal block sizes,
// captures; and plans that were made elsewhere.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "model/handshake/receive.hpp"
#include "reports/plan/plan_file.hpp"
#include "reports/plan/sides.hpp"
#include "reports/plan/words.hpp"
#include "tests/kernels/plan/sides.hpp"
#include "tests/model/handshake/sides.hpp"

namespace pageproof::plan {
namespace {

using handshake::Engine;
using handshake::Layout;
using testing::HasSubstr;

reports::PlanParty party(const std::string& id, const std::function<void(Engine&)>& change,
                         Layout layout = Layout::lbhnc) {
  return {handshake::side(handshake::engine_named(id, change), layout), true};
}

struct Sizes {
  std::uint64_t tp = 1;
  std::uint64_t rank = 0;
  std::uint64_t tokens = 16;
  std::uint64_t logical = 0;  // 0: as kernel blocks
  std::uint64_t blocks = 64;
  std::uint64_t heads = 8;
  std::uint64_t base = std::uint64_t{1} << 32;
  bool shuffle = false;
};

std::function<void(Engine&)> sized(const Sizes& s) {
  return [s](Engine& e) {
    e.tp_size = s.tp;
    e.tp_rank = s.rank;
    e.kernel_block_size = s.tokens;
    e.block_size = s.logical == 0 ? s.tokens : s.logical;
    e.num_blocks = s.blocks;
    e.model.kv_heads = s.heads;
    e.model.query_heads = 4 * s.heads;
    e.base_address = s.base;
    e.shuffle = s.shuffle;
  };
}

// The plan's rows are the copies that the model of today's connector makes.
void expect_todays_copies(const Sizes& here, const Sizes& there, const BlockGroups& to,
                          const BlockGroups& from) {
  const auto local = party("decode", sized(here)), remote = party("prefill", sized(there));
  const auto pair = reports::plan_pair(local, {&remote, 1}, to, from, std::nullopt);
  ASSERT_TRUE(pair.has_value()) << to_string(pair.error());
  const Plan made = planned(pair->request, Strategy::whole);
  std::map<std::uint64_t, handshake::AgentMetadata> sources;
  for (const Source& source : pair->request.sources) sources[source.rank] = remote.side.metadata;
  const auto read = handshake::planned_read(local.side, sources, there.tp, to, from, false, false);
  ASSERT_TRUE(read.has_value() && !read->refused) << (read ? "" : to_string(read.error()));
  std::vector<handshake::Copy> copies;
  for (std::size_t i = 0; i < made.reads.size(); ++i) {
    const Rows rows = rows_of(made.reads[i]);
    for (std::size_t k = 0; k < rows.local.size(); ++k) {
      copies.push_back({rows.local[k].address, rows.remote[k].address, rows.local[k].bytes,
                        pair->request.sources[i].rank});
    }
  }
  EXPECT_EQ(copies.size(), read->copies.size());
  EXPECT_TRUE(copies == read->copies);
}

TEST(PlanPair, EqualsTodaysCopies) {
  expect_todays_copies({}, {.blocks = 90}, {{5, 1}}, {{80, 3}});
  expect_todays_copies({.tp = 4, .rank = 3}, {.tp = 2, .rank = 1, .blocks = 90}, {{5, 1}}, {{80, 3}});
  expect_todays_copies({.tp = 2, .rank = 1}, {.tp = 8, .rank = 4, .blocks = 90}, {{5, 1}}, {{80, 3}});
  expect_todays_copies({.tp = 16, .rank = 11}, {.tp = 4, .rank = 2, .blocks = 90}, {{5, 1}}, {{80, 3}});
  expect_todays_copies({.tp = 16, .rank = 11}, {.tp = 16, .rank = 11, .blocks = 90}, {{5, 1}}, {{80, 3}});
  expect_todays_copies({.tokens = 64}, {.tokens = 16, .blocks = 90}, {{5, 1}}, {{80, 3, 7, 2, 9, 11}});
  expect_todays_copies({.tokens = 16, .logical = 48}, {.tokens = 16, .logical = 32, .blocks = 90}, {{2}},
                       {{7, 9}});
}

TEST(PlanPair, PrefixHitsKeepTheLastBlocks) {
  expect_todays_copies({}, {.blocks = 90}, {{5, 1}}, {{4, 6, 80, 3}});
  const auto local = party("decode", {}), remote = party("prefill", {});
  const auto pair = reports::plan_pair(local, {&remote, 1}, {{}}, {{4, 6}}, std::nullopt);
  ASSERT_TRUE(pair.has_value());
  EXPECT_TRUE(pair->request.blocks.empty());
  EXPECT_EQ(planned(pair->request, Strategy::whole).cost.planned, 0u);
}

// Shuffled LBHNC pages are two slots: whole blocks under unequal TP cut K from V (spec §9), slots cut heads.
TEST(PlanPair, TwoSlotsUnderUnequalTp) {
  const auto local = party("decode", sized({.tp = 2, .rank = 1, .shuffle = true}));
  const auto remote = party("prefill", sized({.tp = 1, .blocks = 90, .shuffle = true}));
  const auto pair = reports::plan_pair(local, {&remote, 1}, {{5}}, {{80}}, std::nullopt);
  ASSERT_TRUE(pair.has_value()) << to_string(pair.error());
  EXPECT_EQ(pair->request.pages, Pages::two_slots);
  const Choice choice = choose(pair->request, std::nullopt, {});
  ASSERT_TRUE(choice.chosen.has_value());
  EXPECT_EQ(choice.options[*choice.chosen].strategy, Strategy::slots);
  EXPECT_EQ(choice.options[0].not_chosen, "cuts K from V, not heads: unequal TP");

  // 4 of 8 heads a slot: 16 KiB of 32 KiB; rank 1 takes the second half of each slot.
  const Rows rows = rows_of(planned(pair->request, Strategy::slots).reads[0]);
  const std::uint64_t to = local.side.registration.regions[0].base + 5 * 32768;
  const std::uint64_t from = remote.side.registration.regions[0].base + 80 * 65536;
  ASSERT_EQ(rows.local.size(), 4u);
  EXPECT_EQ(rows.local[0], (Descriptor{to, 16384, 0}));
  EXPECT_EQ(rows.remote[0], (Descriptor{from + 16384, 16384, 0}));
  EXPECT_EQ(rows.local[1], (Descriptor{to + 16384, 16384, 0}));
  EXPECT_EQ(rows.remote[1], (Descriptor{from + 32768 + 16384, 16384, 0}));
}

TEST(PlanPair, SlotsOfSeveralSourceRanks) {
  const auto local = party("decode", sized({.tp = 1, .shuffle = true}));
  const auto remote = party("prefill", sized({.tp = 4, .blocks = 90, .shuffle = true}));
  const auto pair = reports::plan_pair(local, {&remote, 1}, {{5}}, {{80}}, std::nullopt);
  ASSERT_TRUE(pair.has_value()) << to_string(pair.error());
  const Plan made = planned(pair->request, Strategy::slots);
  ASSERT_EQ(made.reads.size(), 4u);
  const std::uint64_t to = local.side.registration.regions[0].base + 5 * 65536;
  for (std::uint64_t rank = 0; rank < 4; ++rank) {
    const Rows rows = rows_of(made.reads[rank]);
    EXPECT_EQ(rows.local[0].address, to + rank * 8192);
    EXPECT_EQ(rows.local[1].address, to + 32768 + rank * 8192);
  }
}

TEST(PlanPair, SaysWhatItRefuses) {
  const auto local = party("decode", sized({.shuffle = true}));
  const auto problem = [&](const reports::PlanParty& here, const reports::PlanParty& there) {
    const auto pair = reports::plan_pair(here, {&there, 1}, {{0}}, {{0}}, std::nullopt);
    return pair ? "planned" : to_string(pair.error());
  };
  EXPECT_THAT(
      problem(local, party("prefill", {})),
      HasSubstr("page format: standard -> aiter-shuffled in two slots: pages are converted for a decoder "
                "with K and V planes alone: the RFC accepts no other"));
  EXPECT_THAT(problem(party("decode", {}), party("prefill", sized({.shuffle = true}))),
              HasSubstr("page format: aiter-shuffled -> standard: no read brings these pages there"));
  EXPECT_THAT(problem(party("decode", {}), party("prefill", {}, Layout::lbnhc)), HasSubstr("check 10"));
  EXPECT_THAT(
      problem(party("decode", sized({.tp = 3, .heads = 6})), party("prefill", sized({.tp = 2, .heads = 6}))),
      HasSubstr("neither divides the other"));
  EXPECT_THAT(problem(party("decode", sized({.tokens = 16})), party("prefill", sized({.tokens = 64}))),
              HasSubstr("block_size: 64: does not divide 16"));
}

constexpr const char* kFile = R"({
 "local": {"memory": [[4096, 8192, 0]], "rows": [[5120, 512, 0], [7168, 512, 0]]},
 "remote": {"memory": [[65536, 8192, 3]], "list": [[65536, 512, 3], [66048, 512, 3]], "ids": [0, 1]},
 "bytes": 1024,
 "request": {"as": "halves", "local_blocks": [[2]], "remote_blocks": [[0]],
  "local_regions": [{"base": 4096, "block_len": 512, "num_blocks": 4},
                    {"base": 6144, "block_len": 512, "num_blocks": 4}],
  "remote_regions": [{"base": 65536, "block_len": 1024, "num_blocks": 8}]}})";

std::string with(const std::string& text, const std::string& by) {
  std::string file = kFile;
  const std::size_t at = file.find(text);
  EXPECT_NE(at, std::string::npos);
  return file.replace(at, text.size(), by);
}

std::string verdict(const std::string& text) {
  const auto file = reports::read_plan_file(text, "f");
  if (!file) return to_string(file.error());
  const auto found = file->check();
  return found ? to_string(found->rule) : "holds";
}

TEST(PlanFile, IsJudged) {
  EXPECT_EQ(verdict(kFile), "holds");
  EXPECT_EQ(verdict(with("[0, 1]}", "[1, 0]}")), "right_source");
  EXPECT_EQ(verdict(with("[7168, 512, 0]", "[6656, 512, 0]")), "request_only");
  EXPECT_EQ(verdict(with("\"bytes\": 1024", "\"bytes\": 1025")), "bytes_total");
  // A virtual half that was registered beside its page.
  EXPECT_EQ(verdict(with("[[65536, 8192, 3]]", "[[65536, 8192, 3], [66048, 512, 3]]")), "ranges_disjoint");
}

TEST(PlanFile, BadInputIsOneLineWithThePath) {
  EXPECT_EQ(verdict("[]"), "f: $: []: not an object");
  EXPECT_EQ(verdict(with("[0, 1]}", "[0, 2]}")), "f: $.remote.ids[1]: 2: the list has 2 rows");
  EXPECT_EQ(verdict(with("[5120, 512, 0]", "[5120, -1, 0]")),
            "f: $.local.rows[0]: [5120,-1,0]: not three whole numbers below 2^64");
  EXPECT_THAT(verdict(with("\"as\": \"halves\"", "\"as\": \"thirds\"")),
              HasSubstr("$.request.as: thirds: not one of"));
  EXPECT_THAT(verdict(with("\"memory\": [[4096, 8192, 0]], ", "")), HasSubstr("$.local.memory: missing"));
  EXPECT_THAT(verdict(with("\"base\": 65536, ", "")), HasSubstr("$.request.remote_regions[0].base: missing"));
  EXPECT_THAT(verdict(with("\"local_blocks\": [[2]]", "\"local_blocks\": [[9]]")), HasSubstr("no block 9"));
  EXPECT_THAT(verdict(with("\"bytes\"", "\"byte\"")), HasSubstr("$.byte"));
  EXPECT_THAT(verdict(with("\"num_blocks\": 8", "\"num_blocks\": 18446744073709551615")),
              HasSubstr("wraps 2^64"));
}

// A file of one or two regions a side, of so many bytes a block, whose first blocks are read by one row a
// region.
struct Copied {
  std::string as = "whole";
  std::uint64_t local = 512, remote = 512, row = 512;
  std::string slice = "{}";
  std::string to = "[[0]]", from = "[[0]]";
  std::string local_more = "", remote_more = "";  // of the first region: ", \"group\": 7"
  std::size_t regions = 1;
  std::string device = "0";  // of remote rows and memory

  std::string text() const {
    const auto region = [](std::uint64_t base, std::uint64_t bytes, const std::string& more) {
      return fmt::format("{{\"base\": {}, \"block_len\": {}, \"num_blocks\": 4{}}}", base, bytes, more);
    };
    std::string here = region(4096, local, local_more), there = region(65536, remote, remote_more);
    std::string rows = fmt::format("[4096, {}, 0]", row),
                sources = fmt::format("[65536, {}, {}]", row, device);
    if (regions == 2) {
      here += ", " + region(8192, local, "");
      there += ", " + region(131072, remote, "");
      rows += fmt::format(", [8192, {}, 0]", row);
      sources += fmt::format(", [131072, {}, {}]", row, device);
    }
    return fmt::format(
        "{{\"local\": {{\"memory\": [[4096, 32768, 0]], \"rows\": [{}]}}, \"remote\": {{\"memory\": [[65536, "
        "262144, {}]], \"rows\": [{}]}}, \"request\": {{\"as\": \"{}\", \"local_blocks\": {}, "
        "\"remote_blocks\": {}, \"local_regions\": [{}], \"remote_regions\": [{}], \"slice\": {}}}}}",
        rows, device, sources, as, to, from, here, there, slice);
  }
};

// What no planner would plan is no request: else a plan of it "holds" though it leaves bytes out.
TEST(PlanFile, RequestsThatCannotBePlannedAreRefused) {
  EXPECT_EQ(verdict(Copied{}.text()), "holds");
  EXPECT_EQ(verdict(Copied{.local = 512, .remote = 1024, .slice = R"({"shares": 2})"}.text()), "holds");
  EXPECT_EQ(verdict(Copied{.local = 1024, .slice = R"({"sources": 2})"}.text()), "holds");
  EXPECT_EQ(verdict(Copied{.as = "slots", .local = 512, .row = 256}.text()), "nothing_missing");
  EXPECT_EQ(verdict(Copied{.regions = 2, .device = "2"}.text()), "holds");
  EXPECT_EQ(verdict(Copied{.remote_more = R"(, "device": 2)", .device = "2"}.text()), "holds");
  struct Bad {
    Copied file;
    const char* words;
  };
  const std::vector<Bad> cases{
      {{.remote = 1024}, "block_len: 1024: the local side expects 512"},
      {{.remote = 1024, .slice = R"({"shares": 7})"}, "block_len: 1024: the local side expects 3584"},
      {{.as = "slots", .local = 17, .remote = 17, .row = 8}, "block_len: 17: not 2"},
      {{.local = 5, .remote = 2, .row = 2, .slice = R"({"ratio": 2})"}, "block_len: 5: not 2"},
      {{.local = 100, .remote = 33, .row = 33, .slice = R"({"sources": 3})"}, "block_len: 100: not 3"},
      {{.local = 1024, .slice = R"({"sources": 2, "slot": 2})"}, "slot: 2: not below 2"},
      {{.local = 1024, .slice = R"({"sources": 2, "slot": 2305843009213693952})"}, "not below 2"},
      {{.slice = R"({"rank_offset_factor": 1})"}, "rank_offset_factor: 1: not below 1"},
      {{.slice = R"({"rank_offset_factor": 1152921504606846976})"}, "not below 1"},
      {{.slice = R"({"shares": 0})"}, "shares: 0: not positive"},
      {{.local = 1024, .remote = 1024, .slice = R"({"sources": 2, "shares": 2})"}, "not both"},
      {{.local = 1024, .row = 256, .slice = R"({"sources": 2, "ratio": 2})"}, "one source"},
      {{.as = "slots", .local = 1024, .row = 256, .slice = R"({"ratio": 2})"}, "two slots"},
      {{.to = "[[0], [1]]",
        .from = "[[0], [1]]",
        .local_more = R"(, "group": 1)",
        .remote_more = R"(, "group": 0)",
        .regions = 2},
       "group: 0: the local region serves group 1"},
      {{.local_more = R"(, "group": 7)", .remote_more = R"(, "group": 7)", .regions = 2},
       "group: 7: the request has 1 list"},
      {{.local_more = R"(, "group": -5)", .remote_more = R"(, "group": -5)", .regions = 2}, "group: -5"},
      {{.to = "[[0], [1], [2]]",
        .from = "[[0], [1], [2]]",
        .local_more = R"(, "group": 1)",
        .remote_more = R"(, "group": 1)",
        .regions = 2},
       "no region serves list 2"},
      {{.to = "[[0, 1]]", .from = "[[3, 3]]"}, "remote_blocks [0]: 3: stands twice"},
      {{.remote_more = R"(, "device": 1)", .device = "2"}, "right_source"},
      {{.remote_more = R"(, "device": 2)", .regions = 2, .device = "2"}, "device"},
  };
  for (const Bad& bad : cases) EXPECT_THAT(verdict(bad.file.text()), HasSubstr(bad.words)) << bad.file.text();
}

TEST(PlanFile, HalvesAreOfOnePageAndNothingElse) {
  for (const char* as : {"halves", "run-halves"}) {
    const auto file = [&](const std::string& text, const std::string& by) {
      std::string changed = with(text, by);
      return changed.replace(changed.find("\"as\": \"halves\""), 14, fmt::format("\"as\": \"{}\"", as));
    };
    EXPECT_EQ(verdict(file("\"bytes\": 1024", "\"bytes\": 1024")), "holds") << as;
    EXPECT_THAT(verdict(file("\"block_len\": 512", "\"block_len\": 1024")), HasSubstr("half"));
    EXPECT_THAT(verdict(file("\"block_len\": 1024", "\"block_len\": 1025")), HasSubstr("half"));
    EXPECT_THAT(verdict(file("\"as\"", "\"slice\": {\"sources\": 2}, \"as\"")), HasSubstr("slice"));
    EXPECT_THAT(verdict(file("\"as\"", "\"slice\": {\"rank_offset_factor\": 1}, \"as\"")),
                HasSubstr("slice"));
    EXPECT_THAT(verdict(file("[[2]], \"remote_blocks\": [[0]]", "[[2], [1]], \"remote_blocks\": [[0], [1]]")),
                HasSubstr("one transfer group"));
  }
  EXPECT_THAT(verdict(with("\"as\": \"halves\"", "\"as\": \"run-halves\"")), "holds");
  std::string strided = with("\"as\": \"halves\"", "\"as\": \"run-halves\"");
  const std::string text = "\"block_len\": 1024, \"num_blocks\": 8";
  strided.replace(strided.find(text), text.size(),
                  "\"block_len\": 1024, \"block_stride\": 2048, \"num_blocks\": 4");
  EXPECT_THAT(verdict(strided), HasSubstr("block_stride"));
}

}  // namespace
}  // namespace pageproof::plan
