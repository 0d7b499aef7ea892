// What the generated fixtures promise: every kind of case, every bit pattern, never H = N, never K = V.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "golden/pages/blocks.hpp"
#include "golden/pages/cases.hpp"
#include "golden/pages/fill.hpp"
#include "golden/pages/generate.hpp"
#include "golden/pages/group_builder.hpp"
#include "golden/pages/notes.hpp"
#include "golden/pages/sha256.hpp"
#include "tests/golden/scratch.hpp"

namespace pageproof::golden {
namespace {

TEST(Sha256, GivesThePublishedDigests) {
  // FIPS 180-2, appendix B.1, and the empty message.
  const std::string abc = "abc";
  EXPECT_EQ(sha256_hex(std::as_bytes(std::span(abc))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Fill, IndexTogetherNamesEveryElement) {
  for (const std::uint64_t e : {1, 2}) {
    for (const std::uint64_t head_dim : {64, 128, 256}) {
      const Shape shape{.heads = 5, .tokens = 32, .head_dim = head_dim, .element_bytes = e};
      std::vector<std::uint64_t> names(2 * 2 * 5 * 32 * head_dim);
      for (const Fill& fill : index_fills(shape, 2)) {
        const Bytes bytes = fill_pages(fill, shape, 2);
        ASSERT_EQ(bytes.size(), names.size() * e);
        for (std::size_t i = 0; i < bytes.size(); ++i) {
          names[i / e] = names[i / e] << 8 | std::to_integer<std::uint64_t>(bytes[i]);
        }
      }
      std::ranges::sort(names);
      EXPECT_EQ(std::ranges::adjacent_find(names), names.end()) << pageproof::to_string(shape);
    }
  }
}

TEST(Fill, IndexHoldsTheIndex) {
  const Shape shape{.heads = 1, .tokens = 16, .head_dim = 64, .element_bytes = 2};
  const Bytes bytes = fill_pages({"index", 0}, shape, 1);
  for (std::size_t i = 0; i < 2048; ++i) {
    ASSERT_EQ(std::to_integer<unsigned>(bytes[2 * i]) | std::to_integer<unsigned>(bytes[2 * i + 1]) << 8, i);
  }
}

TEST(Fill, BitsHoldsEveryPattern) {
  const auto bits = [](std::uint64_t heads, std::uint64_t tokens, std::uint64_t e) {
    return fill_pages({"bits", 0}, {.heads = heads, .tokens = tokens, .head_dim = 256, .element_bytes = e},
                      1);
  };
  EXPECT_TRUE(holds_every_bit_pattern(bits(8, 16, 2), 2));
  EXPECT_FALSE(holds_every_bit_pattern(bits(7, 16, 2), 2));
  EXPECT_TRUE(holds_every_bit_pattern(bits(1, 16, 1), 1));
  EXPECT_FALSE(holds_every_bit_pattern(Bytes(255), 1));
}

// Some token whose K and V hold the same bytes.
bool has_equal_sides(const Shape& shape, std::span<const std::byte> standard) {
  const std::uint64_t row = shape.head_dim * shape.element_bytes;
  for (std::uint64_t at = 0; at < standard.size(); at += 2 * row) {
    if (std::ranges::equal(standard.subspan(at, row), standard.subspan(at + row, row))) return true;
  }
  return false;
}

TEST(CommittedPlans, CoverEveryKindOfCase) {
  std::set<std::uint64_t> heads, tokens, head_dims;
  std::set<Dtype> dtypes;
  std::set<std::string> flags;
  for (const GroupPlan& plan : committed_plans()) {
    heads.insert(plan.shape.heads);
    tokens.insert(plan.shape.tokens);
    head_dims.insert(plan.shape.head_dim);
    dtypes.insert(plan.dtype);
    EXPECT_NE(plan.shape.heads, plan.shape.tokens);
    const BuiltGroup built = build_group(plan);
    for (const golden::Test& test : built.group.tests) flags.insert(test.flags.begin(), test.flags.end());
    for (const OwnedTensor& tensor : built.tensors) {
      if (!tensor.name.ends_with(".standard")) continue;
      EXPECT_FALSE(has_equal_sides(plan.shape, tensor.data)) << built.group.file << " " << tensor.name;
    }
    for (const golden::Test& test : built.group.tests) {
      EXPECT_NE(test.standard_pool.num_blocks, test.planes_pool.num_blocks) << test.comment;
    }
  }
  EXPECT_EQ(heads, (std::set<std::uint64_t>{1, 2, 3, 5, 8}));
  EXPECT_EQ(tokens, (std::set<std::uint64_t>{16, 32}));
  EXPECT_EQ(head_dims, (std::set<std::uint64_t>{64, 128, 256}));
  EXPECT_EQ(dtypes, (std::set<Dtype>{Dtype::u8, Dtype::i8, Dtype::f8_e4m3, Dtype::f16, Dtype::bf16}));
  for (const auto& [flag, note] : all_notes()) EXPECT_TRUE(flags.contains(flag)) << flag;
}

TEST(GenerateFixtures, GivesTheSameBytesTwiceAndLeavesNothingElse) {
  const Scratch one, two;
  const auto first = generate_fixtures(one / "new/folder");
  const auto second = generate_fixtures(two.path());
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_EQ(first->files, 17u);
  std::uint64_t bytes = 0;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(two.path())) {
    if (!entry.is_regular_file()) continue;
    ++files;
    bytes += entry.file_size();
    EXPECT_EQ(contents(entry.path()), contents(one / "new/folder" / relative(entry.path(), two.path())));
  }
  EXPECT_EQ(files, second->files);
  EXPECT_EQ(bytes, second->bytes);
}

TEST(GenerateFixtures, RefusesAFolderThatCannotBe) {
  const Scratch scratch;
  put(scratch / "file", "kept");
  const auto report = generate_fixtures(scratch / "file");
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().problem, "no folder: Not a directory");
  EXPECT_EQ(contents(scratch / "file"), "kept");
}

}  // namespace
}  // namespace pageproof::golden
