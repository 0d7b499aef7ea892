// Layout resolution: who wins, what is refused, and why deferring to the backend does not give a shuffled
// decoder its planes (traps T20 to T22).
#include "model/region/resolve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/region/registration.hpp"

namespace pageproof::region {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Engine shuffled() {
  Engine engine;
  engine.shuffle = true;
  return engine;
}

TEST(Resolve, TheConnectorsRequestBeatsTheBackendsPreference) {
  Engine engine;
  engine.backend = Backend::rocm_attn;  // prefers LHBNC
  EXPECT_EQ(resolve_layout(engine, LayoutRequest::today)->layout, Layout::lbhnc);
  engine.model.latent = true;  // no request for MLA
  engine.model.kv_heads = 1;
  EXPECT_EQ(resolve_layout(engine, LayoutRequest::today)->layout, Layout::lhbnc);
}

TEST(Resolve, DeferringAloneLeavesAShuffledDecoderWithoutPlanes) {
  EXPECT_EQ(required_layout(shuffled(), LayoutRequest::today), Layout::lbhnc);
  EXPECT_EQ(required_layout(shuffled(), LayoutRequest::deferring), std::nullopt);
  EXPECT_EQ(resolve_layout(shuffled(), LayoutRequest::today)->layout, Layout::lbhnc);
  EXPECT_EQ(resolve_layout(shuffled(), LayoutRequest::deferring)->layout, Layout::lbhnc);
  EXPECT_EQ(resolve_layout(shuffled(), LayoutRequest::planes_for_shuffle)->layout, Layout::lhbnc);
  Engine engine = shuffled();
  engine.environment_layout = Layout::lhbnc;
  for (const auto request : {LayoutRequest::today, LayoutRequest::deferring}) {
    EXPECT_EQ(resolve_layout(engine, request)->layout, Layout::lhbnc);
  }
}

TEST(Resolve, WithoutShuffleNoRequestChanges) {
  for (const auto request :
       {LayoutRequest::today, LayoutRequest::deferring, LayoutRequest::planes_for_shuffle}) {
    EXPECT_EQ(required_layout(Engine{}, request), Layout::lbhnc);
  }
  Engine gluon = shuffled();
  gluon.kernel_path = KernelPath::gluon;  // takes all strides, needs no planes
  EXPECT_EQ(required_layout(gluon, LayoutRequest::planes_for_shuffle), std::nullopt);
}

TEST(Resolve, ConfiguredWinsOutright) {
  Engine engine;
  engine.configured_layout = Layout::bhlnc;  // not even a candidate
  engine.environment_layout = Layout::lhbnc;
  EXPECT_EQ(resolve_layout(engine, LayoutRequest::today)->layout, Layout::bhlnc);
}

TEST(Resolve, EnvironmentMustBeACandidate) {
  Engine engine;
  engine.environment_layout = Layout::lbnhc;
  const auto refused = resolve_layout(engine, LayoutRequest::today);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(to_string(refused.error()),
              HasSubstr("LBNHC: not a layout that ROCM_AITER_FA takes here (ValueError)"));
  engine.backend = Backend::flash_attn;
  EXPECT_EQ(resolve_layout(engine, LayoutRequest::today)->layout, Layout::lbnhc);
}

TEST(Resolve, MixedSpecsKeepBlockCompactLayouts) {
  Engine engine = shuffled();
  engine.environment_layout = Layout::lhbnc;
  EXPECT_FALSE(resolve_layout(engine, LayoutRequest::today, true).has_value());
  engine.environment_layout.reset();
  EXPECT_EQ(resolve_layout(engine, LayoutRequest::today, true)->layout, Layout::lbhnc);
}

TEST(Resolve, CandidatesOfSeveralBackends) {
  constexpr std::array first = {Layout::lbhnc, Layout::lhbnc};
  constexpr std::array second = {Layout::lhbnc, Layout::lbhnc};
  constexpr std::array third = {Layout::lbnhc};
  using Declarations = std::vector<std::span<const Layout>>;
  EXPECT_THAT(*candidate_layouts(Declarations{second, second}, ""),
              ElementsAre(Layout::lhbnc, Layout::lbhnc));
  EXPECT_THAT(*candidate_layouts(Declarations{first, second}, ""), ElementsAre(Layout::lbhnc, Layout::lhbnc));
  EXPECT_THAT(*candidate_layouts(Declarations{first, second, second}, ""),
              ElementsAre(Layout::lhbnc, Layout::lbhnc));
  EXPECT_THAT(*candidate_layouts(Declarations{{}, third}, ""), ElementsAre(Layout::lbnhc));
  EXPECT_THAT(
      *candidate_layouts(Declarations{{}, {}}, ""),
      ElementsAre(Layout::lbnhc, Layout::lbhnc, Layout::blnhc, Layout::blhnc, Layout::bhlnc, Layout::lhbnc));
  EXPECT_FALSE(candidate_layouts(Declarations{first, third}, "").has_value());
}

// T20: a layout whose blocks are no dense pages cannot be cut into kernel blocks.
TEST(Resolve, KernelBlocksNeedADensePage) {
  Engine engine;
  engine.model.layers = 2;
  engine.block_size = 64;
  engine.kernel_block_size = 16;
  EXPECT_TRUE(allocate(engine, Layout::lbhnc).has_value());
  EXPECT_TRUE(allocate(engine, Layout::lbnhc).has_value());
  for (const Layout layout : {Layout::lhbnc, Layout::blhnc, Layout::blnhc, Layout::bhlnc}) {
    EXPECT_FALSE(allocate(engine, layout).has_value()) << to_string(layout);
  }
  engine.tp_size = 8;  // one head: its plane is a dense page
  EXPECT_TRUE(allocate(engine, Layout::lhbnc).has_value());
  engine.shuffle = true;  // two slots, whatever the heads
  EXPECT_FALSE(allocate(engine, Layout::lhbnc).has_value());
}

}  // namespace
}  // namespace pageproof::region
