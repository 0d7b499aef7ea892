#include "reports/verify/check.hpp"

#include <algorithm>
#include <utility>

namespace pageproof::reports {
namespace {

std::vector<Check>& registry() {
  static std::vector<Check> checks;
  return checks;
}

}  // namespace

Registered::Registered(Check check) {
  registry().push_back(std::move(check));
}

std::vector<Check> all_checks() {
  std::vector<Check> checks = registry();
  std::ranges::sort(checks, {}, &Check::name);
  return checks;
}

}  // namespace pageproof::reports
