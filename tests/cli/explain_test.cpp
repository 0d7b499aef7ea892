// pageproof formats and pageproof offset.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "oracle/offset/writer.hpp"
#include "tests/cli/program.hpp"
#include "tests/model/laws.hpp"

namespace pageproof::cli_tests {
namespace {

using nlohmann::json;

std::vector<std::string> offset_arguments(const std::string& format, const Shape& shape,
                                          const Coordinate& c) {
  std::vector<std::string> arguments{"offset", "--format", format, "--side", c.side == Side::key ? "k" : "V"};
  for (const auto& [option, value] : {std::pair{"--heads", shape.heads},
                                      {"--tokens", shape.tokens},
                                      {"--head-dim", shape.head_dim},
                                      {"--element-bytes", shape.element_bytes},
                                      {"--block", c.block},
                                      {"--head", c.head},
                                      {"--token", c.token},
                                      {"--dim", c.dim}}) {
    arguments.insert(arguments.end(), {option, std::to_string(value)});
  }
  return arguments;
}

TEST(Formats, lists_the_catalogue) {
  const json document = run_json({"formats"}, 0);
  std::map<std::string, json> formats;
  for (const json& format : document["formats"]) formats[format["tag"]] = format;
  ASSERT_EQ(formats.size(), document["formats"].size()) << "a tag stands twice";
  EXPECT_EQ(formats["standard"]["key"], "h t s d");
  EXPECT_EQ(formats["aiter-shuffled"]["key"], "h d/x t d%x");
  EXPECT_EQ(formats["aiter-shuffled"]["value"], "h t/x d t%x");
  EXPECT_EQ(formats["cpu-amx"]["shape"], "N % 32 == 0, D % 16 == 0, e == 2");
  EXPECT_EQ(document["layouts"].size(), 6u);
  const std::string text = run({"formats"}).out;
  for (const char* part : {"aiter-shuffled", "h t/x d t%x", "read by", "source", "no order of digits"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  EXPECT_TRUE(run({"formats", "--markdown"}).out.starts_with("| page format |"));
}

TEST(Offset, agrees_with_the_oracle) {
  for (const Shape& shape : {Shape{3, 48, 96, 2}, Shape{8, 16, 128, 1}}) {
    for (const Coordinate& c :
         {Coordinate{}, Coordinate{3, Side::value, 2, 5, 7},
          Coordinate{70000, Side::key, shape.heads - 1, shape.tokens - 1, shape.head_dim - 1}}) {
      const json standard = run_json(offset_arguments("standard", shape, c), 0);
      EXPECT_EQ(standard["byte"], oracle::standard_byte(shape, c));
      EXPECT_EQ(standard["oracle_byte"], standard["byte"]);
      const json shuffled = run_json(offset_arguments("aiter-shuffled", shape, c), 0);
      EXPECT_EQ(shuffled["byte"], oracle::shuffled_byte(shape, c));
      EXPECT_EQ(shuffled["region"], c.side == Side::key ? "K plane" : "V plane");
      EXPECT_EQ(shuffled["byte"], shuffled["block_base"].get<std::uint64_t>() +
                                      shuffled["element"].get<std::uint64_t>() * shape.element_bytes);
      const json landing = run_json(offset_arguments("landing", shape, c), 0);
      const std::uint64_t in_page = oracle::standard_byte(shape, c) % shape.page_bytes();
      EXPECT_EQ(landing["region"], in_page < shape.side_bytes() ? "K plane" : "V plane");
      EXPECT_EQ(landing["byte"], c.block * shape.side_bytes() + in_page % shape.side_bytes());
      EXPECT_EQ(standard["landing"]["byte"], landing["byte"]);
      EXPECT_EQ(standard["landing"]["region"], landing["region"]);
    }
  }
}

TEST(Offset, explains_digit_by_digit) {
  const Outcome ran = run(offset_arguments("aiter-shuffled", {8, 16, 128, 2}, {3, Side::value, 2, 5, 7}));
  EXPECT_EQ(ran.exit_code, 0);
  for (const char* part :
       {"((2 · 2 + 0) · 128 + 7) · 8 + 5 = element 4157", "t/x", "t%x", "begins at byte 98304",
        "98304 + 4157 · 2 = 106618", "106618: agrees", "of the V plane"}) {
    EXPECT_NE(ran.out.find(part), std::string::npos) << part << "\n" << ran.out;
  }
}

}  // namespace
}  // namespace pageproof::cli_tests
