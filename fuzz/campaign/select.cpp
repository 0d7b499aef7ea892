#include "fuzz/campaign/select.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/page/nearest.hpp"

namespace pageproof::fuzz {
namespace {

constexpr std::size_t kLongestName = 64;

}  // namespace

Expected<std::vector<Property>> select(std::span<const Property> properties,
                                       std::span<const std::string> names) {
  for (const std::string& name : names) {
    const auto fits = [&](const Property& property) { return property.name.starts_with(name); };
    if (!name.empty() && std::ranges::any_of(properties, fits)) continue;
    // A prefix is a name too, so the distance to the property's beginning counts as well.
    const auto distance = [&](const Property& property) {
      const std::string_view typed = std::string_view(name).substr(0, kLongestName);
      return std::min(page::edit_distance(typed, property.name),
                      page::edit_distance(typed, property.name.substr(0, typed.size())));
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
