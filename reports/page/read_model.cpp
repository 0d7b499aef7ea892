// The documents of `pageproof cost`, `calibrate`, `validate`, `simulate`, `plan-runs` and of a sensitivity
// study.
#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "reports/page/content.hpp"
#include "reports/page/fields.hpp"

namespace pageproof::page {
namespace {

constexpr std::size_t kMostShapes = 16;
constexpr std::size_t kMostCurves = 8;
constexpr std::size_t kMostPoints = 200;  // of a curve

// A number, or a word that stands for one ("never").
void read_value(const Node& node, Figure& figure) {
  if (node.is_text()) {
    figure.text = node.as_text();
  } else {
    figure.value = node.as_number();
  }
}

std::optional<double> number_or_never(const Node& node) {
  return node.is_text() || node.refused() ? std::nullopt : std::optional(node.as_number());
}

void read_cost_lines(const Node& document, Content& content) {
  FigureTable table;
  const std::string model = document.text("model"), device = document.text("device");
  const std::uint64_t tp = document.count("tp"), batch = document.count("batch");
  const std::uint64_t context = document.count("context"), output = document.count("output");
  table.title = fmt::format("{} on {}, TP {}: batch {}, context {}, output {}", model, device, tp, batch,
                            context, output);
  for (const Node& node : document.list("lines", kMostRows)) {
    Figure figure{.name = node.text("name"),
                  .value = {},
                  .most = {},
                  .text = {},
                  .unit = node.text("unit"),
                  .formula = node.text("formula"),
                  .note = node.text("source")};
    read_value(node.at("least"), figure);
    Figure upper;
    read_value(node.at("most"), upper);
    if (upper.value != figure.value) figure.most = upper.value;
    if (!upper.text.empty() && upper.text != figure.text) figure.text = upper.text;
    table.figures.push_back(std::move(figure));
  }
  content.figures.push_back(std::move(table));
}

// "launch_floor" -> "launch floor"
std::string spaced(std::string text) {
  std::ranges::replace(text, '_', ' ');
  return text;
}

void read_rfc_figures(const Node& document, Content& content) {
  FigureTable table{.title = "The RFC's figures, computed", .figures = {}};
  for (const Node& node : document.list("figures", kMostRows)) {
    Figure figure{.name = node.text("says"),
                  .value = {},
                  .most = {},
                  .text = {},
                  .unit = node.text("unit"),
                  .formula = node.text("formula"),
                  .note = node.text("state")};
    if (node.has("ours")) read_value(node.at("ours"), figure);
    const std::string assumption = node.text("assumption");
    if (!assumption.empty()) figure.note += ": " + assumption;
    table.figures.push_back(std::move(figure));
  }
  content.figures.push_back(std::move(table));
}

void read_break_even(const Node& document, Content& content) {
  for (const Node& node : document.list_or_none("break_even", kMostShapes)) {
    BreakEven shape{.title = node.text("title"), .curves = {}};
    for (const Node& curve : node.list("curves", kMostCurves)) {
      BreakEvenCurve read{.traffic = curve.number("traffic"), .points = {}};
      for (const Node& point : curve.list("points", kMostPoints)) {
        read.points.push_back({.bandwidth_tb_s = point.number("terabytes_per_second"),
                               .even = number_or_never(point.at("even")),
                               .win = number_or_never(point.at("counted")),
                               .guard = number_or_never(point.at("guard"))});
      }
      shape.curves.push_back(std::move(read));
    }
    content.break_even.push_back(std::move(shape));
  }
}

void read_one_sensitivity(const Node& node, Content& content) {
  Sensitivity one{.title = node.text("title"),
                  .outcome = node.text("outcome"),
                  .unit = node.text("unit"),
                  .at_default = node.number("at_default"),
                  .swings = {}};
  for (const Node& swing : node.list("swings", kMostPoints)) {
    one.swings.push_back({.parameter = swing.text("parameter"),
                          .unit = swing.text("unit"),
                          .low = swing.number("low"),
                          .high = swing.number("high"),
                          .at_low = swing.number("at_low"),
                          .at_high = swing.number("at_high")});
  }
  content.sensitivity.push_back(std::move(one));
}

// The same number, written with six digits or more.
bool near(double a, double b) {
  return std::abs(a - b) <= 2e-5 * std::max(std::abs(a), std::abs(b));
}

void predicted(Content& content, const Node& node, const std::string& cell, const char* metric,
               const char* unit, const char* measured_key, const char* predicted_key) {
  if (!node.has(measured_key)) return;
  Prediction one{.cell = cell,
                 .setup = node.text("setup"),
                 .metric = metric,
                 .unit = unit,
                 .predicted = node.number(predicted_key),
                 .measured = node.number(measured_key),
                 .held_out = !node.flag("fitted"),
                 .model = node.text("model"),
                 .document = content.sources.size()};
  if (node.refused()) return;
  // calibrate and validate of the same runs say the same of a cell: it counts once.
  for (const Prediction& known : content.predictions) {
    const bool same_cell = std::tie(known.model, known.cell, known.setup, known.metric) ==
                           std::tie(one.model, one.cell, one.setup, one.metric);
    if (!same_cell || known.document == one.document) continue;
    if (near(known.predicted, one.predicted) && near(known.measured, one.measured)) return;
    return node.at(predicted_key)
        .refuse("another document says other numbers of this cell and setup: a page shows one model");
  }
  content.predictions.push_back(std::move(one));
}

Measured of_runs(const std::string& metric, const std::string& unit, std::vector<double> runs,
                 bool higher_better) {
  std::vector<double> sorted = runs;
  std::ranges::sort(sorted);
  const std::size_t half = sorted.size() / 2;
  const double centre = sorted.empty()           ? 0
                        : sorted.size() % 2 == 1 ? sorted[half]
                                                 : (sorted[half - 1] + sorted[half]) / 2;
  return {.metric = metric,
          .unit = unit,
          .centre = centre,
          .runs = std::move(runs),
          .higher_better = higher_better};
}

template <class Value>
void add_runs(SetupCell& setup, const std::vector<Node>& runs, const char* metric, const char* unit,
              bool higher_better, Value value) {
  std::vector<double> all;
  for (const Node& run : runs) all.push_back(value(run));
  setup.measured.push_back(of_runs(metric, unit, std::move(all), higher_better));
}

// What a bar of the tornado moves, and in which unit the page shows it.
struct Outlook {
  const char *key, *title, *outcome, *unit;
  double scale;
};
constexpr Outlook kOutlooks[] = {
    {"tpot_gain_c", "Mean TPOT", "gain of c over the faster of a1 and a2", "%", 100},
    {"tpot_loss_to_b_c", "Mean TPOT against b", "how much worse c is than b", "%", 100},
    {"ttft_gain_over_b_c", "Mean TTFT against b", "gain of c over b", "%", 100},
    {"rule_a_passes_c", "Rule A", "where c passes", "loads", 1},
    {"rule_b_passes_c", "Rule B", "where c passes", "loads", 1},
};

void read_tornado(const Node& node, Content& content) {
  for (const Outlook& one : kOutlooks) {
    Sensitivity study{.title = one.title,
                      .outcome = one.outcome,
                      .unit = one.unit,
                      .at_default = node.at("standard").number(one.key) * one.scale,
                      .swings = {}};
    for (const Node& bar : node.list("bars", kMostPoints)) {
      study.swings.push_back({.parameter = spaced(bar.text("assumption")),
                              .unit = bar.text("unit"),
                              .low = bar.number("low"),
                              .high = bar.number("high"),
                              .at_low = bar.at("at_low").number(one.key) * one.scale,
                              .at_high = bar.at("at_high").number(one.key) * one.scale});
    }
    content.sensitivity.push_back(std::move(study));
  }
}

std::optional<Mark> state_of(const Node& node) {
  constexpr std::pair<std::string_view, Mark> kStates[] = {{"infeasible", Mark::infeasible},
                                                           {"unreachable", Mark::unreachable},
                                                           {"undecidable", Mark::undecidable},
                                                           {"decisive", Mark::decisive}};
  const std::string state = node.as_text();
  for (const auto& [word, mark] : kStates) {
    if (word == state) return mark;
  }
  node.refuse("not one of infeasible, unreachable, undecidable, decisive");
  return std::nullopt;
}

void read_point(const Node& node, Plan& plan, std::map<std::string, double>& hours) {
  const std::optional<Mark> state = state_of(node.at("state"));
  if (!state) return;
  const std::string model = node.text("model"), workload = node.text("workload");
  Cell cell{.model = model,
            .workload = workload,
            .pd = "-",
            .isl = node.count("context"),
            .osl = node.count("output"),
            .load = fmt::format("c{}", node.count("batch"))};
  cell.why = node.text("reason");
  cell.squares.push_back({"", "", "what a run would tell", *state, std::nullopt, cell.why});
  for (const Node& setup : node.list("setups", kMostShapes))
    hours[node.text("state")] += setup.number("gpu_hours");
  plan.loads.push_back(std::move(cell));
}

std::vector<std::string> texts(const Node& node, const char* key) {
  std::vector<std::string> out;
  for (const Node& one : node.list(key, kMostRows)) out.push_back(one.as_text());
  return out;
}

void read_smallest(const Node& node, Plan& plan) {
  plan.runs = node.count("runs");
  plan.gpu_hours = node.number("gpu_hours");
  plan.open = texts(node, "open");
  for (const Node& load : node.list("loads", kMostRows)) {
    plan.smallest.push_back({.load = load.text("load"),
                             .setups = texts(load, "setups"),
                             .settles = texts(load, "settles"),
                             .gpu_hours = load.number("gpu_hours")});
  }
}

}  // namespace

void read_cost(const Node& document, Content& content) {
  if (document.has("lines")) read_cost_lines(document, content);
  if (document.has("figures")) read_rfc_figures(document, content);
  if (!document.has("lines") && !document.has("figures")) document.at("lines").refuse("missing");
  read_break_even(document, content);
  for (const Node& node : document.list_or_none("sensitivity", kMostShapes))
    read_one_sensitivity(node, content);
}

void read_sensitivity(const Node& document, Content& content) {
  for (const Node& node : document.list("sensitivity", kMostShapes)) read_one_sensitivity(node, content);
}

void read_validation(const Node& document, Content& content) {
  for (const Node& node : document.list("cells", kMostCells)) {
    const double input = node.number("input_tokens"), output = node.number("output_tokens");
    const double load = node.number("load");
    const std::string cell = fmt::format("{} in, {} out, {} at once", input, output, load);
    predicted(content, node, cell, "TPOT", "ms", "tpot_ms", "predicted_tpot_ms");
    predicted(content, node, cell, "output throughput", "tok/s", "output_throughput",
              "predicted_output_throughput");
  }
}

void read_simulation(const Node& document, Content& content) {
  const std::string model = document.text("model"), device = document.text("device");
  Cell cell{
      .model = model,
      .workload = fmt::format("simulated on {}, TP {}", device, document.count("tp")),
      .pd = document.text("pd"),
      .isl = document.at("isl").is_null() ? 0 : document.count("isl"),  // null: a trace, of many lengths
      .osl = document.at("osl").is_null() ? 0 : document.count("osl"),
      .load = document.text("load"),
      .simulated = true};
  for (const Node& node : document.list("setups", kMostShapes)) {
    SetupCell setup{.setup = node.text("setup"), .measured = {}, .batch = {}};
    const std::vector<Node> runs = node.list("runs", kMostRepeats);
    const auto in = [](const char* group, const char* key) {
      return [group, key](const Node& run) { return run.at(group).number(key); };
    };
    const auto part = [](const char* name) {
      return [name](const Node& run) { return run.at("ttft_parts_ms").at(name).number("mean"); };
    };
    add_runs(setup, runs, "tpot", "ms", false, in("tpot_ms", "mean"));
    add_runs(setup, runs, "ttft", "ms", false, in("ttft_ms", "median"));
    add_runs(setup, runs, "mean_ttft", "ms", false, in("ttft_ms", "mean"));
    add_runs(setup, runs, "output_throughput", "tok/s", true,
             [](const Node& run) { return run.number("output_tokens_per_s"); });
    add_runs(setup, runs, "p50_itl", "ms", false, in("itl_ms", "median"));
    add_runs(setup, runs, "p90_itl", "ms", false, in("itl_ms", "p90"));
    add_runs(setup, runs, "p99_itl", "ms", false, in("itl_ms", "p99"));
    add_runs(setup, runs, "p99.9_itl", "ms", false, in("itl_ms", "p99.9"));
    add_runs(setup, runs, "queue", "ms", false, part("prefill wait"));
    add_runs(setup, runs, "prefill", "ms", false, part("prefill"));
    add_runs(setup, runs, "transfer", "ms", false, part("transfer"));
    add_runs(setup, runs, "convert", "ms", false, part("conversion"));
    add_runs(setup, runs, "wait", "ms", false, [&](const Node& run) {
      return part("handover")(run) + part("notice")(run) + part("schedule")(run);
    });
    add_runs(setup, runs, "first_step", "ms", false, part("first step"));
    cell.setups.push_back(std::move(setup));
  }
  content.cells.push_back(std::move(cell));
}

void read_plan(const Node& document, Content& content) {
  if (document.has("sensitivity")) return read_tornado(document.at("sensitivity"), content);
  if (content.plan) return document.at("command").refuse("a second plan: a page has one");
  if (document.count("shards") != 1) {
    return document.at("shards").refuse(
        "one shard of a plan: plan-runs --merge makes the whole of all shards");
  }
  Plan plan;
  plan.repeats = document.at("options").count("repeats");
  plan.all_gpu_hours = document.number("gpu_hours");
  std::map<std::string, double> hours;  // of one run a cell
  for (const Node& node : document.list("points", kMostCells)) read_point(node, plan, hours);
  for (const auto& [state, count] : document.members("cells", kMostShapes)) {
    plan.states.push_back({state, count.as_count(), hours[state] * static_cast<double>(plan.repeats)});
  }
  if (document.has("smallest_set")) read_smallest(document.at("smallest_set"), plan);
  content.plan = std::move(plan);
}

}  // namespace pageproof::page
