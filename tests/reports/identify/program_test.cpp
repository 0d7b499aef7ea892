// The program itself: exit codes, one JSON document, errors in one line.
#include "tests/cli/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "golden/container/safetensors.hpp"
#include "tests/golden/scratch.hpp"
#include "tests/reports/identify/pages.hpp"

namespace pageproof::reports {
namespace {

using golden::Dtype;
using golden::Tensor;
using testing::HasSubstr;

class Program : public testing::Test {
 protected:
  Program() {
    put("ref.safetensors", {{"standard", Dtype::bf16, {3, 2, 32, 128}, reference_.bytes}});
    planes("shuffled.safetensors", shuffled_);
    planes("classic.safetensors", written(Form::tensors, reference_, "classic-paged"));
    planes("landed.safetensors", written(Form::tensors, reference_, "standard"));
  }
  void put(const std::string& name, const std::vector<Tensor>& tensors) {
    EXPECT_TRUE(golden::write_safetensors(scratch_ / name, {}, tensors));
  }
  void planes(const std::string& name, const Dump& dump) {
    put(name, {{"k_plane", Dtype::u8, {dump.first.size()}, dump.first},
               {"v_plane", Dtype::u8, {dump.second.size()}, dump.second}});
  }
  cli_tests::Outcome run(std::vector<std::string> arguments) {
    for (std::string& argument : arguments) {
      if (argument.ends_with(".safetensors")) argument = scratch_ / argument;
    }
    arguments.insert(arguments.begin(), "identify");
    return cli_tests::run(arguments);
  }

  golden::Scratch scratch_;
  const Shape shape_{2, 32, 64, 2};
  const Reference reference_ = random_reference(shape_, 3, 51);
  const Dump shuffled_ = written(Form::tensors, reference_, "aiter-shuffled");
};

TEST_F(Program, ExitsAreZeroForAFormatAndOneForNone) {
  const auto found = run({"shuffled.safetensors", "--against", "ref.safetensors"});
  EXPECT_EQ(found.exit_code, 0) << found.err;
  EXPECT_THAT(found.out, HasSubstr("The pages are aiter-shuffled: every byte of K and V is in place"));
  EXPECT_THAT(found.out, HasSubstr("3 compared by position")) << "neither file has block_ids";
  EXPECT_EQ(
      run({"shuffled.safetensors", "--against", "ref.safetensors", "--expect", "aiter-shuffled"}).exit_code,
      0);
  const auto other =
      run({"classic.safetensors", "--against", "ref.safetensors", "--expect", "aiter-shuffled"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.out, HasSubstr("Not aiter-shuffled as expected: K is right, V was written [H, D, N]."));
  const auto landed = run({"landed.safetensors", "--against", "ref.safetensors"});
  EXPECT_EQ(landed.exit_code, 1);
  EXPECT_THAT(landed.out, HasSubstr("standard, landed and never converted"));
}

// The ids of one file are no names of the other's blocks.
TEST_F(Program, BlocksAreMatchedByPositionWhereOnlyOneFileNamesThem) {
  const std::int64_t ids[] = {2, 70, 0};
  const Tensor names{"block_ids", Dtype::i64, {3}, std::as_bytes(std::span(ids))};
  const Tensor standard{"standard", Dtype::bf16, {3, 2, 32, 128}, reference_.bytes};
  put("named.safetensors", {standard, names});
  const auto by_position = run({"shuffled.safetensors", "--against", "named.safetensors"});
  EXPECT_EQ(by_position.exit_code, 0) << by_position.out << by_position.err;
  EXPECT_THAT(by_position.out, HasSubstr("3 compared by position"));
  const auto named = run({"named.safetensors", "--against", "ref.safetensors"});
  EXPECT_EQ(named.exit_code, 0) << named.out << named.err;
  EXPECT_THAT(run({"named.safetensors", "--against", "named.safetensors"}).out,
              HasSubstr("3 compared by id"));
}

TEST_F(Program, JsonIsOneDocument) {
  const auto found = run({"landed.safetensors", "--against", "ref.safetensors", "--json"});
  const auto json = nlohmann::json::parse(found.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << found.out;
  EXPECT_EQ(json["verdict"], "accident");
  EXPECT_EQ(json["holds"], false);
  EXPECT_EQ(json["answers"][0]["accident"], "landed");
  EXPECT_EQ(json["compared_blocks"], 3);
}

TEST_F(Program, BadInputIsOneLineAndExitTwo) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"missing.safetensors", "--against", "ref.safetensors"}, "missing.safetensors"},
      {{"shuffled.safetensors", "--against", "shuffled.safetensors"}, "shape of k_plane: [24576]"},
      {{"shuffled.safetensors", "--against", "ref.safetensors", "--expect", "aiter-shufled"},
       "aiter-shuffled"},
      {{"shuffled.safetensors", "--against", "ref.safetensors", "--ref-format", "clasic-paged"},
       "classic-paged"},
      {{"shuffled.safetensors", "--against", "ref.safetensors", "--expect", "mfma-16x16"},
       "--expect: mfma-16x16: holds K only"},
      {{"shuffled.safetensors", "--against", "ref.safetensors", "--threads", "0"}, "threads"},
      {{"shuffled.safetensors"}, "--against"},
  };
  for (const auto& [arguments, problem] : cases) {
    const auto refused = run(arguments);
    EXPECT_EQ(refused.exit_code, 2) << problem;
    EXPECT_EQ(refused.out, "");
    EXPECT_THAT(refused.err, HasSubstr(problem));
    EXPECT_EQ(std::ranges::count(refused.err, '\n'), 1) << refused.err;
  }
}

}  // namespace
}  // namespace pageproof::reports
