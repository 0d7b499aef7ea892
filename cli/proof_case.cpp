#include "cli/proof_case.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fuzz/campaign/case_file.hpp"
#include "fuzz/campaign/json_file.hpp"
#include "oracle/proof/counterexample.hpp"

namespace pageproof::cli {
namespace {

using nlohmann::json;

constexpr const char* kSchema = "proof_case_v1";

std::vector<std::string> names_in(const proof::Query& query) {
  std::vector<std::string> names;
  for (const proof::Formula& assumption : query.assumptions) proof::variables_of(assumption, names);
  proof::variables_of(query.goal, names);
  return names;
}

// The replay line of a case that was written; what kept it from being written otherwise.
std::string written(const std::string& obligation, const proof::Query& query, const proof::Values& found,
                    const std::string& folder) {
  // The solver's own names for products are no numbers of the claim.
  proof::Values values;
  for (const std::string& name : names_in(query)) {
    if (const auto value = found.find(name); value != found.end()) values.insert(*value);
  }
  const std::string path = folder + "/" + query.name + ".json";
  const json document = {{"schema", kSchema},
                         {"obligation", obligation},
                         {"name", query.name},
                         {"claim", query.claim},
                         {"values", values}};
  const Expected<void> ok = fuzz::write_json(path, document);
  if (!ok) return fmt::format("(no case file: {})", to_string(ok.error()));
  return fmt::format("pageproof prove {} --case {}", obligation, path);
}

struct CaseFile {
  std::string obligation;
  std::string name;
  proof::Values values;
};

Expected<CaseFile> read_case(const std::string& path) {
  const Expected<json> document = fuzz::read_json(path);
  if (!document) return std::unexpected(document.error());
  fuzz::Fields fields(*document, path);
  fields.expect("schema", kSchema);
  CaseFile file{fields.text("obligation"), fields.text("name"), {}};
  const json values = fields.any("values");
  if (!fields.error() && !values.is_object()) fields.refuse("values", "not an object");
  if (fields.error()) return std::unexpected(*fields.error());
  for (const auto& [name, value] : values.items()) {
    const bool fits = value.is_number_unsigned() && value.get<std::uint64_t>() <= INT64_MAX;
    if (!fits) {
      return std::unexpected(Error{path, "values." + name,
                                   value.dump(-1, ' ', false, json::error_handler_t::replace),
                                   "not a whole number from 0 to 2^63-1"});
    }
    file.values[name] = value.get<std::int64_t>();
  }
  return file;
}

// The numbers are those of the claim, and what it assumes of them holds.
Expected<void> belongs(const proof::Query& query, const proof::Values& values, const std::string& path) {
  const std::vector<std::string> names = names_in(query);
  for (const std::string& name : names) {
    if (!values.contains(name)) {
      return std::unexpected(Error{path, "values." + name, "", "missing, the claim is about it"});
    }
  }
  for (const auto& [name, value] : values) {
    if (std::ranges::find(names, name) == names.end()) {
      return std::unexpected(
          Error{path, "values." + name, std::to_string(value), "the claim has no such number"});
    }
  }
  std::vector<proof::Formula> all = query.assumptions;
  all.push_back(query.goal);
  for (const proof::Formula& formula : all) {
    if (!proof::evaluate(formula, values)) {
      return std::unexpected(
          Error{path, "values", proof::shown(values), "a number of the claim reaches 2^63"});
    }
  }
  for (const proof::Formula& assumption : query.assumptions) {
    if (!*proof::evaluate(assumption, values)) {
      return std::unexpected(
          Error{path, "values", proof::shown(values), "they break what the claim assumes"});
    }
  }
  return {};
}

}  // namespace

void write_cases(proof::ObligationResult& result, const std::string& folder, bool mutants) {
  if (folder == kNoCases) return;
  const std::string& obligation = result.obligation.name;
  for (const proof::QueryResult& found : result.queries) {
    if (found.holds || found.answer != proof::Answer::sat) continue;
    const auto failure = std::ranges::find(result.failures, found.name, &Failure::name);
    const auto query = std::ranges::find(result.obligation.queries, found.name, &proof::Query::name);
    if (failure == result.failures.end() || query == result.obligation.queries.end()) continue;
    failure->replay = written(obligation, *query, found.values, folder);
  }
  for (std::size_t i = 0; mutants && i < result.mutants.size(); ++i) {
    proof::MutantResult& mutant = result.mutants[i];
    if (mutant.verdict != proof::Verdict::refuted) continue;
    mutant.failure.replay = written(obligation, result.obligation.mutants[i].query, mutant.values, folder);
  }
}

Expected<Replayed> replay_case(std::span<const proof::Obligation> obligations, const std::string& path) {
  const Expected<CaseFile> file = read_case(path);
  if (!file) return std::unexpected(file.error());
  const auto obligation = std::ranges::find(obligations, file->obligation, &proof::Obligation::name);
  if (obligation == obligations.end()) {
    return std::unexpected(Error{path, "obligation", file->obligation, "not among those that were named"});
  }
  const std::string replay = fmt::format("pageproof prove {} --case {}", file->obligation, path);
  const auto answer = [&](Failure failure, bool refuted) {
    failure.replay = replay;
    return Replayed{file->name, failure.example, refuted ? std::optional(failure) : std::nullopt};
  };
  const auto mutant = std::ranges::find(obligation->mutants, file->name, &proof::Mutant::name);
  if (mutant != obligation->mutants.end()) {
    if (const auto ok = belongs(mutant->query, file->values, path); !ok) return std::unexpected(ok.error());
    return answer(proof::example_failure(*mutant, file->values, file->obligation),
                  proof::replays(*mutant, file->values));
  }
  const auto query = std::ranges::find(obligation->queries, file->name, &proof::Query::name);
  if (query == obligation->queries.end()) {
    return std::unexpected(
        Error{path, "name", file->name, "the obligation has no mutant and no query of this name"});
  }
  if (const auto ok = belongs(*query, file->values, path); !ok) return std::unexpected(ok.error());
  return answer(proof::query_example(*query, file->values, file->obligation),
                !*proof::evaluate(query->goal, file->values));
}

}  // namespace pageproof::cli
