#include <fmt/format.h>

#include <cmath>

#include "reports/decision/rfc_figures.hpp"

namespace pageproof::decision {
namespace {

std::string figure_amount(double value, double grain, const std::string& unit) {
  if (std::isinf(value)) return "never";
  const int digits = grain >= 1 ? (value < 10 && grain < 10 ? 2 : 0) : 3;
  std::string number = fmt::format("{:.{}f}", value, digits);
  if (number.find('.') != std::string::npos) {
    while (number.ends_with('0')) number.pop_back();
    if (number.ends_with('.')) number.pop_back();
  }
  return number + " " + unit;
}

std::string ours_of(const Figure& figure) {
  return figure.computed ? figure_amount(figure.ours, figure.grain, figure.unit) : "-";
}

std::string cell(std::string text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

}  // namespace

std::string figures_text(const std::vector<Figure>& figures) {
  std::string text;
  for (const bool of_rfc : {true, false}) {
    text += of_rfc ? "What the RFC's text says\n" : "\nWhat follows from it, and is not in its text\n";
    for (const Figure& figure : figures) {
      if (figure.of_rfc != of_rfc) continue;
      text += fmt::format(
          "  {:<19} {}\n",
          of_rfc ? to_string(figure.state()) : figure_amount(figure.stated, figure.grain, figure.unit),
          figure.says);
      text += fmt::format("  {:<19}   {} = {}\n", "", figure.formula, ours_of(figure));
      if (!figure.assumption.empty()) text += fmt::format("  {:<19}   {}\n", "", figure.assumption);
    }
  }
  return text;
}

std::string figures_markdown(const std::vector<Figure>& figures) {
  std::string text;
  for (const bool of_rfc : {true, false}) {
    text += of_rfc ? "| RFC figure | formula | our figure | | assumption needed |\n|---|---|---|---|---|\n"
                   : "\n| what follows | formula | our figure | assumption needed |\n|---|---|---|---|\n";
    for (const Figure& figure : figures) {
      if (figure.of_rfc != of_rfc) continue;
      text += fmt::format("| {} | {} | {} |", cell(figure.says), cell(figure.formula), ours_of(figure));
      if (of_rfc) text += fmt::format(" {} |", to_string(figure.state()));
      text += fmt::format(" {} |\n", cell(figure.assumption));
    }
  }
  return text;
}

}  // namespace pageproof::decision
