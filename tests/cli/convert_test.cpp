// pageproof convert: the bytes that the oracle expects, whichever way they went.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "golden/container/safetensors.hpp"
#include "tests/cli/files.hpp"
#include "tests/cli/program.hpp"
#include "tests/golden/scratch.hpp"

namespace pageproof::cli_tests {
namespace {

using Words = std::vector<std::string>;

struct Case {
  Shape shape;
  const char* path;
};
// In the converter's scope, and outside it by tokens, by head_dim, and by both.
const Case kCases[] = {
    {{1, 16, 64, 2}, "converter"}, {{3, 32, 128, 2}, "converter"}, {{2, 16, 256, 1}, "converter"},
    {{5, 32, 64, 1}, "converter"}, {{1, 128, 128, 2}, "fold"},     {{3, 48, 64, 2}, "fold"},
    {{2, 16, 80, 2}, "fold"},      {{3, 48, 96, 1}, "fold"},       {{8, 8, 8, 2}, "fold"},
};

class Convert : public testing::TestWithParam<Case> {
 protected:
  golden::Scratch scratch;
  const std::string in = scratch / "in", out = scratch / "out";
  const Pool pool = random_pool(GetParam().shape, 5);

  nlohmann::json convert(const Words& options) {
    Words arguments{"convert", in, "-o", out};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_json(arguments, 0);
  }
  void expect_planes() {
    EXPECT_EQ(tensor_of(out, "k_plane"), pool.keys);
    EXPECT_EQ(tensor_of(out, "v_plane"), pool.values);
  }
};

// The tensors of a file may lie at any address, also an odd one.
TEST_P(Convert, to_planes) {
  for (const std::size_t pad : {0, 1, 8}) {
    golden::put(in, tensors_file({pool.standard_tensor()}, pad));
    for (const Words& options : {Words{}, Words{"--threads", "3"}, Words{"--in-place"},
                                 Words{"--in-place", "--threads", "2"}, Words{"--blocks", "4,0-3"}}) {
      const nlohmann::json report = convert(options);
      EXPECT_EQ(report["path"], GetParam().path);
      EXPECT_EQ(report["why_fold"] == "", report["path"] == "converter");
      EXPECT_EQ(report["bytes"], pool.standard.size());
      EXPECT_EQ(report["converted_blocks"], 5);
      expect_planes();
    }
  }
}

TEST_P(Convert, back_to_standard) {
  golden::put(in, tensors_file({pool.key_tensor(), pool.value_tensor()}));
  const nlohmann::json report = convert({"--from", "aiter-shuffled", "--to", "standard", "--threads", "2"});
  EXPECT_EQ(report["path"], GetParam().path);
  EXPECT_EQ(tensor_of(out, "standard"), pool.standard);
  EXPECT_EQ(tensor_of(out, "k_plane"), "");
}

void fill_block(std::string& region, std::uint64_t block, std::uint64_t block_bytes) {
  region.replace(block * block_bytes, block_bytes, block_bytes, '\xA5');
}

TEST_P(Convert, leaves_unlisted_blocks_at_the_unwritten_byte) {
  golden::put(in, tensors_file({pool.standard_tensor()}));
  std::string keys = pool.keys, values = pool.values, standard = pool.standard;
  for (const std::uint64_t block : {0, 2, 3}) {
    fill_block(keys, block, pool.shape.side_bytes());
    fill_block(values, block, pool.shape.side_bytes());
    fill_block(standard, block, pool.shape.page_bytes());
  }
  for (const Words& options : {Words{"--blocks", "4,1"}, Words{"--blocks", "1,4", "--in-place"}}) {
    EXPECT_EQ(convert(options)["converted_blocks"], 2);
    EXPECT_EQ(tensor_of(out, "k_plane"), keys);
    EXPECT_EQ(tensor_of(out, "v_plane"), values);
    EXPECT_EQ(golden::SafetensorsFile::open(out)->metadata().at("unwritten_byte"), "0xA5");
  }
  golden::put(in, tensors_file({pool.key_tensor(), pool.value_tensor()}));
  convert({"--from", "aiter-shuffled", "--to", "standard", "--blocks", "1,4"});
  EXPECT_EQ(tensor_of(out, "standard"), standard);
}

TEST_P(Convert, keeps_the_source_for_check) {
  golden::put(in, tensors_file({pool.standard_tensor()}));
  for (const Words& options : {Words{"--keep-source"}, Words{"--keep-source", "--blocks", "3,0"},
                               Words{"--keep-source", "--blocks", "2", "--in-place"}}) {
    convert(options);
    EXPECT_EQ(tensor_of(out, "standard"), pool.standard);
    const nlohmann::json checked = run_json({"check", out}, 0);
    EXPECT_EQ(checked["slots"]["mapped"], options.size() > 1);
  }
  golden::put(in, tensors_file({pool.key_tensor(), pool.value_tensor()}));
  convert({"--from", "aiter-shuffled", "--to", "standard", "--keep-source"});
  run_json({"check", out}, 0);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Convert, testing::ValuesIn(kCases), [](const auto& tested) {
  const Shape& s = tested.param.shape;
  return fmt::format("H{}_N{}_D{}_e{}", s.heads, s.tokens, s.head_dim, s.element_bytes);
});

class ConvertFiles : public testing::Test {
 protected:
  golden::Scratch scratch;
  const std::string in = scratch / "in", out = scratch / "out";
  const Pool pool = random_pool({3, 16, 64, 2}, 4);
};

TEST_F(ConvertFiles, takes_every_type_of_1_or_2_bytes) {
  for (const char* dtype : {"BF16", "F16", "F8_E4M3", "I8", "U8"}) {
    const bool two = std::string_view(dtype) == "BF16" || std::string_view(dtype) == "F16";
    Pool typed = random_pool({2, 16, 64, two ? 2u : 1u}, 2);
    typed.dtype = dtype;
    golden::put(in, tensors_file({typed.standard_tensor()}));
    EXPECT_EQ(run_json({"convert", in, "-o", out}, 0)["dtype"], dtype);
    EXPECT_EQ(tensor_of(out, "k_plane"), typed.keys);
    EXPECT_EQ(tensor_of(out, "v_plane"), typed.values);
  }
}

TEST_F(ConvertFiles, is_deterministic) {
  golden::put(in, tensors_file({pool.standard_tensor()}, 0, {{"made_by", "a test"}}));
  std::string first;
  for (const Words& options : {Words{}, Words{"--threads", "2"}, Words{"--in-place"}}) {
    Words arguments{"convert", in, "-o", out};
    arguments.insert(arguments.end(), options.begin(), options.end());
    ASSERT_EQ(run(arguments).exit_code, 0);
    if (first.empty()) first = golden::contents(out);
    EXPECT_EQ(golden::contents(out), first);
  }
}

// The input is mapped while the output is written over it.
TEST_F(ConvertFiles, may_write_over_its_input) {
  golden::put(in, tensors_file({pool.standard_tensor()}, 1));
  ASSERT_EQ(run({"convert", in, "-o", in, "--keep-source"}).exit_code, 0);
  EXPECT_EQ(tensor_of(in, "standard"), pool.standard);
  EXPECT_EQ(tensor_of(in, "k_plane"), pool.keys);
  ASSERT_EQ(run({"convert", in, "-o", in}).exit_code, 0);
  EXPECT_EQ(tensor_of(in, "standard"), "");
  ASSERT_EQ(run({"convert", in, "-o", in, "--from", "aiter-shuffled", "--to", "standard"}).exit_code, 0);
  EXPECT_EQ(tensor_of(in, "standard"), pool.standard);
}

TEST_F(ConvertFiles, metadata_says_what_it_is) {
  golden::put(in, tensors_file({pool.standard_tensor(), slots_tensor({1, 2})}, 0,
                               {{"model", "Qwen3-8B"},
                                {"writer", "someone"},
                                {"unwritten_byte", "0x00"},
                                {"every_nth_slot_negative", "3"},
                                {"page_format", "standard"}}));
  const nlohmann::json report = run_json({"convert", in, "-o", out}, 0);
  EXPECT_EQ(report["left_out"], (nlohmann::json{"standard", "slot_mapping"}));
  const golden::Metadata metadata = golden::SafetensorsFile::open(out)->metadata();
  const golden::Metadata expected{{"blocks", "4"},
                                  {"converted_from", "standard"},
                                  {"element_bytes", "2"},
                                  {"head_dim", "64"},
                                  {"heads", "3"},
                                  {"model", "Qwen3-8B"},
                                  {"page_format", "aiter-shuffled"},
                                  {"tokens_per_block", "16"},
                                  {"x", "8"}};
  for (const auto& [key, value] : expected)
    EXPECT_EQ(metadata.count(key) ? metadata.at(key) : "", value) << key;
  EXPECT_TRUE(metadata.at("producer").starts_with("pageproof "));
  EXPECT_EQ(metadata.size(), expected.size() + 1);
}

TEST_F(ConvertFiles, says_how_in_words) {
  golden::put(in, tensors_file({pool.standard_tensor()}));
  const Outcome fast = run({"convert", in, "-o", out});
  EXPECT_NE(fast.out.find("converter through its C ABI"), std::string::npos) << fast.out;
  EXPECT_NE(fast.out.find("BF16 B=4 H=3 N=16 D=64 e=2"), std::string::npos) << fast.out;
  golden::put(in, tensors_file({random_pool({1, 48, 64, 2}, 1).standard_tensor()}));
  const Outcome slow = run({"convert", in, "-o", out});
  EXPECT_NE(slow.out.find("fold"), std::string::npos) << slow.out;
  EXPECT_NE(slow.out.find("tokens"), std::string::npos) << "which bound kept the converter out: " << slow.out;
}

// More threads than the process may have: both paths do the rest on the threads that there are.
TEST(Convert, does_with_the_threads_that_there_are) {
  for (const Shape& shape : {Shape{1, 48, 96, 2}, Shape{1, 16, 64, 2}}) {
    const golden::Scratch scratch;
    const Pool pool = random_pool(shape, 300);
    golden::put(scratch / "in", tensors_file({pool.standard_tensor()}));
    const Outcome ran = run({"convert", scratch / "in", "-o", scratch / "out", "--threads", "300"},
                            {std::uint64_t{400} << 20, {}, {}, {}});
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_TRUE(tensor_of(scratch / "out", "k_plane") == pool.keys);
    EXPECT_TRUE(tensor_of(scratch / "out", "v_plane") == pool.values);
  }
}

}  // namespace
}  // namespace pageproof::cli_tests
