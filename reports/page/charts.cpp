#include "reports/page/charts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <tuple>

#include "reports/page/chart.hpp"

namespace pageproof::page {
namespace {

constexpr std::size_t kRowsOfPanel = 26;

// One measure among those that a chart shows of each setup, and how it looks there.
struct Shown {
  std::string_view metric, name;
  RowDot dot = {};
  Fill fill = Fill::light;
};
constexpr std::array<Shown, 4> kQuantiles{{{"p50_itl", "p50", {0, Dot::full, Ink::plain}},
                                           {"p90_itl", "p90", {0, Dot::tick, Ink::plain}},
                                           {"p99_itl", "p99", {0, Dot::ring, Ink::plain}},
                                           {"p99.9_itl", "p99.9", {0, Dot::diamond, Ink::plain}}}};
constexpr std::array<Shown, 6> kParts{{{"queue", "queue", {}, Fill::pale},
                                       {"prefill", "prefill", {}, Fill::light},
                                       {"transfer", "transfer", {}, Fill::middle},
                                       {"wait", "waits", {}, Fill::striped},
                                       {"convert", "conversion", {}, Fill::stressed},
                                       {"first_step", "first step", {}, Fill::dark}}};

const Measured* find(const SetupCell& setup, const Shown& one) {
  return setup.find(one.metric);
}

bool has_any(const SetupCell& setup, std::span<const Shown> of) {
  return std::ranges::any_of(of, [&](const Shown& one) { return find(setup, one) != nullptr; });
}

// Those that at least one setup of the cells has.
std::vector<Shown> present(const std::vector<const Cell*>& cells, std::span<const Shown> of) {
  std::vector<Shown> out;
  for (const Shown& one : of) {
    const auto has = [&](const SetupCell& setup) { return find(setup, one) != nullptr; };
    if (std::ranges::any_of(cells,
                            [&](const Cell* cell) { return std::ranges::any_of(cell->setups, has); })) {
      out.push_back(one);
    }
  }
  return out;
}

// What the others are shown in percent of: b, or the first that has one of the measures.
const SetupCell* reference_of(const Cell& cell, std::span<const Shown> of) {
  const SetupCell* first = nullptr;
  for (const SetupCell& setup : cell.setups) {
    if (!has_any(setup, of)) continue;
    if (setup.setup == "b") return &setup;
    if (first == nullptr) first = &setup;
  }
  return first;
}

// What the axis of a cell's rows says: whose measure is 100 %, which, and which side is better.
std::tuple<std::string, std::string_view, bool> axis_of(const Cell& cell, std::span<const Shown> of) {
  const SetupCell* reference = reference_of(cell, of);
  if (reference == nullptr) return {};
  const auto has =
      std::ranges::find_if(of, [&](const Shown& one) { return find(*reference, one) != nullptr; });
  return {reference->setup, has->metric, find(*reference, *has)->higher_better};
}

// Cells of one place that have something to show, load by load, and not more rows than fit.
std::vector<std::vector<const Cell*>> panels_of(const std::vector<Cell>& cells, std::span<const Shown> of) {
  std::vector<std::vector<const Cell*>> panels;
  std::size_t count = 0;
  for (const Cell& cell : cells) {
    const auto rows = static_cast<std::size_t>(
        std::ranges::count_if(cell.setups, [&](const SetupCell& setup) { return has_any(setup, of); }));
    if (rows == 0) continue;
    const Cell* last = panels.empty() ? nullptr : panels.back().back();
    const bool same_place = last != nullptr && place_of(*last) == place_of(cell);
    // One chart, one axis: all in percent of the same setup, and of the same measure.
    const bool same_axis = last != nullptr && axis_of(*last, of) == axis_of(cell, of);
    // A load with several contexts has a chart of its own.
    const bool other_load = last != nullptr && (last->load != cell.load || last->osl != cell.osl);
    if (!same_place || !same_axis || (other_load && panels.back().size() > 1) ||
        count + rows + 1 > kRowsOfPanel) {
      panels.emplace_back();
      count = 0;
    }
    panels.back().push_back(&cell);
    count += rows + 1;
  }
  return panels;
}

// The parts of a cell's name that all cells of a panel share go into the title, the others over their rows.
struct Names {
  bool load = true, isl = true, osl = true;  // shared
  std::string title;
};

std::string name_of(const Cell& cell, bool load, bool isl, bool osl) {
  std::vector<std::string> words;
  if (load && !cell.load.empty()) words.push_back(load_words(cell));
  if (isl && cell.isl > 0) words.push_back(tokens(cell.isl) + " in");
  if (osl && cell.osl > 0) words.push_back(tokens(cell.osl) + " out");
  return fmt::format("{}", fmt::join(words, ", "));
}

Names names_of(const std::vector<const Cell*>& cells) {
  Names names;
  for (const Cell* cell : cells) {
    names.load = names.load && cell->load == cells.front()->load;
    names.isl = names.isl && cell->isl == cells.front()->isl;
    names.osl = names.osl && cell->osl == cells.front()->osl;
  }
  names.title = name_of(*cells.front(), names.load, names.isl, names.osl);
  return names;
}

// A chart and its table, to which cells add their rows.
struct Draft {
  RowChart chart;
  Panel panel;
  Names names;
  std::vector<std::string> said;  // of the judged setup, for who cannot see the chart

  Draft(const std::vector<const Cell*>& cells, std::string axis) : names(names_of(cells)) {
    chart.axis = std::move(axis);
    panel.place = place_of(*cells.front());
    panel.title = names.title;
  }
  void heading(const Cell& cell) {
    const std::string name = name_of(cell, !names.load, !names.isl, !names.osl);
    if (!name.empty()) chart.rows.push_back({.label = name, .heading = true});
  }
  Panel done(std::string alt) {
    panel.alt = std::move(alt) + (said.empty() ? "" : fmt::format(" {}.", fmt::join(said, "; ")));
    if (!chart.rows.empty()) panel.commands = commands(chart);
    return std::move(panel);
  }
};

std::string with_unit(double value, const std::string& unit) {
  return rounded(value) + " " + unit;
}

using Range = std::optional<std::pair<double, double>>;

// Charts beside each other have one axis, unless a cell lies so far out that the others would shrink to a
// point.
Range shared_range(const Content& content, const Shown& metric) {
  constexpr double kWidest = 40;  // percent
  std::vector<double> all;
  for (const Cell& cell : content.cells) {
    const SetupCell* reference = reference_of(cell, std::span(&metric, 1));
    if (reference == nullptr) continue;
    const double base = find(*reference, metric)->centre;
    for (const SetupCell& setup : cell.setups) {
      const Measured* measured = find(setup, metric);
      if (measured == nullptr || base == 0) continue;
      for (const double value : measured->runs) all.push_back((value / base - 1) * 100);
    }
  }
  if (all.empty()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(all);
  return high - low <= kWidest ? Range({low, high}) : std::nullopt;
}

Panel repeat_panel(const Content& content, const std::vector<const Cell*>& cells, const Shown& metric,
                   const Range& range) {
  const std::span only(&metric, 1);
  Draft draft(cells, "");
  draft.chart.range = range;
  draft.chart.line = 0;
  draft.chart.band = {-content.win_share * 100, content.win_share * 100};
  draft.chart.dots = {{{0, Dot::full, Ink::plain}, "a repeat"}, {{0, Dot::tick, Ink::plain}, "median"}};
  if (!content.decides.empty()) {
    draft.chart.dots.push_back({{0, Dot::full, Ink::strong}, content.decides + ", which is judged"});
  }
  draft.panel.table.columns = {{"cell"},
                               {"setup"},
                               {"median", Holds::number},
                               {"unit"},
                               {"difference", Holds::number},
                               {"repeats", Holds::number},
                               {"ran together", Holds::number}};
  for (const Cell* cell : cells) {
    const SetupCell* reference = reference_of(*cell, only);
    const double base = find(*reference, metric)->centre;
    if (base == 0) continue;
    draft.heading(*cell);
    draft.chart.axis = fmt::format("difference from the median of {}, % ({} is better)", reference->setup,
                                   find(*reference, metric)->higher_better ? "right" : "left");
    for (const SetupCell& setup : cell->setups) {
      const Measured* measured = find(setup, metric);
      if (measured == nullptr) continue;
      const bool judged = setup.setup == content.decides;
      const Ink ink = judged ? Ink::strong : Ink::plain;
      const auto share = [&](double value) { return (value / base - 1) * 100; };
      Row row{.label = setup.setup, .note = with_unit(measured->centre, measured->unit), .stressed = judged};
      std::vector<std::string> values;
      for (const double value : measured->runs) {
        row.dots.push_back({share(value), Dot::full, ink});
        values.push_back(rounded(value));
      }
      if (!measured->runs.empty()) {
        const auto [low, high] = std::ranges::minmax(measured->runs);
        row.ranges.push_back({share(low), share(high), ink});
      }
      row.dots.push_back({share(measured->centre), Dot::tick, ink});
      draft.chart.rows.push_back(std::move(row));
      const std::string difference = &setup == reference ? "reference" : percent(measured->centre / base - 1);
      draft.panel.table.rows.push_back(
          {escaped(load_of(*cell)), escaped(setup.setup), rounded(measured->centre), escaped(measured->unit),
           difference, fmt::format("{}", fmt::join(values, " ")), setup.batch ? rounded(*setup.batch) : ""});
      if (judged) draft.said.push_back(fmt::format("{}: {} {}", load_of(*cell), setup.setup, difference));
    }
  }
  return draft.done(fmt::format("Repeats of {} as dots, a row a setup.", metric_words(metric.metric)));
}

Panel itl_panel(const Content& content, const std::vector<const Cell*>& cells) {
  Draft draft(cells, "");
  const std::vector<Shown> shown = present(cells, kQuantiles);
  draft.panel.table.columns = {{"cell"}, {"setup"}};
  for (const Shown& one : shown) {
    draft.chart.dots.emplace_back(one.dot, std::string(one.name));
    draft.panel.table.columns.push_back({fmt::format("{}, ms", one.name), Holds::number});
  }
  for (const Cell* cell : cells) {
    const SetupCell* reference = reference_of(*cell, shown);
    const auto has =
        std::ranges::find_if(shown, [&](const Shown& one) { return find(*reference, one) != nullptr; });
    const double base = find(*reference, *has)->centre;
    if (base == 0) continue;
    draft.heading(*cell);
    draft.chart.axis = fmt::format("% of the {} of {}; at the right {} in ms", has->name, reference->setup,
                                   shown.back().name);
    draft.chart.line = 100;
    for (const SetupCell& setup : cell->setups) {
      if (!has_any(setup, shown)) continue;
      const bool judged = setup.setup == content.decides;
      Row row{.label = setup.setup, .stressed = judged};
      std::vector<std::string> line{escaped(load_of(*cell)), escaped(setup.setup)};
      std::vector<double> at;
      for (const Shown& one : shown) {
        const Measured* measured = find(setup, one);
        line.push_back(measured == nullptr ? "" : rounded(measured->centre));
        if (measured == nullptr) continue;
        at.push_back(measured->centre / base * 100);
        row.dots.push_back({at.back(), one.dot.dot, judged ? Ink::strong : Ink::plain});
        if (&one == &shown.back()) row.note = rounded(measured->centre);
      }
      const auto [low, high] = std::ranges::minmax(at);
      row.ranges.push_back({low, high, judged ? Ink::strong : Ink::faint});
      draft.chart.rows.push_back(std::move(row));
      draft.panel.table.rows.push_back(std::move(line));
    }
  }
  return draft.done("Percentiles of inter-token latency, a row a setup.");
}

Panel ttft_panel(const Content& content, const std::vector<const Cell*>& cells) {
  Draft draft(cells, "");
  draft.chart.from_zero = true;
  const std::vector<Shown> shown = present(cells, kParts);
  draft.panel.table.columns = {{"cell"}, {"setup"}};
  for (const Shown& one : shown) {
    draft.chart.fills.emplace_back(one.fill, std::string(one.name));
    draft.panel.table.columns.push_back({fmt::format("{}, ms", one.name), Holds::number});
  }
  draft.chart.fills.emplace_back(Fill::open, "rest");
  draft.panel.table.columns.push_back({"rest, ms", Holds::number});
  const auto sum_of = [&](const SetupCell& setup) {
    double sum = 0;
    for (const Shown& one : shown) {
      const Measured* measured = find(setup, one);
      if (measured != nullptr) sum += std::max(measured->centre, 0.0);
    }
    return sum;
  };
  // All of the client's TTFT, or the parts where they come to more. Of simulated runs parts and TTFT are
  // means.
  const auto all_of = [&](const SetupCell& setup) {
    const Measured* ttft = setup.find("mean_ttft");
    if (ttft == nullptr) ttft = setup.find("ttft");
    return std::max(sum_of(setup), ttft == nullptr ? 0.0 : ttft->centre);
  };
  for (const Cell* cell : cells) {
    const SetupCell* reference = reference_of(*cell, shown);
    const double base = all_of(*reference);
    if (base == 0) continue;
    draft.heading(*cell);
    draft.chart.axis =
        fmt::format("{}% of {}; at the right all of it", cell->simulated ? "means, " : "", reference->setup);
    for (const SetupCell& setup : cell->setups) {
      if (!has_any(setup, shown)) continue;
      Row row{.label = setup.setup,
              .note = with_unit(all_of(setup), "ms"),
              .stressed = setup.setup == content.decides};
      std::vector<std::string> line{escaped(load_of(*cell)), escaped(setup.setup)};
      double at = 0;
      for (const Shown& one : shown) {
        const Measured* measured = find(setup, one);
        line.push_back(measured == nullptr ? "" : rounded(measured->centre));
        if (measured == nullptr || measured->centre <= 0) continue;
        const double part = measured->centre / base * 100;
        row.bars.push_back({at, at + part, one.fill});
        at += part;
      }
      const double rest = all_of(setup) - sum_of(setup);
      if (rest > 0) row.bars.push_back({at, at + rest / base * 100, Fill::open});
      line.push_back(rest > 0 ? rounded(rest) : "0");
      draft.chart.rows.push_back(std::move(row));
      draft.panel.table.rows.push_back(std::move(line));
    }
  }
  return draft.done("Parts of the time to first token as stacked bars, a row a setup.");
}

}  // namespace

std::string_view metric_words(std::string_view metric) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kWords{
      {{"tpot", "TPOT"},
       {"ttft", "TTFT"},
       {"output_throughput", "output throughput"},
       {"prefill_throughput", "prefill throughput"}}};
  const auto found = std::ranges::find(kWords, metric, &std::pair<std::string_view, std::string_view>::first);
  return found == kWords.end() ? metric : found->second;
}

std::string tokens(std::uint64_t count) {
  return count >= 1024 && count % 1024 == 0 ? fmt::format("{}k", count / 1024) : std::to_string(count);
}

std::string place_of(const Cell& cell) {
  std::vector<std::string> parts;
  for (const std::string& part : {cell.model, cell.workload}) {
    if (!part.empty() && part != "-") parts.push_back(capped(part));
  }
  if (!cell.pd.empty() && cell.pd != "-") parts.push_back("P:D " + cell.pd);
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string load_words(const Cell& cell) {
  if (cell.load.size() > 1 && cell.load[0] == 'c') return cell.load.substr(1) + " at once";
  if (cell.load.size() > 1 && cell.load[0] == 'r') return cell.load.substr(1) + " req/s";
  return capped(cell.load);
}

std::string load_of(const Cell& cell) {
  return name_of(cell, true, true, true);
}

std::vector<Panel> repeat_panels(const Content& content, const std::string& metric) {
  const Shown shown{.metric = metric, .name = metric};
  const Range range = shared_range(content, shown);
  std::vector<Panel> panels;
  for (const auto& cells : panels_of(content.cells, std::span(&shown, 1))) {
    panels.push_back(repeat_panel(content, cells, shown, range));
  }
  return panels;
}

std::vector<Panel> itl_panels(const Content& content) {
  std::vector<Panel> panels;
  for (const auto& cells : panels_of(content.cells, kQuantiles)) panels.push_back(itl_panel(content, cells));
  return panels;
}

std::vector<Panel> ttft_panels(const Content& content) {
  std::vector<Panel> panels;
  for (const auto& cells : panels_of(content.cells, kParts)) panels.push_back(ttft_panel(content, cells));
  return panels;
}

}  // namespace pageproof::page
