// The silent set: the described pairs come out as described, the RFC's rules leave no silent pair, and every
// count is the committed one. The full form also compares the two pages of docs/.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "reports/silent/report.hpp"
#include "reports/silent/section9.hpp"
#include "reports/verify/check.hpp"

namespace pageproof::reports {
namespace {

constexpr const char* kName = "handshake.silent_set";
constexpr unsigned kThreads = 2;

Failure failed(std::string claim, std::string example, std::string expected, std::string got) {
  return {kName,
          std::move(claim),
          std::move(example),
          std::move(expected),
          std::move(got),
          "pageproof handshake silent"};
}

std::string file_of(const char* path) {
  std::ifstream file(std::string(PAGEPROOF_SOURCE_DIR "/") + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void check_described(CheckResult& result) {
  for (const silent::Described& pair : silent::described_pairs()) {
    ++result.cases;
    const auto judged =
        silent::judged_today(pair.decode, pair.decode_layout, pair.prefill, pair.prefill_layout);
    const std::string got = judged ? silent::to_string(*judged) : to_string(judged.error());
    const std::string said = silent::said_of(pair);
    if (got == said) continue;
    result.failures.push_back(failed("the described pairs come out as described", pair.name, said, got));
  }
}

void check_rules(const silent::SilentSet& set, CheckResult& result) {
  const std::pair<const char*, const silent::Counts*> rules[] = {
      {"the RFC's rules leave no silent pair", &set.proposed},
      {"nor with the backend's name out of the hash", &set.open}};
  for (const auto& [claim, counts] : rules) {
    result.cases += counts->all();
    const std::uint64_t bad = (*counts)[silent::Fate::wrong] + (*counts)[silent::Fate::raises];
    if (bad == 0) continue;
    const auto& ids = counts == &set.proposed ? set.proposed_silent : set.open_silent;
    std::string example = "a pair that raises";
    if (!ids.empty()) {
      const silent::Example one = silent::example_of(set.extent, ids.front());
      example = silent::described(one.remote) + " -> " + silent::described(one.local);
    }
    result.failures.push_back(failed(claim, example, "0 pairs", fmt::format("{} pairs", bad)));
  }
  ++result.cases;
  const std::uint64_t unexplained = set.cover.inseparable + set.cover.uncovered;
  if (unexplained == 0) return;
  result.failures.push_back(
      failed("every silent pair has a cause", "pairs without one", "0", std::to_string(unexplained)));
}

// The committed counts, key by key.
void check_counts(const silent::SilentSet& set, CheckResult& result) {
  const char* extent = set.extent == silent::Extent::full ? "full" : "quick";
  const auto expected = nlohmann::json::parse(file_of("reports/silent/expected.json"), nullptr, false);
  const nlohmann::json found = silent::to_json(set);
  const nlohmann::json wanted =
      expected.is_object() && expected.contains(extent) ? expected[extent] : nlohmann::json::object();
  for (const auto& [key, value] : found.items()) {
    ++result.cases;
    const std::string was = wanted.contains(key) ? wanted[key].dump() : "nothing";
    if (was == value.dump()) continue;
    result.failures.push_back(failed("the counts are those of reports/silent/expected.json",
                                     fmt::format("{} {}", extent, key), was, value.dump()));
  }
}

void check_page(const char* path, const std::string& page, CheckResult& result) {
  ++result.cases;
  if (file_of(path) == page) return;
  result.failures.push_back(
      failed("the pages of docs/ are what the command prints", path, "the command's page", "another"));
}

CheckResult run(const CheckOptions& options) {
  CheckResult result;
  check_described(result);
  const silent::SilentSet set =
      silent::find_silent(options.quick ? silent::Extent::quick : silent::Extent::full, kThreads);
  check_rules(set, result);
  check_counts(set, result);
  if (options.quick) return result;
  check_page("docs/silent_pairs.md", silent::to_markdown(set), result);
  check_page("reports/reviewer_decisions.md", silent::decisions(set), result);
  return result;
}

const Registered kSilentSet(
    {.name = kName,
     .claim = "today's silent pairs are the committed ones, and the RFC's rules leave none",
     .run = run});

}  // namespace
}  // namespace pageproof::reports
