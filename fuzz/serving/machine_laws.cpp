#include "fuzz/serving/machine_laws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "model/serving/random.hpp"

namespace pageproof::fuzz_serving {

bool near(double a, double b) {
  return std::abs(a - b) <= kClose * (1 + std::abs(a) + std::abs(b));
}

Verdict differs(std::string what, double expected, double got) {
  return Violation{fmt::format("{} = {}", what, expected), fmt::format("{}", got)};
}

std::vector<const RequestRecord*> of_decoder(const Simulation& run, std::uint32_t decoder) {
  std::vector<const RequestRecord*> list;
  for (const RequestRecord& one : run.requests) {
    if (one.decoder == decoder) list.push_back(&one);
  }
  return list;
}

// A step lasts the conversions on its path and T(B, Σctx), of the requests that the records say are in it.
Verdict step_lengths(const Scenario& scenario, const Simulation& run) {
  const auto time = serving::parametric_step_time(scenario.cell.deployment, scenario.cell.setup);
  const bool side = scenario.cell.setup.converter.where == Conversion::side;
  const serving::Noise& noise = scenario.options.noise;
  const std::uint64_t seed = scenario.options.seed;
  for (std::uint32_t decoder = 0; decoder < run.kept.size(); ++decoder) {
    const std::vector<StepRecord>& steps = run.kept[decoder];
    std::vector<std::int64_t> batch(steps.size() + 1), context(steps.size() + 1);
    for (const RequestRecord* r : of_decoder(run, decoder)) {
      for (std::uint32_t token = 0; token < r->output_tokens; ++token) {
        ++batch[r->first_step + token];
        context[r->first_step + token] += r->input_tokens + token;
      }
    }
    for (std::size_t k = 0; k < steps.size(); ++k) {
      if (batch[k] != steps[k].batch)
        return differs(fmt::format("batch of step {}", k), batch[k], steps[k].batch);
      double expected = 0;
      if (batch[k] > 0) {
        expected = time->seconds(static_cast<std::uint32_t>(batch[k]), static_cast<double>(context[k])) *
                   serving::noise_factor(seed, serving::Stream::run, 0, noise.run) *
                   serving::noise_factor(seed, serving::Stream::step, k * serving::kMostServers + decoder,
                                         noise.step);
      }
      const double got = steps[k].seconds - steps[k].conversion;
      if (side ? got < expected - kClose : !near(expected, got)) {
        return differs(fmt::format("step {} of {} requests lasts", k, batch[k]), expected, got);
      }
    }
  }
  return {};
}

// Conversions take κ·V/BW each, and their launches; on the step path that is the length by which steps grow.
Verdict conversions(const Scenario& scenario, const Simulation& run) {
  const serving::Converter& converter = scenario.cell.setup.converter;
  const serving::Deployment& d = scenario.cell.deployment;
  const auto own = [&](const RequestRecord& r) {
    const double pages = std::ceil(static_cast<double>(r.input_tokens) / d.block_tokens);
    const double heads = std::max(1.0, static_cast<double>(d.model.kv_heads) / d.tp);
    const double bytes = pages * d.block_tokens * d.model.layers * 2 * heads * d.model.head_dim * 2;
    return converter.traffic * bytes / converter.bytes_per_second;
  };
  const double launches = converter.launch_seconds * converter.launches_a_layer * d.model.layers;
  const auto both = [&](double bytes) {
    return converter.launches_overlap ? std::max(bytes, launches) : bytes + launches;
  };
  for (std::uint32_t decoder = 0; decoder < run.kept.size(); ++decoder) {
    const std::vector<const RequestRecord*> requests = of_decoder(run, decoder);
    for (const StepRecord& step : run.kept[decoder]) {
      double bytes = 0, apart = 0;
      for (const RequestRecord* r : requests) {
        if (r->noticed != step.start) continue;
        bytes += own(*r);
        apart += both(own(*r));
      }
      const double expected = bytes == 0 ? 0 : converter.coalesced ? both(bytes) : apart;
      const bool on_path = converter.where == Conversion::step || converter.where == Conversion::fused;
      if (!near(on_path ? expected : 0, step.conversion))
        return differs("conversions of a step", expected, step.conversion);
    }
    if (converter.where != Conversion::side) continue;
    for (const RequestRecord* r : requests) {
      if (r->converted - r->noticed < own(*r) - kClose)
        return differs("conversion", own(*r), r->converted - r->noticed);
    }
  }
  return {};
}

// The prefill pool is first come, first served, and a server is never idle while somebody waits.
Verdict prefill_pool(const Scenario& scenario, const Simulation& run) {
  std::vector<double> free(scenario.cell.deployment.prefill_servers, 0);
  for (std::size_t i = 0; i < run.requests.size(); ++i) {
    const RequestRecord& r = run.requests[i];
    const auto server = std::ranges::min_element(free);
    const double expected = std::max(r.start, *server);
    if (r.prefill_start != expected)
      return differs(fmt::format("prefill {} begins at", i), expected, r.prefill_start);
    *server = r.prefill_end;
  }
  return {};
}

// Posting costs what the descriptors cost, and the wire is busy exactly as long as the bytes need.
Verdict link(const Scenario& scenario, const Simulation& run) {
  const serving::Deployment& d = scenario.cell.deployment;
  for (std::uint32_t decoder = 0; decoder < run.kept.size(); ++decoder) {
    double needed = 0, busy = 0, until = 0;
    std::vector<std::pair<double, double>> spans;
    std::vector<const RequestRecord*> requests = of_decoder(run, decoder);
    std::ranges::sort(requests, {},
                      [](const RequestRecord* r) { return std::tuple(r->read_posted, r->read_end, r); });
    for (const RequestRecord* r : requests) {
      const std::uint64_t pages = (r->input_tokens + d.block_tokens - 1) / d.block_tokens;
      const std::uint64_t runs = (pages + d.link.run_blocks - 1) / d.link.run_blocks;
      using enum serving::Descriptors;
      const auto cut = scenario.cell.setup.descriptors;
      const bool by_run =
          cut == run_halves || (d.link.merged && (cut == whole || cut == staged || cut == planes));
      const std::uint64_t count =
          d.model.layers * (by_run ? runs : pages) * (cut == whole || cut == staged ? 1 : 2);
      const double post = d.link.read_seconds + static_cast<double>(count) * d.link.descriptor_seconds;
      const double heads = std::max(1.0, static_cast<double>(d.model.kv_heads) / d.tp);
      const double wire = static_cast<double>(pages * d.block_tokens * d.model.layers) * 2 * heads *
                          d.model.head_dim * 2 / d.link.bytes_per_second;
      const double begin =
          d.link.use == serving::LinkUse::serial ? std::max(r->read_start, until) : r->read_start;
      if (!near(begin + post, r->read_posted)) return differs("posted at", begin + post, r->read_posted);
      if (r->read_end - r->read_posted < wire - kClose)
        return differs("bytes take", wire, r->read_end - r->read_posted);
      until = std::max(until, r->read_end);
      needed += wire;
      spans.emplace_back(r->read_posted, r->read_end);
    }
    double end = 0;
    for (const auto& [from, to] : spans) {
      busy += std::max(0.0, to - std::max(from, end));
      end = std::max(end, to);
    }
    if (!near(needed, busy)) return differs("the wire is busy for", needed, busy);
  }
  return {};
}

// A decoder never holds more KV than it has room for.
Verdict capacity(const Scenario& scenario, const Simulation& run) {
  const serving::Deployment& d = scenario.cell.deployment;
  const double room = serving::capacity_tokens(d);
  for (std::uint32_t decoder = 0; decoder < run.kept.size(); ++decoder) {
    std::vector<std::pair<double, double>> changes;
    for (const RequestRecord* r : of_decoder(run, decoder)) {
      const double tokens =
          std::ceil((r->input_tokens + r->output_tokens) / static_cast<double>(d.block_tokens));
      changes.emplace_back(r->read_start, tokens * d.block_tokens);
      changes.emplace_back(r->finish, -tokens * d.block_tokens);
    }
    std::ranges::sort(changes);  // at one time, what leaves comes first
    double held = 0;
    for (const auto& [time, change] : changes) {
      held += change;
      if (held > room) return differs("tokens of KV at most", room, held);
    }
  }
  return {};
}

}  // namespace pageproof::fuzz_serving
