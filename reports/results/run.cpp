#include "reports/results/run.hpp"

#include <algorithm>
#include <array>

namespace pageproof::results {

std::string_view to_string(Tool tool) {
  constexpr std::array<std::string_view, 9> kNames{
      "vllm bench serve",     "vllm bench sweep", "vllm bench iterations",
      "sglang bench_serving", "aiperf",           "aiperf aggregate",
      "aiperf records",       "inferencex",       "inferencex summary"};
  return kNames[static_cast<std::size_t>(tool)];
}

std::string_view to_string(Weight weight) {
  constexpr std::array<std::string_view, 3> kNames{"note", "disagreement", "invalid"};
  return kNames[static_cast<std::size_t>(weight)];
}

const Finding* Run::invalid_because() const {
  const auto found = std::ranges::find(findings, Weight::invalid, &Finding::weight);
  return found == findings.end() ? nullptr : &*found;
}

bool Run::valid() const {
  return invalid_because() == nullptr;
}

std::optional<double> Run::metric(std::string_view name) const {
  const auto found = metrics.find(std::string(name));
  if (found == metrics.end()) return {};
  return found->second;
}

std::string Run::tag(std::string_view name) const {
  const auto found = tags.find(std::string(name));
  return found == tags.end() ? "" : found->second;
}

}  // namespace pageproof::results
