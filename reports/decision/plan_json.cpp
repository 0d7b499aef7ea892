#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "model/json/fields.hpp"
#include "model/json/strict_json.hpp"
#include "reports/decision/plan_report.hpp"

namespace pageproof::decision {

using Json = nlohmann::ordered_json;

namespace {

struct NumberOption {
  const char* key;
  double Assumptions::* field;
};
constexpr NumberOption kAssumed[] = {
    {"kernel_gain", &Assumptions::kernel_gain},
    {"gain_over_unified", &Assumptions::gain_over_unified},
    {"traffic", &Assumptions::traffic},
    {"convert_bytes_per_second", &Assumptions::convert_bytes_per_second},
    {"launch_floor_seconds", &Assumptions::launch_floor_seconds},
    {"descriptor_seconds", &Assumptions::descriptor_seconds},
    {"link_bytes_per_second", &Assumptions::link_bytes_per_second},
    {"prefill_flops_per_second", &Assumptions::prefill_flops_per_second},
    {"shuffled_extension", &Assumptions::shuffled_extension},
    {"unified_prefill", &Assumptions::unified_prefill},
    {"unshuffled_regions", &Assumptions::unshuffled_regions},
    {"run_cv", &Assumptions::run_cv},
    {"prefill_cv", &Assumptions::prefill_cv},
};

// All that an answer depends on, beside the shard.
Json options_json(const PlanOptions& o) {
  Json assumed;
  for (const NumberOption& one : kAssumed) assumed[one.key] = o.assume.*one.field;
  return {{"assumptions", std::move(assumed)},
          {"tp", o.tp},
          {"prefill_gpus", o.prefill_gpus},
          {"cached_share", o.cached_share},
          {"prompts", o.prompts},
          {"run_overhead_s", o.run_overhead_s},
          {"repeats", o.repeats},
          {"seeds", o.seeds},
          {"trials", o.trials},
          {"certainty", o.certainty}};
}

Json point_json(const PlanForecast& plan, const PointForecast& point) {
  Json setups = Json::array(), rules = Json::array();
  for (std::size_t i = 0; i < point.setups.size(); ++i) {
    const PlannedSetup& s = point.setups[i];
    setups.push_back({{"setup", kPlannedSetups[i]},
                      {"tpot_ms", s.tpot_ms},
                      {"ttft_ms", s.ttft_ms},
                      {"output_per_s", s.output_per_s},
                      {"prefill_per_s", s.prefill_per_s},
                      {"batch", s.batch},
                      {"run_seconds", s.run_seconds},
                      {"gpu_hours", gpu_hours(plan.options, point, i)}});
  }
  for (const RuleForecast& r : point.rules) {
    rules.push_back({{"setup", r.setup},
                     {"rule", std::string(1, r.rule)},
                     {"passes", r.passes},
                     {"against", r.against},
                     {"gain", r.gain},
                     {"ttft", r.ttft},
                     {"guard", r.guard}});
  }
  return {{"model", point.point.model},
          {"workload", point.point.workload},
          {"batch", point.point.batch},
          {"context", point.point.context},
          {"output", point.point.output},
          {"state", to_string(point.state)},
          {"reason", point.reason},
          {"capacity_share", point.capacity_share},
          {"prefill_gpus", point.prefill_gpus},
          {"concurrency", point.concurrency},
          {"setups", std::move(setups)},
          {"rules", std::move(rules)}};
}

Json smallest_json(const PlanForecast& plan) {
  const SmallestSet set = smallest_set(plan);
  Json loads = Json::array(), settled = Json::array(), open = Json::array();
  for (const ChosenLoad& load : set.loads) {
    loads.push_back({{"load", load.point.name()},
                     {"setups", load.setups},
                     {"settles", load.settles},
                     {"gpu_hours", load.gpu_hours}});
  }
  for (const PartOfQuestion& part : set.settled) settled.push_back(part.name());
  for (const PartOfQuestion& part : set.open) open.push_back(part.name());
  return {{"runs", set.runs},
          {"gpu_hours", set.gpu_hours},
          {"loads", std::move(loads)},
          {"settled", std::move(settled)},
          {"open", std::move(open)}};
}

constexpr double kSameShare = 1e-9;
constexpr double kMostMs = 1e15;  // and tokens a second, and seconds

[[noreturn]] void wrong(const std::string& what) {
  throw std::invalid_argument(what);
}

double real(const nlohmann::json& json, const char* key, double least, double most) {
  const double value = json.at(key).get<double>();
  if (!(value >= least && value <= most))
    wrong(fmt::format("{}: {:g} is not {:g} to {:g}", key, value, least, most));
  return value;
}

template <class Number>
Number whole(const nlohmann::json& json, const char* key) {
  const nlohmann::json& value = json.at(key);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::numeric_limits<Number>::max())
    wrong(fmt::format("{}: {} is not a whole number", key, shown(value)));
  return value.get<Number>();
}

// A file's state, reason, capacity and prefill GPUs have to be what its options and figures make of them.
void check_point(const PlanOptions& options, const PointForecast& point, const std::string& state) {
  const auto fresh = placed(options, point.point);
  if (!fresh) wrong(to_string(fresh.error()));
  PointState wanted = fresh->state;
  std::string reason = fresh->reason;
  const bool simulated = wanted == PointState::undecidable;
  if (point.prefill_gpus != fresh->prefill_gpus)
    wrong(fmt::format("prefill_gpus: {} is not {}", point.prefill_gpus, fresh->prefill_gpus));
  if (std::abs(point.capacity_share - fresh->capacity_share) > kSameShare * fresh->capacity_share)
    wrong(fmt::format("capacity_share: {:g} is not {:g}", point.capacity_share, fresh->capacity_share));
  if (point.setups.size() != (simulated ? kSetups : 0)) wrong(fmt::format("{} setups", point.setups.size()));
  if (simulated != (point.concurrency > 0)) wrong(fmt::format("concurrency: {}", point.concurrency));
  bool judged = false;
  if (simulated) {
    reason = shortfall(point);
    judged = reason.empty();
    wanted = judged ? state_by_rules(options, point) : PointState::unreachable;
  }
  if (point.rules.size() != (judged ? 4 : 0)) wrong(fmt::format("{} rules", point.rules.size()));
  for (std::size_t i = 0; i < point.rules.size(); ++i) {
    if (point.rules[i].setup != (i < 2 ? "c" : "d") || point.rules[i].rule != (i % 2 == 0 ? 'A' : 'B'))
      wrong(fmt::format("rule {}: {}({})", i + 1, point.rules[i].rule, point.rules[i].setup));
  }
  if (state != to_string(wanted))
    wrong(fmt::format("state: {}, its figures say {}", state, to_string(wanted)));
  if (point.reason != reason) wrong(fmt::format("reason: \"{}\" is not \"{}\"", point.reason, reason));
}

// Throws nlohmann's exceptions on what is missing or of another type: caught where the file is read.
PointForecast point_of(const PlanOptions& options, const nlohmann::json& json) {
  PointForecast point{.point = {json.at("model"), json.at("workload"), whole<std::uint32_t>(json, "batch"),
                                whole<std::uint32_t>(json, "context"), whole<std::uint32_t>(json, "output")},
                      .reason = json.at("reason"),
                      .capacity_share = real(json, "capacity_share", 0, 1e9),
                      .prefill_gpus = whole<std::uint32_t>(json, "prefill_gpus"),
                      .concurrency = whole<std::uint32_t>(json, "concurrency"),
                      .setups = {},
                      .rules = {}};
  const std::vector<PlanPoint> all = rfc_points();
  if (std::ranges::find(all, point.point) == all.end()) wrong("no point of the plan");
  const std::string state = json.at("state");
  bool known = false;
  for (const PointState one :
       {PointState::infeasible, PointState::unreachable, PointState::undecidable, PointState::decisive}) {
    if (state != to_string(one)) continue;
    point.state = one;
    known = true;
  }
  if (!known) wrong("state: " + state);
  for (const auto& s : json.at("setups")) {
    const std::size_t i = point.setups.size();
    if (i == kSetups || s.at("setup") != kPlannedSetups[i]) wrong("setup: " + shown(s.at("setup")));
    point.setups.push_back({real(s, "tpot_ms", 0, kMostMs), real(s, "ttft_ms", 0, kMostMs),
                            real(s, "output_per_s", 0, kMostMs), real(s, "prefill_per_s", 0, kMostMs),
                            real(s, "batch", 0, serving::kMostBatch), real(s, "run_seconds", 0, kMostMs)});
  }
  for (const auto& r : json.at("rules")) {
    const std::string rule = r.at("rule"), setup = r.at("setup");
    if (rule.size() != 1) wrong("rule: " + rule);
    const double passes = real(r, "passes", 0, 1 + kSameShare);
    point.rules.push_back({setup, rule[0], passes, real(r, "against", 0, 1 + kSameShare - passes),
                           real(r, "gain", -1e6, 1e6), real(r, "ttft", -1e6, 1e6),
                           real(r, "guard", -1, 1e6)});
  }
  check_point(options, point, state);
  return point;
}

PlanForecast forecast_of(const nlohmann::json& json) {
  PlanForecast plan;
  PlanOptions& o = plan.options;
  const nlohmann::json& options = json.at("options");
  for (const NumberOption& one : kAssumed) o.assume.*one.field = options.at("assumptions").at(one.key);
  o.tp = whole<std::uint32_t>(options, "tp");
  o.prefill_gpus = whole<std::uint32_t>(options, "prefill_gpus");
  o.cached_share = options.at("cached_share");
  o.prompts = whole<std::uint32_t>(options, "prompts");
  o.run_overhead_s = options.at("run_overhead_s");
  o.repeats = whole<std::uint32_t>(options, "repeats");
  o.seeds = whole<std::uint64_t>(options, "seeds");
  o.trials = whole<std::uint32_t>(options, "trials");
  o.certainty = options.at("certainty");
  o.shard = whole<std::uint64_t>(json, "shard");
  o.shards = whole<std::uint64_t>(json, "shards");
  if (const auto ok = check_plan(o); !ok) wrong("options: " + to_string(ok.error()));
  std::size_t at = 0;
  for (const auto& point : json.at("points")) {
    try {
      plan.points.push_back(point_of(o, point));
    } catch (const std::invalid_argument& error) {
      wrong(fmt::format("[{}]: {}", at, error.what()));
    }
    ++at;
  }
  return plan;
}

}  // namespace

Json plan_json(const PlanForecast& plan) {
  const PlanCounts counts = counts_of(plan);
  Json points = Json::array();
  for (const PointForecast& point : plan.points) points.push_back(point_json(plan, point));
  Json json = {{"command", "plan-runs"},
               {"options", options_json(plan.options)},
               {"shard", plan.options.shard},
               {"shards", plan.options.shards},
               {"cells",
                {{"infeasible", counts.infeasible},
                 {"unreachable", counts.unreachable},
                 {"undecidable", counts.undecidable},
                 {"decisive", counts.decisive}}},
               {"gpu_hours", gpu_hours_of(plan)},
               {"points", std::move(points)}};
  if (plan.options.shards == 1) json["smallest_set"] = smallest_json(plan);
  return json;
}

Json judge_plan_json(const PlanForecast& plan) {
  Json cells = Json::array();
  for (const PointForecast& point : plan.points) {
    const std::uint32_t concurrency = point.concurrency == 0 ? point.point.batch : point.concurrency;
    Json cell = {{"model", point.point.model},
                 {"workload", point.point.workload},
                 {"pd", fmt::format("{}:1", std::max(1u, point.prefill_gpus / plan.options.tp))},
                 {"isl", point.point.context},
                 {"osl", point.point.output},
                 {"load", fmt::format("c{}", concurrency)},
                 {"batch", point.point.batch}};
    if (!point.reason.empty()) cell["infeasible"] = point.reason;
    cells.push_back(std::move(cell));
  }
  return {{"cells", std::move(cells)}};
}

Expected<PlanForecast> plan_from_json(std::string_view text, const std::string& subject) {
  const auto json = parse_strict_json(text, {.subject = subject, .field = "", .deepest = 8});
  if (!json) return std::unexpected(json.error());
  if (!json->is_object() || json->value("command", "") != std::string("plan-runs")) {
    return std::unexpected(Error{subject, "$.command", shown(*json), "not the JSON of plan-runs"});
  }
  try {
    return forecast_of(*json);
  } catch (const nlohmann::json::exception& error) {
    return std::unexpected(
        Error{subject, "$", "", std::string("not as plan-runs writes it: ") + error.what()});
  } catch (const std::invalid_argument& error) {
    return std::unexpected(Error{subject, "$.points", error.what(), "not as plan-runs writes it"});
  }
}

Expected<PlanForecast> merged(const std::vector<PlanForecast>& shards,
                              const std::vector<std::string>& subjects) {
  const Json wanted = options_json(shards.front().options);
  const std::uint64_t of = shards.front().options.shards;
  std::vector<PointForecast> found;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const PlanOptions& o = shards[i].options;
    if (options_json(o) != wanted || o.shards != of) {
      return std::unexpected(Error{subjects[i], "options", fmt::format("shard {}/{}", o.shard, o.shards),
                                   "not those of " + subjects.front()});
    }
    for (const PointForecast& point : shards[i].points) {
      if (std::ranges::find(found, point.point, &PointForecast::point) != found.end()) {
        return std::unexpected(
            Error{subjects[i], "points", point.point.name(), "stands in another shard too"});
      }
      found.push_back(point);
    }
  }
  PlanForecast plan{.options = shards.front().options, .points = {}};
  plan.options.shard = plan.options.shards = 1;
  for (const PlanPoint& point : rfc_points()) {
    const auto at = std::ranges::find(found, point, &PointForecast::point);
    if (at == found.end()) {
      return std::unexpected(Error{"--merge", "points", point.name(), "in no shard"});
    }
    plan.points.push_back(*at);
  }
  return plan;
}

}  // namespace pageproof::decision
