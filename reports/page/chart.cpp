#include "reports/page/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "reports/page/gnuplot.hpp"
#include "reports/page/html.hpp"

namespace pageproof::page {
namespace {

constexpr double kWidth = 400;            // px, as everything below
constexpr double kCharacter = 6.1;        // of the 11 px font
constexpr std::size_t kMostHeading = 60;  // characters
constexpr double kRow = 17;
constexpr double kLegendLine = 16;
constexpr double kAxis = 42;  // numbers and name of the axis

std::string_view colour(Ink ink) {
  constexpr std::array<std::string_view, 4> kColours{"#0072b2", "#444444", "#a8a8a8", "#d55e00"};
  return kColours[static_cast<std::size_t>(ink)];
}
std::string_view fill(Fill look) {
  constexpr std::array<std::string_view, 7> kFills{"'#ececec' fs solid 1.0 noborder",
                                                   "'#d8d8d8' fs solid 1.0 noborder",
                                                   "'#b4b4b4' fs solid 1.0 noborder",
                                                   "'#2b2b2b' fs solid 1.0 noborder",
                                                   "'#d55e00' fs solid 1.0 border lc rgb '#ffffff'",
                                                   "'#777777' fs pattern 4 noborder",
                                                   "'#ffffff' fs solid 1.0 border lc rgb '#999999'"};
  return kFills[static_cast<std::size_t>(look)];
}
std::string_view point(Dot dot) {
  constexpr std::array<std::string_view, 5> kPoints{"pt 7 ps 0.5", "pt 6 ps 0.6", "", "pt 12 ps 0.8",
                                                    "pt 4 ps 0.6"};
  return kPoints[static_cast<std::size_t>(dot)];
}

std::size_t characters(std::string_view text) {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  return static_cast<std::size_t>(std::ranges::count_if(text, begins));
}
double text_width(std::string_view text, std::size_t most = kMostHeading) {
  return kCharacter * static_cast<double>(std::min(characters(text), most + 1));
}

// The margins in px, and what gnuplot calls them.
struct Frame {
  double height = 0, left = 0, right = 0, top = 0, bottom = 0;
  std::string head() const {
    return fmt::format(
        "set encoding utf8\nset terminal svg size {:.0f},{:.0f} font 'sans-serif,11' noenhanced rounded "
        "background "
        "'#ffffff'\nset lmargin at screen {:.4f}\nset rmargin at screen {:.4f}\nset tmargin at screen "
        "{:.4f}\n"
        "set bmargin at screen {:.4f}\nset border 1 lc rgb '#888888'\nunset key\nset tics nomirror out scale "
        "0.4 "
        "textcolor rgb '#222222'\n",
        kWidth, height, left / kWidth, 1 - right / kWidth, 1 - top / height, bottom / height);
  }
};

std::string label(std::string_view text, const std::string& place, std::string_view more = "",
                  std::size_t most = kMostLabel) {
  return fmt::format("set label {} at {} {} textcolor rgb '#222222'\n", quoted(text, most), place, more);
}

// Names of the axes: below in the middle, and above at the left.
std::string axis_names(const Frame& frame, std::string_view across, std::string_view up) {
  constexpr std::size_t kMost = 62;
  const double middle = (frame.left + kWidth - frame.right) / 2;
  // In the middle of the axis, but wholly on the page.
  const double half = kCharacter * static_cast<double>(std::min(across.size(), kMost)) / 2;
  const double x = std::clamp(middle, std::min(half, kWidth / 2), std::max(kWidth - half, kWidth / 2));
  std::string out =
      label(across, fmt::format("screen {:.4f},{:.4f} center", x / kWidth, 8 / frame.height), "", kMost);
  if (!up.empty()) {
    out += label(up, fmt::format("screen 0.01,{:.4f} left", 1 - (frame.top - 14) / frame.height), "", kMost);
  }
  return out;
}

std::string tics(char axis, const std::vector<double>& at) {
  std::string out = fmt::format("set {}tics (", axis);
  for (std::size_t i = 0; i < at.size(); ++i) {
    out += fmt::format("{}'{}' {}", i == 0 ? "" : ", ", rounded(at[i]), exact(at[i]));
  }
  return out + ")\n";
}

// Pieces of a drawing that share a look go into one data block and one element of the plot command.
class Drawing {
 public:
  void add(const std::string& look, const std::string& line) { blocks_[look] += line + "\n"; }
  std::string text() const {
    std::string data, plot;
    std::size_t number = 0;
    for (const auto& [look, lines] : blocks_) {
      data += fmt::format("$d{} << EOD\n{}EOD\n", number, lines);
      plot += fmt::format("{}$d{} {}", number == 0 ? "plot " : ", ", number, look.substr(1));
      ++number;
    }
    // gnuplot draws nothing, not even axes, without something to plot.
    return data + (plot.empty() ? "plot NaN" : plot) + "\n";
  }

 private:
  std::map<std::string, std::string> blocks_;  // the first character orders them
};

// A full dot is a line of next to no length with round ends: gnuplot joins such lines into one path, which is
// half as long as a mark for each.
void draw_dot(Drawing& drawing, double x, double y, const RowDot& dot, double half_tick, double speck) {
  const std::string_view ink = colour(dot.ink);
  if (dot.dot == Dot::full) {
    drawing.add(fmt::format("5using 1:2:3:(0) with vectors nohead lw 4.2 lc rgb '{}'", ink),
                fmt::format("{} {} {}", exact(x), exact(y), exact(speck)));
  } else if (dot.dot == Dot::tick) {
    drawing.add(fmt::format("4using 1:2:(0):3 with vectors nohead lw 2 lc rgb '{}'", ink),
                fmt::format("{} {} {}", exact(x), exact(y - half_tick), exact(2 * half_tick)));
  } else {
    drawing.add(fmt::format("5using 1:2 with points {} lc rgb '{}'", point(dot.dot), ink),
                fmt::format("{} {}", exact(x), exact(y)));
  }
}

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
  // Next to nothing on the page (a few hundredths of a pixel), but not nothing.
  double speck() const { return (high - low) * 1e-4; }
  // Room at both ends, so that no mark sits on the frame.
  void widen(double share) {
    const double room = high > low ? (high - low) * share : std::max(std::abs(high), 1.0) * share;
    low -= room;
    high += room;
  }
};

// Legend entries from left to right, a new line where they would pass the right edge. Draws in screen units.
class Legend {
 public:
  explicit Legend(double left) : left_(left), x_(left) {}
  // Where the next entry of so many characters goes: x and line.
  std::pair<double, double> place(std::string_view text) {
    const double width = 16 + text_width(text) + 12;
    if (x_ > left_ && x_ + width > kWidth - 4) {
      x_ = left_;
      ++line_;
    }
    const double at = x_;
    x_ += width;
    return {at, (line_ + 0.5) * kLegendLine + 2};
  }
  double height(bool any) const { return any ? (line_ + 1) * kLegendLine + 6 : 6; }

 private:
  double left_, x_;
  double line_ = 0;
};

struct LegendEntry {
  double x, y;
  std::string text;
  std::optional<RowDot> dot;
  std::optional<Fill> fill;
};

std::string draw_legend(const std::vector<LegendEntry>& entries, double height) {
  std::string out;
  for (const LegendEntry& entry : entries) {
    const auto x = [&](double px) { return px / kWidth; };
    const double y = 1 - entry.y / height;
    out += label(entry.text, fmt::format("screen {:.4f},{:.4f} left", x(entry.x + 16), y), "", kMostHeading);
    if (entry.fill) {
      out += fmt::format("set object rect from screen {:.4f},{:.4f} to screen {:.4f},{:.4f} fc rgb {}\n",
                         x(entry.x + 1), 1 - (entry.y - 5) / height, x(entry.x + 12),
                         1 - (entry.y + 5) / height, fill(*entry.fill));
    } else if (entry.dot && entry.dot->dot == Dot::tick) {
      out += fmt::format("set arrow from screen {:.4f},{:.4f} rto screen 0,{:.4f} nohead lw 2 lc rgb '{}'\n",
                         x(entry.x + 7), 1 - (entry.y + 5) / height, 10 / height, colour(entry.dot->ink));
    } else if (entry.dot) {
      out += fmt::format("set label at screen {:.4f},{:.4f} point {} lc rgb '{}'\n", x(entry.x + 7), y,
                         point(entry.dot->dot), colour(entry.dot->ink));
    }
  }
  return out;
}

std::vector<LegendEntry> legend_of(const std::vector<std::pair<Fill, std::string>>& fills,
                                   const std::vector<std::pair<RowDot, std::string>>& dots, double& height) {
  Legend legend(8);
  std::vector<LegendEntry> entries;
  for (const auto& [look, text] : fills) {
    const auto [x, y] = legend.place(text);
    entries.push_back({x, y, text, std::nullopt, look});
  }
  for (const auto& [look, text] : dots) {
    const auto [x, y] = legend.place(text);
    entries.push_back({x, y, text, look, std::nullopt});
  }
  height = legend.height(!entries.empty());
  return entries;
}

Extent extent_of(const RowChart& chart) {
  Extent extent;
  for (const Row& row : chart.rows) {
    for (const RowDot& dot : row.dots) extent.take(dot.at);
    for (const RowRange& range : row.ranges) extent.take(range.from), extent.take(range.to);
    for (const RowBar& bar : row.bars) extent.take(bar.from), extent.take(bar.to);
  }
  if (chart.range) extent.take(chart.range->first), extent.take(chart.range->second);
  if (chart.line) extent.take(*chart.line);
  if (chart.band) extent.take(chart.band->first), extent.take(chart.band->second);
  if (chart.from_zero || extent.empty()) extent.take(0);
  const double zero_at = extent.low;
  extent.widen(0.04);
  if (chart.from_zero && zero_at == 0) extent.low = 0;
  return extent;
}

void draw_row(Drawing& drawing, const Row& row, double y, double speck) {
  for (const RowBar& bar : row.bars) {
    drawing.add(fmt::format("2using 1:2:3:4:5:6 with boxxyerror fc rgb {}", fill(bar.fill)),
                fmt::format("{} {} {} {} {} {}", exact(bar.from), exact(y), exact(std::min(bar.from, bar.to)),
                            exact(std::max(bar.from, bar.to)), exact(y + bar.top), exact(y + bar.bottom)));
  }
  for (const RowRange& range : row.ranges) {
    drawing.add(fmt::format("3using 1:2:3:(0) with vectors nohead lw 1 lc rgb '{}'", colour(range.ink)),
                fmt::format("{} {} {}", exact(range.from), exact(y), exact(range.to - range.from)));
  }
  for (const RowDot& dot : row.dots) draw_dot(drawing, dot.at, y, dot, 0.36, speck);
}

}  // namespace

std::vector<double> ticks(double low, double high, std::size_t most) {
  if (!(high > low) || most < 2) return {low};
  const double rough = (high - low) / static_cast<double>(most - 1);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double nice : {5.0, 2.0, 1.0}) {
    if (nice * power >= rough * 0.999) step = nice * power;
  }
  std::vector<double> at;
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) {
    // Through text, so that 3 * 0.1 is 0.3.
    at.push_back(std::stod(fmt::format("{:.10g}", i * step)) + 0.0);
  }
  return at;
}

std::vector<double> logarithmic_ticks(double low, double high) {
  std::vector<double> at;
  for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high; decade *= 10) {
    for (const double step : {1.0, 3.0}) {
      if (step * decade >= low && step * decade <= high) at.push_back(step * decade);
    }
  }
  return at;
}

std::string commands(const RowChart& chart) {
  double legend_height = 0, label_width = 30, note_width = 0;
  const std::vector<LegendEntry> legend = legend_of(chart.fills, chart.dots, legend_height);
  for (const Row& row : chart.rows) {
    if (!row.heading) label_width = std::max(label_width, text_width(row.label, kMostLabel) + 8);
    if (!row.note.empty()) note_width = std::max(note_width, text_width(row.note, kMostLabel) + 10);
  }
  const double count = std::max(1.0, static_cast<double>(chart.rows.size()));
  const Frame frame{.height = legend_height + count * kRow + kAxis,
                    .left = label_width,
                    .right = note_width + 6,
                    .top = legend_height,
                    .bottom = kAxis};
  const Extent extent = extent_of(chart);
  std::string out = frame.head();
  out += fmt::format("set xrange [{}:{}]\nset yrange [{}:0.5]\nunset ytics\n", exact(extent.low),
                     exact(extent.high), exact(count + 0.5));
  out += tics('x', ticks(extent.low, extent.high, 8));
  out += axis_names(frame, chart.axis, "");
  if (chart.band) {
    out += fmt::format(
        "set object rect from {},graph 0 to {},graph 1 behind fc rgb '#eeeeea' fs solid 1.0 noborder\n",
        exact(chart.band->first), exact(chart.band->second));
  }
  if (chart.line) {
    out += fmt::format("set arrow from {0},graph 0 to {0},graph 1 nohead back lc rgb '#888888'\n",
                       exact(*chart.line));
  }
  out += draw_legend(legend, frame.height);
  Drawing drawing;
  for (std::size_t i = 0; i < chart.rows.size(); ++i) {
    const Row& row = chart.rows[i];
    const double y = static_cast<double>(i) + 1;
    const std::string font = row.heading || row.stressed ? "font 'sans-serif Bold,11'" : "";
    if (row.heading) {
      out += label(row.label, fmt::format("screen 0.01,first {} left", exact(y)), font, kMostHeading);
    } else {
      out += label(row.label,
                   fmt::format("screen {:.4f},first {} right", (frame.left - 6) / kWidth, exact(y)), font);
    }
    if (!row.note.empty()) {
      out += label(row.note, fmt::format("screen {:.4f},first {} right", 1 - 4 / kWidth, exact(y)), font);
    }
    draw_row(drawing, row, y, extent.speck());
  }
  return out + drawing.text();
}

std::string commands(const CurveChart& chart) {
  Extent across, up;
  double label_width = 20;
  for (const Curve& curve : chart.curves) {
    for (const auto& [x, y] : curve.points) across.take(x), up.take(y);
    label_width = std::max(label_width, text_width(curve.label, kMostLabel) + 8);
  }
  for (const auto& [y, text] : chart.levels)
    up.take(y), label_width = std::max(label_width, text_width(text, kMostLabel) + 8);
  if (across.empty()) across.take(0), across.take(1);
  if (up.empty()) up.take(chart.logarithmic ? 1 : 0), up.take(10);
  if (chart.logarithmic) {
    up = {up.low / 1.15, up.high * 1.15};
  } else {
    up.widen(0.05);
  }
  const Frame frame{.height = 230, .left = 46, .right = label_width, .top = 26, .bottom = kAxis};
  std::string out = frame.head();
  out += "set border 3\n";
  if (chart.logarithmic) out += "set logscale y\n";
  out += fmt::format("set xrange [{}:{}]\nset yrange [{}:{}]\n", exact(across.low), exact(across.high),
                     exact(up.low), exact(up.high));
  out += tics('x', ticks(across.low, across.high, 7));
  out += tics('y', chart.logarithmic ? logarithmic_ticks(up.low, up.high) : ticks(up.low, up.high, 6));
  out += axis_names(frame, chart.across, chart.up);
  Drawing drawing;
  // Labels at the right edge are moved apart where they would touch.
  std::vector<std::pair<double, std::string>> labels;
  const auto place = [&](double y) {
    const auto scale = [&](double v) { return chart.logarithmic ? std::log(v) : v; };
    return (scale(y) - scale(up.low)) / (scale(up.high) - scale(up.low));
  };
  for (const auto& [y, text] : chart.levels) {
    drawing.add("1using 1:2 with lines lw 1 dt 3 lc rgb '#999999'",
                fmt::format("{} {}\n{} {}\n", exact(across.low), exact(y), exact(across.high), exact(y)));
    labels.emplace_back(place(y), text);
  }
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const Curve& curve = chart.curves[i];
    const std::string look =
        fmt::format("2using 1:2 with lines lw 1.6 dt {} lc rgb '{}'", curve.dash, colour(curve.ink));
    for (const auto& [x, y] : curve.points) drawing.add(look, fmt::format("{} {}", exact(x), exact(y)));
    drawing.add(look, "");  // ends the line
    if (!curve.points.empty()) labels.emplace_back(place(curve.points.back().second), curve.label);
  }
  std::ranges::sort(labels);
  const double apart = 13 / (frame.height - frame.top - frame.bottom);
  for (std::size_t i = 1; i < labels.size(); ++i) {
    labels[i].first = std::max(labels[i].first, labels[i - 1].first + apart);
  }
  for (const auto& [y, text] : labels) out += label(text, fmt::format("graph 1.02,graph {:.4f} left", y));
  return out + drawing.text();
}

std::string commands(const ScatterChart& chart) {
  double legend_height = 0;
  const std::vector<LegendEntry> legend = legend_of({}, chart.dots, legend_height);
  Extent both;
  for (const ScatterPoint& p : chart.points) both.take(p.across), both.take(p.up);
  if (both.empty()) both.take(0), both.take(1);
  both.widen(0.06);
  const Frame frame{.height = legend_height + 18 + 300 + kAxis,
                    .left = 50,
                    .right = 30,
                    .top = legend_height + 18,
                    .bottom = kAxis};
  std::string out = frame.head();
  out += "set border 3\n";
  out += fmt::format("set xrange [{0}:{1}]\nset yrange [{0}:{1}]\n", exact(both.low), exact(both.high));
  const std::vector<double> at = ticks(both.low, both.high, 6);
  out += tics('x', at) + tics('y', at);
  out += axis_names(frame, chart.across, chart.up);
  out += draw_legend(legend, frame.height);
  Drawing drawing;
  const double from = std::max(both.low, 0.0);
  drawing.add("0using 1:2:3 with filledcurves fc rgb '#eeeeea' fs solid 1.0 noborder",
              fmt::format("{} {} {}\n{} {} {}", exact(from), exact(from * (1 - chart.band)),
                          exact(from * (1 + chart.band)), exact(both.high),
                          exact(both.high * (1 - chart.band)), exact(both.high * (1 + chart.band))));
  drawing.add("1using 1:2 with lines lw 1 lc rgb '#888888'",
              fmt::format("{0} {0}\n{1} {1}", exact(both.low), exact(both.high)));
  for (const ScatterPoint& p : chart.points) draw_dot(drawing, p.across, p.up, p.look, 0, both.speck());
  return out + drawing.text();
}

}  // namespace pageproof::page
