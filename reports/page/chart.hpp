// Three forms of chart as values, and the gnuplot commands that draw them: rows (one thing a line: dots,
// ranges, bars along a shared axis), curves, and points against a diagonal. Sizes are fixed and small, so
// that a chart is as readable on a phone and on paper as on a screen; labels stand beside what they name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pageproof::page {

enum class Ink : std::uint8_t { strong, plain, faint, warn };  // blue, dark grey, light grey, vermilion
enum class Dot : std::uint8_t { full, ring, tick, diamond, square };
enum class Fill : std::uint8_t { pale, light, middle, dark, stressed, striped, open };  // stressed: vermilion

struct RowDot {
  double at = 0;
  Dot dot = Dot::full;
  Ink ink = Ink::plain;
};
struct RowRange {
  double from = 0, to = 0;
  Ink ink = Ink::plain;
};
struct RowBar {
  double from = 0, to = 0;
  Fill fill = Fill::light;
  double top = -0.36, bottom = 0.36;  // shares of the row, from its middle downwards
};
struct Row {
  std::string label;
  std::string note = {};  // at the right
  bool heading = false;   // label alone, over the rows that follow
  bool stressed = false;
  std::vector<RowRange> ranges = {};
  std::vector<RowBar> bars = {};
  std::vector<RowDot> dots = {};
};

struct RowChart {
  std::string axis;  // what the numbers are, with the unit
  std::vector<Row> rows;
  std::optional<double> line = {};                     // a vertical line
  std::optional<std::pair<double, double>> band = {};  // shaded
  std::vector<std::pair<Fill, std::string>> fills = {};
  std::vector<std::pair<RowDot, std::string>> dots = {};
  std::optional<std::pair<double, double>> range = {};  // that the axis has at least
  bool from_zero = false;
};

struct Curve {
  std::string label;  // at its last point
  Ink ink = Ink::plain;
  int dash = 1;  // 1: solid
  std::vector<std::pair<double, double>> points;
};
struct CurveChart {
  std::string across = {}, up = {};  // the axes
  std::vector<Curve> curves = {};
  std::vector<std::pair<double, std::string>> levels = {};  // horizontal lines
  bool logarithmic = false;                                 // upwards
};

struct ScatterPoint {
  double across = 0, up = 0;
  RowDot look = {};
};
struct ScatterChart {
  std::string across = {}, up = {};
  std::vector<ScatterPoint> points = {};
  double band = 0.1;  // share of the diagonal, shaded on both sides
  std::vector<std::pair<RowDot, std::string>> dots = {};
};

// Labels up to this many characters are drawn whole.
inline constexpr std::size_t kMostLabel = 24;

std::string commands(const RowChart& chart);
std::string commands(const CurveChart& chart);
std::string commands(const ScatterChart& chart);

// Round numbers that cover [low, high], at most `most` of them.
std::vector<double> ticks(double low, double high, std::size_t most);
std::vector<double> logarithmic_ticks(double low, double high);

}  // namespace pageproof::page
