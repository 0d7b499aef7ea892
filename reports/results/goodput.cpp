#include "reports/results/goodput.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "reports/results/recompute.hpp"

namespace pageproof::results {
namespace {

constexpr double kMostObjective = 1e12;  // ms
constexpr std::array<std::pair<std::string_view, std::optional<double> Objectives::*>, 3> kObjectives{
    {{"ttft", &Objectives::ttft_ms}, {"tpot", &Objectives::tpot_ms}, {"e2el", &Objectives::e2el_ms}}};

std::optional<double> objective_of(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end || !(value > 0 && value <= kMostObjective)) return {};
  return value;
}

}  // namespace

Expected<Objectives> parse_objectives(std::string_view text, const std::string& subject) {
  constexpr std::string_view kBetween = ", ";
  Objectives objectives;
  std::size_t named = 0;
  for (std::size_t at = text.find_first_not_of(kBetween); at != std::string_view::npos;
       at = text.find_first_not_of(kBetween, at)) {
    const std::string_view part = text.substr(at, text.find_first_of(kBetween, at) - at);
    const auto wrong = [&](std::string problem) {
      return std::unexpected(Error{subject, "goodput", std::string(part.substr(0, 80)), std::move(problem)});
    };
    const std::string_view name = part.substr(0, part.find(':'));
    const auto found = std::ranges::find(kObjectives, name, [](const auto& one) { return one.first; });
    if (found == kObjectives.end() || name.size() == part.size()) {
      return wrong("expected ttft:MS, tpot:MS or e2el:MS");
    }
    std::optional<double>& objective = objectives.*(found->second);
    if (objective) return wrong("named twice");
    objective = objective_of(part.substr(name.size() + 1));
    if (!objective) return wrong("not a number of ms above 0 and up to 1e12");
    ++named;
    at += part.size();
  }
  if (named == 0) return std::unexpected(Error{subject, "goodput", std::string(text), "no objective"});
  return objectives;
}

std::string to_string(const Objectives& objectives) {
  std::string text;
  for (const auto& [name, member] : kObjectives) {
    const std::optional<double>& objective = objectives.*member;
    if (objective) text += fmt::format("{}{}:{}", text.empty() ? "" : ",", name, *objective);
  }
  return text;
}

std::size_t good_requests(const Detailed& detailed, const Objectives& objectives) {
  const auto met = [](const std::optional<double>& objective, double value) {
    return !objective || value <= *objective;
  };
  std::size_t good = 0;
  for (std::size_t i = 0; i < detailed.requests(); ++i) {
    if (detailed.succeeded[i] == 0) continue;
    const bool all = met(objectives.ttft_ms, 1000 * detailed.ttft_s[i]) &&
                     met(objectives.tpot_ms, tpot_ms(detailed, i)) &&
                     met(objectives.e2el_ms, 1000 * detailed.latency_s[i]);
    good += all ? 1 : 0;
  }
  return good;
}

double goodput(const Detailed& detailed, const Objectives& objectives, double duration_s) {
  return static_cast<double>(good_requests(detailed, objectives)) / duration_s;
}

std::optional<double> goodput(const Run& run, const Objectives& objectives) {
  if (!run.duration_s || !(*run.duration_s > 0)) return {};
  if (run.detailed) return goodput(*run.detailed, objectives, *run.duration_s);
  if (run.goodput && run.goodput->objectives == objectives) return run.goodput->per_s;
  return {};
}

void add_goodput(Run& run, const Objectives& objectives) {
  const auto per_s = goodput(run, objectives);
  if (!per_s || !run.detailed) {
    const char* missing = run.detailed ? "no duration" : "no arrays of one entry a request";
    run.findings.push_back(
        {Weight::note, "goodput", to_string(objectives), fmt::format("{}: cannot be recomputed", missing)});
    return;
  }
  run.goodput = Goodput{objectives, good_requests(*run.detailed, objectives), *per_s};
  const auto own = run.metric("request_goodput");
  if (!own || agree(*own, *per_s)) return;
  const std::string said = run.tag("goodput");
  const auto of = parse_objectives(said, run.source);
  const bool same = of && *of == objectives;
  if (of && !same) return;
  run.findings.push_back(
      {same ? Weight::disagreement : Weight::note, "request_goodput", fmt::format("{}", *own),
       same ? fmt::format("its own arrays give {}", *per_s)
            : fmt::format("the file does not say for which objectives; for {} its arrays give {}",
                          to_string(objectives), *per_s)});
  if (same) run.metrics["request_goodput"] = *per_s;
}

}  // namespace pageproof::results
