#include "reports/page/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

#include "reports/page/charts.hpp"
#include "reports/page/gnuplot.hpp"
#include "reports/page/html.hpp"
#include "reports/page/map.hpp"
#include "reports/page/style.hpp"
#include "reports/page/svg.hpp"

namespace pageproof::page {
namespace {

constexpr std::size_t kShownLeftOut = 12;

// What a section has, and its place in the list of contents.
struct Section {
  std::string id, title, html;
};

std::string details(std::string_view summary, const std::string& html, bool open = false) {
  return fmt::format("<details{}><summary>{}</summary>\n{}</details>\n", open ? " open=\"open\"" : "",
                     summary, html);
}

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::string reasons_html(const std::vector<Reason>& reasons, const char* list) {
  std::string out = fmt::format("<{}>\n", list);
  for (const Reason& reason : reasons) {
    const std::string code =
        reason.code.empty() ? "" : fmt::format(" <code class=\"soft\">{}</code>", escaped(reason.code));
    out += fmt::format("<li>{}{}</li>\n", escaped(reason.text), code);
  }
  return reasons.empty() ? "" : out + fmt::format("</{}>\n", list);
}

std::string setups_html(const Content& content) {
  if (content.setups.empty()) return {};
  Table table;
  table.columns = {{"setup"},
                   {"against"},
                   {"verdict"},
                   {"cells passed", true},
                   {"failed", true},
                   {"open", true},
                   {"not decidable", true},
                   {"infeasible", true}};
  for (const SetupVerdict& one : content.setups) {
    const auto count = [](std::uint64_t value) { return std::to_string(value); };
    table.rows.push_back({escaped(one.setup), escaped(one.against), "<b>" + escaped(one.word) + "</b>",
                          count(one.passed), count(one.failed), count(one.open), count(one.undecidable),
                          count(one.infeasible)});
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

std::string verdict_html(const Content& content) {
  if (content.verdict.empty()) {
    return "<section class=\"verdict none\" id=\"verdict\"><p class=\"word\">No judgement</p>\n"
           "<p>No document of <code>pageproof gonogo --json</code> was given: this page shows what there "
           "is.</p></section>\n";
  }
  std::string out = fmt::format("<section class=\"verdict {}\" id=\"verdict\"><p class=\"word\">{}</p>\n",
                                escaped(lower(content.verdict)), escaped(content.verdict));
  if (!content.decides.empty())
    out += fmt::format("<p class=\"soft\">for setup {}</p>\n", escaped(content.decides));
  return out + reasons_html(content.reasons, "ol") + "</section>\n" + setups_html(content);
}

Section left_out(const Content& content) {
  Section section{"left-out", "What was left out, and why", {}};
  if (content.verdict.empty()) return section;
  section.html =
      fmt::format("<p>{} runs were read, {} of them valid.</p>\n", content.runs_seen, content.runs_valid);
  section.html += reasons_html(content.warnings, "ul");
  Table table;
  table.columns = {{"what"}, {"why"}};
  for (const LeftOut& one : content.left_out) table.rows.push_back({escaped(one.what), escaped(one.why)});
  if (table.rows.empty()) {
    section.html += "<p>No run and no file was left out.</p>\n";
  } else if (table.rows.size() <= kShownLeftOut) {
    section.html += html_of(table);
  } else {
    section.html += details(fmt::format("{} runs or files", table.rows.size()), html_of(table));
  }
  return section;
}

Section map_section(const Content& content) {
  Section section{"map", "Cells", {}};
  if (content.cells.empty()) return section;
  const std::string rules = map_of(content, true), metrics = map_of(content, false);
  section.html = fmt::format(
      "<p>{} cell{}; a row is a load (c64: 64 requests at once; r6: 6 requests a second) and the output "
      "tokens, a "
      "column the prompt's tokens. Percent: the gain over the comparator's median, positive is better.</p>\n",
      content.cells.size(), content.cells.size() == 1 ? "" : "s");
  section.html += legend_of(content) + rules;
  if (!metrics.empty())
    section.html += details("By metric", metrics, rules.empty() || content.cells.size() <= 60);
  Table table;
  table.columns = {{"cell"}, {"why it is not decided"}};
  for (const Cell& cell : content.cells) {
    const std::string place = place_of(cell);
    const std::string name = place.empty() ? load_of(cell) : place + ": " + load_of(cell);
    if (!cell.why.empty()) table.rows.push_back({escaped(name), escaped(cell.why)});
    for (const std::string& note : cell.notes) table.rows.push_back({escaped(name), escaped(note)});
  }
  if (!table.rows.empty()) {
    section.html += details(fmt::format("Remarks on cells ({})", table.rows.size()), html_of(table),
                            table.rows.size() <= 6);
  }
  Table reasons;
  reasons.columns = {{"cell"}, {"question"}, {"answer"}, {"gain", true}, {"why"}};
  for (const Cell& cell : content.cells) {
    for (const Square& square : cell.squares) {
      if (square.why.empty() && !square.gain) continue;
      reasons.rows.push_back(
          {escaped(load_of(cell)),
           escaped(fmt::format("{} against {}: {}", square.setup, square.comparator, square.by)),
           std::string(1, letter_of(square.mark)), square.gain ? percent(*square.gain) : "",
           escaped(square.why)});
    }
  }
  if (!reasons.rows.empty())
    section.html +=
        details(fmt::format("Every question with its answer ({})", reasons.rows.size()), html_of(reasons));
  return section;
}

class Drawer {
 public:
  explicit Drawer(const PageOptions& options) : options_(options) {
    if (options_.gnuplot.empty()) {
      why_not_ = "not asked for";
    } else if (!drawn(options_.gnuplot, "set terminal svg\nplot 0\n")) {
      why_not_ = fmt::format("{} is not installed or does not answer", options_.gnuplot);
    }
  }

  std::string figures(const std::vector<Panel>& panels) {
    std::string out = "<div class=\"panels\">\n";
    std::size_t of_kind = 0;
    for (const Panel& panel : panels) {
      const bool fits = of_kind < kMostPanels;
      const bool wanted = !panel.commands.empty();
      out += fmt::format("<figure><figcaption>{}</figcaption>\n", escaped(panel.title));
      if (wanted && fits && why_not_.empty()) {
        out += image(panel);
        ++of_kind;
      } else if (wanted) {
        ++undrawn_;
      }
      if (!panel.said.empty()) out += fmt::format("<p>{}</p>\n", escaped(panel.said));
      if (wanted && !fits)
        out += fmt::format("<p class=\"soft\">Not drawn: the first {} of this kind are.</p>\n", kMostPanels);
      const bool open = !why_not_.empty() && panel.table.rows.size() <= 60;
      out += details(
          fmt::format("Numbers ({} row{})", panel.table.rows.size(), panel.table.rows.size() == 1 ? "" : "s"),
          html_of(panel.table), open || (!wanted && panel.said.empty()));
      out += "</figure>\n";
    }
    return panels.empty() ? "" : out + "</div>\n";
  }

  const std::string& why_not() const { return why_not_; }
  std::size_t drawn_count() const { return drawn_; }
  std::size_t undrawn_count() const { return undrawn_; }
  const std::optional<Error>& error() const { return error_; }

 private:
  std::string image(const Panel& panel) {
    const Expected<std::string> svg = drawn(options_.gnuplot, panel.commands);
    if (!svg) {
      if (!error_) error_ = svg.error();
      return {};
    }
    ++drawn_;
    return fmt::format("<img alt=\"{}\" src=\"data:image/svg+xml,{}\"/>\n", escaped(panel.alt),
                       uri_data(shortened(*svg)));
  }

  const PageOptions& options_;
  std::string why_not_;
  std::size_t drawn_ = 0, undrawn_ = 0;
  std::optional<Error> error_;
};

Section evidence(std::string id, std::string title, const std::string& note, const std::string& figures) {
  return {std::move(id), std::move(title), figures.empty() ? "" : note + figures};
}

// One table of all panels, folded.
std::string figures_alone(const std::vector<Panel>& panels, std::string_view title) {
  Table table;
  for (const Panel& panel : panels) {
    table.columns = panel.table.columns;
    table.rows.insert(table.rows.end(), panel.table.rows.begin(), panel.table.rows.end());
  }
  return details(fmt::format("{} ({} rows)", title, table.rows.size()), html_of(table));
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
  section.html = fmt::format(
                     "<p>A dot is a repeat, the thin line their range, the tick their median, the number at "
                     "the right the median. Shaded: "
                     "within {} of the reference, where nothing counts.</p>\n",
                     percent(content.win_share).substr(1)) +
                 section.html;
  return section;
}

Section plan(const Content& content) {
  Section section{"plan", "Runs worth making", {}};
  if (content.plan.empty()) return section;
  Table table;
  table.columns = {{"status"}, {"cells", true}, {"GPU-hours", true}, {"what it means"}};
  for (const PlannedCells& one : content.plan) {
    table.rows.push_back({escaped(one.status), std::to_string(one.cells),
                          one.gpu_hours ? rounded(*one.gpu_hours) : "", escaped(one.why)});
  }
  section.html = html_of(table);
  return section;
}

Section choices(const Content& content) {
  Section section{"choices", "Choices that were made", {}};
  if (content.choices.empty()) return section;
  Table table;
  table.columns = {{"flag"}, {"value"}, {"meaning"}};
  for (const Choice& choice : content.choices) {
    table.rows.push_back({"<code>" + escaped(choice.flag) + "</code>",
                          "<code>" + escaped(choice.value) + "</code>", escaped(choice.meaning)});
  }
  section.html = "<p>The RFC leaves these open. Another choice may be another verdict.</p>\n" +
                 details(fmt::format("{} choices", table.rows.size()), html_of(table), true);
  return section;
}

Section numbers(const Content& content) {
  Section section{"numbers", "Numbers, with their formulas", {}};
  for (const FigureTable& figures : content.figures) {
    Table table;
    table.columns = {{"figure"}, {"value", true}, {"unit"}, {"formula"}, {"note"}};
    for (const Figure& figure : figures.figures) {
      table.rows.push_back(
          {escaped(figure.name), figure.value ? rounded(*figure.value) : escaped(figure.text),
           escaped(figure.unit), "<code>" + escaped(figure.formula) + "</code>", escaped(figure.note)});
    }
    section.html += details(escaped(figures.title.empty() ? std::string("Figures") : figures.title),
                            html_of(table), content.figures.size() == 1);
  }
  return section;
}

Section reproduce(const Content& content) {
  Section section{"reproduce", "How to make this page again", {}};
  if (!content.commands.empty()) {
    section.html += "<pre>";
    for (const std::string& command : content.commands) section.html += escaped(command) + "\n";
    section.html += "</pre>\n";
  }
  if (!content.sources.empty()) {
    Table table;
    table.caption = "Made from";
    table.columns = {{"document"}, {"what it is"}, {"bytes", true}, {"SHA-256"}};
    for (const Source& source : content.sources) {
      table.rows.push_back({"<code>" + escaped(source.name) + "</code>", escaped(source.kind),
                            std::to_string(source.bytes), "<code>" + escaped(source.sha256) + "</code>"});
    }
    section.html += html_of(table);
  }
  return section;
}

std::string title_of(const Content& content, const PageOptions& options) {
  if (!options.title.empty()) return options.title;
  std::set<std::string> models;
  for (const Cell& cell : content.cells) {
    if (!cell.model.empty() && cell.model != "-") models.insert(cell.model);
  }
  const std::string title = "Does the conversion pay?";
  return models.empty() || models.size() > 3 ? title : fmt::format("{} {}", title, fmt::join(models, ", "));
}

}  // namespace

Expected<Page> page_of(const Content& content, const PageOptions& options) {
  Drawer drawer(options);
  std::vector<Section> sections;
  sections.push_back(left_out(content));
  sections.push_back(map_section(content));
  sections.push_back(repeats(content, drawer));
  sections.push_back(
      evidence("itl", "Inter-token latency",
               "<p>What requests that already run feel when another arrives: the tail, not the median.</p>\n",
               drawer.figures(itl_panels(content))));
  sections.push_back(evidence("ttft", "What the time to first token is made of",
                              "<p>Medians of the parts; the number at the right is their sum.</p>\n",
                              drawer.figures(ttft_panels(content))));
  sections.push_back(
      evidence("break-even", "Break-even",
               "<p>How many tokens a request must generate before the faster steps have paid for its "
               "conversion. A curve that is missing or ends: no number of tokens is enough there.</p>\n",
               drawer.figures(break_even_panels(content))));
  sections.push_back(
      evidence("predicted", "Predicted against measured", "", drawer.figures(prediction_panels(content))));
  sections.push_back(
      evidence("sensitivity", "What moves the outcome",
               "<p>Each parameter moved through its range, the others at their defaults.</p>\n",
               drawer.figures(sensitivity_panels(content))));
  sections.push_back(plan(content));
  sections.push_back(choices(content));
  sections.push_back(numbers(content));
  sections.push_back(reproduce(content));
  if (drawer.error()) return std::unexpected(*drawer.error());
  std::erase_if(sections, [](const Section& section) { return section.html.empty(); });

  const std::string title = escaped(title_of(content, options));
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\"><head><meta "
      "charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\"/>\n<title>{0}</title>\n<style>{1}</style></head>\n"
      "<body>\n<header><h1>{0}</h1></header>\n<main>\n",
      title, kStyle);
  out += verdict_html(content);
  out += "<nav>";
  for (const Section& section : sections)
    out += fmt::format("<a href=\"#{}\">{}</a> ", section.id, section.title);
  out += "</nav>\n";
  if (!drawer.why_not().empty() && drawer.undrawn_count() > 0) {
    out += fmt::format(
        "<p class=\"absent\">Charts are left out ({} of them): {}. Their numbers are in the tables.</p>\n",
        drawer.undrawn_count(), escaped(drawer.why_not()));
  }
  for (const Section& section : sections) {
    out += fmt::format("<section id=\"{}\"><h2>{}</h2>\n{}</section>\n", section.id, section.title,
                       section.html);
  }
  out += "</main>\n<footer>";
  out += options.version.empty() ? "pageproof report"
                                 : fmt::format("pageproof {} report", escaped(options.version));
  out += "</footer>\n</body></html>\n";
  return Page{.html = std::move(out),
              .charts = drawer.drawn_count(),
              .undrawn = drawer.undrawn_count(),
              .without_charts = drawer.why_not()};
}

}  // namespace pageproof::page
