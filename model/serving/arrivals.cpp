#include "model/serving/arrivals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/serving/random.hpp"
#include "model/serving/refusal.hpp"

namespace pageproof::serving {
namespace {

Expected<void> check_tokens(const Request& request, std::uint64_t index) {
  const auto at = [&](const char* name) { return fmt::format("{} of request {}", name, index); };
  if (request.input_tokens == 0 || request.input_tokens > kMostInputTokens) {
    return refuse("load", at("input tokens"), std::to_string(request.input_tokens),
                  fmt::format("not 1 to {}", kMostInputTokens));
  }
  if (request.output_tokens == 0 || request.output_tokens > kMostOutputTokens) {
    return refuse("load", at("output tokens"), std::to_string(request.output_tokens),
                  fmt::format("not 1 to {}", kMostOutputTokens));
  }
  if (request.cached_tokens >= request.input_tokens) {
    return refuse("load", at("cached tokens"), std::to_string(request.cached_tokens),
                  fmt::format("not below the {} tokens of the input", request.input_tokens));
  }
  return {};
}

Expected<void> check_load(const Load& load) {
  const std::uint64_t count = load.trace.empty() ? load.requests : load.trace.size();
  if (count == 0 || count > kMostRequests) {
    return refuse("load", "requests", std::to_string(count), fmt::format("not 1 to {}", kMostRequests));
  }
  if (load.max_concurrency && *load.max_concurrency == 0)
    return refuse("load", "max_concurrency", "0", "lets nobody in");
  if (!load.trace.empty()) return {};
  if (!(load.request_rate > 0)) {
    return refuse("load", "request_rate", fmt::format("{}", load.request_rate),
                  "not a positive number of requests/s");
  }
  if (!(load.burstiness > 0))
    return refuse("load", "burstiness", fmt::format("{}", load.burstiness), "not positive");
  if (!(load.length_spread >= 0 && load.length_spread < 1)) {
    return refuse("load", "length spread", fmt::format("{}", load.length_spread), "not in [0, 1)");
  }
  if (!(load.cached_share >= 0 && load.cached_share < 1)) {
    return refuse("load", "cached share", fmt::format("{}", load.cached_share), "not in [0, 1)");
  }
  return {};
}

// vLLM's random data set: whole numbers from floor((1 − r)·len) to ceil((1 + r)·len), each as likely.
std::uint32_t spread(std::uint32_t length, double ratio, double random) {
  if (ratio == 0) return length;
  const double low = std::max(1.0, std::floor(length * (1 - ratio)));
  const double high = std::ceil(length * (1 + ratio));
  return static_cast<std::uint32_t>(std::min(high, low + std::floor(random * (high - low + 1))));
}

std::vector<double> arrival_times(const Load& load, std::uint64_t seed, bool rescaled) {
  std::vector<double> times(load.requests, 0);
  if (std::isinf(load.request_rate)) return times;
  double sum = 0;
  for (std::uint64_t i = 0; i < load.requests; ++i) {
    const double gap = std::isinf(load.burstiness)
                           ? 1
                           : gamma_variate(seed, Stream::arrival, i, load.burstiness) / load.burstiness;
    sum += gap / load.request_rate;
    times[i] = sum;
  }
  if (!rescaled || sum == 0) return times;
  const double scale = static_cast<double>(load.requests) / load.request_rate / sum;
  for (double& time : times) time *= scale;
  return times;
}

}  // namespace

double gamma_variate(std::uint64_t seed, Stream stream, std::uint64_t index, double shape) {
  constexpr std::uint64_t kTries = 20;  // one is refused in about 20: 20 in a row never are
  const std::uint64_t base = index * 64;
  const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  double value = d;
  for (std::uint64_t i = 0; i < kTries; ++i) {
    const double x = std::sqrt(-2 * std::log(uniform(seed, stream, base + 3 * i))) *
                     std::cos(2 * std::numbers::pi * uniform(seed, stream, base + 3 * i + 1));
    const double v = std::pow(1 + c * x, 3);
    if (v <= 0) continue;
    if (std::log(uniform(seed, stream, base + 3 * i + 2)) >= 0.5 * x * x + d * (1 - v + std::log(v)))
      continue;
    value = d * v;
    break;
  }
  if (shape >= 1) return value;
  return value * std::pow(uniform(seed, stream, base + 63), 1 / shape);
}

Expected<std::vector<Request>> make_requests(const Load& load, std::uint64_t seed, bool rescaled) {
  if (const auto ok = check_load(load); !ok) return std::unexpected(ok.error());
  std::vector<Request> requests = load.trace;
  if (requests.empty()) {
    requests.reserve(load.requests);
    const std::vector<double> times = arrival_times(load, seed, rescaled);
    for (std::uint64_t i = 0; i < load.requests; ++i) {
      Request one{.arrival = times[i]};
      one.input_tokens =
          spread(load.input_tokens, load.length_spread, uniform(seed, Stream::input_length, i));
      one.output_tokens =
          spread(load.output_tokens, load.length_spread, uniform(seed, Stream::output_length, i));
      one.cached_tokens = static_cast<std::uint32_t>(one.input_tokens * load.cached_share);
      requests.push_back(one);
    }
  }
  double before = 0;
  std::uint64_t tokens = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (const auto ok = check_tokens(requests[i], i); !ok) return std::unexpected(ok.error());
    if (!(std::isfinite(requests[i].arrival) && requests[i].arrival >= before)) {
      return refuse("load", fmt::format("arrival of request {}", i), fmt::format("{} s", requests[i].arrival),
                    fmt::format("not a time at or after the {} s of the one before", before));
    }
    before = requests[i].arrival;
    tokens += requests[i].output_tokens;
  }
  if (tokens > kMostRunTokens) {
    return refuse("load", "requests x output tokens", std::to_string(tokens),
                  fmt::format("more than {}", kMostRunTokens));
  }
  return requests;
}

}  // namespace pageproof::serving
