#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>

#include "model/serving/step_time.hpp"

namespace pageproof::serving {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr double kMostStepMs = 1e9;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::array<std::string_view, 4> kColumns = {"setup", "batch", "context", "step_ms"};

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

template <class Number>
bool whole(std::string_view cell, Number& out) {
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), out);
  return error == std::errc{} && end == cell.data() + cell.size();
}

}  // namespace

Expected<StepTable> step_table_from_csv(std::string_view text, const std::string& subject) {
  const auto refuse = [&](std::size_t line, std::string_view field, std::string_view value,
                          std::string problem) {
    return std::unexpected(Error{line == 0 ? subject : fmt::format("{}:{}", subject, line),
                                 std::string(field), std::string(value), std::move(problem)});
  };
  if (text.size() > kMostBytes) {
    return refuse(0, "size", fmt::format("{} B", text.size()), fmt::format("more than {} B", kMostBytes));
  }
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  StepTable table{subject, {}};
  std::array<std::size_t, 4> column{};
  std::map<std::tuple<std::string, std::uint32_t, std::uint64_t>, std::size_t> seen;
  std::size_t number = 0;
  bool header = false;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string_view> cells = cells_of(line);
    if (!header) {
      for (std::size_t i = 0; i < kColumns.size(); ++i) {
        const auto found = std::ranges::find(cells, kColumns[i]);
        if (found == cells.end()) return refuse(number, kColumns[i], line, "the header has no such column");
        column[i] = static_cast<std::size_t>(found - cells.begin());
      }
      header = true;
      continue;
    }
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      if (column[i] >= cells.size()) return refuse(number, kColumns[i], line, "the line is too short");
    }
    StepRow row{.setup = std::string(cells[column[0]]), .line = number};
    if (row.setup.empty()) return refuse(number, "setup", "", "empty");
    if (!whole(cells[column[1]], row.batch) || row.batch == 0 || row.batch > kMostBatch) {
      return refuse(number, "batch", cells[column[1]],
                    fmt::format("not a whole number, 1 to {}", kMostBatch));
    }
    if (!whole(cells[column[2]], row.context) || row.context > 100'000'000) {
      return refuse(number, "context", cells[column[2]], "not a whole number up to 100000000");
    }
    if (!whole(cells[column[3]], row.step_ms) || !std::isfinite(row.step_ms) || row.step_ms <= 0 ||
        row.step_ms > kMostStepMs) {
      return refuse(number, "step_ms", cells[column[3]],
                    fmt::format("not a positive number of ms up to {:g}", kMostStepMs));
    }
    const auto [first, is_new] = seen.try_emplace({row.setup, row.batch, row.context}, number);
    if (!is_new) {
      return refuse(number, "row",
                    fmt::format("setup {}, batch {}, context {}", row.setup, row.batch, row.context),
                    fmt::format("stands on line {} already", first->second));
    }
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) return refuse(0, "rows", "0", "no row under a header setup,batch,context,step_ms");
  return table;
}

}  // namespace pageproof::serving
