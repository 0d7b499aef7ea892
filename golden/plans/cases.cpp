#include "golden/plans/cases.hpp"

#include <cassert>
#include <utility>

#include "golden/plans/expect.hpp"
#include "model/region/registration.hpp"
#include "model/region/tp_mapping.hpp"

namespace pageproof::golden::plans {
namespace {

using region::Engine;
using region::Layout;

// What differs from two layers of 2 KV heads, 16 tokens, 8 dims, bf16 on one rank.
struct Sizes {
  std::uint64_t blocks = 4;  // manager blocks
  std::uint64_t heads = 2;   // of the model
  std::uint64_t tp = 1;
  std::uint64_t rank = 0;
  std::uint64_t tokens = 16;
  std::uint64_t managers = 1;  // kernel blocks of a manager block
  bool shuffle = false;
  Layout layout = Layout::lbhnc;
  std::uint64_t base = 0x100000;
  std::uint64_t device = 0;
};

Engine engine_of(const Sizes& s) {
  Engine engine;
  engine.model.layers = 2;
  engine.model.kv_heads = s.heads;
  engine.model.query_heads = 4 * s.heads;
  engine.model.head_dim = 8;
  engine.tp_size = s.tp;
  engine.tp_rank = s.rank;
  engine.kernel_block_size = s.tokens;
  engine.block_size = s.tokens * s.managers;
  engine.num_blocks = s.blocks;
  engine.shuffle = s.shuffle;
  engine.base_address = s.base;
  engine.device_id = s.device;
  return engine;
}

Registered side_of(const Engine& engine, Layout layout, bool replicated) {
  Registered side{engine.device_id, {}};
  const auto registration = region::register_engine(engine, layout);
  assert(registration.has_value());
  for (const region::Region& r : registration->regions)
    side.regions.push_back({r.base, r.block_len, r.block_stride, r.num_blocks, r.group, replicated});
  return side;
}

std::uint64_t heads_of(std::uint64_t heads, std::uint64_t ranks) {
  return heads < ranks ? 1 : heads / ranks;
}

class Builder {
 public:
  void add(const std::string& strategy, const std::string& comment, std::vector<std::string> flags,
           const Sizes& local, const Sizes& remote, const Ids& to, const Ids& from) {
    const Described engines{engine_of(local), local.layout, engine_of(remote), remote.layout};
    const region::TpPair pair{local.rank, local.tp, remote.tp, local.heads, false};
    const region::TpMapping mapping = region::tp_mapping(pair);
    const bool replicated = region::replicates_kv_cache(pair);
    Test test;
    test.comment = comment;
    test.flags = std::move(flags);
    test.strategy = strategy;
    test.local = side_of(engines.local, local.layout, replicated);
    test.local_per_logical = local.managers;
    test.remote_per_logical = remote.managers;
    test.local_blocks = {to};
    test.remote_blocks = {from};
    if (strategy == "staged") test.staging = {0x40000, 0x10000};
    for (std::size_t i = 0; i < mapping.sources.size(); ++i) {
      Source source{
          mapping.sources[i], side_of(engines.remote, remote.layout, replicated), {}, {}, {}, {}, {}, {}};
      source.slice.ratio = local.tokens / remote.tokens;
      if (!replicated) {
        source.slice.sources = mapping.sources.size();
        source.slice.slot = i;
        source.slice.rank_offset_factor = mapping.rank_offset_factor;
        if (local.tp > remote.tp)
          source.slice.shares = heads_of(local.heads, remote.tp) / heads_of(local.heads, local.tp);
      }
      test.sources.push_back(std::move(source));
    }
    fill_expected(test);
    test.content_sha256 =
        local.tokens == remote.tokens ? digest_by_oracle(test, engines) : digest_of_rows(test);
    add(std::move(test));
  }

  // Regions that no engine of the model has.
  void add_regions(const std::string& comment, std::vector<std::string> flags, const Registered& local,
                   const Registered& remote, const Slice& slice, const std::vector<Ids>& to,
                   const std::vector<Ids>& from) {
    Test test = bare("whole", comment, local, remote, to, from);
    test.flags = std::move(flags);
    test.sources.front().slice = slice;
    fill_expected(test);
    test.content_sha256 = digest_of_rows(test);
    add(std::move(test));
  }

  void refuse(const std::string& strategy, const std::string& comment, const Registered& local,
              const Registered& remote, const std::vector<Ids>& to, const std::vector<Ids>& from,
              const std::string& field, const Slice& slice = {}, const Staging& staging = {}) {
    Test test = bare(strategy, comment, local, remote, to, from);
    test.flags = {"Refused"};
    test.sources.front().slice = slice;
    test.staging = staging;
    test.valid = false;
    test.field = field;
    add(std::move(test));
  }

  std::vector<Test> tests;

 private:
  void add(Test test) {
    test.tc_id = tests.size() + 1;
    tests.push_back(std::move(test));
  }

  static Test bare(const std::string& strategy, const std::string& comment, const Registered& local,
                   const Registered& remote, const std::vector<Ids>& to, const std::vector<Ids>& from) {
    Test test;
    test.comment = comment;
    test.strategy = strategy;
    test.local = local;
    test.local_blocks = to;
    test.remote_blocks = from;
    test.sources = {{0, remote, {}, {}, {}, {}, {}, {}}};
    return test;
  }
};

Registered dense(std::uint64_t base, std::size_t regions, std::uint64_t block_len, std::uint64_t num_blocks) {
  Registered side;
  for (std::size_t i = 0; i < regions; ++i)
    side.regions.push_back({base + i * block_len * num_blocks, block_len, block_len, num_blocks, 0, false});
  return side;
}

void add_golden_lists(Builder& b) {
  b.add_regions("two regions of 100 blocks, blocks 3 and 5: ids 3, 5, 103, 105", {"UpstreamList"},
                dense(0x1000, 2, 16, 100), dense(0x9000, 2, 16, 140), {}, {{3, 5}}, {{3, 5}});
  b.add_regions("two regions of 400 blocks, blocks 3 and 7: ids 3, 7, 403, 407", {"UpstreamList"},
                dense(0x1000, 2, 16, 400), dense(0x9000, 2, 16, 500), {}, {{3, 7}}, {{3, 7}});
  b.add_regions("four sub-blocks a block: region 1 counts from 400", {"UpstreamList", "UnequalBlocks"},
                dense(0x1000, 2, 64, 100), dense(0x9000, 2, 16, 500), {.ratio = 4}, {{1}}, {{9, 2, 7, 30}});
  Registered pools = dense(100, 1, 16, 2);
  pools.regions.push_back({1000, 16, 16, 3, 0, false});
  b.add_regions("regions of 2 and 3 blocks: addresses 100, 116, 1000, 1016, 1032", {"UpstreamList"}, pools,
                dense(0x9000, 2, 16, 4), {}, {{1, 0}}, {{3, 2}});
}

void add_conversions(Builder& b) {
  const Sizes planes{.blocks = 6, .shuffle = true, .layout = Layout::lhbnc, .base = 0x900000};
  for (const char* strategy : {"halves", "staged", "run-halves"}) {
    b.add(strategy, "2 heads: blocks 5 and 1 take pages 0 and 3", {"SplitRead"}, planes, {}, {5, 1}, {0, 3});
    b.add(strategy, "a run of three pages, and one alone", {"SplitRead", "Runs"}, planes, {.blocks = 9},
          {1, 2, 3, 0}, {5, 6, 7, 1});
    for (const std::uint64_t heads : {1, 3}) {
      Sizes odd = planes;
      odd.heads = heads;
      b.add(strategy, "odd number of heads: the byte half cuts one at token 8", {"SplitRead", "TornHead"},
            odd, {.blocks = 9, .heads = heads}, {4, 2}, {3, 8});
    }
    b.add(strategy, "a prefix hit: the last pages are taken", {"SplitRead", "PrefixHit"}, planes,
          {.blocks = 9}, {2, 0}, {1, 3, 4, 8});
    b.add(strategy, "a full prefix hit: nothing is posted", {"SplitRead", "PrefixHit"}, planes, {.blocks = 9},
          {}, {1, 3});
  }
  Sizes ranks = planes;
  ranks.heads = 4;
  ranks.tp = 2;
  ranks.rank = 1;
  ranks.device = 1;
  b.add("halves", "rank 1 of two on both sides", {"SplitRead"}, ranks,
        {.blocks = 9, .heads = 4, .tp = 2, .rank = 1, .device = 5}, {4, 2}, {3, 8});
}

void add_wholes(Builder& b) {
  const Sizes here{.blocks = 6, .base = 0x900000}, there{.blocks = 9};
  b.add("whole", "two blocks", {}, here, there, {5, 1}, {0, 3});
  b.add("whole", "consecutive on both sides: one transfer a layer", {"Runs"}, here, there, {1, 2, 3},
        {4, 5, 6});
  b.add("whole", "consecutive on one side: no merging", {"Runs"}, here, there, {1, 2, 3}, {6, 5, 4});
  b.add("whole", "a prefix hit: the last blocks are taken", {"PrefixHit"}, here, there, {2, 0}, {1, 3, 4, 8});
  b.add("whole", "a full prefix hit: nothing is posted", {"PrefixHit"}, here, there, {}, {1, 3});
  b.add("whole", "addresses near 2^63", {"HighAddress"}, {.blocks = 6, .base = 0x7fffffffff000000},
        {.blocks = 9, .base = 0x7ffffffffff00000}, {5, 1}, {0, 3});
  for (const std::uint64_t rank : {0, 1}) {
    b.add("whole", "decode TP 2 of prefill TP 1: half of the heads", {"UnequalTp"},
          {.blocks = 6, .heads = 4, .tp = 2, .rank = rank, .base = 0x900000}, {.blocks = 9, .heads = 4},
          {5, 1}, {0, 3});
  }
  b.add("whole", "decode TP 4 of prefill TP 2, rank 3", {"UnequalTp"},
        {.blocks = 6, .heads = 8, .tp = 4, .rank = 3, .base = 0x900000}, {.blocks = 9, .heads = 8, .tp = 2},
        {5, 1}, {0, 3});
  for (const std::uint64_t tp : {2, 4}) {
    b.add("whole", "decode TP 1 of several prefill ranks: each fills its heads", {"UnequalTp"},
          {.blocks = 6, .heads = 4, .base = 0x900000}, {.blocks = 9, .heads = 4, .tp = tp}, {5, 1}, {0, 3});
  }
  b.add("whole", "one KV head on two decode ranks", {"ReplicatedHeads"},
        {.blocks = 6, .heads = 1, .tp = 2, .rank = 1, .base = 0x900000}, {.blocks = 9, .heads = 1}, {5, 1},
        {0, 3});
  b.add("whole", "one KV head on two ranks of both sides", {"ReplicatedHeads"},
        {.blocks = 6, .heads = 1, .tp = 2, .rank = 1, .base = 0x900000}, {.blocks = 9, .heads = 1, .tp = 2},
        {5, 1}, {0, 3});
  b.add("whole", "32-token blocks of 16-token blocks, the tail of the last is left out", {"UnequalBlocks"},
        {.blocks = 6, .tokens = 32, .base = 0x900000}, {.blocks = 9}, {5, 1}, {0, 3, 7});
  b.add("whole", "manager blocks of two kernel blocks, and of three", {"KernelBlocks"},
        {.blocks = 6, .managers = 3, .base = 0x900000}, {.blocks = 9, .managers = 2}, {2}, {7, 5});
  b.add("whole", "strides above the length: BLHNC on both sides", {"Stride"},
        {.blocks = 6, .layout = Layout::blhnc, .base = 0x900000}, {.blocks = 9, .layout = Layout::blhnc},
        {5, 1}, {0, 3});
  Registered groups = dense(0x100000, 3, 16, 10), more = dense(0x900000, 3, 16, 20);
  for (Registered* side : {&groups, &more}) {
    side->regions[1].group = 1;
    side->regions[2].group = -1;
  }
  b.add_regions("two groups and a shared region: ids are group-major", {"Groups"}, groups, more, {},
                {{1, 2}, {5}}, {{11, 12}, {7}});
}

void add_slots(Builder& b) {
  const Sizes here{.blocks = 6, .heads = 4, .shuffle = true, .base = 0x900000},
      there{.blocks = 9, .heads = 4, .shuffle = true};
  b.add("slots", "equal TP: two rows a block", {"TwoSlots"}, here, there, {5, 1}, {0, 3});
  for (const std::uint64_t rank : {0, 1}) {
    Sizes ranks = here;
    ranks.tp = 2;
    ranks.rank = rank;
    b.add("slots", "decode TP 2 of prefill TP 1: heads are cut inside each slot", {"TwoSlots", "UnequalTp"},
          ranks, there, {5, 1}, {0, 3});
  }
  Sizes ranks = there;
  ranks.tp = 2;
  b.add("slots", "decode TP 1 of two prefill ranks", {"TwoSlots", "UnequalTp"}, here, ranks, {5, 1}, {0, 3});
}

void add_refusals(Builder& b) {
  const Registered planes = dense(0x900000, 4, 512, 6), pages = dense(0x100000, 2, 1024, 4);
  b.refuse("whole", "two planes a page and no halves", planes, pages, {{1}}, {{2}}, "regions");
  b.refuse("halves", "as many pages as planes", planes, planes, {{1}}, {{2}}, "regions");
  b.refuse("halves", "a local block listed twice", planes, pages, {{1, 1}}, {{2, 3}},
           "local blocks of group 0");
  b.refuse("halves", "more local blocks than remote ones", planes, pages, {{1, 2}}, {{2}},
           "remote blocks of group 0");
  b.refuse("halves", "a remote block that is not there", planes, pages, {{1}}, {{4}}, "blocks of group 0");
  b.refuse("halves", "a local block that is not there", planes, pages, {{6}}, {{3}}, "blocks of group 0");
  b.refuse("staged", "staging memory one byte short", planes, pages, {{1}}, {{3}}, "bytes", {},
           {0x40000, 2047});
  b.refuse("whole", "one group of blocks and two", pages, pages, {{1}, {2}}, {{3}}, "groups");
  b.refuse("whole", "lengths of a region that differ", dense(0x900000, 2, 512, 6), pages, {{1}}, {{2}},
           "regions[0].block_len");
  b.refuse("whole", "a length that three sources do not divide", pages, dense(0x900000, 2, 341, 6), {{1}},
           {{2}}, "regions[0].block_len", {.sources = 3});
  b.refuse("halves", "unequal TP", planes, pages, {{1}}, {{2}}, "ratio, sources, shares", {.shares = 2});
  Registered odd = pages;
  odd.regions[1].block_len = 1023;
  b.refuse("halves", "an odd page has no halves", planes, odd, {{1}}, {{2}}, "regions[1].block_len");
  Registered narrow = pages;
  narrow.regions[0].block_stride = 1000;
  b.refuse("whole", "blocks that overlap: stride below length", narrow, pages, {{1}}, {{2}},
           "regions[0].block_stride");
  Registered end = pages;
  end.regions[1].base = 0x7ffffffffffff000;
  end.regions[1].num_blocks = std::uint64_t{1} << 54;
  b.refuse("whole", "a region that leaves 64 bits", pages, end, {{1}}, {{2}}, "regions[1].num_blocks");
  Registered gaps = planes;
  gaps.regions[3].block_stride = 528;
  b.refuse("run-halves", "planes with gaps: a run is no one range", gaps, pages, {{1}}, {{2}},
           "regions[3].block_stride");
  Registered group = pages;
  group.regions[1].group = 1;
  b.refuse("whole", "a region whose groups differ", group, pages, {{1}}, {{2}}, "regions[1].group");
}

// Regions that are cut between ranks, and among them one that every rank holds alike: it is read whole.
void add_replicated_regions(Builder& b) {
  const auto with_whole = [](std::uint64_t base, std::uint64_t cut_len, std::uint64_t whole_len,
                             std::uint64_t num_blocks) {
    Registered side;
    for (const bool whole : {false, true, false}) {
      const std::uint64_t len = whole ? whole_len : cut_len;
      side.regions.push_back({base, len, len, num_blocks, 0, whole});
      base += len * num_blocks;
    }
    return side;
  };
  const std::vector<std::string> flags{"UnequalTp", "ReplicatedRegion"};
  for (const std::uint64_t slot : {0, 1, 2}) {
    b.add_regions("one of three source ranks: a third of each cut region, all of the replicated one", flags,
                  with_whole(0x900000, 768, 320, 6), with_whole(0x100000, 256, 320, 9),
                  {.sources = 3, .slot = slot}, {{5, 1}}, {{0, 3}});
  }
  for (const std::uint64_t factor : {0, 1}) {
    b.add_regions("one of two decode ranks: half of each remote cut region, all of the replicated one", flags,
                  with_whole(0x900000, 256, 320, 6), with_whole(0x100000, 512, 320, 9),
                  {.shares = 2, .rank_offset_factor = factor}, {{5, 1}}, {{0, 3}});
  }
}

// Transfer groups as the two modes of counting have them.
void add_groups(Builder& b) {
  Registered here = dense(0x900000, 4, 64, 6), there = dense(0x100000, 4, 64, 9);
  for (Registered* side : {&here, &there}) {
    for (Region& region : side->regions) region.group = -1;
  }
  b.add_regions("two groups whose layers lie on one another: all regions are shared, ids are region-major",
                {"Groups"}, here, there, {}, {{1, 2}, {5}}, {{3, 4}, {7}});
  b.add_regions("a group that the prefix cache has already", {"Groups", "PrefixHit"}, here, there, {},
                {{}, {5, 0}}, {{3, 4}, {8, 7, 1}});
  for (Registered* side : {&here, &there}) {
    for (std::size_t i = 0; i < side->regions.size(); ++i)
      side->regions[i].group = i == 3 ? -1 : static_cast<std::int64_t>(i % 2);
  }
  b.add_regions("the first group is a full prefix hit, the shared region serves the second",
                {"Groups", "PrefixHit"}, here, there, {}, {{}, {5, 0}}, {{3, 4}, {8, 7, 1}});
  b.add_regions("groups of 32-token blocks, from 16-token blocks", {"Groups", "UnequalBlocks"},
                [&] {
                  Registered twice = dense(0x900000, 4, 128, 6);
                  for (std::size_t i = 0; i < 4; ++i) twice.regions[i].group = here.regions[i].group;
                  return twice;
                }(),
                there, {.ratio = 2}, {{2}, {5, 0}}, {{3, 4}, {8, 7, 1}});
}

const std::map<std::string, Note>& notes() {
  static const std::map<std::string, Note> table{
      {"UpstreamList",
       {"ids that the connector's own tests expect", "the two sides count descriptors differently"}},
      {"SplitRead",
       {"standard pages read for K and V planes: each page is two halves, or is staged",
        "a half is no side: without the conversion every block is garbage"}},
      {"TornHead",
       {"an odd number of heads: the half boundary cuts a head", "K and V of one head land in two planes"}},
      {"Runs",
       {"consecutive ids, which the agent merges where stride = length on both sides",
        "as many transfers as descriptors, or bytes of a neighbour"}},
      {"PrefixHit",
       {"fewer local than remote blocks: the last ones pair", "every block holds an earlier one"}},
      {"HighAddress", {"addresses near 2^63", "signed or 32-bit arithmetic wraps"}},
      {"UnequalTp", {"the sides have unequal numbers of ranks", "heads of another rank"}},
      {"ReplicatedHeads",
       {"more ranks than KV heads: every rank holds the head", "a share of a head that is whole"}},
      {"ReplicatedRegion",
       {"a region that every rank holds alike, among regions that ranks share",
        "a part of a block that should be read whole, or bytes of the block beside it"}},
      {"UnequalBlocks",
       {"remote blocks are smaller: a local block has sub-blocks", "blocks overlap or stay empty"}},
      {"KernelBlocks",
       {"a manager block is several kernel blocks", "ids of one unit are taken for the other"}},
      {"Stride", {"blocks of a region do not touch", "length taken for stride"}},
      {"Groups", {"regions of several transfer groups", "ids in one order here and another there"}},
      {"TwoSlots", {"K and V lie in two slots of a page", "whole pages are cut between K and V, not heads"}},
      {"Refused", {"no plan is right", "bytes land outside their blocks"}}};
  return table;
}

// Blocks that a plan would leave out in silence, or read for two.
void add_refused_lists(Builder& b) {
  Registered to = dense(0x900000, 2, 512, 6), from = dense(0x100000, 2, 512, 9);
  b.refuse("whole", "a remote block listed twice", to, from, {{1, 2}}, {{3, 3}}, "remote blocks of group 0");
  b.refuse("whole", "a remote block listed twice, in a prefix that the decoder has", to, from, {{1}},
           {{3, 3, 4}}, "remote blocks of group 0");
  to.regions[1].group = from.regions[1].group = 1;
  b.refuse("whole", "a list of blocks that no region serves", to, from, {{1}, {2}, {3}}, {{1}, {2}, {3}},
           "groups");
  b.refuse("whole", "a region whose list is not there", to, from, {{1}}, {{2}}, "regions[1].group");
}

}  // namespace

Suite make_suite() {
  Builder builder;
  add_golden_lists(builder);
  add_conversions(builder);
  add_wholes(builder);
  add_slots(builder);
  add_refusals(builder);
  add_replicated_regions(builder);
  add_groups(builder);
  add_refused_lists(builder);
  return {{"Reads of KV blocks planned: regions, block ids and strategy in; descriptors, descriptor ids in "
           "the order "
           "that pairs them, what is posted after merging, and a digest of the bytes out.",
           "Block ids are manager blocks, a list a transfer group; the last remote ones pair with the local "
           "ones. A "
           "remote byte at address a of rank r holds (a + 3·(a >> 8) + 7·(a >> 16) + 91·r) mod 256; "
           "content_sha256 is "
           "of all written bytes in the order of their local addresses."},
          notes(),
          std::move(builder.tests)};
}

}  // namespace pageproof::golden::plans
