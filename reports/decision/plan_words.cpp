#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "reports/decision/plan_report.hpp"

namespace pageproof::decision {
namespace {

bool compares(const RuleForecast& rule, std::size_t setup) {
  if (setup >= 3) return rule.setup == kPlannedSetups[setup];
  return (rule.rule == 'A') == (setup < 2);
}

// How a rule's forecast is drawn in the map.
char sign_of(const RuleForecast& rule, double certainty) {
  if (rule.passes >= certainty) return '+';
  return rule.against >= certainty ? '-' : '.';
}

std::string map_cell(const PlanForecast& plan, const PointForecast& point) {
  if (point.state == PointState::infeasible) return "full";
  if (point.state == PointState::unreachable) return fmt::format("P{}", point.prefill_gpus);
  std::string text;
  for (const RuleForecast& rule : point.rules) text += sign_of(rule, plan.options.certainty);
  return text;
}

std::string map_of(const PlanForecast& plan) {
  std::string text = fmt::format("{:<30}", "batch x context");
  std::vector<std::pair<std::uint32_t, std::uint32_t>> loads;
  for (const PointForecast& point : plan.points) {
    const std::pair load(point.point.context, point.point.batch);
    if (std::ranges::find(loads, load) == loads.end()) loads.push_back(load);
  }
  std::ranges::sort(loads);
  for (const auto& [context, batch] : loads)
    text += fmt::format(" {:>7}", fmt::format("{}x{}k", batch, context / 1024));
  std::string row_name;
  std::vector<std::string> row(loads.size());
  const auto flush = [&] {
    if (!row_name.empty()) text += fmt::format("\n{:<30} {:>7}", row_name, fmt::join(row, " "));
  };
  for (const PointForecast& point : plan.points) {
    const std::string name =
        fmt::format("{} {} osl {}", point.point.model, point.point.workload, point.point.output);
    if (name != row_name) {
      flush();
      row_name = name;
      std::ranges::fill(row, fmt::format("{:>7}", ""));
    }
    const auto at =
        std::ranges::find(loads, std::pair(point.point.context, point.point.batch)) - loads.begin();
    row[static_cast<std::size_t>(at)] = fmt::format("{:>7}", map_cell(plan, point));
  }
  flush();
  return text + "\n";
}

std::string point_lines(const PlanForecast& plan, const PointForecast& point) {
  std::string text = fmt::format("{:<36} {:<12}", point.point.name(), to_string(point.state));
  if (!point.reason.empty()) return text + point.reason + "\n";
  text += fmt::format("{} prefill GPUs, concurrency {}\n", point.prefill_gpus, point.concurrency);
  for (std::size_t i = 0; i < point.setups.size(); ++i) {
    const PlannedSetup& setup = point.setups[i];
    text += fmt::format(
        "    {:<3} TPOT {:>7.2f} ms  TTFT {:>8.1f} ms  {:>8.1f} tok/s  batch {:>6.1f}  {:>6.2f} GPU-hours a "
        "run\n",
        kPlannedSetups[i], setup.tpot_ms, setup.ttft_ms, setup.output_per_s, setup.batch,
        gpu_hours(plan.options, point, i));
  }
  for (const RuleForecast& rule : point.rules) {
    text += fmt::format(
        "    {}({})  passes {:>3.0f} %, counts against {:>3.0f} %   gain {:+.1f} %, TTFT {:+.1f} %{}\n",
        rule.rule, rule.setup, 100 * rule.passes, 100 * rule.against, 100 * rule.gain, 100 * rule.ttft,
        rule.rule == 'B' ? fmt::format(", TPOT {:+.1f} % worse", 100 * rule.guard) : "");
  }
  return text;
}

// What the assumptions decide before anything is simulated.
std::string caveats(const PlanForecast& plan) {
  const Assumptions& a = plan.options.assume;
  std::string text;
  if (a.unified_prefill == 1) {
    text +=
        "(d) is (c) here: unified's prefill is assumed to take as long as FA's (--unified-prefill), so their "
        "results are alike.\n";
  }
  text += fmt::format(
      "On a cold workload rule B cannot pass for {}: (b)'s prefill pays for shuffled pages only where a "
      "prefix "
      "is cached.\n",
      a.unified_prefill >= 1 ? "(c) or (d)" : "(c)");
  text += a.unshuffled_regions == 1
              ? "(a1) and (a2) are assumed to read whole pages, one descriptor each; K and V slots: "
                "--unshuffled-descriptors slots.\n"
              : "(a1) and (a2) are assumed to read K and V slots apart, two descriptors a page.\n";
  return text;
}

std::string smallest_text(const PlanForecast& plan) {
  const SmallestSet set = smallest_set(plan);
  const std::size_t parts = set.settled.size() + set.open.size();
  std::string text = fmt::format(
      "\nSmallest set   {} runs at {} loads, {:.0f} GPU-hours: settles {} of {} parts of the question\n"
      "               (a rule for (c) or (d) on a model, workload and output length; settled where its "
      "result counts)\n",
      set.runs, set.loads.size(), set.gpu_hours, set.settled.size(), parts);
  for (const ChosenLoad& load : set.loads) {
    text += fmt::format("  {:<36} {:<14} {:>6.1f} GPU-hours   {}\n", load.point.name(),
                        fmt::format("{}", fmt::join(load.setups, " ")), load.gpu_hours,
                        fmt::join(load.settles, ", "));
  }
  if (!set.open.empty()) text += "No run of the plan settles\n";
  for (const PartOfQuestion& part : set.open) text += fmt::format("  {}\n", part.name());
  return text;
}

}  // namespace

PlanCounts counts_of(const PlanForecast& plan) {
  PlanCounts counts;
  for (const PointForecast& point : plan.points) {
    if (point.state == PointState::infeasible) counts.infeasible += kSetups;
    if (point.state == PointState::unreachable) counts.unreachable += kSetups;
    if (point.rules.empty()) continue;
    for (std::size_t setup = 0; setup < kSetups; ++setup) {
      const bool decisive = std::ranges::any_of(point.rules, [&](const RuleForecast& rule) {
        return compares(rule, setup) && rule.decisive(plan.options.certainty);
      });
      ++(decisive ? counts.decisive : counts.undecidable);
    }
  }
  return counts;
}

double gpu_hours_of(const PlanForecast& plan) {
  double hours = 0;
  for (const PointForecast& point : plan.points) {
    if (point.rules.empty()) continue;
    for (std::size_t setup = 0; setup < kSetups; ++setup)
      hours += plan.options.repeats * gpu_hours(plan.options, point, setup);
  }
  return hours;
}

std::string plan_text(const PlanForecast& plan, bool every_point) {
  const PlanOptions& o = plan.options;
  const PlanCounts counts = counts_of(plan);
  std::string text = fmt::format(
      "The RFC's go/no-go{}: {} cells (a setup at a load), {} runs of {} repeats\n"
      "Decoder TP {}, {} prefill GPUs at hand, {} seeds, run-to-run CV {:g} %, prefill CV {:g} %, decisive "
      "from {:.0f} %\n",
      o.shards == 1 ? "" : fmt::format(", shard {}/{}", o.shard, o.shards), counts.cells(),
      counts.cells() * o.repeats, o.repeats, o.tp, o.prefill_gpus, o.seeds, 100 * o.assume.run_cv,
      100 * o.assume.prefill_cv, 100 * o.certainty);
  const auto line = [&](const char* name, std::size_t cells, const char* what) {
    text += fmt::format("  {:<12} {:>4} cells  {:>5} runs   {}\n", name, cells, cells * o.repeats, what);
  };
  line("infeasible", counts.infeasible, "the batch does not fit 95 % of the KV capacity");
  line("unreachable", counts.unreachable, "more prefill GPUs are needed than there are");
  line("undecidable", counts.undecidable, "no result that counts is likely");
  line("decisive", counts.decisive, "a rule passes, or something counts against it");
  text += fmt::format("  All runs that are possible take {:.0f} GPU-hours\n\n", gpu_hours_of(plan));
  text +=
      "A(c) B(c) A(d) B(d):  + passes   - counts against   . nothing counts;   Pn: n prefill GPUs needed;   "
      "full: no room\n";
  text += map_of(plan) + "\n" + caveats(plan);
  if (every_point) {
    text += '\n';
    for (const PointForecast& point : plan.points) text += point_lines(plan, point);
  }
  if (o.shards == 1) text += smallest_text(plan);
  return text;
}

}  // namespace pageproof::decision
