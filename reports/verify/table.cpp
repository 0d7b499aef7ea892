#include "reports/verify/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "model/json/failure.hpp"

namespace pageproof::reports {
namespace {

Outcome judge(const CheckResult& result) {
  if (!result.failures.empty()) return Outcome::refuted;
  if (!result.skipped.empty()) return Outcome::skipped;
  return result.cases == 0 ? Outcome::empty : Outcome::holds;
}

// A check that throws has a bug or met one: its row is refuted and the others still run.
CheckResult run_guarded(const Check& check, const CheckOptions& options) {
  try {
    return check.run(options);
  } catch (const std::exception& error) {
    return {.cases = 0,
            .failures = {{.name = check.name,
                          .claim = check.claim,
                          .example = "the check ended early",
                          .expected = "a result",
                          .got = error.what(),
                          .replay = fmt::format("pageproof verify {}", check.name)}},
            .skipped = {}};
  }
}

}  // namespace

std::string to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::holds:
      return "holds";
    case Outcome::refuted:
      return "REFUTED";
    case Outcome::empty:
      return "EMPTY";
    case Outcome::skipped:
      break;
  }
  return "skipped";
}

Expected<std::vector<Check>> select_checks(std::span<const std::string> filters) {
  const std::vector<Check> all = all_checks();
  if (filters.empty()) return all;
  const auto named = [](const Check& check, const std::string& filter) {
    return check.name == filter || check.name.starts_with(filter + ".");
  };
  std::vector<Check> selected;
  for (const std::string& filter : filters) {
    if (std::ranges::none_of(all, [&](const Check& check) { return named(check, filter); })) {
      return std::unexpected(
          Error{"verify", "check", filter, "no check has this name; see `pageproof verify --list`"});
    }
  }
  for (const Check& check : all) {
    if (std::ranges::any_of(filters, [&](const std::string& filter) { return named(check, filter); })) {
      selected.push_back(check);
    }
  }
  return selected;
}

std::vector<Row> run_checks(std::span<const Check> checks, const CheckOptions& options,
                            const std::function<void(const Check&)>& started) {
  std::vector<Row> rows;
  for (const Check& check : checks) {
    started(check);
    const auto start = std::chrono::steady_clock::now();
    CheckResult result = run_guarded(check, options);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    const Outcome outcome = judge(result);
    rows.push_back({check, std::move(result), outcome, elapsed.count()});
  }
  return rows;
}

bool holds(std::span<const Row> rows) {
  return std::ranges::none_of(
      rows, [](const Row& row) { return row.outcome == Outcome::refuted || row.outcome == Outcome::empty; });
}

std::string to_table(std::span<const Row> rows) {
  std::size_t width = 5;
  for (const Row& row : rows) width = std::max(width, row.check.name.size());
  std::string table = fmt::format("{:<{}}  {:>11}  {:>8}  result\n", "check", width, "cases", "time");
  for (const Row& row : rows) {
    table += fmt::format("{:<{}}  {:>11}  {:>6.2f} s  {}", row.check.name, width, row.result.cases,
                         row.seconds, to_string(row.outcome));
    if (row.outcome == Outcome::skipped) table += ": " + row.result.skipped;
    table += "\n";
  }
  for (const Row& row : rows) {
    for (const Failure& failure : row.result.failures) table += "\n" + to_string(failure);
  }
  const auto count = [&](Outcome outcome) { return std::ranges::count(rows, outcome, &Row::outcome); };
  table += fmt::format("\n{} checks: {} hold, {} refuted, {} empty, {} skipped\n", rows.size(),
                       count(Outcome::holds), count(Outcome::refuted), count(Outcome::empty),
                       count(Outcome::skipped));
  return table;
}

std::string to_json(std::span<const Row> rows, const CheckOptions& options) {
  nlohmann::ordered_json checks = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    nlohmann::ordered_json failures = nlohmann::ordered_json::array();
    for (const Failure& failure : row.result.failures) failures.push_back(json_of(failure));
    checks.push_back({{"check", row.check.name},
                      {"claim", row.check.claim},
                      {"cases", row.result.cases},
                      {"seconds", row.seconds},
                      {"result", to_string(row.outcome)},
                      {"skipped", row.result.skipped},
                      {"failures", failures}});
  }
  const nlohmann::ordered_json document = {{"holds", holds(rows)},
                                           {"form", options.quick ? "quick" : "full"},
                                           {"seed", options.seed},
                                           {"checks", checks}};
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace pageproof::reports
