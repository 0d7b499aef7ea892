#include "reports/gonogo/words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/gonogo/simulated.hpp"
#include "reports/gonogo/words_tables.hpp"

namespace pageproof::gonogo {
namespace {

using Row = std::vector<std::string>;

constexpr double kNone = 1e-9;  // fewer wins by chance than this are none

Section verdict_section(const Judgement& judgement) {
  Section out{.title = std::string(verdict_word(judgement.go)) + simulated_words(judgement.runs)};
  for (const Reason& reason : judgement.reasons) out.lines.push_back(reason.text);
  return out;
}

Section warning_section(const Judgement& judgement) {
  Section out{.title = "Warnings"};
  for (const Reason& reason : judgement.warnings)
    out.lines.push_back(fmt::format("{}: {}", reason.code, reason.text));
  return out;
}

Section noise_section(const Judgement& judgement) {
  Section out{.title = "Noise"};
  out.table.push_back({"setup", "TTFT", "TPOT", "output tok/s", "prefill tok/s", "runs"});
  for (const std::string& setup : known_setups()) {
    Row row{setup, "-", "-", "-", "-", ""};
    std::size_t runs = 0;
    for (const Noise& noise : judgement.noise) {
      if (noise.setup != setup) continue;
      std::size_t column = 1;
      for (const Metric& metric : metrics()) {
        if (metric.rule && metric.name == noise.metric) row[column] = fmt::format("{:.2f} %", 100 * noise.cv);
        if (metric.rule) ++column;
      }
      runs = std::max(runs, noise.runs);
    }
    row[5] = fmt::format("{}", runs);
    if (runs > 0) out.table.push_back(std::move(row));
  }
  if (out.table.size() > 1) out.lines.emplace_back("run-to-run CV, pooled over cells");
  return out;
}

Section power_section(const Judgement& judgement) {
  Section out{.title = "What the rule can see"};
  out.table.push_back({"true gain", "counted as a win",
                       "repeats for " + fmt::format("{:g} %", 100 * judgement.choices.power)});
  for (const PowerRow& row : judgement.power) {
    std::string repeats = "-";
    if (row.gain > judgement.choices.win_share) {
      repeats = row.repeats.needed ? fmt::format("{}", *row.repeats.needed)
                                   : fmt::format("none; {} do best, {:.0f} %", row.repeats.best,
                                                 100 * row.repeats.best_power);
    }
    const std::string error = row.win.error > 0 ? fmt::format(" +- {:.1f}", 100 * row.win.error) : "";
    out.table.push_back({fmt::format("{:g} %", 100 * row.gain),
                         fmt::format("{:.1f} %{}", 100 * row.win.value, error), repeats});
  }
  if (judgement.power.empty()) {
    out.table.clear();
    return out;
  }
  const PowerRow& first = judgement.power.front();
  out.lines.push_back(
      fmt::format("with {} repeats a side and a CV of {:.2f} % on both (the largest of TPOT): ", first.runs,
                  100 * first.cv) +
      fmt::format("a true gain of exactly {:g} % is counted at most half the time, whatever the number "
                  "of repeats",
                  100 * judgement.choices.win_share));
  const double power = 100 * judgement.choices.power;
  out.lines.push_back(
      judgement.smallest_gain
          ? fmt::format("the smallest true gain that is counted in {:g} % of measurements: {:.1f} %", power,
                        100 * *judgement.smallest_gain)
          : fmt::format("no true gain below 50 % is counted in {:g} % of measurements", power));
  const double false_wins = judgement.expected_false_wins;
  out.lines.push_back(fmt::format(
      "{} comparisons could have won a rule; {} of them would by chance if no setup differed",
      judgement.comparisons, false_wins < kNone ? std::string("none") : fmt::format("{:.2g}", false_wins)));
  return out;
}

// Every file and run that is not judged, with its reason.
Section left_out_section(const Judgement& judgement, std::size_t most) {
  Section out{.title = "Not judged"};
  for (const Error& error : judgement.refused) out.lines.push_back(to_string(error));
  for (const Placed& placed : judgement.runs) {
    if (placed.status != RunStatus::valid) out.lines.push_back(placed.reasons.front());
  }
  for (const Error& error : judgement.left_out) out.lines.push_back(to_string(error));
  if (out.lines.size() <= most) return out;
  const std::size_t more = out.lines.size() - most;
  out.lines.resize(most);
  out.lines.push_back(fmt::format("{} more: --rows, --json", more));
  return out;
}

Section choice_section(const Judgement& judgement) {
  Section out{.title = "Choices"};
  std::string flags;
  for (const Choice& choice : stated(judgement.choices)) {
    flags += fmt::format("{}{} {}", flags.empty() ? "" : "  ", choice.flag, choice.value);
  }
  out.lines.push_back(flags);
  return out;
}

void shorten(Section& section, std::size_t most_rows) {
  if (section.table.size() == 1) section.table.clear();
  if (section.table.size() <= most_rows + 1) return;
  section.lines.push_back(
      fmt::format("{} more rows: --rows, --json or --csv", section.table.size() - 1 - most_rows));
  section.table.resize(most_rows + 1);
}

}  // namespace

std::vector<Section> sections_of(const Judgement& judgement, const WordOptions& options) {
  std::vector<Section> out = {
      verdict_section(judgement),  warning_section(judgement), map_section(judgement),
      decision_section(judgement), goodput_section(judgement), itl_section(judgement),
      noise_section(judgement),    power_section(judgement),   left_out_section(judgement, options.most_rows),
      choice_section(judgement)};
  for (Section& section : out) shorten(section, options.most_rows);
  std::erase_if(out, [&](const Section& section) {
    return &section != &out.front() && section.lines.empty() && section.drawing.empty() &&
           section.table.empty();
  });
  return out;
}

}  // namespace pageproof::gonogo
