#include "reports/gonogo/words_tables.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

#include "reports/results/goodput.hpp"

namespace pageproof::gonogo {
namespace {

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
  using Block = std::tuple<std::string, std::string, std::string>;
  std::map<Block, std::vector<std::pair<const Cell*, char>>> groups;
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
    out.push_back(fmt::format("{} vs {}   {} {} pd{}", setup.setup, setup.against, printable(model),
                              printable(workload), printable(pd)));
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

// Against every setup that a rule compares this one with.
std::string goodput_gains(const Cell& cell, const std::string& setup) {
  std::map<std::string, std::string> gains;
  for (const Decision& decision : cell.decisions) {
    if (decision.setup != setup) continue;
    for (const Question& question : decision.questions) {
      const Comparison* one = compared(decision, question.rule, question.comparator, "goodput_asked");
      if (one != nullptr) gains[question.comparator] = shown(one);
    }
  }
  std::string out;
  for (const auto& [comparator, gain] : gains) {
    out += fmt::format("{}vs {} {}", out.empty() ? "" : ", ", comparator, gain);
  }
  return out.empty() ? "-" : out;
}

}  // namespace

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

Section goodput_section(const Judgement& judgement) {
  const std::string objectives = results::to_string(judgement.choices.objectives);
  Section out{.title = fmt::format("Goodput at {} ms", objectives)};
  if (objectives.empty()) return out;
  out.table.push_back({"cell", "setup", "median req/s", "gains (positive is better; no rule looks at them)"});
  for (const Cell& cell : judgement.cells) {
    bool first = true;
    for (const SetupCell& setup : cell.setups) {
      if (sampled(cell, setup.setup, "goodput_asked") == nullptr) continue;
      const double goodput = median_of(setup, "goodput_asked");
      out.table.push_back({first ? to_string(cell.key) : "", setup.setup, fmt::format("{:.3f}", goodput),
                           goodput_gains(cell, setup.setup)});
      first = false;
    }
  }
  if (out.table.size() == 1) {
    out.lines.emplace_back("no file has the arrays of one entry a request that it is computed from");
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
      std::vector<std::string> row{
          first ? to_string(cell.key) : "",
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

}  // namespace pageproof::gonogo
