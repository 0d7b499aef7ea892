// Dumps as files: which tensors count as what, and what is refused in one line that names file, field and
// value.
#include "reports/identify/dump.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/golden/scratch.hpp"
#include "tests/reports/identify/pages.hpp"

namespace pageproof::reports {
namespace {

using golden::Dtype;
using golden::SafetensorsFile;
using golden::Tensor;
using testing::HasSubstr;

constexpr Shape kShape{2, 16, 64, 2};

class Files : public testing::Test {
 protected:
  SafetensorsFile file(const std::string& name, const std::vector<Tensor>& tensors) {
    EXPECT_TRUE(golden::write_safetensors(scratch_ / name, {}, tensors));
    return *SafetensorsFile::open(scratch_ / name);
  }
  Tensor standard_named(const std::string& name) const {
    return {name, Dtype::bf16, {3, 2, 16, 128}, reference_.bytes};
  }
  Tensor standard() const { return standard_named("standard"); }
  Tensor keys() const { return {"k_plane", Dtype::bf16, {3, 2, 8, 16, 8}, planes_.first}; }
  Tensor values() const { return {"v_plane", Dtype::bf16, {3, 2, 2, 64, 8}, planes_.second}; }

  golden::Scratch scratch_;
  const Reference reference_ = random_reference(kShape, 3, 41);
  const Dump planes_ = written(Form::tensors, reference_, "aiter-shuffled");
};

TEST_F(Files, PlanesAgainstStandardAndTheReverse) {
  const SafetensorsFile all = file("all.safetensors", {standard(), keys(), values()});
  const auto dump = read_dump(all);
  const auto known = read_reference(all, nullptr);
  ASSERT_TRUE(dump && known);
  EXPECT_TRUE(dump->two_tensors);
  EXPECT_EQ(known->shape, kShape);
  const auto found = identify(*dump, *known);
  ASSERT_TRUE(found);
  EXPECT_TRUE(has_answer(*found, "aiter-shuffled", Accident::none)) << summary(*found);

  const SafetensorsFile planes = file("planes.safetensors", {keys(), values()});
  const SafetensorsFile pages = file("pages.safetensors", {standard()});
  const auto reverse = identify(*read_dump(pages), *read_reference(planes, nullptr));
  ASSERT_TRUE(reverse);
  EXPECT_TRUE(has_answer(*reverse, "standard", Accident::none)) << summary(*reverse);
}

TEST_F(Files, AReferenceInANamedFormat) {
  const Dump nhd = written(Form::side_by_side, reference_, "standard-nhd");
  const SafetensorsFile pages = file("nhd.safetensors", {{"pages", Dtype::bf16, {3, 2, 16, 128}, nhd.first}});
  const Dump rows = written(Form::tensors, reference_, "xqa-0");
  const SafetensorsFile planes =
      file("rows.safetensors", {{"k_plane", Dtype::bf16, {3, 2, 16, 64}, rows.first},
                                {"v_plane", Dtype::bf16, {3, 2, 16, 64}, rows.second}});
  const DumpedPages dump = *read_dump(file("planes.safetensors", {keys(), values()}));
  for (const auto& [reference, tag] : {std::pair{&pages, "standard-nhd"}, std::pair{&planes, "xqa-0"}}) {
    const auto known = read_reference(*reference, *page::find_format(tag));
    ASSERT_TRUE(known) << to_string(known.error());
    const SafetensorsFile again = file("again.safetensors", {keys(), values()});
    const auto found = identify(*read_dump(again), *known);
    ASSERT_TRUE(found);
    EXPECT_TRUE(has_answer(*found, "aiter-shuffled", Accident::none)) << tag << summary(*found);
  }
}

TEST_F(Files, BlockIdsAreRead) {
  const std::int64_t ids[] = {7, 70000, 3};
  const Tensor tensor{"block_ids", Dtype::i64, {3}, std::as_bytes(std::span(ids))};
  const auto dump = read_dump(file("ids.safetensors", {keys(), values(), tensor}));
  ASSERT_TRUE(dump);
  EXPECT_THAT(dump->block_ids, testing::ElementsAre(7u, 70000u, 3u));
}

TEST_F(Files, BadDumpsAreRefusedByName) {
  const std::int64_t negative[] = {0, -4, 2};
  const Tensor ids{"block_ids", Dtype::i64, {3}, std::as_bytes(std::span(negative))};
  const Tensor flat{"block_ids", Dtype::u8, {24}, std::as_bytes(std::span(negative))};
  const Tensor pages{"pages", Dtype::u8, {reference_.bytes.size()}, reference_.bytes};
  const std::pair<std::vector<Tensor>, std::string> cases[] = {
      {{keys()}, "v_plane: missing: the other plane is there"},
      {{values()}, "k_plane: missing: the other plane is there"},
      {{standard_named("other")}, "pages: missing: a dump holds pages, or k_plane and v_plane"},
      {{pages, keys(), values()}, "tensors: pages, k_plane, v_plane: the dump is one or the other"},
      {{keys(), values(), ids}, "block_ids: -4: negative"},
      {{keys(), values(), flat}, "block_ids: U8 [24]: not I64 of one axis"},
  };
  for (const auto& [tensors, problem] : cases) {
    const auto dump = read_dump(file("bad.safetensors", tensors));
    ASSERT_FALSE(dump) << problem;
    EXPECT_THAT(to_string(dump.error()), HasSubstr("bad.safetensors: " + problem));
  }
}

TEST_F(Files, BadReferencesAreRefusedByName) {
  Tensor odd{"standard", Dtype::bf16, {3, 2, 128, 16}, reference_.bytes};
  Tensor rank{"standard", Dtype::bf16, {6, 16, 128}, reference_.bytes};
  Tensor wide{"standard", Dtype::f32, {3, 2, 16, 64}, reference_.bytes};
  Tensor other{"v_plane", Dtype::bf16, {3, 2, 4, 32, 8}, planes_.second};
  Tensor type{"v_plane", Dtype::f16, {3, 2, 2, 64, 8}, planes_.second};
  Tensor six{"k_plane", Dtype::bf16, {3, 2, 8, 8, 2, 8}, planes_.first};
  const std::pair<std::vector<Tensor>, std::string> cases[] = {
      {{rank}, "shape of standard: [6, 16, 128]: not [B, H, N, 2D]"},
      {{wide}, "dtype of standard: F32: an element has 1 or 2 bytes"},
      {{keys(), other}, "shape of v_plane: [3, 2, 4, 32, 8]: k_plane [3, 2, 8, 16, 8] has B=3 H=2 N=16 D=64"},
      {{keys(), type}, "dtype of v_plane: F16: k_plane has BF16"},
      {{six, values()}, "shapes of k_plane and v_plane: [3, 2, 8, 8, 2, 8] and"},
      {{{"pages", Dtype::u8, {reference_.bytes.size()}, reference_.bytes}},
       "standard: missing: a reference holds standard, or k_plane and v_plane"},
  };
  for (const auto& [tensors, problem] : cases) {
    const auto known = read_reference(file("bad.safetensors", tensors), nullptr);
    ASSERT_FALSE(known) << problem;
    EXPECT_THAT(to_string(known.error()), HasSubstr("bad.safetensors: " + problem));
  }
  Tensor thin{"standard", Dtype::bf16, {3, 2, 256, 8}, reference_.bytes};
  EXPECT_THAT(to_string(read_reference(file("thin.safetensors", {thin}), nullptr).error()),
              HasSubstr("head_dim: 4: not a positive multiple of x = 8"));
}

// Pages that the writer AITER is served by wrote on a GPU: the planes are shuffled, nothing else fits but
// what has the same bytes.
TEST(PeerPages, AreIdentifiedAsShuffled) {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(PAGEPROOF_SOURCE) + "/golden/foreign")) {
    if (entry.path().extension() != ".safetensors") continue;
    const auto file = SafetensorsFile::open(entry.path());
    ASSERT_TRUE(file);
    const auto skipped = file->metadata().find("every_nth_slot_negative");
    if (skipped != file->metadata().end() && skipped->second != "0") continue;
    const auto found = identify(*read_dump(*file), *read_reference(*file, nullptr),
                                {.expected = *page::find_format("aiter-shuffled")});
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->as_wanted()) << entry.path() << summary(*found);
    // One-byte elements have x = 16: at N = 16 the classic V is the same order.
    EXPECT_EQ(has_side_answer(*found, Side::value, "classic-paged", Accident::none),
              found->shape.tokens == found->shape.granule_elements())
        << entry.path();
    ++files;
  }
  EXPECT_GT(files, 0u);
}

}  // namespace
}  // namespace pageproof::reports
