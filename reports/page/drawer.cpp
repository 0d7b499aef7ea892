#include "reports/page/drawer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/page/content.hpp"
#include "reports/page/gnuplot.hpp"
#include "reports/page/svg.hpp"

namespace pageproof::page {

std::string details(std::string_view summary, const std::string& html, bool open) {
  return fmt::format("<details{}><summary>{}</summary>\n{}</details>\n", open ? " open=\"open\"" : "",
                     summary, html);
}

Drawer::Drawer(std::string gnuplot, std::chrono::milliseconds all_charts)
    : gnuplot_(std::move(gnuplot)),
      deadline_(std::chrono::steady_clock::now() + all_charts),
      all_charts_(all_charts) {
  if (gnuplot_.empty()) {
    why_not_ = "gnuplot was not asked for";
  } else if (!drawn(gnuplot_, "set terminal svg\nplot 0\n")) {
    why_not_ = fmt::format("{} is not installed or does not answer", gnuplot_);
  }
}

std::string Drawer::figures(const std::vector<Panel>& panels) {
  std::string out;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const Panel& panel = panels[i];
    if (i == 0 || panel.place != panels[i - 1].place) {
      if (i > 0) out += "</div>\n";
      if (!panel.place.empty()) out += fmt::format("<h4>{}</h4>\n", escaped(panel.place));
      out += "<div class=\"panels\">\n";
    }
    out += figure(panel, i < kMostPanels);
  }
  return panels.empty() ? "" : out + "</div>\n";
}

std::string Drawer::figure(const Panel& panel, bool fits) {
  constexpr std::size_t kOpenRows = 60;  // of a table that stands for a chart
  std::string out = fmt::format("<figure><figcaption>{}</figcaption>\n", escaped(panel.title));
  if (panel.title.empty()) out = "<figure>\n";
  const bool wanted = !panel.commands.empty();
  const std::string chart = wanted && fits && why_not_.empty() ? image(panel) : "";
  const bool able = why_not_.empty();
  out += chart;
  if (wanted && chart.empty()) ++undrawn_;
  if (!panel.said.empty()) out += fmt::format("<p>{}</p>\n", escaped(panel.said));
  if (wanted && !fits && able) {
    out += fmt::format("<p class=\"soft\">Not drawn: the first {} of this kind are.</p>\n", kMostPanels);
  }
  const std::size_t rows = panel.table.rows.size();
  const bool open = panel.said.empty() && (!wanted || !able) && rows <= kOpenRows;
  return out +
         details(fmt::format("Numbers ({} row{})", rows, rows == 1 ? "" : "s"), html_of(panel.table), open) +
         "</figure>\n";
}

std::string Drawer::image(const Panel& panel) {
  using std::chrono::milliseconds;
  GnuplotLimits limits;
  const auto left = std::chrono::duration_cast<milliseconds>(deadline_ - std::chrono::steady_clock::now());
  if (left.count() <= 0) {
    why_not_ = fmt::format("all charts together took more than {} s", all_charts_.count() / 1000);
    return {};
  }
  limits.time = std::min(limits.time, left);
  const Expected<std::string> svg = drawn(gnuplot_, panel.commands, limits);
  if (!svg) {
    const std::string name =
        panel.place + (panel.place.empty() || panel.title.empty() ? "" : ": ") + panel.title;
    why_not_ = fmt::format("chart \"{}\": {}", capped(name, 80), to_string(svg.error()));
    return {};
  }
  ++drawn_;
  return fmt::format("<img alt=\"{}\" src=\"data:image/svg+xml,{}\"/>\n", escaped(panel.alt),
                     uri_data(shortened(*svg)));
}

}  // namespace pageproof::page
