#include "reports/decision/break_even.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace pageproof::decision {

using Json = nlohmann::ordered_json;

namespace {

constexpr int kFirstStep = 4, kLastStep = 14;  // of bandwidth, in quarters of a TB/s
constexpr double kStep = 0.25;

Json tokens(std::optional<double> count) {
  return count && std::isfinite(*count) ? Json(*count) : Json("never");
}

constexpr std::string_view kSaving = "saving a step against ";

Json curve(const CostSheet& sheet, double saving_ms, double traffic) {
  const CostQuestion& q = sheet.question;
  const double batch = q.batch;
  const double bytes = line_of(sheet, "KV of a request on a rank").least * 1e9;
  const double shuffled_ms = line_of(sheet, "shuffled, T_b").least;
  const double floor_ms = q.with_launches ? line_of(sheet, "launch floor").least : 0;
  Json points = Json::array();
  for (int i = kFirstStep; i <= kLastStep; ++i) {
    const double bandwidth = i * kStep;
    const double c = serving::conversion_ms(bytes, traffic, bandwidth * 1e12) + floor_ms;
    std::optional<double> even, counted;
    if (saving_ms > 0) {
      even = serving::break_even_tokens(batch, c, saving_ms);
      counted = serving::counted_tokens(batch, c, saving_ms, shuffled_ms + saving_ms);
    }
    points.push_back({{"terabytes_per_second", bandwidth},
                      {"even", tokens(even)},
                      {"counted", tokens(counted)},
                      {"guard", tokens(serving::guard_tokens(batch, c, shuffled_ms))}});
  }
  return {{"traffic", traffic}, {"points", std::move(points)}};
}

}  // namespace

Json break_even_json(const CostSheet& sheet) {
  const CostQuestion& q = sheet.question;
  Json all = Json::array();
  for (const CostLine& line : sheet.lines) {
    if (!line.name.starts_with(kSaving)) continue;
    Json curves = Json::array();
    for (const double traffic :
         {serving::kFusedTraffic, serving::kLeastTorchTraffic, serving::kTorchTraffic}) {
      curves.push_back(curve(sheet, line.least, traffic));
    }
    const std::string against = line.name.substr(kSaving.size());
    all.push_back(
        {{"title", fmt::format("{} requests of {} tokens, against {}", q.batch, q.context, against)},
         {"curves", std::move(curves)}});
  }
  return all;
}

}  // namespace pageproof::decision
