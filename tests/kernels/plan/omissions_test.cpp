// What has to be expanded with a remote page's two halves: leave one out, and today's checks fail. Spec §9,
// last paragraph.
#include <gmock/gmock.h>

#include "kernels/plan/split.hpp"
#include "model/handshake/negotiate.hpp"
#include "model/handshake/receive.hpp"
#include "tests/model/handshake/sides.hpp"

namespace pageproof::handshake {
namespace {

EngineSide planes() {
  return decode(Layout::lhbnc, [](Engine& engine) { engine.shuffle = true; });
}

AgentMetadata halves() {
  return virtual_metadata(prefill().metadata, Layout::lhbnc);
}

std::string verdict_of(const AgentMetadata& metadata) {
  Worker worker;
  const auto rejection = add_remote_agent(planes(), worker, metadata, 0, 1);
  return rejection ? rejection->at + " " + to_string(rejection->exception) : "accepted";
}

template <class T>
void keep_every_second(std::optional<std::vector<T>>& list) {
  std::vector<T> kept;
  for (std::size_t i = 0; i < list->size(); i += 2) kept.push_back((*list)[i]);
  list = kept;
}

TEST(Omissions, WithEverythingExpandedThePairIsAccepted) {
  EXPECT_EQ(verdict_of(halves()), "accepted");
}

TEST(Omissions, NothingExpanded) {
  AgentMetadata as_it_is = prefill().metadata;
  as_it_is.kv_cache_layout = "LHBNC";
  EXPECT_EQ(verdict_of(as_it_is), "check 14 AssertionError");
  EXPECT_EQ(verdict_of(prefill().metadata), "check 10 RuntimeError");
}

TEST(Omissions, Names) {
  AgentMetadata m = halves();
  keep_every_second(m.region_names);
  EXPECT_EQ(verdict_of(m), "check 19 AssertionError");
}

TEST(Omissions, NumbersOfBlocks) {
  AgentMetadata m = halves();
  keep_every_second(m.region_num_blocks);
  EXPECT_EQ(verdict_of(m), "check 17 AssertionError");
}

TEST(Omissions, Strides) {
  AgentMetadata m = halves();
  keep_every_second(m.block_strides);
  EXPECT_EQ(verdict_of(m), "check 17 AssertionError");
}

TEST(Omissions, MemoryTypes) {
  AgentMetadata m = halves();
  keep_every_second(m.region_mem_types);
  EXPECT_EQ(verdict_of(m), "check 17 AssertionError");
}

// Where the metadata's own list is checked the handshake fails; where only the worker's record is short, the
// read does: group lists of two lengths are two layouts.
TEST(Omissions, GroupIds) {
  AgentMetadata m = halves();
  keep_every_second(m.region_group_ids);
  EXPECT_EQ(verdict_of(m), "check 17 AssertionError");
  const auto read = planned_read(planes(), {{0, prefill().metadata}}, 1, {{0}}, {{0}}, false, false);
  ASSERT_TRUE(read.has_value());
  ASSERT_TRUE(read->refused.has_value());
  EXPECT_EQ(read->refused->exception, Exception::not_implemented_error);
}

TEST(Omissions, Lengths) {
  AgentMetadata m = halves();
  for (std::uint64_t& len : m.block_lens) len *= 2;
  EXPECT_EQ(verdict_of(m), "check 14 AssertionError");
}

TEST(Omissions, Bases) {
  AgentMetadata m = halves();
  std::vector<std::uint64_t> kept;
  for (std::size_t i = 0; i < m.kv_caches_base_addr.size(); i += 2) kept.push_back(m.kv_caches_base_addr[i]);
  m.kv_caches_base_addr = kept;
  EXPECT_NE(verdict_of(m), "accepted");
}

TEST(Omissions, LayoutName) {
  AgentMetadata m = halves();
  m.kv_cache_layout = "LBHNC";
  EXPECT_EQ(verdict_of(m), "check 10 RuntimeError");
}

// The planner's halves, written without a look at the model's, are the model's.
TEST(Omissions, ThePlannersHalvesCarryAll) {
  const auto regions = regions_of(prefill().metadata, "prefill").value();
  std::vector<plan::Region> whole;
  for (const region::Region& r : regions) {
    whole.push_back({.base = r.base,
                     .block_len = r.block_len,
                     .block_stride = r.block_stride,
                     .num_blocks = r.num_blocks,
                     .group = r.group,
                     .memory = plan::Memory::dram,
                     .replicated = true,
                     .name = r.name});
  }
  const auto mine = plan::in_halves(whole, "remote");
  ASSERT_TRUE(mine.has_value());
  const std::vector<region::Region> theirs = region::virtual_halves(regions);
  ASSERT_EQ(mine->size(), theirs.size());
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    EXPECT_EQ((*mine)[i].base, theirs[i].base);
    EXPECT_EQ((*mine)[i].block_len, theirs[i].block_len);
    EXPECT_EQ((*mine)[i].block_stride, theirs[i].block_stride);
    EXPECT_EQ((*mine)[i].num_blocks, theirs[i].num_blocks);
    EXPECT_EQ((*mine)[i].group, theirs[i].group);
    EXPECT_EQ((*mine)[i].name, theirs[i].name);
    EXPECT_EQ((*mine)[i].memory, plan::Memory::dram);
    EXPECT_TRUE((*mine)[i].replicated);
  }
  whole[1].block_len += 1;
  EXPECT_EQ(plan::in_halves(whole, "remote").error().field, "regions[1].block_len");
}

}  // namespace
}  // namespace pageproof::handshake
