#include "model/page/nearest.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

namespace pageproof::page {
namespace {

constexpr std::size_t kLongestCompared = 64;
constexpr std::size_t kMostOffered = 3;
constexpr std::size_t kShortestPart = 3;  // a shorter part of a name stands in too many

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

// "flashinfer-nhd" is flashinfer and nhd.
std::vector<std::string_view> words_of(std::string_view name) {
  std::vector<std::string_view> words;
  while (!name.empty()) {
    const std::string_view word = name.substr(0, name.find_first_of("-_. "));
    if (!word.empty()) words.push_back(word);
    name.remove_prefix(std::min(name.size(), word.size() + 1));
  }
  return words;
}

// Somebody wrote a part of the name: each word by its nearest word.
std::size_t distance_by_words(std::string_view name, std::string_view candidate) {
  std::size_t sum = 0;
  for (const std::string_view word : words_of(name)) {
    std::size_t nearest = word.size();
    for (const std::string_view other : words_of(candidate)) {
      nearest = std::min(nearest, edit_distance(word, other));
    }
    sum += nearest;
  }
  return sum;
}

std::size_t distance(std::string_view name, std::string_view candidate) {
  if (name.size() >= kShortestPart && candidate.find(name) != std::string_view::npos) return 0;
  return std::min(edit_distance(name, candidate), distance_by_words(name, candidate));
}

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
  const std::string written = lower_case(name.substr(0, kLongestCompared));
  std::vector<std::tuple<std::size_t, std::size_t, std::string>> nearest;
  for (const std::string& candidate : known) {
    const std::string lower = lower_case(candidate);
    nearest.emplace_back(distance(written, lower), edit_distance(written, lower), candidate);
  }
  std::ranges::sort(nearest);
  if (nearest.size() > kMostOffered) nearest.resize(kMostOffered);
  std::string offer = "did you mean ";
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    if (i > 0) offer += i + 1 == nearest.size() ? " or " : ", ";
    offer += std::get<std::string>(nearest[i]);
  }
  return offer + "?";
}

}  // namespace pageproof::page
