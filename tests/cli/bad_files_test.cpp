// Files that are wrong in one way each: one line that names file, field and value, exit 2, nothing left
// behind.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/files.hpp"
#include "tests/cli/program.hpp"
#include "tests/golden/scratch.hpp"

namespace pageproof::cli_tests {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

const Shape kShape{3, 16, 64, 2};

const Pool& pool() {
  static const Pool all = random_pool(kShape, 4);
  return all;
}

std::string header(const std::string& dtype, const std::string& shape, std::uint64_t begin,
                   std::uint64_t end) {
  return fmt::format(R"({{"standard":{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}}}})", dtype, shape,
                     begin, end);
}

std::string standard_of(const std::string& dtype, const std::vector<std::uint64_t>& shape) {
  std::uint64_t bytes = dtype == "F32" ? 4 : dtype == "BF16" ? 2 : 1;
  for (const std::uint64_t size : shape) bytes *= size;
  return tensors_file({{"standard", dtype, shape, std::string(bytes, 'p')}});
}

struct BadFile {
  const char* what;
  std::string bytes;
  Words words;
};

void expect_all_refused(const std::vector<BadFile>& files, const Words& before, const Words& after) {
  for (const BadFile& bad : files) {
    SCOPED_TRACE(bad.what);
    const golden::Scratch scratch;
    golden::put(scratch / "in.safetensors", bad.bytes);
    Words arguments = before;
    arguments.push_back(scratch / "in.safetensors");
    for (const std::string& word : after)
      arguments.push_back(word == "OUT" ? (scratch / "out").string() : word);
    Words words = bad.words;
    words.push_back("in.safetensors: ");
    expect_refused(run(arguments, {kSmallMemory, {}, {}}), words);
    EXPECT_EQ(scratch.names(), Words{"in.safetensors"}) << "something was left behind";
  }
}

std::vector<BadFile> broken_containers() {
  const std::string whole = tensors_file({pool().standard_tensor()});
  const std::string length_beyond = std::string("\xff\xff\xff\xff\0\0\0\0", 8) + "{}";
  return {
      {"an empty file", "", {}},
      {"7 bytes", whole.substr(0, 7), {}},
      {"cut within the header", whole.substr(0, 40), {"header"}},
      {"cut within the data", whole.substr(0, whole.size() - 1), {"standard"}},
      {"a byte too many", whole + "x", {}},
      {"a header length beyond the file", length_beyond, {"header", "4294967295"}},
      {"a header that is no JSON", raw_file("{\"standard\":", ""), {"header"}},
      {"offsets beyond the data",
       raw_file(header("I8", "[1,1,16,64]", 0, 1024), "short"),
       {"data_offsets", "1024"}},
      {"offsets reversed",
       raw_file(header("I8", "[1,1,16,64]", 1024, 0), std::string(1024, 'p')),
       {"data_offsets"}},
      {"offsets that overlap",
       raw_file(R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},)"
                R"("standard":{"dtype":"U8","shape":[8],"data_offsets":[4,12]}})",
                std::string(12, 'p')),
       {"standard"}},
      {"a shape whose product overflows",
       raw_file(header("BF16", "[4294967296,4294967296,16,128]", 0, 8), std::string(8, 'p')),
       {"shape of standard", "4294967296"}},
  };
}

TEST(BadFiles, containers) {
  expect_all_refused(broken_containers(), {"convert"}, {"-o", "OUT"});
  expect_all_refused(broken_containers(), {"check"}, {});
}

TEST(BadFiles, standard_pages) {
  expect_all_refused(
      {
          {"no standard", tensors_file({pool().key_tensor()}), {"tensor: standard", "missing"}},
          {"a type of 4 bytes", standard_of("F32", {1, 1, 16, 128}), {"dtype of standard: F32"}},
          {"rank 3", standard_of("BF16", {1, 16, 128}), {"shape of standard: [1, 16, 128]", "3 axes"}},
          {"rank 5", standard_of("BF16", {1, 1, 16, 16, 8}), {"[1, 1, 16, 16, 8]", "5 axes"}},
          {"an odd last axis", standard_of("BF16", {1, 1, 16, 127}), {"[1, 1, 16, 127]", "odd"}},
          {"B = 0", standard_of("BF16", {0, 1, 16, 128}), {"[0, 1, 16, 128]", "axis 0"}},
          {"H = 0", standard_of("BF16", {1, 0, 16, 128}), {"[1, 0, 16, 128]", "axis 1"}},
          {"N = 0", standard_of("BF16", {1, 1, 0, 128}), {"[1, 1, 0, 128]", "axis 2"}},
          {"D = 0", standard_of("BF16", {1, 1, 16, 0}), {"[1, 1, 16, 0]", "axis 3"}},
          {"D no multiple of x", standard_of("BF16", {1, 1, 16, 24}), {"head_dim", "12", "x = 8"}},
          {"D no multiple of x, 1 byte", standard_of("I8", {1, 1, 16, 48}), {"head_dim", "24", "x = 16"}},
          {"N no multiple of x", standard_of("BF16", {1, 1, 12, 128}), {"tokens", "12", "x = 8"}},
      },
      {"convert"}, {"-o", "OUT"});
}

// A tensor of `like` with another shape and as many bytes as that needs.
TensorBytes reshaped(TensorBytes like, const std::vector<std::uint64_t>& shape,
                     const std::string& dtype = "BF16") {
  std::uint64_t bytes = dtype == "BF16" || dtype == "F16" ? 2 : dtype == "F32" ? 4 : 1;
  for (const std::uint64_t size : shape) bytes *= size;
  return {like.name, dtype, shape, std::string(bytes, 'p')};
}

std::vector<BadFile> broken_planes() {
  const TensorBytes key = pool().key_tensor(), value = pool().value_tensor();
  return {
      {"no k_plane", tensors_file({value}), {"tensor: k_plane", "missing"}},
      {"no v_plane", tensors_file({key}), {"tensor: v_plane", "missing"}},
      {"k_plane of rank 4", tensors_file({reshaped(key, {4, 3, 16, 64}), value}), {"k_plane", "4 axes"}},
      {"x is 4", tensors_file({reshaped(key, {4, 3, 16, 16, 4}), value}), {"[4, 3, 16, 16, 4]", "x = 8"}},
      {"x of other types", tensors_file({key, reshaped(value, {4, 3, 1, 64, 16})}), {"v_plane", "x = 8"}},
      {"types differ",
       tensors_file({key, reshaped(value, {4, 3, 2, 64, 8}, "F16")}),
       {"dtype of v_plane: F16"}},
      {"H differs", tensors_file({key, reshaped(value, {4, 2, 2, 64, 8})}), {"v_plane", "H = 2", "H = 3"}},
      {"B differs", tensors_file({key, reshaped(value, {5, 3, 2, 64, 8})}), {"v_plane", "B = 5", "B = 4"}},
      {"N differs", tensors_file({key, reshaped(value, {4, 3, 4, 64, 8})}), {"v_plane", "N = 32", "N = 16"}},
      {"D differs",
       tensors_file({key, reshaped(value, {4, 3, 2, 128, 8})}),
       {"v_plane", "D = 128", "D = 64"}},
      {"planes of nothing", tensors_file({reshaped(key, {0, 3, 8, 16, 8}), value}), {"k_plane", "axis 0"}},
      {"F32", tensors_file({reshaped(key, {4, 3, 8, 16, 8}, "F32"), value}), {"dtype of k_plane: F32"}},
  };
}

TEST(BadFiles, planes) {
  expect_all_refused(broken_planes(), {"convert"},
                     {"--from", "aiter-shuffled", "--to", "standard", "-o", "OUT"});
}

TEST(BadFiles, check) {
  const TensorBytes standard = pool().standard_tensor(), key = pool().key_tensor(),
                    value = pool().value_tensor();
  const auto with = [&](const TensorBytes& extra) { return tensors_file({standard, key, value, extra}); };
  const auto planes = [&](std::vector<std::uint64_t> k, std::vector<std::uint64_t> v) {
    return tensors_file({standard, reshaped(key, k), reshaped(value, v)});
  };
  expect_all_refused(
      {
          {"no standard", tensors_file({key, value}), {"tensor: standard", "missing"}},
          {"no planes", tensors_file({standard}), {"tensor: k_plane", "missing"}},
          {"another H", planes({4, 2, 8, 16, 8}, {4, 2, 2, 64, 8}), {"H of k_plane: 2", "H = 3"}},
          {"another B", planes({3, 3, 8, 16, 8}, {3, 3, 2, 64, 8}), {"B of k_plane: 3", "B = 4"}},
          {"another N", planes({4, 3, 8, 32, 8}, {4, 3, 4, 64, 8}), {"N of k_plane: 32", "N = 16"}},
          {"another D", planes({4, 3, 16, 16, 8}, {4, 3, 2, 128, 8}), {"D of k_plane: 128", "D = 64"}},
          {"another type",
           tensors_file(
               {standard, reshaped(key, {4, 3, 8, 16, 8}, "F16"), reshaped(value, {4, 3, 2, 64, 8}, "F16")}),
           {"dtype of k_plane: F16", "BF16"}},
          {"slots of another type",
           with({"slot_mapping", "I32", {2}, std::string(8, '\0')}),
           {"slot_mapping: I32"}},
          {"slots of rank 2",
           with({"slot_mapping", "I64", {1, 2}, std::string(16, '\0')}),
           {"slot_mapping: [1, 2]"}},
          {"a slot beyond", with(slots_tensor({0, 64})), {"slot_mapping[1]: 64", "64 slots"}},
          {"a slot far beyond", with(slots_tensor({INT64_MAX})), {"slot_mapping[0]: 9223372036854775807"}},
          {"a slot twice", with(slots_tensor({5, -1, 5})), {"slot_mapping[2]: 5", "twice"}},
          {"an unwritten byte that is none",
           tensors_file({standard, key, value}, 0, {{"unwritten_byte", "0x1A5"}}),
           {"unwritten_byte: 0x1A5"}},
          {"an empty unwritten byte",
           tensors_file({standard, key, value}, 0, {{"unwritten_byte", "0x"}}),
           {"unwritten_byte: 0x"}},
      },
      {"check"}, {});
}

TEST(BadFiles, block_ids) {
  const golden::Scratch scratch;
  golden::put(scratch / "in", tensors_file({pool().standard_tensor()}));
  struct Bad {
    const char* ids;
    Words words;
  };
  for (const Bad& bad :
       {Bad{"4", {"4", "beyond the pool of 4 blocks"}}, Bad{"0-4", {"block 4 is beyond"}},
        Bad{"0-18446744073709551615", {"18446744073709551615 is beyond"}},
        Bad{"18446744073709551616", {"not a block id"}}, Bad{"1,1", {"block 1 is listed twice"}},
        Bad{"0-2,1", {"block 1 is listed twice"}}, Bad{"1-", {"\"1-\""}}, Bad{"-1", {"\"-1\""}},
        Bad{"3-1", {"runs backwards"}}, Bad{"a", {"\"a\"", "not a block id"}}, Bad{"", {"empty"}},
        Bad{"1,,2", {"\"\""}}, Bad{"1,", {"\"\""}}, Bad{"1 2", {"\"1 2\""}}, Bad{"1-2-3", {"\"1-2-3\""}},
        Bad{"1;2", {"\"1;2\""}}}) {
    for (const Words& mode : {Words{}, Words{"--in-place"}}) {
      SCOPED_TRACE(bad.ids);
      Words arguments{"convert", scratch / "in", "-o", scratch / "out", "--blocks", bad.ids};
      arguments.insert(arguments.end(), mode.begin(), mode.end());
      Words words = bad.words;
      words.push_back("--blocks: ");
      expect_refused(run(arguments, {kSmallMemory, {}, {}}), words);
    }
  }
  EXPECT_EQ(scratch.names(), Words{"in"});
}

TEST(BadFiles, convert_options) {
  const golden::Scratch scratch;
  golden::put(scratch / "in", tensors_file(pool().tensors()));
  struct Bad {
    Words options;
    Words words;
  };
  for (const Bad& bad :
       {Bad{{"--to", "aiter-shufled"}, {"--to: aiter-shufled", "did you mean aiter-shuffled"}},
        Bad{{"--from", "nhd"}, {"--from: nhd", "did you mean"}},
        Bad{{"--from", "landing"}, {"--from: landing", "--in-place"}},
        Bad{{"--to", "standard"}, {"--to: standard", "same format"}},
        Bad{{"--from", "aiter-shuffled"}, {"--to: aiter-shuffled", "same format"}},
        Bad{{"--from", "aiter-shuffled", "--to", "standard", "--in-place"}, {"--in-place: standard"}},
        Bad{{"--from", "aiter-shuffled", "--to", "standard", "--keep-source", "--blocks", "1"},
            {"--keep-source"}},
        Bad{{"--threads", "0"}, {"--threads: 0", "not 1 to 1024"}},
        Bad{{"--threads", "4294967295"}, {"--threads: 4294967295"}},
        Bad{{"--threads", "4294967296"}, {"--threads: 4294967296"}}}) {
    Words arguments{"convert", scratch / "in", "-o", scratch / "out"};
    arguments.insert(arguments.end(), bad.options.begin(), bad.options.end());
    expect_refused(run(arguments, {kSmallMemory, {}, {}}), bad.words);
  }
  EXPECT_EQ(scratch.names(), Words{"in"});
}

TEST(BadFiles, in_place_names_its_bound) {
  const golden::Scratch scratch;
  // Just above 256 KiB, in the converter's scope and outside it.
  for (const Shape& shape : {Shape{17, 16, 256, 2}, Shape{9, 64, 128, 2}}) {
    golden::put(scratch / "in", tensors_file({random_pool(shape, 1).standard_tensor()}));
    const std::string in = scratch / "in", out = scratch / "out";
    expect_refused(run({"convert", in, "-o", out, "--in-place"}),
                   {"--in-place", "page_too_large", std::to_string(shape.page_bytes()), "262144"});
    EXPECT_EQ(scratch.names(), Words{"in"});
    EXPECT_EQ(run({"convert", in, "-o", out}).exit_code, 0) << "out of place has no bound";
    fs::remove(out);
  }
}

TEST(BadFiles, output_that_cannot_be_written) {
  const golden::Scratch scratch;
  const std::string in = scratch / "in";
  golden::put(in, tensors_file({pool().standard_tensor()}));
  fs::create_directory(scratch / "folder");
  for (const std::string& out :
       {std::string(scratch / "folder"), in + "/out", (scratch / "absent/out").string(),
        std::string("/dev/null"), std::string()}) {
    expect_refused(run({"convert", in, "-o", out}), {out});
  }
  EXPECT_EQ(golden::contents(in), tensors_file({pool().standard_tensor()}));
  EXPECT_TRUE(fs::is_empty(scratch / "folder"));
}

// A judge that writes over what it judged, or judges nothing.
TEST(BadFiles, results_are_not_written_over) {
  const golden::Scratch scratch;
  fs::create_directory(scratch / "results");
  const std::string folder = scratch / "results";
  expect_refused(run({"gonogo", folder}), {folder, "no result of a benchmark is there"});
  const std::string file = scratch / "results/run.json";
  const std::string text = R"({"completed": 1, "mean_ttft_ms": 5.0, "duration": 1.0})";
  golden::put(file, text);
  fs::create_symlink(file, scratch / "link.json");
  for (const std::string& out : {file, std::string(scratch / "link.json")}) {
    expect_refused(run({"gonogo", folder, "-o", out}), {"--output", out, "is an input"});
    EXPECT_EQ(golden::contents(file), text);
  }
}

TEST(BadFiles, an_old_output_survives_a_full_disk) {
  const golden::Scratch scratch;
  golden::put(scratch / "in", tensors_file({pool().standard_tensor()}));
  golden::put(scratch / "out", "old");
  const Outcome ran = run({"convert", scratch / "in", "-o", scratch / "out"}, {{}, 4096, {}});
  expect_refused(ran, {(scratch / "out").string()});
  EXPECT_EQ(golden::contents(scratch / "out"), "old");
  EXPECT_EQ(scratch.names().size(), 2u) << "a half-written file was left behind";
}

TEST(BadFiles, missing_or_no_file) {
  const golden::Scratch scratch;
  for (const char* command : {"check", "convert"}) {
    for (const std::string& in :
         {(scratch / "absent").string(), scratch.path().string(), std::string("/dev/null")}) {
      Words arguments{command, in};
      if (arguments[0] == "convert") arguments.insert(arguments.end(), {"-o", scratch / "out"});
      expect_refused(run(arguments), {in});
    }
  }
  EXPECT_TRUE(scratch.names().empty());
}

// Results of a benchmark: the other files are listed.
TEST(BadFiles, results) {
  const golden::Scratch scratch;
  const auto run_of = [](int completed) {
    return fmt::format(R"({{"num_prompts": 8, "completed": {}, "mean_ttft_ms": 5.0}})", completed);
  };
  golden::put(scratch / "good.json", run_of(8));
  EXPECT_EQ(run({"results", scratch.path().string()}).exit_code, 0);
  golden::put(scratch / "failed.json", run_of(0));
  EXPECT_EQ(run({"results", scratch.path().string()}).exit_code, 1);
  golden::put(scratch / "bad.json", "{\"mean_ttft_ms\": 5.0, }");
  const Outcome outcome = run({"results", scratch.path().string()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("bad.json: mean_ttft_ms: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("of them valid: 1;"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace pageproof::cli_tests
