// Many rows at a time are the rows one by one.
#include "kernels/plan/table.hpp"

#include <gtest/gtest.h>

namespace pageproof::plan {
namespace {

DescriptorTable table() {
  return DescriptorTable({{.address = 1000, .stride = 64, .bytes = 16, .count = 5, .parts = 1},
                          {.address = 5000, .stride = 60, .bytes = 20, .count = 4, .parts = 3},
                          {.address = 9000, .stride = 64, .bytes = 16, .count = 1, .parts = 1},
                          {.address = 1u << 20, .stride = 100, .bytes = 8, .count = 6, .parts = 5}},
                         7);
}

TEST(Table, RowsOfAnyRangeAreTheRowsOneByOne) {
  const DescriptorTable list = table();
  ASSERT_EQ(list.rows(), 5u + 12 + 1 + 30);
  EXPECT_EQ(list.row(5 + 4), (Descriptor{5000 + 60 + 20, 20, 7}));
  EXPECT_EQ(list.row(18 + 13), (Descriptor{(1u << 20) + 2 * 100 + 3 * 8, 8, 7}));
  for (std::uint64_t first = 0; first <= list.rows(); ++first) {
    for (std::uint64_t count = 0; first + count <= list.rows(); ++count) {
      std::vector<Descriptor> rows(count, Descriptor{1, 1, 1});
      list.fill(first, rows);
      for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(rows[i], list.row(first + i)) << first << "+" << i;
    }
  }
}

TEST(Table, RowsOfAnyIdsAreTheRowsOneByOne) {
  const DescriptorTable list = table();
  for (const std::uint64_t step : {1u, 5u, 7u, 11u, 29u, 47u}) {
    std::vector<std::uint64_t> ids(2 * list.rows());
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i * step % list.rows();
    std::vector<Descriptor> rows(ids.size(), Descriptor{1, 1, 1});
    list.gather(ids, rows);
    for (std::size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(rows[i], list.row(ids[i])) << ids[i];
  }
}

}  // namespace
}  // namespace pageproof::plan
