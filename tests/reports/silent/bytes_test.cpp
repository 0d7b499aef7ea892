// The byte oracle checks itself: equal engines are right, whatever is spoilt is found.
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "model/page/format.hpp"
#include "tests/reports/silent/reading.hpp"

namespace pageproof::silent {
namespace {

using region::Backend;
using region::Engine;
using region::Layout;
using testing::HasSubstr;

struct Writer {
  const char* name;
  Change change;
  Layout layout = Layout::lbhnc;
};

std::vector<Writer> writers() {
  const auto backend = [](Backend one) { return [one](Engine& e) { e.backend = one; }; };
  const auto tokens = [](std::uint64_t n) {
    return [n](Engine& e) { e.block_size = e.kernel_block_size = n; };
  };
  const auto page_16 = [=](Engine& e) {
    tokens(128)(e);
    e.page_format = region::kPage16;
  };
  const auto gluon = [=](Engine& e) {
    tokens(128)(e);
    e.shuffle = true;
    e.kernel_path = region::KernelPath::gluon;
  };
  return {{"standard", {}},
          {"standard LBNHC", {}, Layout::lbnhc},
          {"standard LHBNC", {}, Layout::lhbnc},
          {"standard BHLNC", {}, Layout::bhlnc},
          {"split blocks", [](Engine& e) { e.block_size = 64; }},
          {"shuffled", [](Engine& e) { e.shuffle = true; }},
          {"shuffled planes", [](Engine& e) { e.shuffle = true; }, Layout::lhbnc},
          {"gluon", gluon, Layout::lhbnc},
          {"classic-paged", backend(Backend::rocm_attn), Layout::lhbnc},
          {"cpu-attn", backend(Backend::cpu_attn)},
          {"aiter-page16", page_16, Layout::lhbnc},
          {"groups",
           [](Engine& e) {
             e.model.layers = 4;
             e.model.groups = 2;
             e.hma = true;
           }},
          {"latent", [](Engine& e) {
             e.model.latent = true;
             e.model.kv_heads = 1;
             e.backend = Backend::flash_attn;
           }}};
}

PlannedReading reading_of(const Writer& writer) {
  return {candidate(engine_named("decode", writer.change), writer.layout),
          candidate(engine_named("prefill", writer.change), writer.layout)};
}

TEST(Bytes, EqualFormatsOnBothSidesAreRight) {
  for (const Writer& writer : writers()) {
    const auto wrong = reading_of(writer).wrong();
    EXPECT_FALSE(wrong.has_value()) << writer.name << ": " << wrong->place << " gets " << wrong->got;
  }
}

TEST(Bytes, AWriterThatExchangesTwoElementsIsFound) {
  for (const Writer& writer : writers()) {
    const PlannedReading read = reading_of(writer);
    Cache other = *read.remote.cache;
    std::swap(other.offsets[other.elements() - 1], other.offsets[other.elements() - 2]);
    const auto found = first_wrong(read.reading(other));
    ASSERT_TRUE(found.has_value() && found->has_value()) << writer.name;
    EXPECT_THAT((*found)->place, HasSubstr("dim 30")) << writer.name;
    EXPECT_THAT((*found)->got, HasSubstr("dim 31")) << writer.name;
  }
}

// What compares the first block alone misses this.
TEST(Bytes, ALastBlockThatIsWrongAloneIsFound) {
  for (const Writer& writer : writers()) {
    PlannedReading read = reading_of(writer);
    const std::uint64_t last = read.remote_ids.front().back();
    const std::uint64_t other = read.remote_ids.front().front();
    const std::uint64_t base = read.remote.engine().base_address;
    const std::uint64_t stride = read.remote.cache->block_stride;
    bool spoilt = false;
    for (handshake::Copy& copy : read.copies) {
      const std::uint64_t at = base + last * stride;
      if (copy.remote < at || copy.remote >= at + read.remote.side.metadata.block_lens.front()) continue;
      copy.remote -= (last - other) * stride;  // wraps where the other block lies behind
      spoilt = true;
    }
    ASSERT_TRUE(spoilt) << writer.name;
    const auto wrong = read.wrong();
    ASSERT_TRUE(wrong.has_value()) << writer.name;
    EXPECT_NE(wrong->expected.find("layer 0"), std::string::npos);
    for (auto* ids : {&read.local_ids, &read.remote_ids}) {
      for (auto& group : *ids) group.resize(group.size() - std::max<std::size_t>(1, group.size() / 2));
    }
    EXPECT_FALSE(read.wrong().has_value()) << writer.name << ": the first blocks are right";
  }
}

TEST(Bytes, ABlockThatIsNotReadIsFound) {
  for (const Writer& writer : writers()) {
    PlannedReading read = reading_of(writer);
    read.copies.pop_back();
    const auto wrong = read.wrong();
    ASSERT_TRUE(wrong.has_value()) << writer.name;
    EXPECT_THAT(wrong->got, HasSubstr("nothing"));
  }
}

TEST(Bytes, TwoCopiesOverOneAnotherAreFound) {
  PlannedReading read = reading_of(writers().front());
  read.copies.push_back(read.copies.front());
  ASSERT_TRUE(read.wrong().has_value());
  EXPECT_THAT(read.wrong()->got, HasSubstr("overlap"));
}

// The writer's arithmetic against the orders of digits, which know nothing of each other. In LBHNC a block is
// one page, so that a V plane begins where the K plane ends.
TEST(Bytes, PlacesAgreeWithTheCatalogue) {
  const auto backend = [](Backend one) { return [one](Engine& e) { e.backend = one; }; };
  const auto page_16 = [](Engine& e) {
    e.block_size = e.kernel_block_size = 128;
    e.page_format = region::kPage16;
  };
  const Writer named[] = {{"standard", {}},
                          {"standard-nhd", {}, Layout::lbnhc},
                          {"aiter-shuffled", [](Engine& e) { e.shuffle = true; }},
                          {"aiter-shuffled-lbhnc", [](Engine& e) { e.shuffle = true; }},
                          {"classic-paged", backend(Backend::rocm_attn)},
                          {"cpu-vec", backend(Backend::cpu_attn)},
                          {"aiter-page16", page_16},
                          {"aiter-page16-lbhnc", page_16}};
  for (const Writer& writer : named) {
    const auto format = page::find_format(writer.name);
    ASSERT_TRUE(format.has_value()) << writer.name;
    const Candidate one = candidate(engine_named("decode", writer.change), writer.layout);
    const Cache& cache = *one.cache;
    const Shape shape{cache.heads, cache.tokens, cache.dims, cache.element_bytes};
    for (std::uint64_t n = 0; n < cache.elements(); ++n) {
      const std::uint64_t row = n / cache.dims / 2;
      const auto side = static_cast<Side>(n / cache.dims % 2);
      const page::Place place =
          page::locate(**format, shape, {0, side, row / cache.tokens, row % cache.tokens, n % cache.dims});
      const std::uint64_t plane = place.region == Side::value ? shape.side_bytes() : 0;
      ASSERT_EQ(cache.offsets[n], plane + place.byte) << writer.name << " element " << n;
    }
  }
}

TEST(Bytes, EnginesThatCannotReadTheirOwnPagesAreNone) {
  const auto shuffled =
      candidate_of(engine_named("decode", [](Engine& e) { e.shuffle = true; }), Layout::lbnhc);
  ASSERT_FALSE(shuffled.has_value());
  EXPECT_THAT(shuffled.error().problem, HasSubstr("overlap"));
  const auto cpu =
      candidate_of(engine_named("decode", [](Engine& e) { e.backend = Backend::cpu_attn; }), Layout::lbnhc);
  EXPECT_FALSE(cpu.has_value());
  const auto standard = candidate_of(engine_named("decode"), Layout::lbnhc);
  EXPECT_TRUE(standard.has_value());
}

}  // namespace
}  // namespace pageproof::silent
