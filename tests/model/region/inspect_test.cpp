// Views read from sizes and strides alone: reports P02 and P06, and their kind.
#include "model/region/inspect.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/region/registration.hpp"

namespace pageproof::region {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// P06 (LMCache #4463, #4467).
TEST(Inspect, TwoHeadsNotTwoSlots) {
  const ViewReading reading = read_view({{97871, 2, 16, 256}, {8192, 256, 512, 1}}, 128);
  ASSERT_EQ(reading.steps.size(), 3u);
  EXPECT_THAT(reading.steps[0],
              HasSubstr("ambiguous: 2 KV heads of K and V side by side, or a K and a V slot of 2"));
  EXPECT_THAT(reading.steps[1], HasSubstr("LBNHC"));
  EXPECT_THAT(reading.steps[1], HasSubstr("no backend with two slots offers"));
  EXPECT_THAT(reading.steps[2], HasSubstr("a standard view, 2 KV heads"));
  EXPECT_TRUE(reading.decided());
  EXPECT_TRUE(reading.heads_fit);
  EXPECT_EQ(reading.kv_heads, 2u);
}

// The same sizes with heads outside tokens stay ambiguous: a shuffled LBHNC page has them too.
TEST(Inspect, SometimesTheStridesDoNotTell) {
  const ViewReading reading = read_view({{97871, 2, 16, 256}, {8192, 4096, 256, 1}}, 128);
  EXPECT_FALSE(reading.decided());
  EXPECT_TRUE(reading.heads_fit && reading.slots_fit);
  EXPECT_THAT(reading.steps[2], HasSubstr("not decided"));
  EXPECT_EQ(reading.kv_heads, 0u);
}

TEST(Inspect, TheShapeCanBeEnough) {
  const ViewReading slots = read_view({{10, 2, 16, 1024}, {16384, 163840, 1024, 1}}, 128);
  EXPECT_TRUE(slots.decided() && slots.slots_fit);
  EXPECT_EQ(slots.kv_heads, 8u);
  const ViewReading heads = read_view({{10, 8, 16, 256}, {32768, 4096, 256, 1}}, 128);
  EXPECT_TRUE(heads.decided() && heads.heads_fit);
  const ViewReading neither = read_view({{10, 3, 16, 100}, {4800, 1600, 100, 1}}, 128);
  EXPECT_FALSE(neither.heads_fit || neither.slots_fit);
}

// P02 (vllm #35444, #37940): declared LBHNC, strides LBNHC.
TEST(Inspect, DeclarationContradictsStrides) {
  const StridedView view{{100, 8, 16, 256}, {32768, 256, 2048, 1}};
  const auto refused = declaration_holds(view, Layout::lbhnc, "prefill");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().value, "LBHNC");
  EXPECT_THAT(refused.error().problem, HasSubstr("contradicts the strides (32768, 256, 2048, 1)"));
  EXPECT_THAT(refused.error().problem, HasSubstr("LBNHC"));
  EXPECT_TRUE(declaration_holds(view, Layout::lbnhc, "prefill").has_value());
}

// Whatever layout allocates a view is among the layouts of its strides; with two heads or more no declaration
// of the other order inside the page holds.
TEST(Inspect, AllocatedViewsHaveTheirLayout) {
  for (const Layout layout : kLayouts) {
    for (const std::uint64_t layers : {1, 2, 5}) {
      Engine engine;
      engine.model.layers = layers;
      engine.num_blocks = 6;
      const LayerView view = allocate(engine, layout)->front();
      const StridedView strided{
          {view.blocks, view.spec.head_slots, view.spec.tokens, view.spec.content_bytes},
          {view.strides.block, view.strides.head, view.strides.token, 1}};
      EXPECT_THAT(layouts_with(strided), Contains(layout)) << to_string(layout);
      const bool tokens_outside = layout == Layout::lbnhc || layout == Layout::blnhc;
      const Layout other = tokens_outside ? Layout::lbhnc : Layout::lbnhc;
      EXPECT_FALSE(declaration_holds(strided, other, "e").has_value()) << to_string(layout);
    }
  }
  EXPECT_THAT(layouts_with({{4, 2, 16, 32}, {1, 1, 1, 1}}), ElementsAre());
}

}  // namespace
}  // namespace pageproof::region
