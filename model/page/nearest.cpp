#include "model/page/nearest.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace pageproof::page {
namespace {

constexpr std::size_t kLongestCompared = 64;
constexpr std::size_t kMostOffered = 3;

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string did_you_mean(std::string_view name, std::span<const std::string> known) {
  std::vector<std::pair<std::size_t, std::string>> nearest;
  for (const std::string& candidate : known) {
    nearest.emplace_back(edit_distance(name.substr(0, kLongestCompared), candidate), candidate);
  }
  std::ranges::sort(nearest);
  if (nearest.size() > kMostOffered) nearest.resize(kMostOffered);
  std::string offer = "did you mean ";
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    if (i > 0) offer += i + 1 == nearest.size() ? " or " : ", ";
    offer += nearest[i].second;
  }
  return offer + "?";
}

}  // namespace pageproof::page
