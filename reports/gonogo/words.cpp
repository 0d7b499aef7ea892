#include "reports/gonogo/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "reports/gonogo/simulated.hpp"

namespace pageproof::gonogo {
namespace {

using Row = std::vector<std::string>;

const SetupCell* sampled(const Cell& cell, std::string_view setup, const std::string& metric) {
  const SetupCell* found = cell.find(setup);
  return found != nullptr && found->samples.contains(metric) ? found : nullptr;
}

double median_of(const SetupCell& setup, const std::string& metric) {
  return range_of(setup.samples.at(metric).values, kLaw).centre;
}

// P pass, F fail, N fails by noise alone, ? open; not decidable: the status in lower case.
char letter(const Decision& decision) {
  switch (decision.status) {
    case CellStatus::missing:
      return '.';
    case CellStatus::insufficient:
      return 'i';
    case CellStatus::kernel_unknown:
      return 'k';
    case CellStatus::unreachable:
      return 'u';
    case CellStatus::infeasible:
      return 'x';
    case CellStatus::decidable:
      break;
  }
  if (decision.holds == Truth::yes) return 'P';
  if (decision.holds == Truth::unknown) return '?';
  return decision.noisy ? 'N' : 'F';
}

// One block of rows (isl, osl) and columns (load) for each model, workload and P:D.
std::vector<std::string> map_of(const Judgement& judgement, const SetupVerdict& setup) {
  using Group = std::tuple<std::string, std::string, std::string>;
  std::map<Group, std::vector<std::pair<const Cell*, char>>> groups;
  for (const Cell& cell : judgement.cells) {
    for (const Decision& decision : cell.decisions) {
      if (decision.setup != setup.setup || decision.against != setup.against) continue;
      groups[{cell.key.model, cell.key.workload, cell.key.pd}].emplace_back(&cell, letter(decision));
    }
  }
  std::vector<std::string> out;
  for (const auto& [group, cells] : groups) {
    std::set<std::pair<char, double>> loads;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::map<std::pair<char, double>, char>> rows;
    for (const auto& [cell, shown] : cells) {
      const std::pair<char, double> load{cell->key.load_kind, cell->key.load};
      loads.insert(load);
      rows[{cell->key.isl, cell->key.osl}][load] = shown;
    }
    const auto& [model, workload, pd] = group;
    out.push_back(fmt::format("{} vs {}   {} {} pd{}", setup.setup, setup.against, model, workload, pd));
    std::string head = fmt::format("  {:>7} {:>6}", "isl", "osl");
    for (const auto& [kind, load] : loads) head += fmt::format(" {:>6}", fmt::format("{}{:g}", kind, load));
    out.push_back(head);
    for (const auto& [tokens, row] : rows) {
      std::string line = fmt::format("  {:>7} {:>6}", tokens.first, tokens.second);
      for (const auto& load : loads) line += fmt::format(" {:>6}", row.contains(load) ? row.at(load) : ' ');
      out.push_back(line);
    }
  }
  return out;
}

const Comparison* compared(const Decision& decision, char rule, const std::string& comparator,
                           const std::string& metric) {
  for (const Question& question : decision.questions) {
    if (question.rule != rule || question.comparator != comparator) continue;
    for (const Compared& one : question.compared) {
      if (one.metric == metric) return &one.comparison;
    }
  }
  return nullptr;
}

std::string shown(const Comparison* comparison) {
  if (comparison == nullptr) return "-";
  const std::string tie = comparison->tie == Tie::none ? "" : fmt::format("/{}", to_string(comparison->tie));
  return fmt::format("{:+.1f} % {}{}", 100 * comparison->gain, to_string(comparison->outcome), tie);
}

std::string short_status(const Decision& decision) {
  if (decision.status != CellStatus::decidable) return std::string(to_string(decision.status));
  return fmt::format("{}{}", to_string(decision.holds), decision.noisy ? " (noise)" : "");
}

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

Section map_section(const Judgement& judgement) {
  Section out{.title = "Cells"};
  for (const SetupVerdict& setup : judgement.setups) {
    const std::vector<std::string> block = map_of(judgement, setup);
    out.drawing.insert(out.drawing.end(), block.begin(), block.end());
  }
  if (!out.drawing.empty()) {
    out.drawing.emplace_back(
        "P pass  F fail  N fail, by overlapping ranges alone  ? open  . missing  i too few runs");
    out.drawing.emplace_back("u unreachable batch  k kernel unknown  x infeasible");
  }
  return out;
}

Section decision_section(const Judgement& judgement) {
  Section out{.title = fmt::format("Gains of {} (positive is better)", judgement.choices.decides)};
  out.table.push_back({"cell", "result", "rule A", "rule B", "TPOT vs", "", "output tok/s", "TTFT vs b",
                       "TPOT vs b", "batch"});
  for (const Cell& cell : judgement.cells) {
    for (const Decision& decision : cell.decisions) {
      if (decision.setup != judgement.choices.decides) continue;  // the others: in the documents
      const SetupCell* setup = cell.find(decision.setup);
      bool first = true;
      for (const Question& question : decision.questions) {
        if (question.rule == 'B' && !first) continue;
        const auto of_first = [&](std::string text) { return first ? std::move(text) : std::string(); };
        const std::string batch =
            setup != nullptr && setup->effective_batch ? fmt::format("{:.1f}", *setup->effective_batch) : "-";
        const std::string& other = question.comparator;
        out.table.push_back(
            {of_first(to_string(cell.key)), of_first(short_status(decision)),
             std::string(to_string(question.rule == 'A' ? question.verdict.holds : Truth::unknown)),
             of_first(decision.rule_b_applies ? std::string(to_string(decision.rule_b)) : "n/a"), other,
             shown(compared(decision, question.rule, other, "tpot")),
             shown(compared(decision, question.rule, other, "output_throughput")),
             of_first(shown(compared(decision, 'B', "b", "ttft"))),
             of_first(shown(compared(decision, 'B', "b", "tpot"))), of_first(batch)});
        first = false;
      }
    }
  }
  return out;
}

// p99 of ITL, and what an arriving request costs the running ones.
Section itl_section(const Judgement& judgement) {
  Section out{.title = "ITL of running requests"};
  out.table.push_back(
      {"cell", "setup", "p50 ITL", "p99 ITL", "interfered gaps", "an arrival costs", "more than"});
  for (const Cell& cell : judgement.cells) {
    bool first = true;
    for (const SetupCell& setup : cell.setups) {
      if (sampled(cell, setup.setup, "p99_itl") == nullptr) continue;
      const SetupCell* p50 = sampled(cell, setup.setup, "p50_itl");
      Row row{first ? to_string(cell.key) : "",
              setup.setup,
              p50 == nullptr ? "-" : fmt::format("{:.2f} ms", median_of(setup, "p50_itl")),
              fmt::format("{:.2f} ms", median_of(setup, "p99_itl")),
              "-",
              "-",
              ""};
      if (setup.gaps) row[4] = fmt::format("{:.1f} %", 100 * setup.gaps->interfered_share());
      if (setup.gaps && setup.gaps->arrival_ms())
        row[5] = fmt::format("{:.2f} ms", *setup.gaps->arrival_ms());
      for (const GapDifference& one : cell.differences) {
        if (one.setup != setup.setup || !one.arrival_ms) continue;
        row[6] += fmt::format("{}{} {:+.2f} ms", row[6].empty() ? "" : ", ", one.comparator, *one.arrival_ms);
      }
      out.table.push_back(std::move(row));
      first = false;
    }
  }
  if (out.table.size() > 1) {
    out.lines.emplace_back(
        "\"more than\" is the difference of arrival costs: an estimate of conversion time from the "
        "client's data alone");
  }
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
  out.lines.push_back(
      fmt::format("{} comparisons could have won a rule; {:.2g} of them would by chance if no setup differed",
                  judgement.comparisons, judgement.expected_false_wins));
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

std::vector<std::size_t> widths(const std::vector<Row>& table) {
  std::vector<std::size_t> out(table.front().size(), 0);
  for (const Row& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) out[i] = std::max(out[i], row[i].size());
  }
  return out;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '`' || c == '*' || c == '_') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::vector<Section> sections_of(const Judgement& judgement, const WordOptions& options) {
  std::vector<Section> out = {verdict_section(judgement), warning_section(judgement),
                              map_section(judgement),     decision_section(judgement),
                              itl_section(judgement),     noise_section(judgement),
                              power_section(judgement),   left_out_section(judgement, options.most_rows),
                              choice_section(judgement)};
  for (Section& section : out) shorten(section, options.most_rows);
  std::erase_if(out, [&](const Section& section) {
    return &section != &out.front() && section.lines.empty() && section.drawing.empty() &&
           section.table.empty();
  });
  return out;
}

std::string to_text(const std::vector<Section>& sections) {
  std::string out;
  for (const Section& section : sections) {
    out += (out.empty() ? "" : "\n") + section.title + "\n";
    for (const std::string& line : section.lines) out += "  " + line + "\n";
    for (const std::string& line : section.drawing) out += "  " + line + "\n";
    if (section.table.empty()) continue;
    const std::vector<std::size_t> width = widths(section.table);
    for (const Row& row : section.table) {
      std::string line = " ";
      for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format(" {:<{}} ", row[i], width[i]);
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
  }
  return out;
}

std::string to_markdown(const std::vector<Section>& sections) {
  std::string out;
  for (const Section& section : sections) {
    out += fmt::format("{}{} {}\n\n", out.empty() ? "" : "\n", out.empty() ? "##" : "###", section.title);
    for (const std::string& line : section.lines) out += "- " + escaped(line) + "\n";
    if (!section.drawing.empty()) {
      out += "```\n";
      for (const std::string& line : section.drawing) out += line + "\n";
      out += "```\n";
    }
    if (section.table.empty()) continue;
    if (!section.lines.empty()) out += "\n";
    for (std::size_t r = 0; r < section.table.size(); ++r) {
      out += "|";
      for (const std::string& cell : section.table[r]) out += " " + escaped(cell) + " |";
      out += "\n";
      if (r > 0) continue;
      out += "|";
      for (std::size_t i = 0; i < section.table[r].size(); ++i) out += "---|";
      out += "\n";
    }
  }
  return out;
}

}  // namespace pageproof::gonogo
