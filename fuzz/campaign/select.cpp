#include "fuzz/campaign/select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace pageproof::fuzz {
namespace {

constexpr std::size_t kLongestName = 64;

// Edits that turn one name into the other (Levenshtein).
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

Expected<std::vector<Property>> select(std::span<const Property> properties,
                                       std::span<const std::string> names) {
  for (const std::string& name : names) {
    const auto fits = [&](const Property& property) { return property.name.starts_with(name); };
    if (!name.empty() && std::ranges::any_of(properties, fits)) continue;
    // A prefix is a name too, so the distance to the property's beginning counts as well.
    const auto distance = [&](const Property& property) {
      const std::string_view typed = std::string_view(name).substr(0, kLongestName);
      return std::min(edits(typed, property.name), edits(typed, property.name.substr(0, typed.size())));
    };
    const auto nearest = std::ranges::min_element(properties, {}, distance);
    const std::string hint =
        nearest == properties.end() ? "" : fmt::format("; did you mean {}?", nearest->name);
    return std::unexpected(
        Error{"PROPERTY", "", name.empty() ? "\"\"" : name, "no property has this name" + hint});
  }
  std::vector<Property> chosen;
  for (const Property& property : properties) {
    const auto named = [&](const std::string& name) { return property.name.starts_with(name); };
    if (names.empty() || std::ranges::any_of(names, named)) chosen.push_back(property);
  }
  return chosen;
}

}  // namespace pageproof::fuzz
