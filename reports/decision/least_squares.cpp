#include "reports/decision/least_squares.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>

namespace pageproof::decision {
namespace {

using Matrix = std::vector<std::vector<double>>;

// Gauss with row pivots; nothing where the matrix is singular.
std::optional<std::vector<double>> solved(Matrix matrix, std::vector<double> right) {
  const std::size_t n = right.size();
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column; row < n; ++row) {
      if (std::abs(matrix[row][column]) > std::abs(matrix[pivot][column])) pivot = row;
    }
    if (std::abs(matrix[pivot][column]) < 1e-13) return std::nullopt;
    std::swap(matrix[pivot], matrix[column]);
    std::swap(right[pivot], right[column]);
    for (std::size_t row = 0; row < n; ++row) {
      if (row == column) continue;
      const double factor = matrix[row][column] / matrix[column][column];
      for (std::size_t k = column; k < n; ++k) matrix[row][k] -= factor * matrix[column][k];
      right[row] -= factor * right[column];
    }
  }
  for (std::size_t i = 0; i < n; ++i) right[i] /= matrix[i][i];
  return right;
}

}  // namespace

std::vector<double> non_negative_solution(const LeastSquares& problem) {
  const std::size_t columns = problem.rows.empty() ? 0 : problem.rows.front().size();
  assert(columns <= kMostColumns && problem.rows.size() == problem.values.size());
  std::vector<double> scale(columns, 0);
  for (const auto& row : problem.rows) {
    for (std::size_t j = 0; j < columns; ++j) scale[j] += row[j] * row[j];
  }
  for (double& one : scale) one = one > 0 ? std::sqrt(one) : 1;
  Matrix gram(columns, std::vector<double>(columns, 0));
  std::vector<double> moment(columns, 0);
  for (std::size_t r = 0; r < problem.rows.size(); ++r) {
    const auto& row = problem.rows[r];
    for (std::size_t i = 0; i < columns; ++i) {
      moment[i] += row[i] / scale[i] * problem.values[r];
      for (std::size_t j = 0; j < columns; ++j) gram[i][j] += row[i] / scale[i] * row[j] / scale[j];
    }
  }
  std::vector<double> best(columns, 0);
  double most_explained = 0;  // of |y|²
  for (std::size_t set = 1; set < (std::size_t{1} << columns); ++set) {
    std::vector<std::size_t> chosen;
    for (std::size_t j = 0; j < columns; ++j) {
      if ((set >> j & 1) != 0) chosen.push_back(j);
    }
    Matrix part(chosen.size(), std::vector<double>(chosen.size()));
    std::vector<double> right(chosen.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      right[i] = moment[chosen[i]];
      for (std::size_t j = 0; j < chosen.size(); ++j) part[i][j] = gram[chosen[i]][chosen[j]];
      part[i][i] += 1e-9;  // two columns that are one: each takes half
    }
    const auto found = solved(std::move(part), right);
    if (!found || std::ranges::any_of(*found, [](double x) { return x < 0; })) continue;
    double explained = 0;
    for (std::size_t i = 0; i < chosen.size(); ++i) explained += (*found)[i] * right[i];
    if (explained <= most_explained + 1e-12) continue;
    most_explained = explained;
    std::ranges::fill(best, 0.0);
    for (std::size_t i = 0; i < chosen.size(); ++i) best[chosen[i]] = (*found)[i];
  }
  for (std::size_t j = 0; j < columns; ++j) best[j] /= scale[j];
  return best;
}

}  // namespace pageproof::decision
