// pageproof convert between any two formats: the bytes that each engine's own arithmetic puts there, the same
// bytes on the way back, and a file that identify names by its format.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "golden/container/safetensors.hpp"
#include "model/page/format.hpp"
#include "oracle/offset/engines.hpp"
#include "oracle/offset/fp8.hpp"
#include "tests/cli/files.hpp"
#include "tests/cli/program.hpp"
#include "tests/golden/scratch.hpp"
#include "tests/model/laws.hpp"

namespace pageproof::cli_tests {
namespace {

using page::PageFormat;
using Words = std::vector<std::string>;

bool has_five_axes(const std::string& tag) {
  return tag == "aiter-shuffled" || tag == "sglang-vectorized-5d";
}

// A pool's pages in a format, element by element from the standard ones, as the tensors that convert names.
std::vector<TensorBytes> written(const Pool& pool, const std::string& tag) {
  const oracle::EngineFormat& format = *oracle::engine_format(tag);
  const auto& [H, N, D, e] = pool.shape;
  std::string first(pool.blocks * format.block_bytes(pool.shape), '?'), second;
  if (!format.one_region) second = first;
  for (std::uint64_t block = 0; block < pool.blocks; ++block) {
    laws::each_coordinate(
        pool.shape,
        [&](const Coordinate& c) {
          std::string& region = c.side == Side::value && !format.one_region ? second : first;
          std::memcpy(&region[format.byte(pool.shape, c)],
                      &pool.standard[oracle::standard_byte(pool.shape, c)], pool.shape.element_bytes);
        },
        block);
  }
  if (format.one_region) {
    return {{tag == "standard" ? "standard" : "pages", pool.dtype, {pool.blocks, H, N, 2 * D}, first}};
  }
  const std::uint64_t x = 16 / e;
  if (has_five_axes(tag)) {
    return {{"k_plane", pool.dtype, {pool.blocks, H, D / x, N, x}, first},
            {"v_plane", pool.dtype, {pool.blocks, H, N / x, D, x}, second}};
  }
  return {{"k_plane", pool.dtype, {pool.blocks, H, N, D}, first},
          {"v_plane", pool.dtype, {pool.blocks, H, N, D}, second}};
}

std::vector<std::string> formats_of(const Shape& shape) {
  std::vector<std::string> tags;
  for (const PageFormat& format : page::catalogue()) {
    if (!format.key_only() && page::fits(format, shape)) tags.push_back(format.tag);
  }
  return tags;
}

class ConvertFormats : public testing::TestWithParam<Shape> {
 protected:
  std::string put(const std::string& tag) {
    const std::string path = scratch / (tag + ".in");
    golden::put(path, tensors_file(written(pool, tag)));
    return path;
  }
  nlohmann::json convert(const std::string& in, const std::string& out, const std::string& from,
                         const std::string& to, const Words& options = {}) {
    Words arguments{"convert", in, out, "--from", from, "--to", to};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_json(arguments, 0);
  }
  // Exactly these tensors, with their types and axes.
  void expect_holds(const std::string& path, const std::vector<TensorBytes>& expected) {
    const auto file = golden::SafetensorsFile::open(path);
    ASSERT_TRUE(file) << to_string(file.error());
    EXPECT_EQ(file->tensors().size(), expected.size());
    for (const TensorBytes& tensor : expected) {
      const golden::Tensor* found = file->find(tensor.name);
      ASSERT_NE(found, nullptr) << tensor.name;
      EXPECT_EQ(found->shape, tensor.shape) << tensor.name;
      EXPECT_EQ(golden::name(found->dtype), tensor.dtype);
      EXPECT_TRUE(tensor_of(path, tensor.name) == tensor.data) << tensor.name;
    }
  }

  golden::Scratch scratch;
  const Pool pool = random_pool(GetParam(), 3);
};

TEST_P(ConvertFormats, convert_there_and_back) {
  const std::vector<std::string> tags = formats_of(GetParam());
  ASSERT_GE(tags.size(), 11u);
  for (const std::string& from : tags) {
    const std::string in = put(from);
    for (const std::string& to : tags) {
      if (from == to) continue;
      SCOPED_TRACE(from + " to " + to);
      const std::string out = scratch / "out", back = scratch / "back";
      const nlohmann::json report = convert(in, out, from, to, {"--threads", "2"});
      EXPECT_EQ(report["bytes"], pool.standard.size());
      expect_holds(out, written(pool, to));
      const golden::Metadata metadata = golden::SafetensorsFile::open(out)->metadata();
      EXPECT_EQ(metadata.at("page_format"), to);
      EXPECT_EQ(metadata.at("converted_from"), from);
      convert(out, back, to, from);
      expect_holds(back, written(pool, from));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ConvertFormats,
                         testing::Values(Shape{3, 32, 16, 2}, Shape{1, 16, 32, 1}, Shape{1, 48, 16, 2},
                                         Shape{5, 16, 64, 1}, Shape{2, 128, 16, 2}),
                         [](const auto& tested) {
                           const Shape& s = tested.param;
                           return fmt::format("H{}_N{}_D{}_e{}", s.heads, s.tokens, s.head_dim,
                                              s.element_bytes);
                         });

class ConvertFormatsOneShape : public ConvertFormats {};

// The file says its format: identify needs no --ref-format, names the other one, and lists what has the same
// bytes rather than preferring one.
TEST_P(ConvertFormatsOneShape, are_named_by_identify) {
  const std::vector<std::string> tags = formats_of(GetParam());
  const std::string standard = put("standard");
  for (const std::string& from : tags) {
    const std::string in = scratch / (from + ".file");
    if (from == "standard") {
      golden::put(in, golden::contents(standard));
    } else {
      convert(standard, in, "standard", from);
    }
    for (const std::string& to : tags) {
      if (from == to) continue;
      SCOPED_TRACE(from + " to " + to);
      const std::string out = scratch / "out";
      convert(in, out, from, to);
      const nlohmann::json found = run_json({"identify", out, "--against", in, "--expect", to}, 0);
      const PageFormat& format = **page::find_format(to);
      std::vector<std::string> named;
      for (const nlohmann::json& answer : found["answers"]) {
        if (answer["accident"] == "none") named.push_back(answer["format"]);
      }
      EXPECT_NE(std::ranges::find(named, to), named.end()) << found["answers"].dump();
      if (page::same_order_as(format).empty()) continue;
      EXPECT_NE(std::ranges::find(named, page::same_order_as(format)[0]), named.end());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ConvertFormatsOneShape, testing::Values(Shape{3, 32, 64, 2}));

class ConvertConventions : public testing::Test {
 protected:
  golden::Scratch scratch;
  const std::string in = scratch / "in", out = scratch / "out";
  const Pool pool = random_pool({3, 32, 64, 2}, 4);

  Outcome convert(const std::string& from, const std::string& to, const Words& options = {}) {
    Words arguments{"convert", in, "-o", out, "--from", from, "--to", to};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run(arguments);
  }
};

// Pages of either order into planes and back go through the C ABI where the shape is its own, through the
// fold elsewhere; the bytes are the same (convert_there_and_back), and in place they are those out of place.
TEST_F(ConvertConventions, the_converter_serves_both_orders_both_ways) {
  for (const Shape& shape : {Shape{3, 32, 64, 2}, Shape{3, 48, 64, 2}}) {
    const Pool pages = random_pool(shape, 4);
    for (const std::string order : {"standard", "standard-nhd"}) {
      golden::put(in, tensors_file(written(pages, order)));
      const std::string path = shape.tokens == 32 ? "converter" : "fold";
      EXPECT_EQ(run_json({"convert", in, out, "--from", order}, 0)["path"], path) << order;
      const std::string planes = golden::contents(out);
      EXPECT_TRUE(tensor_of(out, "k_plane") == pages.keys && tensor_of(out, "v_plane") == pages.values)
          << order;
      EXPECT_EQ(run_json({"convert", in, out, "--from", order, "--in-place"}, 0)["path"], path) << order;
      EXPECT_TRUE(golden::contents(out) == planes) << order << " in place";
      const std::string back = scratch / "back";
      EXPECT_EQ(run_json({"convert", out, back, "--from", "aiter-shuffled", "--to", order}, 0)["path"], path);
      EXPECT_TRUE(tensor_of(back, order == "standard" ? "standard" : "pages") ==
                  tensor_of(in, order == "standard" ? "standard" : "pages"));
    }
  }
  expect_refused(convert("flashinfer-nhd", "aiter-shuffled", {"--in-place"}), {"--in-place", "standard-nhd"});
}

// e4m3 codes into e4m3fnuz codes on the way, by the converter and by the fold, and only for such codes.
TEST_F(ConvertConventions, the_rewrite_of_e4m3_is_the_oracles) {
  for (const Shape& shape : {Shape{3, 16, 64, 1}, Shape{3, 48, 64, 1}}) {
    Pool pages = random_pool(shape, 4);
    for (const std::string order : {"standard", "standard-nhd"}) {
      for (const auto& [dtype, becomes] : {std::pair{"F8_E4M3", "F8_E4M3FNUZ"}, std::pair{"U8", "U8"}}) {
        pages.dtype = dtype;
        golden::put(in, tensors_file(written(pages, order)));
        for (const Words& options : {Words{}, Words{"--in-place"}}) {
          Words arguments{"convert", in, out, "--from", order, "--rewrite", "e4m3-to-e4m3fnuz"};
          arguments.insert(arguments.end(), options.begin(), options.end());
          const nlohmann::json report = run_json(arguments, 0);
          EXPECT_EQ(report["path"], shape.tokens == 16 ? "converter" : "fold");
          const auto rewritten = [](std::string bytes) {
            for (char& code : bytes)
              code = static_cast<char>(oracle::e4m3_to_e4m3fnuz(static_cast<std::uint8_t>(code)));
            return bytes;
          };
          EXPECT_TRUE(tensor_of(out, "k_plane") == rewritten(pages.keys)) << order;
          EXPECT_TRUE(tensor_of(out, "v_plane") == rewritten(pages.values)) << order;
          const auto file = golden::SafetensorsFile::open(out);
          EXPECT_EQ(golden::name(file->find("k_plane")->dtype), becomes);
          EXPECT_EQ(file->metadata().at("rewrite"), "e4m3-to-e4m3fnuz");
        }
      }
    }
  }
  golden::put(in, tensors_file(written(pool, "standard")));
  expect_refused(convert("standard", "aiter-shuffled", {"--rewrite", "e4m3-to-e4m3fnuz"}),
                 {in, "BF16", "F8_E4M3"});
  expect_refused(convert("standard", "aiter-shuffled", {"--rewrite", "e5m2"}), {"--rewrite: e5m2"});
  expect_refused(convert("standard", "aiter-shuffled", {"--rewrite", "e4m3-to-e4m3fnuz", "--keep-source"}),
                 {"--keep-source", "compares bytes"});
}

TEST_F(ConvertConventions, the_metadata_must_agree_where_axes_do_not_tell) {
  golden::put(in, tensors_file(written(pool, "xqa-0"), 0, {{"page_format", "xqa-0"}}));
  expect_refused(convert("classic-paged", "standard"), {in, "metadata page_format: xqa-0", "classic-paged"});
  EXPECT_EQ(convert("xqa-0", "standard").exit_code, 0);
  EXPECT_TRUE(tensor_of(out, "standard") == pool.standard);
  golden::put(in, tensors_file(written(pool, "flashinfer-nhd"), 0, {{"page_format", "xqa-0"}}));
  expect_refused(convert("flashinfer-nhd", "standard"),
                 {in, "metadata page_format: xqa-0", "not a format of pages"});
  golden::put(in, tensors_file(written(pool, "flashinfer-nhd"), 0, {{"page_format", "flashinfer"}}));
  expect_refused(convert("flashinfer-nhd", "standard"),
                 {"metadata page_format: flashinfer", "did you mean flashinfer-hnd"});
  golden::put(in, tensors_file(written(pool, "aiter-shuffled")));
  expect_refused(convert("classic-paged", "standard"), {"shape of k_plane", "5 axes, not 4"});
  golden::put(
      in, tensors_file(written(pool, "sglang-vectorized-5d"), 0, {{"page_format", "sglang-vectorized-5d"}}));
  EXPECT_EQ(convert("aiter-shuffled", "standard").exit_code, 0) << "another name of the same order";
}

// What the tensors' names and axes tell, the metadata must not deny, nor name what does not exist.
TEST_F(ConvertConventions, the_metadata_must_agree_where_names_tell) {
  for (const char* said : {"standard-nhd", "xqa-0", "aiter-shuffled", "standart"}) {
    golden::put(in, tensors_file({pool.standard_tensor()}, 0, {{"page_format", said}}));
    expect_refused(convert("standard", "flashinfer-nhd"), {in, "metadata page_format: " + std::string(said)});
    EXPECT_FALSE(std::filesystem::exists(out));
  }
  for (const char* said : {"classic-paged", "standard", "aiter-shuffled-lbhnc"}) {
    golden::put(in, tensors_file(written(pool, "aiter-shuffled"), 0, {{"page_format", said}}));
    expect_refused(convert("aiter-shuffled", "xqa-0"), {in, "metadata page_format: " + std::string(said)});
    EXPECT_FALSE(std::filesystem::exists(out));
  }
  // Both kinds of tensors: the metadata may be about either.
  std::vector<TensorBytes> both = written(pool, "aiter-shuffled");
  both.push_back(pool.standard_tensor());
  for (const char* said : {"standard", "aiter-shuffled"}) {
    golden::put(in, tensors_file(both, 0, {{"page_format", said}}));
    EXPECT_EQ(convert("standard", "xqa-0").exit_code, 0) << said;
    EXPECT_EQ(convert("aiter-shuffled", "xqa-1").exit_code, 0) << said;
  }
}

// The shuffled order may also come as [B, H, N, D], as identify takes it.
TEST_F(ConvertConventions, shuffled_planes_of_4_axes_are_read_where_they_are_named) {
  std::vector<TensorBytes> planes = written(pool, "aiter-shuffled");
  for (TensorBytes& plane : planes) plane.shape = {4, 3, 32, 64};
  golden::put(in, tensors_file(planes));
  ASSERT_EQ(convert("aiter-shuffled", "standard").exit_code, 0);
  EXPECT_TRUE(tensor_of(out, "standard") == pool.standard);
}

TEST_F(ConvertConventions, block_ids_stay_with_their_rows) {
  const std::int64_t ids[] = {7, 70'000, 3, 12};
  std::vector<TensorBytes> tensors = written(pool, "standard");
  tensors.push_back({"block_ids", "I64", {4}, std::string(reinterpret_cast<const char*>(ids), sizeof ids)});
  golden::put(in, tensors_file(tensors));
  ASSERT_EQ(convert("standard", "flashinfer-hnd").exit_code, 0);
  EXPECT_EQ(tensor_of(out, "block_ids"), tensors.back().data);
  EXPECT_EQ(run({"identify", out, "--against", in, "--expect", "flashinfer-hnd"}).exit_code, 0);
}

TEST_F(ConvertConventions, unlisted_blocks_hold_the_unwritten_byte) {
  golden::put(in, tensors_file(written(pool, "flashinfer-nhd")));
  for (const char* to : {"cpu-amx", "classic-paged"}) {
    std::vector<TensorBytes> expected = written(pool, to);
    ASSERT_EQ(convert("flashinfer-nhd", to, {"--blocks", "3,1", "--threads", "2"}).exit_code, 0);
    for (TensorBytes& tensor : expected) {
      const std::size_t block = tensor.data.size() / pool.blocks;
      for (const std::size_t unlisted : {0, 2}) tensor.data.replace(unlisted * block, block, block, '\xA5');
      EXPECT_TRUE(tensor_of(out, tensor.name) == tensor.data) << to << " " << tensor.name;
    }
  }
}

TEST_F(ConvertConventions, says_which_way_the_bytes_went) {
  golden::put(in, tensors_file(written(pool, "standard")));
  EXPECT_NE(convert("standard", "sglang-vectorized-5d").out.find("converter through its C ABI"),
            std::string::npos);
  const Outcome fold = convert("standard", "xqa-1");
  EXPECT_NE(fold.out.find("Path       fold"), std::string::npos) << fold.out;
  EXPECT_NE(fold.out.find("GB/s"), std::string::npos) << fold.out;
}

TEST_F(ConvertConventions, sglang_pages_are_checked_like_shuffled_ones) {
  golden::put(in, tensors_file(written(pool, "standard")));
  ASSERT_EQ(convert("standard", "sglang-vectorized-5d", {"--keep-source"}).exit_code, 0);
  EXPECT_EQ(run({"check", out}).exit_code, 0);
}

TEST_F(ConvertConventions, refusals_name_the_rule_and_the_values) {
  const auto refused = [&](const Shape& shape, const char* from, const char* to, const Words& options,
                           const Words& words) {
    golden::put(in, tensors_file({random_pool(shape, 2).standard_tensor()}));
    expect_refused(convert(from, to, options), words);
  };
  refused({3, 16, 64, 2}, "standard", "cpu-amx", {}, {"format cpu-amx: tokens: 16: not a multiple of 32"});
  refused({3, 32, 72, 2}, "standard", "cpu-amx", {}, {"format cpu-amx: head_dim: 72: not a multiple of 16"});
  refused({3, 32, 64, 1}, "standard", "cpu-neon", {},
          {"format cpu-neon: element_bytes: 1: this format has elements of 2 B"});
  refused({3, 24, 64, 2}, "standard", "aiter-page16-lbhnc", {},
          {"format aiter-page16-lbhnc: tokens: 24: not a multiple of 16"});
  for (const char* k_only : {"mfma-16x16", "aiter-mla-shuffled"}) {
    refused({1, 16, 16, 1}, "standard", k_only, {}, {std::string("--to: ") + k_only, "holds K only"});
    refused({1, 16, 16, 1}, k_only, "standard", {}, {std::string("--from: ") + k_only, "holds K only"});
  }
  refused({3, 32, 64, 2}, "standard", "clasic", {}, {"--to: clasic", "did you mean classic-paged"});
  refused({3, 32, 64, 2}, "flashinfer", "standard", {}, {"--from: flashinfer", "did you mean flashinfer-"});
  refused({3, 32, 64, 2}, "standard", "classic-paged", {"--in-place"},
          {"--in-place: classic-paged", "landing"});
  refused({3, 32, 64, 2}, "standard", "xqa-0", {"--keep-source"},
          {"--keep-source: standard to xqa-0", "`check` reads"});
  refused({3, 32, 64, 2}, "standard", "xqa-0", {"--blocks", "2"}, {"--blocks: 2", "beyond the pool of 2"});
  EXPECT_EQ(scratch.names(), Words{"in"}) << "nothing half-written is left behind";
}

}  // namespace
}  // namespace pageproof::cli_tests
