// min |A·x - y|² with x >= 0, exactly: the best of the ordinary solutions over every set of columns that has
// no negative coefficient. For a handful of columns.
#pragma once

#include <cstddef>
#include <vector>

namespace pageproof::decision {

inline constexpr std::size_t kMostColumns = 10;

struct LeastSquares {
  std::vector<std::vector<double>> rows;  // all of one length, up to kMostColumns
  std::vector<double> values;             // one a row
};

// A column that the rows cannot tell from others gets what it shares with them, split evenly.
std::vector<double> non_negative_solution(const LeastSquares& problem);

}  // namespace pageproof::decision
