#include "reports/page/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

#include "reports/page/html.hpp"
#include "reports/page/sections.hpp"
#include "reports/page/style.hpp"

namespace pageproof::page {
namespace {

std::string title_of(const Content& content, const PageOptions& options) {
  if (!options.title.empty()) return capped(options.title);
  std::set<std::string> models;
  for (const Cell& cell : content.cells) {
    if (!cell.model.empty() && cell.model != "-") models.insert(capped(cell.model));
  }
  const std::string title = "Does the conversion pay?";
  return models.empty() || models.size() > 3 ? title : fmt::format("{} {}", title, fmt::join(models, ", "));
}

// Loads by their number: c8 before c64.
std::pair<std::string, double> load_order(const Cell& cell) {
  const std::size_t digits = cell.load.find_first_of("0123456789");
  double number = 0;
  if (digits == std::string::npos) return {cell.load, 0};
  std::from_chars(cell.load.data() + digits, cell.load.data() + cell.load.size(), number);
  return {cell.load.substr(0, digits), number};
}

// The order of every map, chart and table, whatever that of the documents.
std::vector<Cell> in_order(std::vector<Cell> cells) {
  const auto key = [](const Cell& cell) {
    return std::tuple(cell.simulated, cell.model, cell.workload, cell.pd, load_order(cell), cell.osl,
                      cell.isl);
  };
  std::ranges::sort(cells, {}, key);
  return cells;
}

std::string command_of(const Content& content, const PageOptions& options) {
  std::string command = "pageproof report";
  for (const Source& source : content.sources) command += " " + shell_word(source.name);
  command += " -o " + shell_word(options.output);
  if (!options.title.empty()) command += " --title " + shell_word(options.title);
  if (options.gnuplot.empty()) command += " --no-charts";
  return command;
}

std::string head_of(const std::string& title) {
  return fmt::format(
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\"><head><meta "
      "charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{0}</title>\n"
      "<style>{1}</style></head>\n<body>\n<header><h1>{0}</h1></header>\n<main>\n",
      title, kStyle);
}

}  // namespace

std::size_t judged_cells(const Content& content) {
  return static_cast<std::size_t>(std::ranges::count(content.cells, false, &Cell::simulated));
}

Page page_of(const Content& given, const PageOptions& options) {
  Content content = given;
  content.cells = in_order(std::move(content.cells));
  if (content.plan) content.plan->loads = in_order(std::move(content.plan->loads));
  if (!options.output.empty()) content.command = command_of(content, options);
  Drawer drawer(options.gnuplot);
  std::vector<Section> sections{left_out(content),
                                map_section(content),
                                repeats(content, drawer),
                                latency(content, drawer),
                                first_token(content, drawer),
                                noise(content),
                                break_even(content, drawer),
                                predicted(content, drawer),
                                sensitivity(content, drawer),
                                plan(content),
                                choices(content),
                                numbers(content),
                                words(content),
                                reproduce(content)};
  std::erase_if(sections, [](const Section& section) { return section.html.empty(); });

  std::string out = head_of(escaped(title_of(content, options))) + verdict_html(content) + "<nav>";
  for (const Section& one : sections) out += fmt::format("<a href=\"#{}\">{}</a> ", one.id, one.title);
  out += "</nav>\n";
  if (!drawer.why_not().empty() && drawer.undrawn_count() > 0) {
    out += fmt::format("<p class=\"absent\">{} left out: {}. Their numbers are in the tables.</p>\n",
                       counted(drawer.undrawn_count(), "chart"), escaped(drawer.why_not()));
  }
  for (const Section& one : sections) {
    out += fmt::format("<section id=\"{}\"><h2>{}</h2>\n{}</section>\n", one.id, one.title, one.html);
  }
  out += fmt::format("</main>\n<footer>pageproof {} report</footer>\n</body></html>\n",
                     escaped(options.version));
  return Page{.html = std::move(out),
              .charts = drawer.drawn_count(),
              .undrawn = drawer.undrawn_count(),
              .without_charts = drawer.why_not()};
}

}  // namespace pageproof::page
