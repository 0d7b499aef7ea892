// Safetensors files: what is written is read back, what is broken is refused with its field and value.
#include "golden/container/safetensors.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>

#include "tests/golden/scratch.hpp"

namespace pageproof::golden {
namespace {

std::string with_length(std::uint64_t length, std::string_view rest) {
  std::string out(8, '\0');
  std::memcpy(out.data(), &length, 8);
  return out + std::string(rest);
}

std::string file_of(std::string_view header, std::size_t data_bytes) {
  return with_length(header.size(), header) + std::string(data_bytes, 'd');
}

std::vector<std::byte> counted(std::size_t bytes) {
  std::vector<std::byte> out(bytes);
  for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::byte>(i * 7 + 1);
  return out;
}

struct BadFile {
  const char* name;
  std::string bytes;
  const char* line;  // of the Error, after the path

  friend std::ostream& operator<<(std::ostream& out, const BadFile& file) { return out << file.name; }
};

std::string tensor_a(std::string_view fields) {
  return fmt::format(R"({{"a":{{{}}}}})", fields);
}

std::vector<BadFile> bad_files() {
  const std::string a = R"("a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]})";
  return {
      {"empty", "", "size: 0 bytes: a safetensors file begins with 8 bytes of header length"},
      {"seven_bytes", "1234567", "size: 7 bytes: a safetensors file begins with 8 bytes of header length"},
      {"header_beyond_file", with_length(3, "{}"), "header length: 3: beyond the 2 bytes that follow it"},
      {"header_beyond_memory", with_length(~0ull, "{}"),
       "header length: 18446744073709551615: above the format's bound of 100000000"},
      {"header_above_bound", with_length(100'000'001, "{}"),
       "header length: 100000001: above the format's bound of 100000000"},
      {"no_header", with_length(0, ""), "header: begins with no {"},
      {"header_not_json", file_of(R"({"a":)", 0), "not JSON at byte 6"},
      {"header_not_utf8", file_of("{\"\xff\":1}", 0), "not JSON at byte 3"},
      {"header_list", file_of("[1]", 0), "header: [1]: begins with no {"},
      {"two_values", file_of("{} {}", 0), "not JSON at byte 4"},
      {"byte_order_mark", file_of("\xEF\xBB\xBF{}", 0), "begins with no {"},
      {"deep_lists", file_of("{\"a\":" + std::string(100'000, '['), 0),
       "header $.a[0][0]: 4 levels: nested deeper than the 3 levels that this file needs"},
      {"deep_objects", file_of(R"({"a":{"b":{"c":{"d":1}}}})", 0),
       "header $.a.b.c: 4 levels: nested deeper than the 3 levels that this file needs"},
      {"tensor_twice", file_of("{" + a + "," + a + "}", 4),
       "header $.a: a: the key appears twice in one object"},
      {"field_twice", file_of(tensor_a(R"("dtype":"U8","dtype":"U8","shape":[4],"data_offsets":[0,4])"), 4),
       "header $.a.dtype: dtype: the key appears twice in one object"},
      {"tensor_not_object", file_of(R"({"a":7})", 0), "tensor a: 7: not an object"},
      {"metadata_not_object", file_of(R"({"__metadata__":7})", 0), "__metadata__: 7: not an object"},
      {"metadata_not_text", file_of(R"({"__metadata__":{"k":7}})", 0), "k of __metadata__: 7: not a string"},
      {"no_dtype", file_of(tensor_a(R"("shape":[4],"data_offsets":[0,4])"), 4), "dtype of a: missing"},
      {"no_shape", file_of(tensor_a(R"("dtype":"U8","data_offsets":[0,4])"), 4), "shape of a: missing"},
      {"no_offsets", file_of(tensor_a(R"("dtype":"U8","shape":[4])"), 4), "data_offsets of a: missing"},
      {"unknown_field",
       file_of(tensor_a(R"("dtype":"U8","shape":[4],"data_offsets":[0,4],"strides":[1])"), 4),
       "strides of a: [1]: the format has no such field"},
      {"dtype_number", file_of(tensor_a(R"("dtype":8,"shape":[4],"data_offsets":[0,4])"), 4),
       "dtype of a: 8: not a string"},
      {"dtype_unknown", file_of(tensor_a(R"("dtype":"F7","shape":[4],"data_offsets":[0,4])"), 4),
       "dtype of a: F7: the format has no such type"},
      {"shape_number", file_of(tensor_a(R"("dtype":"U8","shape":4,"data_offsets":[0,4])"), 4),
       "shape of a: 4: not a list"},
      {"shape_negative", file_of(tensor_a(R"("dtype":"U8","shape":[-4],"data_offsets":[0,4])"), 4),
       "shape of a: -4: not a whole number from 0 to 2^63-1"},
      {"shape_fraction", file_of(tensor_a(R"("dtype":"U8","shape":[4.0],"data_offsets":[0,4])"), 4),
       "shape of a: 4.0: not a whole number from 0 to 2^63-1"},
      {"shape_two_to_63",
       file_of(tensor_a(R"("dtype":"U8","shape":[9223372036854775808],"data_offsets":[0,4])"), 4),
       "shape of a: 9223372036854775808: not a whole number from 0 to 2^63-1"},
      {"shape_two_to_64",
       file_of(tensor_a(R"("dtype":"U8","shape":[18446744073709551616],"data_offsets":[0,4])"), 4),
       "not a whole number from 0 to 2^63-1"},
      {"shape_text", file_of(tensor_a(R"("dtype":"U8","shape":["4"],"data_offsets":[0,4])"), 4),
       "shape of a: \"4\": not a whole number from 0 to 2^63-1"},
      {"product_overflows",
       file_of(tensor_a(R"("dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0])"), 0),
       "shape of a: [4294967296,4294967296]: its product of U8 elements overflows"},
      {"half_a_byte", file_of(tensor_a(R"("dtype":"F4","shape":[3],"data_offsets":[0,2])"), 2),
       "shape of a: [3]: 12 bits of F4 are no whole bytes"},
      {"offsets_one", file_of(tensor_a(R"("dtype":"U8","shape":[4],"data_offsets":[0])"), 4),
       "data_offsets of a: [0]: not 2 numbers"},
      {"offsets_text", file_of(tensor_a(R"("dtype":"U8","shape":[4],"data_offsets":"0,4")"), 4),
       "data_offsets of a: \"0,4\": not a list"},
      {"offsets_negative", file_of(tensor_a(R"("dtype":"U8","shape":[4],"data_offsets":[-4,0])"), 4),
       "data_offsets of a: -4: not a whole number from 0 to 2^63-1"},
      {"offsets_reversed", file_of(tensor_a(R"("dtype":"U8","shape":[4],"data_offsets":[4,0])"), 4),
       "data_offsets of a: [4,0]: begins after its end"},
      {"truncated", file_of(tensor_a(R"("dtype":"U8","shape":[4],"data_offsets":[0,4])"), 3),
       "data_offsets of a: [0,4]: ends beyond the 3 data bytes"},
      {"offsets_at_odds", file_of(tensor_a(R"("dtype":"U16","shape":[4],"data_offsets":[0,4])"), 4),
       "data_offsets of a: [0,4]: has 4 bytes, but shape and dtype give 8"},
      {"overlap", file_of("{" + a + R"(,"b":{"dtype":"U8","shape":[4],"data_offsets":[3,7]}})", 7),
       "data_offsets of b: [3,7]: overlaps a, which ends at 4"},
      {"same_bytes", file_of("{" + a + R"(,"b":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", 4),
       "data_offsets of b: [0,4]: overlaps a, which ends at 4"},
      {"hole", file_of("{" + a + R"(,"b":{"dtype":"U8","shape":[4],"data_offsets":[5,9]}})", 9),
       "data_offsets of b: [5,9]: leaves a hole after byte 4"},
      {"hole_at_the_start", file_of(tensor_a(R"("dtype":"U8","shape":[4],"data_offsets":[1,5])"), 5),
       "data_offsets of a: [1,5]: leaves a hole after byte 0"},
      {"trailing_bytes", file_of("{" + a + "}", 5),
       "data: 5 bytes: the tensors end at 4, the rest belongs to none"},
  };
}

class BadSafetensors : public testing::TestWithParam<BadFile> {};

TEST_P(BadSafetensors, IsRefusedInOneLineThatNamesFieldAndValue) {
  const Scratch scratch;
  const auto path = scratch / "bad.safetensors";
  put(path, GetParam().bytes);
  const auto file = SafetensorsFile::open(path);
  ASSERT_FALSE(file.has_value());
  const std::string line = to_string(file.error());
  EXPECT_TRUE(line.starts_with(path.string() + ": ")) << line;
  EXPECT_TRUE(line.ends_with(GetParam().line)) << line;
  EXPECT_EQ(line.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Table, BadSafetensors, testing::ValuesIn(bad_files()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(SafetensorsFile, RefusesWhatIsNoReadableFile) {
  const Scratch scratch;
  EXPECT_EQ(SafetensorsFile::open(scratch / "none").error().problem,
            "cannot be opened: No such file or directory");
  EXPECT_EQ(to_string(SafetensorsFile::open(scratch.path()).error()),
            scratch.path().string() + ": a directory: not a regular file");
  EXPECT_EQ(SafetensorsFile::open("/dev/null").error().problem, "not a regular file");
  if (::geteuid() == 0) return;  // root reads every file
  put(scratch / "locked", file_of("{}", 0));
  std::filesystem::permissions(scratch / "locked", std::filesystem::perms::none);
  EXPECT_EQ(SafetensorsFile::open(scratch / "locked").error().problem, "cannot be opened: Permission denied");
}

// Cut anywhere, and with any byte of length or header replaced: opened with tensors that lie in the file, or
// refused in one line.
TEST(SafetensorsFile, OpensOrRefusesEveryMutationOfASmallFile) {
  const std::string whole =
      file_of(R"({"__metadata__":{"k":"v"},"a":{"dtype":"U16","shape":[2,1],"data_offsets":[0,4]},)"
              R"("b":{"dtype":"I8","shape":[3],"data_offsets":[4,7]}})",
              7);
  const std::size_t header_end = whole.size() - 7;
  const Scratch scratch;
  std::size_t opened = 0;
  const auto try_open = [&](std::string_view bytes) {
    put(scratch / "f", bytes);
    const auto file = SafetensorsFile::open(scratch / "f");
    if (!file) {
      const std::string line = to_string(file.error());
      EXPECT_EQ(line.find('\n'), std::string::npos) << line;
      return false;
    }
    std::size_t total = 0;
    unsigned sum = 0;
    for (const Tensor& tensor : file->tensors()) {
      total += tensor.data.size();
      for (const std::byte byte : tensor.data) sum += std::to_integer<unsigned>(byte);
    }
    EXPECT_EQ(total, 7u) << sum;
    ++opened;
    return true;
  };
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(try_open(std::string_view(whole).substr(0, length))) << length;
  }
  EXPECT_TRUE(try_open(whole));
  for (std::size_t i = 0; i < header_end; ++i) {
    for (const char byte :
         {'\0', '\n', '"', '\\', '-', '9', '{', ']', '\xff', static_cast<char>(whole[i] ^ 1)}) {
      std::string mutated = whole;
      mutated[i] = byte;
      try_open(mutated);
    }
  }
  EXPECT_GT(opened, 1u);  // a name is as good as another
}

TEST(SafetensorsFile, OpensWhatOnlyLooksOdd) {
  const Scratch scratch;
  put(scratch / "f", file_of(R"({"e":{"dtype":"F64","shape":[0,5],"data_offsets":[4,4]},)"
                             R"("s":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}   )",
                             4));
  const auto file = SafetensorsFile::open(scratch / "f");
  ASSERT_TRUE(file.has_value()) << to_string(file.error());
  ASSERT_EQ(file->tensors().size(), 2u);
  EXPECT_EQ(file->tensors()[0].name, "s");  // by bytes, not by name
  EXPECT_EQ(file->tensors()[0].data.size(), 4u);
  EXPECT_TRUE(file->find("e")->data.empty());
  EXPECT_EQ(file->find("f"), nullptr);
  EXPECT_TRUE(file->metadata().empty());
}

TEST(WriteSafetensors, IsReadBackAsItWas) {
  const Scratch scratch;
  const auto bytes = counted(4 * 3 * 16 * 128 * 2);
  const auto ids = counted(5 * 8);
  const Metadata metadata{{"writer", "test"}, {"quote", "\"\n\u00e9"}};
  const std::vector<Tensor> tensors{{"standard", Dtype::bf16, {4, 3, 16, 128}, bytes},
                                    {"slot_mapping", Dtype::i64, {5}, ids}};
  ASSERT_TRUE(write_safetensors(scratch / "f", metadata, tensors).has_value());

  auto opened = SafetensorsFile::open(scratch / "f");
  ASSERT_TRUE(opened.has_value()) << to_string(opened.error());
  const SafetensorsFile file = std::move(*opened);  // what find() gives survives the move
  EXPECT_EQ(file.metadata(), metadata);
  ASSERT_EQ(file.tensors().size(), 2u);
  for (const Tensor& expected : tensors) {
    const Tensor* got = file.find(expected.name);
    ASSERT_NE(got, nullptr);
    EXPECT_EQ(got->dtype, expected.dtype);
    EXPECT_EQ(got->shape, expected.shape);
    EXPECT_TRUE(std::ranges::equal(got->data, expected.data));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(got->data.data()) % 8, 0u);
  }
}

TEST(WriteSafetensors, GivesTheSameBytesInWhateverOrderTheTensorsCome) {
  const Scratch scratch;
  const auto bytes = counted(8);
  const Tensor narrow{"a", Dtype::i8, {8}, bytes};
  const Tensor wide{"b", Dtype::i64, {1}, bytes};
  ASSERT_TRUE(write_safetensors(scratch / "1", {}, std::array{narrow, wide}).has_value());
  ASSERT_TRUE(write_safetensors(scratch / "2", {}, std::array{wide, narrow}).has_value());
  EXPECT_EQ(contents(scratch / "1"), contents(scratch / "2"));
  EXPECT_EQ(contents(scratch / "1").substr(8),
            R"({"b":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},"a":{"dtype":"I8","shape":[8],)"
            R"("data_offsets":[8,16]}}     )" +
                std::string(reinterpret_cast<const char*>(bytes.data()), 8) +
                std::string(reinterpret_cast<const char*>(bytes.data()), 8));
}

TEST(WriteSafetensors, KnowsEveryTypeOfTheFormat) {
  const Scratch scratch;
  const auto bytes = counted(64);
  std::vector<Tensor> tensors;
  for (int i = 0; i <= static_cast<int>(Dtype::u64); ++i) {
    const auto dtype = static_cast<Dtype>(i);
    EXPECT_EQ(dtype_from_name(name(dtype)), dtype);
    tensors.push_back({std::string(name(dtype)),
                       dtype,
                       {64 * 8 / bits(dtype) / 8 * 8},
                       std::span(bytes).first(64 * 8 / bits(dtype) / 8 * 8 * bits(dtype) / 8)});
  }
  ASSERT_TRUE(write_safetensors(scratch / "f", {}, tensors).has_value());
  const auto file = SafetensorsFile::open(scratch / "f");
  ASSERT_TRUE(file.has_value()) << to_string(file.error());
  EXPECT_EQ(file->tensors().size(), 22u);
}

TEST(WriteSafetensors, RefusesWhatNoFileCanHold) {
  const Scratch scratch;
  const auto bytes = counted(8);
  const auto line = [&](const Metadata& metadata, std::vector<Tensor> tensors) {
    const auto written = write_safetensors(scratch / "f", metadata, tensors);
    return written ? std::string("written")
                   : to_string(written.error()).substr((scratch / "f").string().size() + 2);
  };
  EXPECT_EQ(line({}, {{"a", Dtype::u8, {9}, bytes}}), "data of a: 8 bytes: shape and dtype give 9");
  EXPECT_EQ(
      line({}, {{"a", Dtype::u8, {8}, bytes}, {"b", Dtype::u16, {4}, bytes}, {"a", Dtype::i64, {1}, bytes}}),
      "tensor: a: given twice");
  EXPECT_EQ(line({}, {{"__metadata__", Dtype::u8, {8}, bytes}}),
            "tensor: __metadata__: the name is reserved");
  EXPECT_EQ(line({}, {{"a", Dtype::u8, {1ull << 62, 4}, bytes}}),
            "shape of a: [4611686018427387904,4]: its product of U8 elements overflows");
  EXPECT_TRUE(line({{"k", "\xff"}}, {}).starts_with("header: a name or text is not UTF-8"));
  EXPECT_TRUE(scratch.names().empty());
}

}  // namespace
}  // namespace pageproof::golden
