#include "reports/verify/check.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace pageproof::reports {
namespace {

std::vector<Check>& registry() {
  static std::vector<Check> checks;
  return checks;
}

std::vector<std::function<std::vector<Check>()>>& makers() {
  static std::vector<std::function<std::vector<Check>()>> made_later;
  return made_later;
}

}  // namespace

Registered::Registered(Check check) {
  registry().push_back(std::move(check));
}

RegisteredMany::RegisteredMany(std::function<std::vector<Check>()> make) {
  makers().push_back(std::move(make));
}

std::vector<Check> all_checks() {
  std::vector<Check> checks = registry();
  for (const auto& make : makers()) std::ranges::move(make(), std::back_inserter(checks));
  std::ranges::sort(checks, {}, &Check::name);
  return checks;
}

}  // namespace pageproof::reports
