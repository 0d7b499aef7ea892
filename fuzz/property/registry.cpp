#include <algorithm>
#include <cassert>
#include <utility>

#include "fuzz/property/property.hpp"

namespace pageproof::fuzz {
namespace {

std::vector<Property>& registry() {
  static std::vector<Property> properties;
  return properties;
}

}  // namespace

RegisteredProperty::RegisteredProperty(Property property) {
  assert(property.run && property.describe);
  std::vector<Property>& properties = registry();
  const auto at = std::ranges::lower_bound(properties, property.name, {}, &Property::name);
  assert(at == properties.end() || at->name != property.name);
  properties.insert(at, std::move(property));
}

const std::vector<Property>& all_properties() {
  return registry();
}

}  // namespace pageproof::fuzz
