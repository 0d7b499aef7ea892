#include "reports/page/sections.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "reports/page/html.hpp"
#include "reports/page/map.hpp"
#include "reports/page/page.hpp"

namespace pageproof::page {
namespace {

constexpr std::size_t kShownRows = 12;  // of a table that may be long

std::string code(std::string_view text) {
  return "<code>" + escaped(text) + "</code>";
}

std::string name_of(const Cell& cell) {
  const std::string place = place_of(cell);
  return place.empty() ? load_of(cell) : place + ": " + load_of(cell);
}

std::string reasons_html(const std::vector<Reason>& reasons, const char* list) {
  std::string out = fmt::format("<{}>\n", list);
  for (const Reason& reason : reasons) {
    const std::string word =
        reason.code.empty() ? "" : fmt::format(" <code class=\"soft\">{}</code>", escaped(reason.code));
    out += fmt::format("<li>{}{}</li>\n", escaped(reason.text), word);
  }
  return reasons.empty() ? "" : out + fmt::format("</{}>\n", list);
}

// Folded where it is long.
std::string table_html(const Table& table, const std::string& what) {
  if (table.rows.empty()) return {};
  if (table.rows.size() <= kShownRows) return html_of(table);
  return details(counted(table.rows.size(), what), html_of(table));
}

std::string setups_html(const Content& content) {
  if (content.setups.empty()) return {};
  Table table;
  table.columns = {{"setup"},
                   {"against"},
                   {"verdict"},
                   {"cells passed", Holds::number},
                   {"failed", Holds::number},
                   {"open", Holds::number},
                   {"not decidable", Holds::number},
                   {"infeasible", Holds::number}};
  for (const SetupVerdict& one : content.setups) {
    std::vector<std::string> row{escaped(one.setup), escaped(one.against),
                                 "<b>" + escaped(one.word) + "</b>"};
    for (const std::uint64_t count : {one.passed, one.failed, one.open, one.undecidable, one.infeasible}) {
      row.push_back(std::to_string(count));
    }
    table.rows.push_back(std::move(row));
  }
  std::string out = html_of(table);
  for (const SetupVerdict& one : content.setups) {
    if (one.reasons.empty()) continue;
    std::vector<Reason> reasons;
    for (const std::string& text : one.reasons) reasons.push_back({"", text});
    out += details(fmt::format("Why {} is {}", escaped(one.setup), escaped(one.word)),
                   reasons_html(reasons, "ul"));
  }
  return out;
}

// Cells that no question asks about: nothing else of the page would name those without a measure.
std::string cells_without_question(const Content& content) {
  Table table;
  table.columns = {{"cell"}, {"setups", Holds::number}};
  for (const Cell& cell : content.cells) {
    if (cell.squares.empty() && !cell.simulated) {
      table.rows.push_back({escaped(name_of(cell)), std::to_string(cell.setups.size())});
    }
  }
  if (table.rows.empty()) return {};
  return "<p>No setup that could be judged was measured in:</p>\n" + table_html(table, "cell");
}

std::string remarks(const Content& content, const std::string& title) {
  Table table;
  table.columns = {{"cell"}, {"remark", Holds::text}};
  for (const Cell& cell : content.cells) {
    if (!cell.why.empty()) table.rows.push_back({escaped(name_of(cell)), escaped(cell.why)});
  }
  return table.rows.empty() ? "" : "<h3>" + title + "</h3>\n" + table_html(table, "cell");
}

std::string questions(const Content& content) {
  Table table;
  table.columns = {{"cell"}, {"question"}, {"answer"}, {"why", Holds::text}};
  for (const Cell& cell : content.cells) {
    for (const Square& square : cell.squares) {
      if (square.why.empty()) continue;
      table.rows.push_back({escaped(load_of(cell)),
                            escaped(fmt::format("{} against {}: {}", square.setup, square.comparator,
                                                metric_words(square.by))),
                            std::string(1, letter_of(square.mark)), escaped(square.why)});
    }
  }
  if (table.rows.empty()) return {};
  return details(fmt::format("Every answer with its reason ({})", table.rows.size()), html_of(table));
}

// One table of all panels, folded.
std::string figures_alone(const std::vector<Panel>& panels, std::string_view title) {
  Table table;
  for (const Panel& panel : panels) {
    table.columns = panel.table.columns;
    table.rows.insert(table.rows.end(), panel.table.rows.begin(), panel.table.rows.end());
  }
  return details(fmt::format("{} ({})", title, counted(table.rows.size(), "row")), html_of(table));
}

std::string arrivals(const Content& content) {
  Table table;
  table.columns = {{"cell"},
                   {"setup"},
                   {"less"},
                   {"a gap with an arrival, ms longer", Holds::number},
                   {"one arrival, ms", Holds::number}};
  for (const Cell& cell : content.cells) {
    for (const ArrivalCost& one : cell.arrivals) {
      table.rows.push_back({escaped(load_of(cell)), escaped(one.setup), escaped(one.comparator),
                            rounded(one.delta_ms), one.arrival_ms ? rounded(*one.arrival_ms) : ""});
    }
  }
  if (table.rows.empty()) return {};
  return "<h3>What an arrival costs the requests that run</h3>\n<p>Differences of two setups. What one "
         "arrival adds "
         "estimates the conversion from the client's data alone.</p>\n" +
         table_html(table, "difference");
}

// "0.81 to 2.4", "36 to never".
std::string value_of(const Figure& figure) {
  if (!figure.value) return escaped(figure.text);
  std::string out = rounded(*figure.value);
  if (figure.most) out += " to " + rounded(*figure.most);
  if (!figure.text.empty()) out += " to " + escaped(figure.text);
  return out;
}

// As gonogo says it.
std::string repeats_words(const Power& one, double win_share) {
  if (one.gain <= win_share) return "none: no gain that counts";
  if (one.needed) return rounded(*one.needed);
  return fmt::format("none; {} do best, {:.0f} %", rounded(one.best), 100 * one.best_win);
}

// Under the verdict, where a simulator made the runs.
std::string simulated_html(const Content& content) {
  if (content.runs_simulated == 0) return {};
  const bool all = content.runs_simulated == content.runs_valid;
  return fmt::format(
      "<p class=\"simulated\">{} simulated: a forecast, no measurement.</p>\n",
      all ? "Of runs that are"
          : fmt::format("{} of the {} valid runs are", content.runs_simulated, content.runs_valid));
}

Section evidence(std::string id, std::string title, const std::string& note, const std::string& html) {
  return {std::move(id), std::move(title), html.empty() ? "" : note + html};
}

}  // namespace

std::string verdict_html(const Content& content) {
  if (content.verdict.empty()) {
    return "<section class=\"verdict none\" id=\"verdict\"><p class=\"word\">No judgement</p>\n<p>No "
           "document of "
           "<code>pageproof gonogo --json</code> was given: this page shows what there is.</p></section>\n";
  }
  const std::string_view look = content.verdict == "GO"      ? "go"
                                : content.verdict == "NO-GO" ? "no-go"
                                                             : "inconclusive";
  std::string out = fmt::format("<section class=\"verdict {}\" id=\"verdict\"><p class=\"word\">{}</p>\n",
                                look, escaped(content.verdict));
  if (!content.decides.empty())
    out += fmt::format("<p class=\"soft\">for setup {}</p>\n", escaped(content.decides));
  out += simulated_html(content);
  return out + reasons_html(content.reasons, "ol") + "</section>\n" + setups_html(content);
}

Section left_out(const Content& content) {
  Section section{"left-out", "What was left out, and why", {}};
  if (content.verdict.empty()) return section;
  section.html = fmt::format("<p>{} run{} read, {} of them valid.</p>\n", content.runs_seen,
                             content.runs_seen == 1 ? " was" : "s were", content.runs_valid);
  section.html += reasons_html(content.warnings, "ul");
  Table table;
  table.columns = {{"what", Holds::text}, {"why", Holds::text}};
  for (const LeftOut& one : content.left_out)
    table.rows.push_back({escaped(capped(one.what)), escaped(one.why)});
  section.html += table.rows.empty() ? "<p>No run and no file was left out.</p>\n" : table_html(table, "row");
  return section;
}

Section map_section(const Content& content) {
  Section section{"map", "Cells", {}};
  const std::size_t judged = judged_cells(content);
  if (judged == 0 && content.verdict.empty()) return section;
  if (judged == 0) section.html = "<p>No run has a place in a cell.</p>\n";
  if (judged == 0) return section;
  const std::string rules = map_of(content, Asked::rules, true) + map_of(content, Asked::metrics, true);
  const std::string others = map_of(content, Asked::rules, false) + map_of(content, Asked::metrics, false);
  section.html = fmt::format("<p>{}.", counted(judged, "cell"));
  if (!rules.empty()) {
    section.html +=
        " A row is a load (c64: 64 requests at once; r6: 6 requests a second) and the tokens that a request "
        "generates, a column the tokens of its prompt. Percent: gain over the comparator's median; positive "
        "is "
        "better.";
  }
  section.html += "</p>\n" + legend_of(content) + rules;
  if (!others.empty()) section.html += details("The same for other setups", others, rules.empty());
  section.html +=
      cells_without_question(content) + remarks(content, "Cells that are not decided") + questions(content);
  return section;
}

Section repeats(const Content& content, Drawer& drawer) {
  Section section{"repeats", "Repeats", {}};
  struct Kind {
    std::string metric, title;
    bool drawn;
  };
  for (const Kind& one :
       {Kind{"tpot", "Time per output token (TPOT)", true}, Kind{"ttft", "Time to first token (TTFT)", true},
        Kind{"output_throughput", "Output throughput", false},
        Kind{"prefill_throughput", "Prefill throughput", false}}) {
    const std::vector<Panel> panels = repeat_panels(content, one.metric);
    if (panels.empty()) continue;
    if (one.drawn) section.html += fmt::format("<h3>{}</h3>\n{}", one.title, drawer.figures(panels));
    if (!one.drawn) section.html += figures_alone(panels, one.title);
  }
  if (section.html.empty()) return section;
  section.html =
      fmt::format(
          "<p>A dot is a repeat, the thin line their range, the tick and the number at the right their "
          "median. Shaded: within {} % of the reference, where nothing counts.</p>\n",
          rounded(content.win_share * 100)) +
      section.html;
  return section;
}

Section latency(const Content& content, Drawer& drawer) {
  return evidence(
      "itl", "Inter-token latency",
      "<p>What requests that already run feel when another arrives: the tail, not the median.</p>\n",
      drawer.figures(itl_panels(content)) + arrivals(content));
}

Section first_token(const Content& content, Drawer& drawer) {
  return evidence(
      "ttft", "What the time to first token is made of",
      "<p>Of runs in results: the parts as gonogo has them, medians over the repeats; all of it is the "
      "client's "
      "TTFT. Of simulated cells: means over the requests, of the parts and of all of it. Rest: what no part "
      "explains.</p>\n",
      drawer.figures(ttft_panels(content)));
}

Section noise(const Content& content) {
  Section section{"noise", "Noise, and what the rule can see", {}};
  Table table;
  table.columns = {{"setup"},
                   {"metric"},
                   {"CV of repeats, %", Holds::number},
                   {"cells", Holds::number},
                   {"runs", Holds::number}};
  for (const Noise& one : content.noise) {
    table.rows.push_back({escaped(one.setup), escaped(one.metric), rounded(one.cv * 100),
                          std::to_string(one.cells), std::to_string(one.runs)});
  }
  section.html = table_html(table, "row");
  Table power;
  power.columns = {{"CV, %", Holds::number},
                   {"repeats a side", Holds::number},
                   {"true gain, %", Holds::number},
                   {"counted with probability, %", Holds::number},
                   {"repeats needed", Holds::number}};
  for (const Power& one : content.power) {
    power.rows.push_back({rounded(one.cv * 100), std::to_string(one.runs), rounded(one.gain * 100),
                          rounded(one.win * 100), repeats_words(one, content.win_share)});
  }
  if (!power.rows.empty()) {
    section.html +=
        "<p>How often the counting rule would see a gain that is really there.</p>\n" + html_of(power);
  }
  if (content.smallest_gain) {
    section.html +=
        fmt::format("<p>The smallest true gain that is counted with the power asked for: {}.</p>\n",
                    percent(*content.smallest_gain));
  }
  if (content.comparisons > 0) {
    section.html +=
        fmt::format("<p>Were there no gain anywhere, {} of {} comparisons would be counted as wins.</p>\n",
                    rounded(content.expected_false_wins), content.comparisons);
  }
  return section;
}

Section break_even(const Content& content, Drawer& drawer) {
  return evidence(
      "break-even", "Break-even",
      "<p>How many tokens a request must generate before the faster steps have paid for its conversion. A "
      "curve that is missing or ends: no number of tokens is enough there.</p>\n",
      drawer.figures(break_even_panels(content)));
}

Section predicted(const Content& content, Drawer& drawer) {
  return evidence("predicted", "Predicted against measured", "", drawer.figures(prediction_panels(content)));
}

Section sensitivity(const Content& content, Drawer& drawer) {
  return evidence("sensitivity", "What moves the outcome",
                  "<p>Each parameter moved through its range, the others at their defaults.</p>\n",
                  drawer.figures(sensitivity_panels(content)));
}

Section plan(const Content& content) {
  Section section{"plan", "Runs worth making", {}};
  if (!content.plan) return section;
  const Plan& plan = *content.plan;
  Table states;
  states.columns = {{"state"}, {"cells", Holds::number}, {"GPU-hours", Holds::number}};
  for (const PlannedCells& one : plan.states) {
    states.rows.push_back({escaped(one.state), std::to_string(one.cells), rounded(one.gpu_hours)});
  }
  Content planned;
  planned.cells = plan.loads;
  section.html = fmt::format(
      "<p>Predicted before any run. A cell is one setup under one load; GPU-hours are of {} repeats each. "
      "Those that are "
      "neither infeasible nor unreachable take {} GPU-hours together.</p>\n",
      plan.repeats, rounded(plan.all_gpu_hours));
  section.html += html_of(states) + legend_of(planned) + map_of(planned, Asked::metrics, true) +
                  remarks(planned, "Loads that cannot be run as planned");
  if (plan.smallest.empty()) return section;
  section.html += fmt::format(
      "<h3>The fewest runs that settle the question</h3>\n<p>{}, {} GPU-hours. {}</p>\n",
      counted(plan.runs, "run"), rounded(plan.gpu_hours),
      plan.open.empty()
          ? std::string("Every part of it is settled.")
          : fmt::format("Not settled by any run of the plan: {} of it.", counted(plan.open.size(), "part")));
  Table loads;
  loads.columns = {{"load"}, {"setups"}, {"settles", Holds::text}, {"GPU-hours", Holds::number}};
  for (const PlannedLoad& one : plan.smallest) {
    loads.rows.push_back({escaped(one.load), escaped(fmt::format("{}", fmt::join(one.setups, " "))),
                          escaped(fmt::format("{}", fmt::join(one.settles, ", "))), rounded(one.gpu_hours)});
  }
  section.html += table_html(loads, "load");
  if (!plan.open.empty()) {
    Table open;
    open.columns = {{"rule, setup, model, workload, output tokens", Holds::text}};
    for (const std::string& one : plan.open) open.rows.push_back({escaped(one)});
    section.html += details(counted(open.rows.size(), "part") + " of it: settled by no run", html_of(open));
  }
  return section;
}

Section choices(const Content& content) {
  Table table;
  table.columns = {{"flag"}, {"value"}, {"meaning", Holds::text}};
  for (const Choice& choice : content.choices) {
    table.rows.push_back({code(choice.flag), code(choice.value), escaped(choice.meaning)});
  }
  return evidence(
      "choices", "Choices that were made",
      "<p>The RFC leaves these open. Another choice may be another verdict.</p>\n",
      table.rows.empty() ? "" : details(counted(table.rows.size(), "choice"), html_of(table), true));
}

Section numbers(const Content& content) {
  Section section{"numbers", "Numbers, with their formulas", {}};
  for (const FigureTable& figures : content.figures) {
    Table table;
    table.columns = {
        {"figure"}, {"value", Holds::number}, {"unit"}, {"formula", Holds::text}, {"note", Holds::text}};
    for (const Figure& figure : figures.figures) {
      table.rows.push_back({escaped(figure.name), value_of(figure), escaped(figure.unit),
                            code(figure.formula), escaped(figure.note)});
    }
    section.html += details(escaped(figures.title), html_of(table), content.figures.size() == 1);
  }
  return section;
}

Section reproduce(const Content& content) {
  Section section{"reproduce", "What this page was made of", {}};
  if (!content.command.empty()) section.html = "<pre>" + escaped(content.command) + "</pre>\n";
  Table table;
  table.columns = {
      {"made from", Holds::text}, {"document of"}, {"bytes", Holds::number}, {"SHA-256", Holds::text}};
  for (const Source& source : content.sources) {
    table.rows.push_back(
        {code(capped(source.name)), code(source.kind), std::to_string(source.bytes), code(source.sha256)});
  }
  if (!table.rows.empty()) section.html += html_of(table);
  return section;
}

}  // namespace pageproof::page
