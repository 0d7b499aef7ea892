// Every format's arithmetic as its project writes it, against the format's order of digits: two statements
// that share no formula must put every element of every small shape at the same byte.
#include "oracle/offset/engines.hpp"

#include <gtest/gtest.h>

#include <set>

#include "model/page/format.hpp"
#include "tests/model/laws.hpp"

namespace pageproof {
namespace {

using oracle::EngineFormat;
using page::PageFormat;

std::vector<Shape> shapes() {
  std::vector<Shape> all = laws::shapes();
  all.push_back({3, 128, 16, 2});
  all.push_back({1, 128, 32, 1});
  return all;
}

// "" where both statements agree on every element of blocks 0 and 3 of every shape that has the format; else
// the first coordinate where they do not.
std::string disagreement(const PageFormat& format, const EngineFormat& stated, std::size_t* tried = nullptr) {
  for (const Shape& shape : shapes()) {
    if (!page::fits(format, shape)) continue;
    if (tried != nullptr) ++*tried;
    for (const std::uint64_t block : {0, 3}) {
      std::string first;
      laws::each_coordinate(
          shape,
          [&](const Coordinate& c) {
            if (!first.empty() || (c.side == Side::value && format.key_only())) return;
            if (page::locate(format, shape, c).byte != stated.byte(shape, c)) {
              first = to_string(shape) + " " + to_string(c);
            }
          },
          block);
      if (!first.empty()) return first;
    }
  }
  return "";
}

TEST(EngineFormats, StateEveryFormatOfTheCatalogue) {
  std::set<std::string> stated, known;
  for (const EngineFormat& format : oracle::engine_formats()) stated.emplace(format.tag);
  for (const PageFormat& format : page::catalogue()) known.insert(format.tag);
  EXPECT_EQ(stated, known);
  EXPECT_EQ(oracle::engine_formats().size(), page::catalogue().size());
  EXPECT_EQ(oracle::engine_format("landing"), nullptr);
}

TEST(EngineFormats, AreTheOrdersOfTheCatalogue) {
  for (const PageFormat& format : page::catalogue()) {
    const EngineFormat& stated = *oracle::engine_format(format.tag);
    EXPECT_EQ(stated.one_region, format.regions == page::Regions::page) << format.tag;
    EXPECT_EQ(stated.key_only, format.key_only()) << format.tag;
    std::size_t tried = 0;
    EXPECT_EQ(disagreement(format, stated, &tried), "") << format.tag;
    EXPECT_GE(tried, 3u) << format.tag;
  }
}

// A statement taken for another format's is found, unless both name one order.
TEST(EngineFormats, AnotherFormatsStatementIsFound) {
  for (const PageFormat& format : page::catalogue()) {
    const std::vector<std::string> alike = page::same_order_as(format);
    for (const EngineFormat& stated : oracle::engine_formats()) {
      if (stated.tag == format.tag || stated.key_only != format.key_only() ||
          stated.one_region != (format.regions == page::Regions::page)) {
        continue;
      }
      const bool one_order = std::ranges::find(alike, stated.tag) != alike.end();
      // Elements of 1 byte are all that mfma-16x16 has, and there x = 16.
      const bool one_order_there = format.tag == "mfma-16x16";
      EXPECT_EQ(disagreement(format, stated) == "", one_order || one_order_there)
          << format.tag << " by " << stated.tag;
    }
  }
}

}  // namespace
}  // namespace pageproof
