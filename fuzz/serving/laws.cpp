#include "fuzz/serving/laws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "fuzz/serving/machine_laws.hpp"

namespace pageproof::fuzz_serving {
namespace {

double end_of(const StepRecord& step) {
  return step.start + step.seconds;
}

// Every request lives through all stations in order, and gets all of its tokens; the parts of its TTFT add
// up.
Verdict life(const Scenario&, const Simulation& run) {
  std::uint64_t tokens = 0;
  for (std::size_t i = 0; i < run.requests.size(); ++i) {
    const RequestRecord& r = run.requests[i];
    const double times[] = {r.arrival,    r.start,       r.prefill_start, r.prefill_end,
                            r.read_start, r.read_posted, r.read_end,      r.noticed,
                            r.joined,     r.first_token, r.finish};
    if (!std::ranges::is_sorted(times))
      return Violation{fmt::format("times of request {} in order", i), "not"};
    double sum = 0;
    for (const double part : serving::parts_of(r)) {
      if (part < -kClose)
        return Violation{fmt::format("parts of TTFT of request {} >= 0 s", i), fmt::format("{}", part)};
      sum += part;
    }
    if (!near(sum, r.first_token - r.start))
      return differs("sum of TTFT's parts", r.first_token - r.start, sum);
    tokens += r.output_tokens;
  }
  if (tokens != run.tokens)
    return differs("tokens", static_cast<double>(tokens), static_cast<double>(run.tokens));
  return {};
}

// A first step begins at a boundary at or after all that the request waits for, and tokens come at ends of
// steps.
Verdict boundaries(const Scenario& scenario, const Simulation& run) {
  const bool side = scenario.cell.setup.converter.where == Conversion::side;
  for (std::size_t i = 0; i < run.requests.size(); ++i) {
    const RequestRecord& r = run.requests[i];
    const std::vector<StepRecord>& steps = run.kept[r.decoder];
    if (r.first_step + r.output_tokens > steps.size()) {
      return differs("steps of the decoder", static_cast<double>(r.first_step + r.output_tokens),
                     static_cast<double>(steps.size()));
    }
    const StepRecord& first = steps[r.first_step];
    if (r.joined != first.start) return differs(fmt::format("request {} joins at", i), first.start, r.joined);
    if (!near(r.first_token, end_of(first))) return differs("first token at", end_of(first), r.first_token);
    const double last = end_of(steps[r.first_step + r.output_tokens - 1]);
    if (!near(r.finish, last)) return differs("finish at", last, r.finish);
    if (side && r.joined < r.converted)
      return differs("joins not before its event at", r.converted, r.joined);
    if (r.joined < r.read_end) return differs("joins not before its read ends at", r.read_end, r.joined);
  }
  return {};
}

// Whoever is ready first runs first.
Verdict first_come(const Scenario&, const Simulation& run) {
  for (std::uint32_t decoder = 0; decoder < run.kept.size(); ++decoder) {
    std::vector<const RequestRecord*> requests = of_decoder(run, decoder);
    std::ranges::sort(requests, {}, [](const RequestRecord* r) {
      return std::tuple(r->noticed, r->converted, r->read_end, r);
    });
    for (std::size_t i = 1; i < requests.size(); ++i) {
      const RequestRecord &a = *requests[i - 1], &b = *requests[i];
      if (a.read_end < b.read_end && a.joined > b.joined)
        return differs("joins no later than", b.joined, a.joined);
    }
  }
  return {};
}

// The client: at a finite rate the last of n requests comes at n / rate; never more in flight than allowed,
// and nobody waits while fewer are.
Verdict client(const Scenario& scenario, const Simulation& run) {
  const serving::Load& load = scenario.cell.load;
  const double last =
      std::isinf(load.request_rate) ? 0 : static_cast<double>(load.requests) / load.request_rate;
  if (!near(last, run.requests.back().arrival))
    return differs("the last arrival is at", last, run.requests.back().arrival);
  const std::size_t most = load.max_concurrency.value_or(UINT32_MAX);
  std::vector<double> finishes;
  for (const RequestRecord& r : run.requests) finishes.push_back(r.finish);
  for (std::size_t i = 0; i < run.requests.size(); ++i) {
    const RequestRecord& r = run.requests[i];
    double expected = r.arrival;
    if (i >= most) {  // when the (i − most + 1)-th of those before it has finished
      std::vector<double> before(finishes.begin(), finishes.begin() + static_cast<std::ptrdiff_t>(i));
      std::ranges::nth_element(before, before.begin() + static_cast<std::ptrdiff_t>(i - most));
      expected = std::max(expected, before[i - most]);
    }
    if (r.start != expected) return differs(fmt::format("request {} is let in at", i), expected, r.start);
  }
  return {};
}

// Little's law, exactly: Σ over steps of B times its length = Σ over requests of the time between joining and
// the end.
Verdict little(const Scenario&, const Simulation& run) {
  double residence = 0, gaps = 0;
  for (const RequestRecord& r : run.requests) {
    residence += r.finish - r.joined;
    gaps += r.output_tokens - 1;
  }
  if (!near(residence, run.running_seconds)) return differs("Σ B·step", residence, run.running_seconds);
  const double counted = static_cast<double>(run.clean.count() + run.interfered.count());
  if (gaps != counted) return differs("gaps", gaps, counted);
  return {};
}

// The same arguments give the same bits; and with a conversion that costs nothing, the run of no conversion.
Verdict again(const Scenario& scenario, const Simulation& run) {
  const auto same = [](const Simulation& a, const Simulation& b) {
    for (std::size_t i = 0; i < a.requests.size(); ++i) {
      const RequestRecord &x = a.requests[i], &y = b.requests[i];
      if (x.finish != y.finish || x.first_token != y.first_token || x.start != y.start) return false;
    }
    return a.duration == b.duration && a.steps == b.steps;
  };
  const serving::Cell& cell = scenario.cell;
  const auto second = serving::simulate(cell.deployment, cell.setup, cell.load, scenario.options);
  if (!second || !same(run, *second))
    return Violation{"a second run of the same scenario is the same", "it differs"};
  serving::Setup none = cell.setup, free = cell.setup;
  none.converter = {};
  free.converter = {.where = Conversion::step, .traffic = 0, .launch_seconds = 0};
  const auto without = serving::simulate(cell.deployment, none, cell.load, scenario.options);
  const auto at_no_cost = serving::simulate(cell.deployment, free, cell.load, scenario.options);
  if (!without || !at_no_cost || !same(*without, *at_no_cost)) {
    return Violation{"a conversion of 0 s is none", "the runs differ"};
  }
  // Common random numbers: arrivals and prefills of a run without conversion are those of this one.
  for (std::size_t i = 0; i < run.requests.size(); ++i) {
    const RequestRecord &x = run.requests[i], &y = without->requests[i];
    if (x.arrival != y.arrival || !near(x.prefill_end - x.prefill_start, y.prefill_end - y.prefill_start)) {
      return Violation{"arrivals and prefills do not depend on the converter",
                       fmt::format("request {} differs", i)};
    }
  }
  return {};
}

constexpr std::array<Law, 11> kLaws = {{
    {"life", "every request lives through its stations in order and gets its tokens", life},
    {"boundaries", "a request joins at a boundary after all that it waits for; tokens come at ends of steps",
     boundaries},
    {"step_lengths", "a step lasts its conversions and T(B, Σctx) of the requests in it", step_lengths},
    {"conversions", "a conversion lasts κ·V/BW and its launches, and no step has another's", conversions},
    {"first_come", "who is ready first runs first", first_come},
    {"prefill_pool", "the prefill pool serves in order, and no server idles while somebody waits",
     prefill_pool},
    {"link", "posting lasts its descriptors, and the wire is busy as long as the bytes need", link},
    {"capacity", "a decoder holds no more KV than it has room for", capacity},
    {"client", "requests come as vLLM's client sends them", client},
    {"little", "Little's law, and as many gaps as tokens less first ones", little},
    {"again", "the same arguments give the same bits, and a conversion of 0 s is none", again},
}};

constexpr std::array<Mutant, serving::kFaults - 1> kMutants = {{
    {serving::Fault::joins_mid_step, "joins_mid_step", "boundaries"},
    {serving::Fault::conversion_is_free, "conversion_is_free", "conversions"},
    {serving::Fault::newest_first, "newest_first", "first_come"},
    {serving::Fault::descriptors_are_free, "descriptors_are_free", "link"},
    {serving::Fault::link_is_unshared, "link_is_unshared", "link"},
    {serving::Fault::gaps_not_rescaled, "gaps_not_rescaled", "client"},
    {serving::Fault::side_joins_at_once, "side_joins_at_once", "conversions"},
    {serving::Fault::context_stands_still, "context_stands_still", "step_lengths"},
    {serving::Fault::capacity_is_endless, "capacity_is_endless", "capacity"},
}};

Failure failure_of(const Law& law, const Scenario& scenario, const Violation& violation) {
  return {fmt::format("serving.{}", law.name),
          std::string(law.claim),
          to_string(scenario),
          violation.expected,
          violation.got,
          "pageproof verify serving"};
}

}  // namespace

std::span<const Law> laws() {
  return kLaws;
}

std::span<const Mutant> mutants() {
  return kMutants;
}

Tried try_laws(std::uint64_t seed, std::uint64_t scenarios) {
  Tried tried;
  for (std::uint64_t i = 0; i < scenarios && tried.failures.size() < 10; ++i) {
    const Scenario scenario = scenario_of(seed + i);
    const serving::Cell& cell = scenario.cell;
    const auto run = serving::simulate(cell.deployment, cell.setup, cell.load, scenario.options);
    if (!run) {
      tried.failures.push_back({"serving.runs", "every scenario of the generator can run",
                                to_string(scenario), "a run", pageproof::to_string(run.error()),
                                "pageproof verify serving"});
      continue;
    }
    ++tried.runs;
    for (const Law& law : kLaws) {
      if (const auto violation = law.broken(scenario, *run)) {
        tried.failures.push_back(failure_of(law, scenario, *violation));
      } else {
        ++tried.held;
      }
    }
  }
  return tried;
}

std::optional<Caught> catch_mutant(const Mutant& mutant, std::uint64_t seed, std::uint64_t scenarios) {
  const auto law = std::ranges::find(kLaws, mutant.law, &Law::name);
  for (std::uint64_t i = 0; i < scenarios; ++i) {
    Scenario scenario = scenario_of(seed + i);
    scenario.options.fault = mutant.fault;
    const serving::Cell& cell = scenario.cell;
    const auto run = serving::simulate(cell.deployment, cell.setup, cell.load, scenario.options);
    if (!run) continue;
    if (const auto violation = law->broken(scenario, *run)) return Caught{i + 1, *violation, scenario};
  }
  return std::nullopt;
}

}  // namespace pageproof::fuzz_serving
