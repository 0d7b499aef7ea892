// The go/no-go report as one HTML file: verdict and reasons first, then what was left out, then the map, then
// the evidence. Nothing is fetched and nothing runs in the reader; the same content makes the same bytes.
#pragma once

#include <string>

#include "reports/page/content.hpp"

namespace pageproof::page {

struct PageOptions {
  std::string title;                // empty: "Does the conversion pay?"
  std::string gnuplot = "gnuplot";  // its program; empty: tables only
  std::string version;              // of this program, in the footer
  std::string output = {};          // the page's own name, for the command that makes it again
};

struct Page {
  std::string html;
  std::size_t charts = 0;      // drawn
  std::size_t undrawn = 0;     // for want of gnuplot, or beyond kMostPanels of a kind
  std::string without_charts;  // why there are none; empty: gnuplot answered
};

// Cells of the judgement: without those of simulate.
std::size_t judged_cells(const Content& content);

Page page_of(const Content& content, const PageOptions& options);

}  // namespace pageproof::page
