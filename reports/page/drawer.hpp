// Panels into figures: each a title, the chart where gnuplot draws it, and the table of its numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/page/plain/error.hpp"
#include "reports/page/charts.hpp"

namespace pageproof::page {

std::string details(std::string_view summary, const std::string& html, bool open = false);

class Drawer {
 public:
  // The program; empty: tables alone.
  explicit Drawer(std::string gnuplot);

  // Of one kind: the first kMostPanels of them are drawn.
  std::string figures(const std::vector<Panel>& panels);

  const std::string& why_not() const { return why_not_; }  // empty: gnuplot answers
  std::size_t drawn_count() const { return drawn_; }
  std::size_t undrawn_count() const { return undrawn_; }
  const std::optional<Error>& error() const { return error_; }

 private:
  std::string figure(const Panel& panel, bool fits);
  std::string image(const Panel& panel);

  std::string gnuplot_;
  std::string why_not_;
  std::size_t drawn_ = 0, undrawn_ = 0;
  std::optional<Error> error_;
};

}  // namespace pageproof::page
