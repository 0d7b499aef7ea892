// When requests come, and how long they are, as `vllm bench serve` makes them: gaps from a gamma distribution
// (burstiness 1: Poisson), summed, then rescaled so that the last request comes at n / rate. A limit on
// requests in flight is the client's semaphore: a request that has come waits there, and its clock starts
// when it is let in. Source: vllm/benchmarks/serve.py (get_request), simulation spec §1 F2.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/page/plain/error.hpp"

namespace pageproof::serving {

inline constexpr std::uint64_t kMostRequests = 1'000'000;       // of a run: each has a record of 128 B
inline constexpr std::uint64_t kMostRunTokens = 4'000'000'000;  // requests · output tokens
inline constexpr std::uint32_t kMostInputTokens = 10'000'000;
inline constexpr std::uint32_t kMostOutputTokens = 1'000'000;

struct Request {
  double arrival = 0;  // seconds after the first could have come
  std::uint32_t input_tokens = 0;
  std::uint32_t output_tokens = 0;
  std::uint32_t cached_tokens = 0;  // of the input, that the prefill engine holds already

  bool operator==(const Request&) const = default;
};

struct Load {
  std::uint64_t requests = 0;
  std::uint32_t input_tokens = 0;
  std::uint32_t output_tokens = 0;
  double cached_share = 0;   // of the input: 0, a cold prefill; below 1
  double length_spread = 0;  // vLLM's random range ratio r: lengths evenly in [(1 − r)·len, (1 + r)·len]
  double request_rate = std::numeric_limits<double>::infinity();  // a second; infinity: all at once
  double burstiness = 1;                                          // infinity: equal gaps
  std::optional<std::uint32_t> max_concurrency = std::nullopt;
  std::vector<Request> trace = {};  // where not empty: these, in order of arrival, and nothing above but
                                    // max_concurrency counts
};

// Refused: no requests, more than the limits above, an input or output of no token, a share, spread, rate or
// burstiness out of its range, a trace out of order.
Expected<std::vector<Request>> make_requests(const Load& load, std::uint64_t seed, bool rescaled = true);

// A Mooncake trace: JSON lines {"timestamp": ms, "input_length", "output_length", "hash_ids": [...]}. With
// `with_hits` the leading blocks (512 tokens) whose hash stood in an earlier line are cached. Refused, with
// the line: what is not that, more lines than `most` (where 0: kMostRequests).
Expected<std::vector<Request>> requests_from_mooncake(std::string_view text, const std::string& subject,
                                                      bool with_hits, std::uint64_t most = 0);

// The arrivals of a measured run: start_times, input_lens, output_lens of a detailed result (seconds of the
// client's clock; the first is time 0). Requests with an error or without an output token are left out.
Expected<std::vector<Request>> requests_from_result(std::string_view text, const std::string& subject);

}  // namespace pageproof::serving
