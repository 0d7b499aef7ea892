#include "fuzz/campaign/run.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <climits>

#include "fuzz/generate/rapidcheck.hpp"

namespace pageproof::fuzz {
namespace {

// RapidCheck reports to a listener; what is found is kept by the property itself.
class Silent : public rc::detail::TestListener {
 public:
  void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
  void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
  void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
};

}  // namespace

Tried run_random(const RunCase& run, std::uint64_t seed, std::uint64_t cases) {
  rc::detail::TestParams params;
  params.seed = seed;
  params.maxSuccess = static_cast<int>(std::min<std::uint64_t>(cases, INT_MAX));
  Tried tried;
  Silent silent;
  // The last failing case is the smallest: RapidCheck goes on from each failing shrink and from no other.
  const auto property = [&] {
    Choices choices(from_rapidcheck());
    const bool first = !tried.found;
    std::optional<Failure> failure = run(choices, Domain::wide);
    if (first) ++tried.cases;
    if (!failure) return true;
    tried.found = Found{Domain::wide, choices.made(), *std::move(failure)};
    return false;
  };
  rc::detail::checkTestable(property, rc::detail::TestMetadata{}, params, silent,
                            std::unordered_map<std::string, rc::detail::Reproduce>{});
  return tried;
}

Tried run_small(const RunCase& run) {
  Tried tried;
  tried.cases = for_every_case([&](Choices& choices) {
    std::optional<Failure> failure = run(choices, Domain::small);
    if (failure) tried.found = Found{Domain::small, choices.made(), *std::move(failure)};
    return !failure;
  });
  return tried;
}

}  // namespace pageproof::fuzz
