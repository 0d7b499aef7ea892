// The checker passes the catalogue's conversion on the committed fixtures of page formats, names every
// mutant, and finds every blemish of the fixtures themselves.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "golden/formats/check.hpp"
#include "golden/pages/blocks.hpp"
#include "reports/verify/fold_formats.hpp"
#include "tests/golden/scratch.hpp"

namespace pageproof::golden::formats {
namespace {

namespace fs = std::filesystem;

const fs::path kCommitted = PAGEPROOF_GOLDEN;

TEST(CheckFormats, PassesTheCataloguesConversion) {
  const auto report = check_fixtures(kCommitted, reports::fold_formats());
  ASSERT_TRUE(report.has_value()) << to_string(report.error());
  for (const Failure& failure : report->failures) ADD_FAILURE() << to_string(failure);
  EXPECT_EQ(report->files, 7u);
  EXPECT_GT(report->valid, 300u);
  EXPECT_GT(report->invalid, 100u);
}

// A format taken for another, in the request.
ConvertFormat taking(std::string said, std::string taken) {
  return [=](FormatRequest request) {
    if (request.to == said) request.to = taken;
    return reports::fold_formats()(request);
  };
}

struct Mutant {
  const char* name;
  ConvertFormat convert;
  const char* failure;
  const char* says;

  friend std::ostream& operator<<(std::ostream& out, const Mutant& mutant) { return out << mutant.name; }
};

const Mutant kMutants[] = {
    {"flashinfer_swapped", taking("flashinfer-nhd", "flashinfer-hnd"), "fixtures.convert_format",
     "standard pages for flashinfer-nhd"},
    {"xqa_swapped", taking("xqa-1", "xqa-0"), "fixtures.convert_format", "standard pages for xqa-1"},
    {"classic_value_is_shuffled", taking("classic-paged", "aiter-shuffled"), "fixtures.convert_format",
     "side=V"},
    {"page16_is_one_tile", taking("aiter-page16", "aiter-shuffled"), "fixtures.convert_format",
     "H=2 N=64 D=32 e=2"},
    {"standard_is_nhd", taking("standard", "standard-nhd"), "fixtures.convert_format", "back to standard"},
    {"key_only_as_rows",
     [](FormatRequest request) {
       if (request.operation == Operation::place) request.to = "xqa-0";
       return reports::fold_formats()(request);
     },
     "fixtures.place_format", "K of standard pages as mfma-16x16"},
    {"nothing_written",
     [](const FormatRequest& request) -> Expected<void> {
       std::vector<Bytes> elsewhere;
       for (const auto& region : request.destination) elsewhere.emplace_back(region.size());
       FormatRequest other = request;
       other.destination.assign(elsewhere.begin(), elsewhere.end());
       return reports::fold_formats()(other);
     },
     "fixtures.convert_format", "bytes differ"},
    {"last_byte_missing",
     [](const FormatRequest& request) {
       const auto done = reports::fold_formats()(request);
       if (done) request.destination.back().back() ^= std::byte{1};
       return done;
     },
     "fixtures.convert_format", "1 bytes differ"},
    {"accepts_everything", [](const FormatRequest&) { return Expected<void>{}; }, "fixtures.refuses_format",
     "tokens: 16 not a multiple of 32"},
    {"refuses_everything",
     [](const FormatRequest&) -> Expected<void> { return std::unexpected(Error{"", "tokens", "16", "no"}); },
     "fixtures.convert_format", "standard pages for"},
    {"refuses_by_another_rule",
     [](const FormatRequest& request) {
       auto done = reports::fold_formats()(request);
       if (!done) done.error().value = "17";
       return done;
     },
     "fixtures.refuses_format", "element_bytes: 1 this format has elements of 2 B"},
    {"writes_before_it_refuses",
     [](const FormatRequest& request) {
       auto done = reports::fold_formats()(request);
       if (!done) request.destination[0][0] = std::byte{0};
       return done;
     },
     "fixtures.refuses_format", "sides"},
};

class FormatMutants : public testing::TestWithParam<Mutant> {};

TEST_P(FormatMutants, AreCaughtAndNamed) {
  const auto report = check_fixtures(kCommitted, GetParam().convert);
  ASSERT_TRUE(report.has_value()) << to_string(report.error());
  EXPECT_FALSE(report->holds());
  std::string all;
  bool named = false;
  for (const Failure& failure : report->failures) {
    EXPECT_NE(failure.example.find("tcId="), std::string::npos);
    EXPECT_NE(failure.expected, failure.got);
    named = named || (failure.name == GetParam().failure &&
                      failure.example.find(GetParam().says) != std::string::npos);
    if (all.size() < 2000) all += to_string(failure);
  }
  EXPECT_TRUE(named) << "no " << GetParam().failure << " with \"" << GetParam().says << "\" in\n" << all;
}

INSTANTIATE_TEST_SUITE_P(Table, FormatMutants, testing::ValuesIn(kMutants),
                         [](const auto& row) { return std::string(row.param.name); });

// A copy of the committed set, in which one text is replaced by another.
class Blemished {
 public:
  Blemished() { fs::copy(kCommitted / kFolder, scratch_ / kFolder, fs::copy_options::recursive); }

  const fs::path& folder() const { return scratch_.path(); }

  Expected<CheckReport> check(const std::string& from, const std::string& to) const {
    std::string text = contents(kCommitted / kSuiteFile);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    put(scratch_ / kSuiteFile, text);
    return check_fixtures(scratch_.path(), reports::fold_formats());
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
    {"other_algorithm", "page-format-to-page-format", "x",
     "algorithm: x: not one of: page-format-to-page-format", nullptr},
    {"unknown_field", R"("blocks": 2,)", R"("blocks": 2, "seed": 1,)", "testGroups[0].seed: 1: unknown field",
     nullptr},
    {"unknown_operation", R"("operation": "find")", R"("operation": "fly")",
     "not one of: convert, place, find", nullptr},
    {"no_such_shape", R"("head_dim": 16)", R"("head_dim": 15)",
     "head_dim: 15: not a positive multiple of x = 8", nullptr},
    {"shape_of_another_file", R"("head_dim": 16)", R"("head_dim": 32)",
     "shape of index0.standard: [2, 3, 32, 32]: should be [2, 3, 32, 64]", nullptr},
    {"far_too_many_blocks", R"("blocks": 2,)", R"("blocks": 9223372036854775807,)",
     "[2, 3, 32, 32]: should be [9223372036854775807, 3, 32, 32]", nullptr},
    {"dtype_of_another_size", R"("dtype": "BF16")", R"("dtype": "F32")",
     "shape.dtype: F32: element_bytes is 2", nullptr},
    {"file_elsewhere", R"("file": "formats_v1/)", R"("file": "../formats_v1/)",
     "not a file inside the fixtures' folder", nullptr},
    {"file_missing", "formats_v1/bf16", "formats_v1/bf15", "cannot be opened: No such file or directory",
     nullptr},
    {"tensor_missing", R"("index0.xqa-1.v_plane")", R"("index1.xqa-1.v_plane")",
     "/formats_v1/bf16_H3_N32_D16.safetensors", nullptr},
    {"unknown_format_of_pages", R"("format": "xqa-1")", R"("format": "xqa-2")", "xqa-2: no such page format",
     nullptr},
    {"unknown_format_of_a_test", R"("to": "standard-nhd")", R"("to": "standard-hnd")",
     "tcId 1: to: standard-hnd: no such page format", nullptr},
    {"pages_that_are_not_there", R"("shift": 0,
     "from": "standard")",
     R"("shift": 8,
     "from": "standard")",
     "tcId 1: from: standard: no pages of it with shift 8 in formats_v1/bf16_H3_N32_D16.safetensors",
     nullptr},
    {"result_turned", R"("result": "valid")", R"("result": "invalid")",
     "a rule to refuse by, or pages in another format, is invalid", nullptr},
    {"found_of_other_tensors", R"("found": "aiter-shuffled-lbhnc")", R"("found": "xqa-0")",
     "found: xqa-0: not as many tensors as standard-nhd", nullptr},
    {"wrong_count", R"("numberOfTests": 5)", R"("numberOfTests": 6)", nullptr, "fixtures.number_of_tests"},
    {"id_twice", R"("tcId": 2,)", R"("tcId": 1,)", nullptr, "fixtures.one_id_a_test"},
    {"flag_without_note", R"("FromStandard",)", R"("FromStandards",)", nullptr,
     "fixtures.flags_are_explained"},
    {"note_without_test", R"("notes": {)",
     R"("notes": { "A": {"bugType": "", "description": "", "effect": ""},)", nullptr,
     "fixtures.notes_are_used"},
    {"wrong_digest", R"("sha256": ")", R"("sha256": "0)", nullptr, "fixtures.tensor_sha256"},
    {"another_arithmetic", R"("v": "h·D·N + d·N + t")", R"("v": "h·D·N + t·D + d")", nullptr,
     "fixtures.formats_are_stated"},
    {"a_format_too_many", R"("formats": {)",
     R"("formats": { "a": {"regions": "pages", "sides": "K", "k": "h", "v": "", "source": {"states": "",
        "arithmetic": ""}},)",
     nullptr, "fixtures.formats_are_stated"},
    {"wrong_coordinate", R"("dim": 8)", R"("dim": 9)", nullptr, "fixtures.difference"},
    {"wrong_rule", R"("problem": "not a multiple of 32")", R"("problem": "not a multiple of 64")", nullptr,
     "fixtures.refuses_format"},
};

class FormatBlemishes : public testing::TestWithParam<Blemish> {};

TEST_P(FormatBlemishes, AreFound) {
  const Blemish& row = GetParam();
  const Blemished set;
  const auto report = set.check(row.from, row.to);
  if (row.error != nullptr) {
    ASSERT_FALSE(report.has_value());
    const std::string line = to_string(report.error());
    EXPECT_TRUE(line.ends_with(row.error)) << line;
    EXPECT_TRUE(line.starts_with(set.folder().string() + "/formats_v1")) << line;
    return;
  }
  ASSERT_TRUE(report.has_value()) << to_string(report.error());
  ASSERT_FALSE(report->failures.empty());
  EXPECT_EQ(report->failures.front().name, row.failure) << to_string(report->failures.front());
}

INSTANTIATE_TEST_SUITE_P(Table, FormatBlemishes, testing::ValuesIn(kBlemishes),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(CheckFormats, FindsOneFlippedBitOfTheData) {
  const Blemished set;
  const auto path = set.folder() / "formats_v1/bf16_H3_N32_D16.safetensors";
  std::string bytes = contents(path);
  bytes[bytes.size() - 1000] = static_cast<char>(bytes[bytes.size() - 1000] ^ 0x10);
  put(path, bytes);
  const auto report = set.check("{", "{");
  ASSERT_TRUE(report.has_value()) << to_string(report.error());
  ASSERT_FALSE(report->failures.empty());
  EXPECT_EQ(report->failures[0].name, "fixtures.tensor_sha256");
  EXPECT_TRUE(std::ranges::any_of(
      report->failures, [](const Failure& failure) { return failure.name == "fixtures.convert_format"; }));
}

TEST(CheckFormats, RefusesAFolderWithoutFixtures) {
  const Scratch scratch;
  const auto report = check_fixtures(scratch.path(), reports::fold_formats());
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(to_string(report.error()),
            (scratch / kSuiteFile).string() + ": cannot be opened: No such file or directory");
}

}  // namespace
}  // namespace pageproof::golden::formats
