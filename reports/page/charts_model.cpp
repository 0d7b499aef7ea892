#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "reports/page/chart.hpp"
#include "reports/page/charts.hpp"

namespace pageproof::page {

namespace {

std::vector<double> bandwidths_of(const BreakEven& shape) {
  std::vector<double> all;
  for (const BreakEvenCurve& curve : shape.curves) {
    for (const BreakEvenPoint& point : curve.points) all.push_back(point.bandwidth_tb_s);
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

}  // namespace

std::vector<Panel> break_even_panels(const Content& content) {
  struct Line {
    std::string_view name;
    std::optional<double> BreakEvenPoint::* value;
  };
  constexpr std::array<Line, 3> kLines{{{"N*: TPOT is not worse", &BreakEvenPoint::even},
                                        {"N(3 %): TPOT wins", &BreakEvenPoint::win},
                                        {"N(2 %): TPOT at most 2 % worse than b", &BreakEvenPoint::guard}}};
  std::vector<Panel> panels;
  for (const BreakEven& shape : content.break_even) {
    for (const Line& line : kLines) {
      CurveChart chart{.across = "bandwidth of the conversion, TB/s",
                       .up = "output tokens (logarithmic axis)",
                       .curves = {},
                       .logarithmic = true};
      Panel panel{
          .place = shape.title, .title = std::string(line.name), .alt = {}, .commands = {}, .table = {}};
      panel.table.columns = {{"TB/s", Holds::number}};
      int dash = 1;
      for (const BreakEvenCurve& curve : shape.curves) {
        const Ink ink = dash == 1 ? Ink::strong : dash == 2 ? Ink::plain : Ink::warn;
        Curve drawn{.label = rounded(curve.traffic) + "\u00d7", .ink = ink, .dash = dash, .points = {}};
        dash = dash % 5 + 1;
        panel.table.columns.push_back(
            {fmt::format("tokens at {}\u00d7", rounded(curve.traffic)), Holds::number});
        for (const BreakEvenPoint& point : curve.points) {
          const std::optional<double>& value = point.*line.value;
          if (value && *value > 0) drawn.points.emplace_back(point.bandwidth_tb_s, *value);
        }
        if (!drawn.points.empty()) chart.curves.push_back(std::move(drawn));
      }
      for (const double bandwidth : bandwidths_of(shape)) {
        std::vector<std::string> row{rounded(bandwidth)};
        for (const BreakEvenCurve& curve : shape.curves) {
          const auto found = std::ranges::find(curve.points, bandwidth, &BreakEvenPoint::bandwidth_tb_s);
          const bool given = found != curve.points.end();
          row.push_back(!given ? "" : (*found).*line.value ? rounded(*((*found).*line.value)) : "never");
        }
        panel.table.rows.push_back(std::move(row));
      }
      const bool any = !chart.curves.empty();
      chart.levels = {{128, "128 tokens"}, {512, "512 tokens"}, {1024, "1024 tokens"}};
      panel.alt = "Output tokens needed over the bandwidth of the conversion, a curve a traffic factor.";
      if (any) panel.commands = commands(chart);
      if (!any) panel.said = "No number of output tokens is enough at any of these bandwidths.";
      panels.push_back(std::move(panel));
    }
  }
  return panels;
}

std::vector<Panel> prediction_panels(const Content& content) {
  std::map<std::string, std::vector<const Prediction*>> by_metric;
  for (const Prediction& prediction : content.predictions)
    by_metric[prediction.metric].push_back(&prediction);
  std::vector<Panel> panels;
  for (const auto& [metric, all] : by_metric) {
    const std::string& unit = all.front()->unit;
    ScatterChart chart{.across = fmt::format("measured {}, {}", metric, unit),
                       .up = fmt::format("predicted, {}; shaded: within 10 %", unit),
                       .points = {}};
    Panel panel{.place = {}, .title = metric, .alt = {}, .commands = {}, .table = {}};
    panel.table.columns = {{"cell"},
                           {"setup"},
                           {"measured, " + escaped(unit), Holds::number},
                           {"predicted, " + escaped(unit), Holds::number},
                           {"error", Holds::number},
                           {"used for the fit"}};
    std::vector<double> errors;
    for (const bool held_out : {false, true}) {
      const RowDot look{0, held_out ? Dot::full : Dot::ring, held_out ? Ink::strong : Ink::plain};
      const std::string name = held_out ? "held out" : "used for the fit";
      if (std::ranges::any_of(all, [&](const Prediction* p) { return p->held_out == held_out; }))
        chart.dots.emplace_back(look, name);
      for (const Prediction* p : all) {
        if (p->held_out != held_out) continue;
        chart.points.push_back({p->measured, p->predicted, look});
        const bool known = p->measured != 0;
        const double error = known ? p->predicted / p->measured - 1 : 0;
        if (known && held_out) errors.push_back(std::abs(error));
        panel.table.rows.push_back({escaped(p->cell), escaped(p->setup), rounded(p->measured),
                                    rounded(p->predicted), known ? percent(error) : "",
                                    held_out ? "no" : "yes"});
      }
    }
    panel.alt = fmt::format("Predicted against measured {}: {} points.", metric, all.size());
    if (!errors.empty()) {
      double sum = 0;
      for (const double error : errors) sum += error;
      panel.alt += fmt::format(" Held out: {} points, mean error {}, largest {}.", errors.size(),
                               percent(sum / static_cast<double>(errors.size())).substr(1),
                               percent(std::ranges::max(errors)).substr(1));
    }
    panel.commands = commands(chart);
    panels.push_back(std::move(panel));
  }
  return panels;
}

std::vector<Panel> sensitivity_panels(const Content& content) {
  std::vector<Panel> panels;
  for (const Sensitivity& one : content.sensitivity) {
    std::vector<Swing> swings = one.swings;
    std::ranges::sort(swings, {}, [](const Swing& swing) {
      return std::pair(-std::abs(swing.at_high - swing.at_low), swing.parameter);
    });
    RowChart chart{.axis = fmt::format("{}, {}", one.outcome, one.unit), .rows = {}, .line = one.at_default};
    chart.fills = {{Fill::light, "at the parameter's low end"}, {Fill::dark, "at its high end"}};
    Panel panel{.place = {}, .title = one.title, .alt = {}, .commands = {}, .table = {}};
    panel.table.columns = {{"parameter"},
                           {"low", Holds::number},
                           {"high", Holds::number},
                           {"unit"},
                           {"outcome at low", Holds::number},
                           {"outcome at high", Holds::number},
                           {"unit"}};
    for (const Swing& swing : swings) {
      Row row{.label = swing.parameter,
              .note = fmt::format("{}\u2026{} {}", rounded(swing.low), rounded(swing.high), swing.unit)};
      row.bars = {{one.at_default, swing.at_low, Fill::light}, {one.at_default, swing.at_high, Fill::dark}};
      // Both ends on one side: one above the other, so that neither hides the other.
      if ((swing.at_low - one.at_default) * (swing.at_high - one.at_default) > 0) {
        row.bars[0].bottom = 0;
        row.bars[1].top = 0;
      }
      chart.rows.push_back(std::move(row));
      panel.table.rows.push_back({escaped(swing.parameter), rounded(swing.low), rounded(swing.high),
                                  escaped(swing.unit), rounded(swing.at_low), rounded(swing.at_high),
                                  escaped(one.unit)});
    }
    panel.alt = fmt::format(
        "{}: {} at the defaults; bars show where each parameter's range moves it, the widest first{}.",
        one.outcome, rounded(one.at_default) + " " + one.unit,
        swings.empty() ? "" : ": " + swings.front().parameter);
    if (!swings.empty()) panel.commands = commands(chart);
    panels.push_back(std::move(panel));
  }
  return panels;
}

}  // namespace pageproof::page
