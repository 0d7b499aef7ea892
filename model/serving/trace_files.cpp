#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_set>

#include "model/json/fields.hpp"
#include "model/json/strict_json.hpp"
#include "model/serving/arrivals.hpp"
#include "model/serving/refusal.hpp"

namespace pageproof::serving {
namespace {

constexpr std::uint64_t kHashedTokens = 512;  // of a block in a Mooncake trace
constexpr double kLatest = 1e9;               // seconds

Expected<double> finite(const nlohmann::json& json, const std::string& subject, std::string field,
                        double most) {
  if (json.is_number()) {
    const double value = json.get<double>();
    if (value >= 0 && value <= most) return value;
  }
  return refuse(subject, std::move(field), shown(json), fmt::format("not a number, 0 to {:g}", most));
}

Expected<std::uint32_t> tokens(const nlohmann::json& json, const std::string& subject, std::string field,
                               std::uint64_t least, std::uint64_t most) {
  if (json.is_number_unsigned() && json.get<std::uint64_t>() >= least && json.get<std::uint64_t>() <= most) {
    return json.get<std::uint32_t>();
  }
  return refuse(subject, std::move(field), shown(json),
                fmt::format("not a whole number, {} to {}", least, most));
}

const nlohmann::json& member(const nlohmann::json& object, const char* key) {
  static const nlohmann::json none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

// Requests of one moment in an order of their own, so that a file's order does not matter.
void sort_by_arrival(std::vector<Request>& requests) {
  std::ranges::sort(requests, {}, [](const Request& one) {
    return std::tuple(one.arrival, one.input_tokens, one.output_tokens, one.cached_tokens);
  });
}

}  // namespace

Expected<std::vector<Request>> requests_from_mooncake(std::string_view text, const std::string& subject,
                                                      bool with_hits, std::uint64_t most) {
  const std::uint64_t wanted = most == 0 ? kMostRequests : std::min(most, kMostRequests);
  std::vector<Request> requests;
  std::unordered_set<std::uint64_t> seen;
  std::size_t number = 0;
  while (!text.empty() && (most == 0 || requests.size() < wanted)) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::string at = fmt::format("{}:{}", subject, number);
    if (requests.size() == kMostRequests)
      return refuse(at, "lines", "", fmt::format("more than {}", kMostRequests));
    const auto json = parse_strict_json(line, {.subject = at, .field = "", .deepest = 4});
    if (!json) return std::unexpected(json.error());
    if (!json->is_object()) return refuse(at, "$", shown(*json), "not an object");
    const auto time = finite(member(*json, "timestamp"), at, "timestamp", kLatest * 1e3);
    if (!time) return std::unexpected(time.error());
    const auto input = tokens(member(*json, "input_length"), at, "input_length", 1, kMostInputTokens);
    if (!input) return std::unexpected(input.error());
    const auto output = tokens(member(*json, "output_length"), at, "output_length", 1, kMostOutputTokens);
    if (!output) return std::unexpected(output.error());
    Request one{.arrival = *time * 1e-3, .input_tokens = *input, .output_tokens = *output};
    const nlohmann::json& hashes = member(*json, "hash_ids");
    if (with_hits) {
      if (!hashes.is_array()) return refuse(at, "hash_ids", shown(hashes), "not a list");
      bool leading = true;
      std::uint64_t cached = 0;
      for (const nlohmann::json& hash : hashes) {
        if (!hash.is_number_unsigned()) return refuse(at, "hash_ids", shown(hash), "not a whole number");
        leading = !seen.insert(hash.get<std::uint64_t>()).second && leading;
        if (leading) cached += kHashedTokens;
      }
      one.cached_tokens =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(cached, *input > 0 ? *input - 1 : 0));
    }
    requests.push_back(one);
  }
  if (requests.empty()) return refuse(subject, "lines", "0", "no request");
  sort_by_arrival(requests);
  return requests;
}

Expected<std::vector<Request>> requests_from_result(std::string_view text, const std::string& subject) {
  const auto json = parse_strict_json(text, {.subject = subject, .field = "", .deepest = 8});
  if (!json) return std::unexpected(json.error());
  if (!json->is_object()) return refuse(subject, "$", shown(*json), "not an object");
  const nlohmann::json& starts = member(*json, "start_times");
  const nlohmann::json& inputs = member(*json, "input_lens");
  const nlohmann::json& outputs = member(*json, "output_lens");
  for (const auto& [key, list] :
       {std::pair{"start_times", &starts}, {"input_lens", &inputs}, {"output_lens", &outputs}}) {
    if (!list->is_array())
      return refuse(subject, key, shown(*list), "not a list: made with --save-detailed?");
    if (list->size() != starts.size() || list->size() > kMostRequests) {
      return refuse(subject, key, fmt::format("{} entries", list->size()),
                    fmt::format("start_times has {}; at most {}", starts.size(), kMostRequests));
    }
  }
  const nlohmann::json& errors = member(*json, "errors");
  std::vector<Request> requests;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto at = [i](const char* key) { return fmt::format("{}[{}]", key, i); };
    const auto start = finite(starts[i], subject, at("start_times"), 1e12);
    if (!start) return std::unexpected(start.error());
    const auto input = tokens(inputs[i], subject, at("input_lens"), 0, kMostInputTokens);
    if (!input) return std::unexpected(input.error());
    const auto output = tokens(outputs[i], subject, at("output_lens"), 0, kMostOutputTokens);
    if (!output) return std::unexpected(output.error());
    const bool failed = errors.is_array() && i < errors.size() && errors[i].is_string() &&
                        !errors[i].get_ref<const std::string&>().empty();
    if (failed || *output == 0 || *input == 0) continue;
    requests.push_back({.arrival = *start, .input_tokens = *input, .output_tokens = *output});
  }
  if (requests.empty()) return refuse(subject, "start_times", "0", "no request that succeeded");
  sort_by_arrival(requests);
  const double first = requests.front().arrival;
  for (Request& one : requests) one.arrival -= first;
  return requests;
}

}  // namespace pageproof::serving
