// Panels into figures: each a title, the chart where gnuplot draws it, and the table of its numbers.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reports/page/charts.hpp"

namespace pageproof::page {

std::string details(std::string_view summary, const std::string& html, bool open = false);

class Drawer {
 public:
  // The program; empty: tables alone.
  explicit Drawer(std::string gnuplot, std::chrono::milliseconds all_charts = std::chrono::minutes(2));

  // Of one kind: the first kMostPanels of them are drawn.
  std::string figures(const std::vector<Panel>& panels);

  // Why charts are missing: no gnuplot, or the first chart that it could not draw; it is not asked again.
  // Empty: it draws.
  const std::string& why_not() const { return why_not_; }
  std::size_t drawn_count() const { return drawn_; }
  std::size_t undrawn_count() const { return undrawn_; }

 private:
  std::string figure(const Panel& panel, bool fits);
  std::string image(const Panel& panel);

  std::string gnuplot_;
  std::string why_not_;
  std::size_t drawn_ = 0, undrawn_ = 0;
  std::chrono::steady_clock::time_point deadline_;  // of all charts together
  std::chrono::milliseconds all_charts_;
};

}  // namespace pageproof::page
