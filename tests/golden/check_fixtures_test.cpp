// The checker passes a sound converter on the committed fixtures, names every mutant, and finds every blemish
// of the fixtures themselves.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "golden/pages/check.hpp"
#include "golden/pages/generate.hpp"
#include "tests/golden/converters.hpp"
#include "tests/golden/scratch.hpp"

namespace pageproof::golden {
namespace {

namespace fs = std::filesystem;

const fs::path kCommitted = PAGEPROOF_GOLDEN;

TEST(CheckFixtures, PassesASoundConverter) {
  const auto report = check_fixtures(kCommitted, sound_converter);
  ASSERT_TRUE(report.has_value()) << to_string(report.error());
  for (const Failure& failure : report->failures) ADD_FAILURE() << to_string(failure);
  EXPECT_EQ(report->files, 16u);
  EXPECT_GT(report->valid, 80u);
  EXPECT_GT(report->invalid, 40u);
}

class Mutants : public testing::TestWithParam<Mutant> {};

TEST_P(Mutants, AreCaughtAndNamed) {
  const auto report = check_fixtures(kCommitted, GetParam().convert);
  ASSERT_TRUE(report.has_value()) << to_string(report.error());
  EXPECT_FALSE(report->holds());
  bool named = false;
  std::string all;
  for (const Failure& failure : report->failures) {
    EXPECT_NE(failure.example.find("tcId="), std::string::npos);
    EXPECT_FALSE(failure.expected.empty());
    EXPECT_NE(failure.expected, failure.got);
    named = named || (failure.name == GetParam().failure &&
                      failure.example.find(GetParam().says) != std::string::npos);
    if (all.size() < 2000) all += to_string(failure);
  }
  EXPECT_TRUE(named) << "no " << GetParam().failure << " with \"" << GetParam().says << "\" in\n" << all;
}

INSTANTIATE_TEST_SUITE_P(Table, Mutants, testing::ValuesIn(mutants()),
                         [](const auto& row) { return row.param.name; });

// A copy of the committed set, in which one text is replaced by another.
class Blemished {
 public:
  Blemished() { fs::copy(kCommitted / "pages_v1", scratch_ / "pages_v1", fs::copy_options::recursive); }

  const fs::path& folder() const { return scratch_.path(); }

  Expected<CheckReport> check(const std::string& from, const std::string& to) const {
    std::string text = contents(kCommitted / "pages_v1.json");
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    put(scratch_ / "pages_v1.json", text);
    return check_fixtures(scratch_.path(), sound_converter);
  }

 private:
  Scratch scratch_;
};

struct Blemish {
  const char* name;
  const char* from;
  const char* to;
  const char* error;    // the line's end, where it is bad input
  const char* failure;  // the failure's name, where the check goes on

  friend std::ostream& operator<<(std::ostream& out, const Blemish& blemish) { return out << blemish.name; }
};

const Blemish kBlemishes[] = {
    {"not_json", "{", "[", "not JSON at byte 15", nullptr},
    {"too_deep", R"("shift": 0)", R"("shift": [[[[[[[[]]]]]]]])",
     "nested deeper than the 7 levels that this file needs", nullptr},
    {"key_twice", R"("numberOfTests")", R"("algorithm")", "algorithm: the key appears twice in one object",
     nullptr},
    {"other_algorithm", "standard-to-aiter-shuffled", "x",
     "algorithm: x: not one of: standard-to-aiter-shuffled", nullptr},
    {"unknown_field", R"("header")", R"("footer")", "header: missing", nullptr},
    {"unknown_nested_field", R"("fill": {)", R"("fill": { "seed": 1,)",
     "testGroups[0].tests[0].fill.seed: 1: unknown field", nullptr},
    {"missing_nested_field", R"("shift": 0)", R"("kinds": 0)", "testGroups[0].tests[0].fill.shift: missing",
     nullptr},
    {"count_as_text", R"("numberOfTests": )", R"("numberOfTests": -)", "not a whole number from 0 to 2^63-1",
     nullptr},
    {"unknown_operation", R"("operation": "land")", R"("operation": "fly")",
     "testGroups[0].tests[3].operation: fly: not one of: convert, convert_in_place, land, find", nullptr},
    {"unknown_dtype", R"("dtype": "BF16")", R"("dtype": "BF17")",
     "testGroups[0].shape.dtype: BF17: no type of the safetensors format", nullptr},
    {"dtype_of_another_size", R"("dtype": "BF16")", R"("dtype": "F32")",
     "shape.dtype: F32: element_bytes is 2", nullptr},
    {"no_such_shape", R"("head_dim": 64)", R"("head_dim": 65)",
     "head_dim: 65: not a positive multiple of x = 8", nullptr},
    {"shape_of_another_file", R"("head_dim": 64)", R"("head_dim": 128)",
     "tcId 1: shape of index0.standard: [3, 1, 16, 128]: should be [3, 1, 16, 256]", nullptr},
    {"file_elsewhere", "pages_v1/bf16", "../pages_v1/bf16", "not a file inside the fixtures' folder",
     nullptr},
    {"file_missing", "pages_v1/bf16", "pages_v1/bf15", "cannot be opened: No such file or directory",
     nullptr},
    {"tensor_missing", R"("index0.standard")", R"("index1.standard")",
     "/pages_v1/bf16_H1_N16_D64.safetensors", nullptr},
    {"huge_pool", R"("num_blocks": 5)", R"("num_blocks": 9999999999)",
     "not from 1 to 524288 blocks of 2048 bytes", nullptr},
    {"id_beyond_pool", R"("num_blocks": 5)", R"("num_blocks": 2)",
     "tcId 1: planes.block_ids: 2: not below num_blocks = 2", nullptr},
    {"no_landing", R"("landing": {)", R"("found": {)", "tcId 4: landing: missing for the operation land",
     nullptr},
    {"result_turned", R"("result": "valid")", R"("result": "invalid")",
     "a request to refuse, or planes to find fault with, is invalid", nullptr},
    {"wrong_count", R"("numberOfTests": 1)", R"("numberOfTests": 2)", nullptr, "fixtures.number_of_tests"},
    {"id_twice", R"("tcId": 2,)", R"("tcId": 1,)", nullptr, "fixtures.one_id_a_test"},
    {"flag_without_note", R"("OutOfPlace",)", R"("InPlaces",)", nullptr, "fixtures.flags_are_explained"},
    {"note_without_test", R"("notes": {)",
     R"("notes": { "A": {"bugType": "", "description": "", "effect": ""},)", nullptr,
     "fixtures.notes_are_used"},
    {"wrong_digest", R"("sha256": ")", R"("sha256": "0)", nullptr, "fixtures.tensor_sha256"},
    {"wrong_pool_digest", R"("pool_sha256": ")", R"("pool_sha256": "0)", nullptr, "fixtures.pool_sha256"},
    {"wrong_difference", R"("bytes": 1
)",
     R"("bytes": 2
)",
     nullptr, "fixtures.difference"},
    {"wrong_coordinate", R"("side": "V")", R"("side": "K")", nullptr, "fixtures.difference"},
    {"another_pool", R"("num_blocks": 13)", R"("num_blocks": 14)", nullptr, "fixtures.pool_sha256"},
};

class Blemishes : public testing::TestWithParam<Blemish> {};

TEST_P(Blemishes, AreFound) {
  const Blemish& row = GetParam();
  const Blemished set;
  const auto report = set.check(row.from, row.to);
  if (row.error != nullptr) {
    ASSERT_FALSE(report.has_value());
    const std::string line = to_string(report.error());
    EXPECT_TRUE(line.ends_with(row.error)) << line;
    EXPECT_TRUE(line.starts_with(set.folder().string() + "/pages_v1")) << line;
    return;
  }
  ASSERT_TRUE(report.has_value()) << to_string(report.error());
  ASSERT_FALSE(report->failures.empty());
  EXPECT_EQ(report->failures.front().name, row.failure) << to_string(report->failures.front());
}

INSTANTIATE_TEST_SUITE_P(Table, Blemishes, testing::ValuesIn(kBlemishes),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(CheckFixtures, FindsOneFlippedBitOfTheData) {
  const Blemished set;
  const auto path = set.folder() / "pages_v1/u8_H5_N16_D256.safetensors";
  std::string bytes = contents(path);
  bytes[bytes.size() - 1000] = static_cast<char>(bytes[bytes.size() - 1000] ^ 0x10);
  put(path, bytes);
  const auto report = set.check("{", "{");
  ASSERT_TRUE(report.has_value()) << to_string(report.error());
  ASSERT_FALSE(report->failures.empty());
  EXPECT_EQ(report->failures[0].name, "fixtures.tensor_sha256");
}

TEST(CheckFixtures, RefusesATruncatedFile) {
  const Blemished set;
  const auto path = set.folder() / "pages_v1/u8_H5_N16_D256.safetensors";
  fs::resize_file(path, fs::file_size(path) - 1);
  const auto report = set.check("{", "{");
  ASSERT_FALSE(report.has_value());
  EXPECT_NE(to_string(report.error()).find("ends beyond the"), std::string::npos);
}

TEST(CheckFixtures, RefusesAFolderWithoutFixtures) {
  const Scratch scratch;
  const auto report = check_fixtures(scratch.path(), sound_converter);
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(to_string(report.error()),
            (scratch / "pages_v1.json").string() + ": cannot be opened: No such file or directory");
}

}  // namespace
}  // namespace pageproof::golden
