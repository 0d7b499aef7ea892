// What the fixtures of page formats promise: every format, every kind of case, no two elements of a page
// alike, and rules that the catalogue has too.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "golden/formats/builder.hpp"
#include "golden/formats/generate.hpp"
#include "golden/formats/needs.hpp"
#include "golden/formats/notes.hpp"
#include "golden/formats/tensors.hpp"
#include "golden/pages/fill.hpp"
#include "model/page/format.hpp"
#include "tests/golden/scratch.hpp"

namespace pageproof::golden::formats {
namespace {

TEST(FormatPlans, CoverEveryFormatAndKindOfCase) {
  std::set<std::string> flags, stored;
  std::set<std::uint64_t> heads, tokens, element_bytes;
  for (const GroupPlan& plan : group_plans()) {
    const Shape& shape = plan.shape;
    EXPECT_EQ((std::set{shape.heads, shape.tokens, shape.head_dim}).size(), 3u)
        << pageproof::to_string(shape);
    heads.insert(shape.heads);
    tokens.insert(shape.tokens);
    element_bytes.insert(shape.element_bytes);
    const BuiltGroup built = build_group(plan);
    for (const formats::Test& test : built.group.tests) flags.insert(test.flags.begin(), test.flags.end());
    for (const FormatPages& pages : built.group.pages) stored.insert(pages.format);
  }
  EXPECT_EQ(heads, (std::set<std::uint64_t>{1, 2, 3, 5}));
  EXPECT_EQ(tokens, (std::set<std::uint64_t>{16, 32, 48, 64}));
  EXPECT_EQ(element_bytes, (std::set<std::uint64_t>{1, 2}));
  for (const auto& [flag, note] : all_notes()) EXPECT_TRUE(flags.contains(flag)) << flag;
  for (const page::PageFormat& format : page::catalogue())
    EXPECT_TRUE(stored.contains(format.tag)) << format.tag;
}

// In every group the fills together tell all elements apart, so no two orders can be taken for each other
// that differ in any place.
TEST(FormatPlans, TellAllElementsApart) {
  for (const GroupPlan& plan : group_plans()) {
    const std::uint64_t e = plan.shape.element_bytes;
    std::vector<std::uint64_t> names(plan.blocks * plan.shape.page_bytes() / e);
    for (const Fill& fill : index_fills(plan.shape, plan.blocks)) {
      const Bytes bytes = fill_pages(fill, plan.shape, plan.blocks);
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        names[i / e] = names[i / e] << 8 | std::to_integer<std::uint64_t>(bytes[i]);
      }
    }
    EXPECT_EQ((std::set<std::uint64_t>(names.begin(), names.end())).size(), names.size());
  }
}

// Pages of one format are never those of another in every group, unless both names are of one order.
TEST(FormatPlans, TellAllFormatsApart) {
  std::set<std::pair<std::string, std::string>> apart;
  for (const GroupPlan& plan : group_plans()) {
    const BuiltGroup built = build_group(plan);
    for (const FormatPages& a : built.group.pages) {
      for (const FormatPages& b : built.group.pages) {
        if (a.shift != b.shift || a.tensors.size() != b.tensors.size()) continue;
        bool same = true;
        for (std::size_t i = 0; i < a.tensors.size(); ++i) {
          same = same && a.tensors[i].sha256 == b.tensors[i].sha256;
        }
        if (!same) apart.emplace(a.format, b.format);
      }
    }
  }
  for (const page::PageFormat& a : page::catalogue()) {
    const std::vector<std::string> alike = page::same_order_as(a);
    for (const page::PageFormat& b : page::catalogue()) {
      if (a.tag == b.tag || a.key_only() != b.key_only() || a.regions != b.regions) continue;
      // Elements of 1 byte are all that mfma-16x16 has, and there the two formats of K only are one order.
      const bool one_order = a.key_only() || std::ranges::find(alike, b.tag) != alike.end();
      EXPECT_EQ(apart.contains({a.tag, b.tag}), !one_order) << a.tag << " and " << b.tag;
    }
  }
}

// The catalogue's refusals, word for word: field, value and rule.
TEST(FormatNeeds, AreTheCatalogues) {
  std::size_t refused = 0;
  for (const page::PageFormat& format : page::catalogue()) {
    for (const std::uint64_t e : {1, 2}) {
      for (const std::uint64_t heads : {1, 3}) {
        for (const std::uint64_t tokens : {16, 24, 32, 48}) {
          for (const std::uint64_t head_dim : {16, 24, 64}) {
            const Shape shape{heads, tokens, head_dim, e};
            if (!checked(shape, "")) continue;
            const auto fit = page::fits(format, shape);
            const auto rule = broken_need(format.tag, shape);
            ASSERT_EQ(fit.has_value(), !rule.has_value()) << format.tag << " " << pageproof::to_string(shape);
            if (!rule) continue;
            ++refused;
            EXPECT_EQ(*rule, (Rule{fit.error().field, fit.error().value, fit.error().problem})) << format.tag;
          }
        }
      }
    }
  }
  EXPECT_GT(refused, 50u);
}

TEST(FormatTensors, AreWrittenWhole) {
  const Shape shape{3, 32, 16, 2};
  for (const oracle::EngineFormat& format : oracle::engine_formats()) {
    if (broken_need(format.tag, shape)) continue;
    // No sentinel byte is left: the standard pages hold none.
    for (const Bytes& tensor : written(format, shape, 2, Bytes(2 * shape.page_bytes(), std::byte{1}))) {
      EXPECT_EQ(tensor, Bytes(tensor.size(), std::byte{1})) << format.tag;
    }
  }
}

TEST(GenerateFormats, GivesTheSameBytesTwiceAndLeavesNothingElse) {
  const Scratch one, two;
  const auto first = generate_fixtures(one / "new/folder");
  const auto second = generate_fixtures(two.path());
  ASSERT_TRUE(first.has_value() && second.has_value());
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
  EXPECT_LT(bytes, 1'500'000u) << "what is committed stays small";
}

TEST(GenerateFormats, RefusesAFolderThatCannotBe) {
  const Scratch scratch;
  put(scratch / "file", "kept");
  const auto report = generate_fixtures(scratch / "file");
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().problem, "no folder: Not a directory");
}

}  // namespace
}  // namespace pageproof::golden::formats
