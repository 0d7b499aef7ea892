// Regions: the table of the connector spec §3.4, and the traps that hide in it (T2, T4, T5, T6, T16; reports
// P07, P18, P19). Offsets are relative to the allocation.
#include "model/region/registration.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pageproof::region {
namespace {

using testing::ElementsAre;

struct Geometry {
  std::uint64_t layer;
  std::uint64_t base;
  std::uint64_t len;
  std::uint64_t stride;
  friend bool operator==(const Geometry&, const Geometry&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Geometry& g) {
    return out << fmt::format("(l{}, {}, {}, {})", g.layer, g.base, g.len, g.stride);
  }
};

// L = 2, B = 4, N = 16, D = 8, e = 2: pages of 512 bytes a head.
Engine small(std::uint64_t heads = 2) {
  Engine engine;
  engine.model = {.name = "m", .layers = 2, .kv_heads = heads, .query_heads = heads, .head_dim = 8};
  engine.num_blocks = 4;
  return engine;
}

std::vector<Geometry> regions_of(const Engine& engine, Layout layout) {
  const auto registered = register_engine(checked(engine, "e").value(), layout);
  EXPECT_TRUE(registered.has_value());
  std::vector<Geometry> out;
  for (const Region& region : registered->regions) {
    const std::uint64_t layer = static_cast<std::uint64_t>(region.name.at(sizeof("model.layers.") - 1) - '0');
    out.push_back({layer, region.base - engine.base_address, region.block_len, region.block_stride});
  }
  return out;
}

using G = Geometry;
const auto kWholePages = ElementsAre(G{0, 0, 1024, 1024}, G{1, 4096, 1024, 1024});
const auto kHalfPages =
    ElementsAre(G{0, 0, 512, 512}, G{0, 2048, 512, 512}, G{1, 4096, 512, 512}, G{1, 6144, 512, 512});

TEST(Registration, TheTable) {
  EXPECT_THAT(regions_of(small(), Layout::lbhnc), kWholePages);
  EXPECT_THAT(regions_of(small(), Layout::lbnhc), kWholePages);
  EXPECT_THAT(regions_of(small(), Layout::lhbnc), kHalfPages);
  EXPECT_THAT(regions_of(small(), Layout::blhnc), ElementsAre(G{0, 0, 1024, 2048}, G{1, 1024, 1024, 2048}));
  EXPECT_THAT(regions_of(small(), Layout::blnhc), ElementsAre(G{0, 0, 2048, 2048}));
  EXPECT_THAT(regions_of(small(), Layout::bhlnc), ElementsAre(G{0, 0, 2048, 2048}));
}

// T2: shuffled pages in LBHNC have the geometry of standard pages; in LHBNC too, where a rank has two heads.
TEST(Registration, ShuffledGeometryCanBeStandardGeometry) {
  Engine engine = small();
  engine.shuffle = true;
  EXPECT_THAT(regions_of(engine, Layout::lbhnc), kWholePages);
  EXPECT_THAT(regions_of(engine, Layout::lhbnc), kHalfPages);
}

// T4: under LHBNC a standard layer has a region for each head, one of whole pages where there is one head; a
// two-slot layer always two, of half a page.
TEST(Registration, PlanesOfHeadsAndOfSlots) {
  for (const std::uint64_t heads : {1, 2, 3, 5, 8}) {
    Engine engine = small(heads);
    const auto standard = register_engine(engine, Layout::lhbnc);
    ASSERT_TRUE(standard.has_value());
    EXPECT_EQ(standard->regions.size(), 2 * heads);
    EXPECT_EQ(standard->regions[0].block_len, 512u);
    engine.shuffle = true;
    const auto shuffled = register_engine(engine, Layout::lhbnc);
    ASSERT_TRUE(shuffled.has_value());
    const std::uint64_t half = heads * 16 * 8 * 2;
    ASSERT_EQ(shuffled->regions.size(), 4u);
    for (std::uint64_t i = 0; i < 4; ++i) {
      const Region& region = shuffled->regions[i];
      EXPECT_EQ(region.base - engine.base_address, i * 4 * half);
      EXPECT_EQ(region.block_len, half);
      EXPECT_EQ(region.block_stride, half);
      EXPECT_EQ(region.name, fmt::format("model.layers.{}.self_attn.attn", i / 2));
    }
  }
}

// T6: with one head, or one token, LBNHC strides look contiguous; with B outermost that decides between a
// region for each layer and one for all.
TEST(Registration, SizeOneAxesChangeTheBranch) {
  EXPECT_THAT(regions_of(small(1), Layout::blnhc), ElementsAre(G{0, 0, 512, 1024}, G{1, 512, 512, 1024}));
  EXPECT_THAT(regions_of(small(1), Layout::bhlnc), ElementsAre(G{0, 0, 512, 1024}, G{1, 512, 512, 1024}));
  EXPECT_EQ(regions_of(small(2), Layout::blnhc).size(), 1u);
}

// T16: natural order of the names; S0 keeps the order given.
TEST(Registration, LayersInNaturalOrder) {
  EXPECT_TRUE(natural_less("layers.2.attn", "layers.10.attn"));
  EXPECT_FALSE(natural_less("layers.10.attn", "layers.2.attn"));
  EXPECT_TRUE(natural_less("a", "a1"));
  EXPECT_TRUE(natural_less("layers.9", "layers.10.x"));
  EXPECT_FALSE(natural_less("layers.02", "layers.2"));
  EXPECT_TRUE(natural_less("layers.99999999999999999999998", "layers.99999999999999999999999"));

  Engine engine = small();
  engine.model.layers = 12;
  std::vector<LayerView> views = *allocate(engine, Layout::lbhnc);
  std::swap(views[2], views[10]);
  const auto names = [&](Behaviour behaviour) {
    std::vector<std::string> out;
    const auto registered = register_views(views, behaviour, "e");
    for (const Region& region : registered->regions) out.push_back(region.name);
    return out;
  };
  EXPECT_EQ(names(Behaviour::s2)[2], "model.layers.2.self_attn.attn");
  EXPECT_EQ(names(Behaviour::s0)[2], "model.layers.10.self_attn.attn");
}

// P18 (vllm #57661): two views at one base with different block lengths are two regions; before, they were
// one.
TEST(Registration, IdentityIsBaseAndBlockLength) {
  LayerView wide{.layer = "layers.0",
                 .pointer = 0x1000,
                 .blocks = 4,
                 .spec = {.head_slots = 1, .tokens = 16, .content_bytes = 2048},
                 .strides = {.block = 32768, .head = 32768, .token = 2048},
                 .storage_base = 0x1000,
                 .storage_bytes = 4 * 32768,
                 .page_format = "standard"};
  LayerView narrow = wide;
  narrow.layer = "layers.1";
  narrow.spec = {.head_slots = 1, .tokens = 16, .content_bytes = 1188};
  narrow.strides = {.block = 19008, .head = 19008, .token = 1188};
  narrow.storage_bytes = 4 * 19008;
  narrow.group = 1;
  const std::vector<LayerView> views = {wide, narrow};
  const auto newest = register_views(views, Behaviour::s2, "e");
  ASSERT_EQ(newest->regions.size(), 2u);
  EXPECT_EQ(newest->regions[0].block_len, 32768u);
  EXPECT_EQ(newest->regions[1].block_len, 19008u);
  EXPECT_EQ(newest->regions[1].base, newest->regions[0].base);
  EXPECT_EQ(newest->regions[0].group, 0);
  const auto before = register_views(views, Behaviour::s0, "e");
  EXPECT_EQ(before->regions.size(), 1u);
  EXPECT_EQ(before->regions[0].group, kShared);
}

// Layers of several groups overlay one another: one region, shared.
TEST(Registration, OverlaidGroupsShareARegion) {
  Engine engine = small();
  engine.model.layers = 4;
  engine.model.groups = 2;
  const auto registered = register_engine(engine, Layout::lbhnc);
  ASSERT_EQ(registered->regions.size(), 2u);
  EXPECT_EQ(registered->regions[0].group, kShared);
  EXPECT_EQ(registered->regions[0].name, "model.layers.0.self_attn.attn");
  EXPECT_EQ(registered->regions[1].name, "model.layers.2.self_attn.attn");
}

// P07 (vllm #45885): layers with different views in one model; each region has its own geometry.
TEST(Registration, GeometryBelongsToTheRegion) {
  constexpr std::uint64_t B = 4, N = 128, H = 2, D = 8, e = 2;
  constexpr std::uint64_t side = N * H * D * e;
  // [2, B, N, H, D]: K plane and V plane of their own; [B, 2, N, H, D]: K then V in each block; [B, N, D]: a
  // latent.
  const LayerView planes{.layer = "layers.0",
                         .pointer = 0x10000,
                         .blocks = B,
                         .spec = {.head_slots = 2, .tokens = N, .content_bytes = H * D * e},
                         .strides = {.block = side, .head = B * side, .token = H * D * e},
                         .storage_base = 0x10000,
                         .storage_bytes = 2 * B * side,
                         .page_format = "aiter-shuffled"};
  const LayerView pairs{.layer = "layers.1",
                        .pointer = 0x50000,
                        .blocks = B,
                        .spec = {.head_slots = 2, .tokens = N, .content_bytes = H * D * e},
                        .strides = {.block = 2 * side, .head = side, .token = H * D * e},
                        .storage_base = 0x50000,
                        .storage_bytes = 2 * B * side,
                        .page_format = "aiter-shuffled"};
  const LayerView latent{.layer = "layers.2",
                         .pointer = 0x90000,
                         .blocks = B,
                         .spec = {.head_slots = 1, .tokens = N, .content_bytes = D * e},
                         .strides = {.block = N * D * e, .head = N * D * e, .token = D * e},
                         .storage_base = 0x90000,
                         .storage_bytes = B * N * D * e,
                         .latent = true};
  const std::vector<LayerView> views = {planes, pairs, latent};
  const auto registered = register_views(views, Behaviour::s2, "e");
  ASSERT_TRUE(registered.has_value());
  const auto& regions = registered->regions;
  ASSERT_EQ(regions.size(), 4u);
  EXPECT_EQ((std::pair{regions[0].block_len, regions[0].block_stride}), (std::pair{side, side}));
  EXPECT_EQ(regions[1].base, 0x10000 + B * side);
  EXPECT_EQ((std::pair{regions[2].block_len, regions[2].block_stride}), (std::pair{2 * side, 2 * side}));
  EXPECT_EQ(regions[3].block_len, N * D * e);
  EXPECT_TRUE(regions[3].latent);
  EXPECT_EQ(registered->memory.size(), 3u);
}

// P19 (vllm-gaudi #1588), the geometry: 36 layers, two planes a layer against one page a layer.
TEST(Registration, PlanesAgainstPages) {
  Engine page;
  Engine planes;
  planes.shuffle = true;
  EXPECT_EQ(register_engine(page, Layout::lbhnc)->regions.size(), 36u);
  EXPECT_EQ(register_engine(planes, Layout::lhbnc)->regions.size(), 72u);
}

TEST(Registration, MemoryIsRegisteredByStorage) {
  const auto newest = register_engine(small(), Layout::lbhnc);
  EXPECT_THAT(newest->memory, ElementsAre(MemoryRange{std::uint64_t{1} << 32, 8192, MemoryType::vram}));
  Engine old = small();
  old.behaviour = Behaviour::s0;
  EXPECT_EQ(register_engine(old, Layout::lbhnc)->memory.size(), 2u);
}

// S2 tolerates a tail shorter than a block row behind the last block; S0 does not, and a longer one makes it
// planes.
TEST(Registration, AShortTailIsTolerated) {
  std::vector<LayerView> views = *allocate(small(), Layout::blnhc);
  for (LayerView& view : views) view.storage_bytes += 16;
  const auto newest = register_views(views, Behaviour::s2, "e");
  ASSERT_TRUE(newest.has_value());
  ASSERT_EQ(newest->regions.size(), 1u);
  EXPECT_EQ(newest->regions[0].block_len, 2048u);
  EXPECT_FALSE(register_views(views, Behaviour::s0, "e").has_value());
  for (LayerView& view : views) view.storage_bytes += 2048;
  EXPECT_FALSE(register_views(views, Behaviour::s2, "e").has_value());
}

TEST(Registration, AViewThatIsNotPlanesIsRefused) {
  LayerView view = allocate(small(), Layout::lbhnc)->front();
  view.strides.block += 16;  // padded: neither fills its storage nor divides its bytes
  const auto refused = register_views(std::span(&view, 1), Behaviour::s2, "e");
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(to_string(refused.error()), testing::HasSubstr("cannot be partitioned into NIXL regions"));
  view.strides.block = 0;
  EXPECT_FALSE(register_views(std::span(&view, 1), Behaviour::s2, "e").has_value());
  view.strides.block = UINT64_MAX;
  EXPECT_FALSE(register_views(std::span(&view, 1), Behaviour::s2, "e").has_value());
}

}  // namespace
}  // namespace pageproof::region
