// Each rule of the checker with a plan that breaks it and nothing before it.
#include "kernels/plan/check.hpp"

#include "tests/kernels/plan/sides.hpp"

namespace pageproof::plan {
namespace {

// The worked example's halves, free to be spoiled.
struct Case {
  std::vector<MemoryRange> local_memory = memory_of(worked_planes());
  std::vector<MemoryRange> remote_memory = memory_of(worked_pages());
  std::vector<Descriptor> local, remote;
  BlockGroups blocks{{5, 1}};
  std::uint64_t bytes = 4096;
  Moves wanted;

  Case() {
    const PairedBlocks paired{{{5, 1}}, {{0, 3}}};
    wanted = wanted_moves(worked_planes(), worked_pages(), Split::halves, {}, paired).value();
    local = wanted.local;
    remote = wanted.remote;
  }

  std::string verdict() const {
    const auto found = check({.local_memory = local_memory,
                              .remote_memory = remote_memory,
                              .local = local,
                              .remote = remote,
                              .bytes = bytes,
                              .local_blocks = &blocks,
                              .wanted = Wanted{wanted.local, wanted.remote}});
    if (!found) return "holds";
    return to_string(found->rule) + (found->row ? " row " + std::to_string(*found->row) : "") + ": " +
           found->text;
  }
};

TEST(Check, TheWorkedExampleHolds) {
  EXPECT_EQ(Case().verdict(), "holds");
}

TEST(Check, AsManyRows) {
  Case c;
  c.remote.pop_back();
  EXPECT_EQ(c.verdict(), "as_many_rows: 8 local rows, 7 remote rows");
}

TEST(Check, LengthsEqual) {
  Case c;
  c.remote[3].bytes = 256;
  EXPECT_EQ(c.verdict(),
            "lengths_equal row 3: local 0x900e00, 512 B, device 0, remote 0x100e00, 256 B, device 0");
  Case none;
  none.local[0].bytes = none.remote[0].bytes = 0;
  EXPECT_EQ(none.verdict(),
            "lengths_equal row 0: local 0x900a00, 0 B, device 0, remote 0x100000, 0 B, device 0");
}

// Virtual halves that are registered: NIXL's look-up finds the half and not the page around it.
TEST(Check, RegisteredSubRegionOverlaps) {
  Case c;
  c.remote_memory.push_back({0x100200, 512, 0});
  EXPECT_EQ(c.verdict(),
            "ranges_disjoint: remote ranges 0x100000, 8192 B and 0x100200, 512 B overlap on device 0");
  c.remote_memory.back().device = 1;
  EXPECT_EQ(c.verdict(), "holds");
}

TEST(Check, RowsInsideRegisteredMemory) {
  Case c;
  c.local[2].address = 0x903000 - 256;
  EXPECT_EQ(c.verdict(), "local_inside row 2: 0x902f00, 512 B, device 0");
  Case device;
  device.remote[1].device = 1;
  EXPECT_EQ(device.verdict(), "remote_inside row 1: 0x100c00, 512 B, device 1");
}

// NIXL's covers: base <= addr and addr + len <= base + size, in 64 bits.
bool nixl_covers(const MemoryRange& range, const Descriptor& row) {
  return range.base <= row.address && row.address + row.bytes <= range.base + range.bytes;
}

TEST(Check, AWrappingRowIsOutsideThoughNixlSaysItIsCovered) {
  const MemoryRange range{1, UINT64_MAX - 2, 0};
  const Descriptor row{UINT64_MAX - 15, 32, 0};
  EXPECT_TRUE(nixl_covers(range, row));
  Case c;
  c.local_memory = {range};
  c.local[7] = row;
  c.remote[7].bytes = 32;
  EXPECT_EQ(c.verdict(), "local_inside row 7: 0xfffffffffffffff0, 32 B, device 0");
}

TEST(Check, ARangeThatEndsAtTheVeryEndHoldsItsRowsThoughNixlSaysNo) {
  const MemoryRange range{UINT64_MAX - 4095, 4096, 0};
  const Descriptor row{UINT64_MAX - 1023, 512, 0};
  EXPECT_FALSE(nixl_covers(range, row));
  const Descriptor from{0x100000, 512, 0};
  const auto found = check({.local_memory = {&range, 1},
                            .remote_memory = memory_of(worked_pages()),
                            .local = {&row, 1},
                            .remote = {&from, 1}});
  EXPECT_FALSE(found.has_value()) << found->text;
}

// A row inside a range that wraps would be inside, and yet write the bytes at 0.
TEST(Check, ARangeThatWrapsIsNoMemory) {
  const std::vector<MemoryRange> local{{UINT64_MAX - 15, 64, 0}, {0, 64, 0}};
  const std::vector<Descriptor> to{{UINT64_MAX - 7, 32, 0}, {0, 8, 0}};
  const std::vector<Descriptor> from{{0x100000, 32, 0}, {0x100100, 8, 0}};
  const std::vector<MemoryRange> remote = memory_of(worked_pages());
  const auto rule_of = [&](const std::vector<MemoryRange>& here, const std::vector<MemoryRange>& there) {
    const auto found = check({.local_memory = here, .remote_memory = there, .local = to, .remote = from});
    return found ? to_string(found->rule) + (": " + found->text) : "holds";
  };
  EXPECT_EQ(rule_of(local, remote),
            "ranges_disjoint: local ranges 0xfffffffffffffff0, 64 B on device 0 wraps 2^64");
  const std::uint64_t to_the_end = UINT64_MAX - 0x100000 + 1;
  const std::vector<MemoryRange> ends{{0x100000, to_the_end, 0}}, wraps{{0x100000, to_the_end + 1, 0}};
  EXPECT_TRUE(rule_of(memory_of(worked_planes()), ends).starts_with("local_inside"));
  EXPECT_EQ(rule_of(memory_of(worked_planes()), wraps),
            "ranges_disjoint: remote ranges 0x100000, 18446744073708503041 B on device 0 wraps 2^64");
}

// No bytes lie in it: it neither overlaps nor hides a range.
TEST(Check, ARangeOfNoBytesIsNotThere) {
  for (const std::uint64_t base : {0x100000, 0x100010, 0x101000}) {
    for (const bool first : {false, true}) {
      Case c;
      c.remote_memory.insert(first ? c.remote_memory.begin() : c.remote_memory.end(), {base, 0, 0});
      EXPECT_EQ(c.verdict(), "holds") << base << " " << first;
    }
  }
}

TEST(Check, DestinationsApart) {
  Case c;
  c.local[1].address = c.local[0].address + 496;
  EXPECT_EQ(
      c.verdict(),
      "destinations_apart row 1: 0x900bf0, 512 B, device 0 begins inside row 0: 0x900a00, 512 B, device 0");
}

TEST(Check, BytesTotal) {
  Case c;
  c.bytes = 4095;
  EXPECT_EQ(c.verdict(), "bytes_total: the rows carry 4096 B, the request has 4095 B");
}

TEST(Check, BlocksDistinct) {
  Case c;
  c.blocks = {{5, 1, 5}};
  EXPECT_EQ(c.verdict(), "blocks_distinct: local block 5 of group 0 stands twice");
}

TEST(Check, ABlockThatIsNotTheRequests) {
  Case c;
  c.local[1].address = 0x900000;  // block 0
  EXPECT_EQ(c.verdict(), "request_only row 1: local 0x900000 on device 0 is none of the request's bytes");
}

TEST(Check, SwappedHalves) {
  Case c;
  std::swap(c.remote[0], c.remote[2]);
  EXPECT_EQ(c.verdict(),
            "right_source row 0: local 0x900a00 takes remote 0x100200 on device 0, not 0x100000 on device 0");
}

TEST(Check, FirstHalfTakenTwice) {
  Case c;
  c.remote[2] = c.remote[0];
  EXPECT_EQ(c.verdict(),
            "right_source row 2: local 0x901600 takes remote 0x100000 on device 0, not 0x100200 on device 0");
}

TEST(Check, NothingMissing) {
  Case c;
  c.local.pop_back();
  c.remote.pop_back();
  c.bytes = 3584;
  EXPECT_EQ(c.verdict(),
            "nothing_missing: 512 B of the request's blocks are never written, the first at 0x902600");
  Case shorter;
  shorter.local[4].bytes = shorter.remote[4].bytes = 500;
  shorter.bytes = 4084;
  EXPECT_EQ(shorter.verdict(),
            "nothing_missing: 12 B of the request's blocks are never written, the first at 0x9023f4");
}

TEST(Check, RowsMayBeCutAndJoinedAsTheyLike) {
  Case c;
  c.local[0].bytes = c.remote[0].bytes = 100;
  c.local.push_back({c.local[0].address + 100, 412, 0});
  c.remote.push_back({c.remote[0].address + 100, 412, 0});
  EXPECT_EQ(c.verdict(), "holds");
  c.remote.back().address += 1;
  EXPECT_EQ(c.verdict(),
            "right_source row 8: local 0x900a64 takes remote 0x100065 on device 0, not 0x100064 on device 0");
}

TEST(Check, EveryRuleHasAClaim) {
  for (std::size_t i = 0; i < kRules; ++i) {
    EXPECT_FALSE(std::string(to_string(static_cast<Rule>(i))).empty());
    EXPECT_GT(std::string(claim(static_cast<Rule>(i))).size(), 20u);
  }
}

}  // namespace
}  // namespace pageproof::plan
