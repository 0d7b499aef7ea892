// `pageproof plan`: which descriptors a read posts, in each sound way and in the cheapest; and the verdict on
// a plan made elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/json.hpp"
#include "cli/plan_input.hpp"
#include "cli/plan_options.hpp"
#include "kernels/convert/pageproof.h"
#include "model/json/failure.hpp"
#include "reports/plan/plan_file.hpp"
#include "reports/plan/words.hpp"

namespace pageproof::cli {
namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 22;  // that are written out

// Of the cost model: a second for a descriptor, a byte or an exabyte a microsecond.
constexpr double kMostMicroseconds = 1e9;
constexpr double kLeastGigabytes = 1e-6;
constexpr double kMostGigabytes = 1e9;

static_assert(plan::kInPlacePageBytes == PAGEPROOF_IN_PLACE_PAGE_BYTES);

std::unexpected<Error> refuse(std::string option, std::string value, std::string problem) {
  return std::unexpected(Error{std::move(option), "", std::move(value), std::move(problem)});
}

Report refuted(const plan::Violation& violation, const std::string& example, const std::string& replay) {
  const Failure failure{fmt::format("plan.{}", to_string(violation.rule)),
                        claim(violation.rule),
                        example + (violation.row ? fmt::format("   row {}", *violation.row) : ""),
                        "the rule holds",
                        violation.text,
                        replay};
  nlohmann::ordered_json json = {{"command", "plan"}, {"holds", false}, {"rule", to_string(violation.rule)}};
  json["row"] = violation.row ? nlohmann::ordered_json(*violation.row) : nlohmann::ordered_json();
  json["failure"] = json_of(failure);
  return {.holds = false, .text = to_string(failure), .json = one_document(json)};
}

Result check_file(const std::string& path) {
  const auto file = reports::read_plan_file_at(path);
  if (!file) return std::unexpected(file.error());
  if (const auto found = file->check())
    return refuted(*found, path, fmt::format("pageproof plan --check {}", shell_word(path)));
  std::uint64_t bytes = 0;
  for (const plan::Descriptor& row : file->local.rows) bytes += row.bytes;
  const bool whole = file->wanted.has_value();
  return Report{
      .holds = true,
      .text = fmt::format("HOLDS     {}: {} pairs of rows, {} B; {}", path, file->local.rows.size(), bytes,
                          whole ? "each byte of the request comes from its place"
                                : "no request in the file: what should move is not checked"),
      .json = one_document({{"command", "plan"},
                            {"holds", true},
                            {"pairs", file->local.rows.size()},
                            {"bytes", bytes},
                            {"request_checked", whole}})};
}

Expected<plan::CostModel> cost_model(const PlanOptions& o) {
  for (const auto& [option, value] :
       {std::pair{"--us-per-descriptor", o.descriptor_us}, std::pair{"--us-per-read", o.read_us}}) {
    if (value >= 0 && value <= kMostMicroseconds) continue;
    return refuse(option, fmt::format("{}", value),
                  fmt::format("not a time of 0 to {} µs", kMostMicroseconds));
  }
  for (const auto& [option, value] :
       {std::pair{"--link-gb", o.link_gb}, std::pair{"--convert-gb", o.convert_gb}}) {
    if (value >= kLeastGigabytes && value <= kMostGigabytes) continue;
    return refuse(option, fmt::format("{}", value),
                  fmt::format("not a rate of {} to {} GB/s", kLeastGigabytes, kMostGigabytes));
  }
  return plan::CostModel{.seconds_per_descriptor = o.descriptor_us * 1e-6,
                         .seconds_per_read = o.read_us * 1e-6,
                         .link_bytes_per_second = o.link_gb * 1e9,
                         .conversion_bytes_per_second = o.convert_gb * 1e9};
}

std::string line_of(const reports::PlanParty& party) {
  const handshake::EngineSide& side = party.side;
  const auto& regions = side.registration.regions;
  return fmt::format("{}: {}, {} region{}, {}-token blocks of {} B, TP {}{}", side.engine.engine_id,
                     side.metadata.kv_cache_layout, regions.size(), regions.size() == 1 ? "" : "s",
                     side.engine.kernel_block_size, regions.empty() ? 0 : regions.front().block_len,
                     side.engine.tp_size, party.described ? "" : " (captured)");
}

// The option that is asked for, or the cheapest.
Expected<void> select(std::optional<plan::Strategy> asked, bool has_staging, reports::PlanAnswer& answer) {
  const plan::Choice& choice = answer.choice;
  if (!asked) {
    if (!choice.chosen) {
      // An error of the request's, not of the strategies: every one has it.
      const bool all = !choice.options.empty() && std::ranges::all_of(choice.options, [](const auto& one) {
        return one.error.has_value();
      });
      if (all) return std::unexpected(*choice.options.front().error);
      return refuse("--strategy", "auto", choice.because);
    }
    answer.shown = *choice.chosen;
    answer.because = choice.because;
    return {};
  }
  for (std::size_t i = 0; i < choice.options.size(); ++i) {
    const plan::Option& option = choice.options[i];
    if (option.strategy != *asked) continue;
    if (option.error) return std::unexpected(*option.error);
    if (*asked == plan::Strategy::staged && !has_staging)
      return refuse("--staging", "", "the strategy `staged` needs BASE:BYTES");
    if (*asked == plan::Strategy::whole && !option.not_chosen.empty())
      return refuse("--strategy", "whole", option.not_chosen);
    answer.shown = i;
    answer.because = "asked for" + (option.not_chosen.empty() ? "" : "; " + option.not_chosen);
    return {};
  }
  return refuse("--strategy", std::string(to_string(*asked)), "does not fit: " + answer.pair.pages);
}

Expected<reports::PlanAnswer> answered(const PlanOptions& o) {
  const auto asked = parse_strategy(o.strategy);
  if (!asked) return std::unexpected(asked.error());
  const auto model = cost_model(o);
  if (!model) return std::unexpected(model.error());
  std::optional<plan::Staging> staging;
  if (!o.staging.empty()) {
    const auto parsed = parse_staging(o.staging);
    if (!parsed) return std::unexpected(parsed.error());
    staging = *parsed;
  }
  for (const auto& [option, blocks] :
       {std::pair{"--local-blocks", &o.local_blocks}, std::pair{"--remote-blocks", &o.remote_blocks}}) {
    if (blocks->empty()) return refuse(option, "", "block ids are needed, or none");
  }
  const auto to = parse_block_groups(o.local_blocks, "--local-blocks");
  if (!to) return std::unexpected(to.error());
  const auto from = parse_block_groups(o.remote_blocks, "--remote-blocks");
  if (!from) return std::unexpected(from.error());

  const auto local = read_party(o.local, {o.local_tp, o.local_rank, o.kv_heads});
  if (!local) return std::unexpected(local.error());
  std::vector<reports::PlanParty> remotes;
  for (const std::string& path : o.remotes) {
    auto remote = read_party(path, {o.remote_tp, 0, o.kv_heads});
    if (!remote) return std::unexpected(remote.error());
    remotes.push_back(*std::move(remote));
  }
  auto pair = reports::plan_pair(*local, remotes, *to, *from, *asked);
  if (!pair) return std::unexpected(pair.error());

  reports::PlanAnswer answer{.pair = *std::move(pair),
                             .choice = {},
                             .shown = 0,
                             .because = "",
                             .staging = staging.value_or(plan::Staging{}),
                             .local = line_of(*local),
                             .remote = line_of(remotes.front())};
  answer.choice = plan::choose(answer.pair.request, staging, *model);
  if (const auto ok = select(*asked, staging.has_value(), answer); !ok) return std::unexpected(ok.error());
  std::uint64_t rows = 0;
  for (const plan::Read& read : answer.plan().reads)
    rows += o.all_rows ? read.local.rows() + read.remote.rows() : read.local_ids.size();
  if (rows > kMostRows)
    return refuse(o.all_rows ? "--rows" : "--local-blocks", std::to_string(rows),
                  fmt::format("more than {} rows to write out", kMostRows));
  return answer;
}

}  // namespace

Result plan(const PlanOptions& options) {
  if (!options.check.empty()) {
    PlanOptions alone;
    alone.check = options.check;
    alone.json = options.json;
    if (options != alone)
      return refuse("--check", options.check, "stands alone: no LOCAL and REMOTE, and no option but --json");
    return check_file(options.check);
  }
  if (options.remotes.empty()) return refuse("REMOTE", "", "LOCAL and REMOTE are needed, or --check FILE");
  if (int{options.csv} + int{options.tuples} + int{options.json} > 1)
    return refuse(options.csv ? "--csv" : "--tuples", "", "one of --csv, --tuples and --json");
  if (options.all_rows && !options.tuples && !options.json)
    return refuse("--rows", "all", "whole lists are written by --tuples and --json alone");
  auto found_answer = answered(options);
  if (!found_answer) return std::unexpected(found_answer.error());
  const auto answer = std::make_shared<const reports::PlanAnswer>(*std::move(found_answer));
  if (const auto found = plan::check(answer->pair.request, answer->plan(), answer->staging)) {
    return refuted(*found, fmt::format("strategy {}", to_string(answer->plan().strategy)),
                   replay_of(options, to_string(answer->plan().strategy)));
  }
  Report report{.holds = true, .text = "", .json = ""};
  if (options.csv) {
    report.pieces = [answer](const Sink& sink) { return reports::write_csv(*answer, sink); };
  } else if (options.tuples) {
    report.pieces = [answer, all = options.all_rows](const Sink& sink) {
      return reports::write_tuples(*answer, all, sink);
    };
  } else if (options.json) {
    report.json = one_document(reports::plan_json(*answer, options.all_rows));
  } else {
    report.text = reports::plan_text(*answer);
  }
  return report;
}

}  // namespace pageproof::cli
