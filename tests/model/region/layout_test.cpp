// The six layouts: names, aliases, predicates and strides, against the tables of the connector spec §3.1 and
// §3.2.
#include "model/region/layout.hpp"

#include <gtest/gtest.h>

#include "model/region/view.hpp"

namespace pageproof::region {
namespace {

struct LayoutRow {
  Layout layout;
  std::array<int, 5> stride_order;  // L = 0, B = 1, H = 2, N = 3, C = 4
  bool layer_compact;
  bool block_contiguous;
  bool block_compact;
  bool block_outermost;
};
constexpr LayoutRow kRows[] = {
    {Layout::lbhnc, {0, 1, 2, 3, 4}, true, true, true, false},
    {Layout::lbnhc, {0, 1, 3, 2, 4}, true, false, true, false},
    {Layout::lhbnc, {0, 2, 1, 3, 4}, true, false, false, false},
    {Layout::blhnc, {1, 0, 2, 3, 4}, false, true, true, true},
    {Layout::blnhc, {1, 0, 3, 2, 4}, false, false, true, true},
    {Layout::bhlnc, {1, 2, 0, 3, 4}, false, false, false, true},
};

TEST(Layout, StrideOrderAndPredicates) {
  for (const LayoutRow& row : kRows) {
    std::string name;
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(static_cast<int>(order_of(row.layout)[i]), row.stride_order[i]) << to_string(row.layout);
      name += "LBHNC"[row.stride_order[i]];
    }
    EXPECT_EQ(to_string(row.layout), name);
    EXPECT_EQ(parse_layout(name, "").value(), row.layout);
    EXPECT_EQ(is_layer_compact(row.layout), row.layer_compact) << name;
    EXPECT_EQ(is_block_contiguous(row.layout), row.block_contiguous) << name;
    EXPECT_EQ(is_block_compact(row.layout), row.block_compact) << name;
    EXPECT_EQ(is_block_outermost(row.layout), row.block_outermost) << name;
  }
}

TEST(Layout, Aliases) {
  EXPECT_EQ(parse_layout("HND", "").value(), Layout::lbhnc);
  EXPECT_EQ(parse_layout("NHD", "").value(), Layout::lbnhc);
  EXPECT_EQ(legacy_name(Layout::lbhnc), "HND");
  EXPECT_EQ(legacy_name(Layout::lhbnc), to_string(Layout::lhbnc));
  for (const char* wrong : {"", "hnd", "LBHN", "LBHNCC", "LHBCN", "CNHBL"}) {
    const auto refused = parse_layout(wrong, "engine.json");
    ASSERT_FALSE(refused.has_value()) << wrong;
    EXPECT_EQ(refused.error().value, wrong);
  }
}

TEST(Layout, StridesOfTheTable) {
  const CacheSpec spec{.head_slots = 2, .tokens = 16, .content_bytes = 32};
  constexpr std::uint64_t L = 3, B = 5, H = 2, N = 16, C = 32;
  const std::pair<Layout, Strides> table[] = {
      {Layout::lbhnc, {.layer = B * H * N * C, .block = H * N * C, .head = N * C, .token = C}},
      {Layout::lbnhc, {.layer = B * N * H * C, .block = N * H * C, .head = C, .token = H * C}},
      {Layout::lhbnc, {.layer = H * B * N * C, .block = N * C, .head = B * N * C, .token = C}},
      {Layout::blhnc, {.layer = H * N * C, .block = L * H * N * C, .head = N * C, .token = C}},
      {Layout::blnhc, {.layer = N * H * C, .block = L * N * H * C, .head = C, .token = H * C}},
      {Layout::bhlnc, {.layer = N * C, .block = H * L * N * C, .head = L * N * C, .token = C}},
  };
  for (const auto& [layout, expected] : table) {
    EXPECT_EQ(strides_of(spec, layout, L, B, "").value(), expected) << to_string(layout);
  }
}

TEST(Layout, PaddingWidensThePageAlone) {
  const CacheSpec spec{.head_slots = 2, .tokens = 16, .content_bytes = 32, .padded_page_bytes = 1280};
  EXPECT_EQ(strides_of(spec, Layout::lbhnc, 3, 5, "").value(),
            (Strides{.layer = 5 * 1280, .block = 1280, .head = 512, .token = 32}));
  EXPECT_EQ(strides_of(spec, Layout::blhnc, 3, 5, "").value(),
            (Strides{.layer = 1280, .block = 3 * 1280, .head = 512, .token = 32}));
  EXPECT_FALSE(strides_of(spec, Layout::lhbnc, 3, 5, "").has_value());
}

}  // namespace
}  // namespace pageproof::region
