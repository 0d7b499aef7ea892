// Columns to requests: --save-detailed of vLLM, --output-details of SGLang.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "reports/results/forms.hpp"

namespace pageproof::results {
namespace {

// "ttfts[3]", or "itls[3][5]" of a list of lists.
std::string entry_name(const std::string& key, const Column& column, std::size_t at) {
  if (column.row_begin.empty()) return fmt::format("{}[{}]", key, at);
  const auto after = std::ranges::upper_bound(column.row_begin, at);
  const auto row = static_cast<std::size_t>(after - column.row_begin.begin());
  if (row == 0) return fmt::format("{}[{}]", key, at);
  return fmt::format("{}[{}][{}]", key, row - 1, at - column.row_begin[row - 1]);
}

class Columns {
 public:
  Columns(Document&& document, std::vector<Finding>& findings)
      : document_(std::move(document)), findings_(findings) {}

  bool failed() const { return failed_; }

  std::optional<Column> take(const std::string& key) {
    const auto found = document_.columns.find(key);
    if (found == document_.columns.end()) return {};
    return std::move(found->second);
  }
  // Numbers from 0 to `most`; `requests`: how many there must be, 0 the first time.
  std::vector<double> numbers(const std::string& key, double most, bool whole) {
    std::optional<Column> column = take(key);
    if (!column) return {};
    if (!column->row_begin.empty()) {
      fail(key, fmt::format("{} lists", column->row_begin.size()), "not one number a request");
      return {};
    }
    check(key, *column, most, whole);
    check_length(key, column->values.size());
    return std::move(column->values);
  }
  void check(const std::string& key, const Column& column, double most, bool whole) {
    if (column.texts != 0) {
      const std::string shown = column.first_text.empty() ? "null" : column.first_text;
      return fail(entry_name(key, column, column.first_text_at), shown, "not a finite number");
    }
    const auto wrong = std::ranges::find_if(column.values, [&](double value) {
      return !(value >= 0 && value <= most) || (whole && value != std::floor(value));
    });
    if (wrong == column.values.end()) return;
    fail(entry_name(key, column, static_cast<std::size_t>(wrong - column.values.begin())),
         fmt::format("{}", *wrong),
         fmt::format("not a {}number from 0 to {:g}", whole ? "whole " : "", most));
  }
  void check_length(const std::string& key, std::size_t entries) {
    if (!requests_) requests_ = {key, entries};
    if (requests_->second == entries) return;
    fail(key, fmt::format("{} entries", entries),
         fmt::format("{} has {}", requests_->first, requests_->second));
  }
  void fail(std::string field, std::string value, std::string problem) {
    failed_ = true;
    findings_.push_back({Weight::invalid, std::move(field), std::move(value), std::move(problem)});
  }

 private:
  Document document_;
  std::vector<Finding>& findings_;
  std::optional<std::pair<std::string, std::size_t>> requests_;
  bool failed_ = false;
};

std::vector<std::uint32_t> as_tokens(const std::vector<double>& numbers) {
  std::vector<std::uint32_t> tokens(numbers.size());
  std::ranges::transform(numbers, tokens.begin(), [](double n) { return static_cast<std::uint32_t>(n); });
  return tokens;
}

}  // namespace

void finish(Detailed& detailed) {
  detailed.gap_begin.push_back(detailed.gaps_s.size());
  if (!detailed.latency_s.empty()) return;
  detailed.latency_s = detailed.ttft_s;
  for (std::size_t i = 0; i < detailed.requests(); ++i) {
    for (const double gap : detailed.gaps_of(i)) detailed.latency_s[i] += gap;
  }
}

std::optional<Detailed> read_detailed(Document&& document, std::vector<Finding>& findings) {
  const bool complete = document.columns.contains("ttfts") && document.columns.contains("itls");
  if (!complete && !document.columns.contains("ttfts") && !document.columns.contains("itls")) return {};
  Columns columns(std::move(document), findings);
  Detailed detailed;
  detailed.ttft_s = columns.numbers("ttfts", kMostSeconds, false);
  std::optional<Column> gaps = columns.take("itls");
  if (!complete) {
    findings.push_back({Weight::note, gaps ? "ttfts" : "itls", "", "missing: the other arrays are not used"});
    return {};
  }
  columns.check("itls", *gaps, kMostSeconds, false);
  if (gaps->row_begin.empty() && !gaps->values.empty()) {
    columns.fail("itls", fmt::format("{} numbers", gaps->values.size()),
                 "expected a list of lists, one a request");
  } else {
    columns.check_length("itls", gaps->row_begin.size());
  }
  if (!gaps->row_begin.empty() && gaps->row_begin.front() != 0)
    columns.fail("itls[0]", "", "not a list of lists");
  const std::vector<double> output = columns.numbers("output_lens", kMostTokens, true);
  const std::vector<double> input = columns.numbers("input_lens", kMostTokens, true);
  detailed.start_s = columns.numbers("start_times", 1e18, false);
  detailed.latency_s = columns.numbers("latencies", kMostSeconds, false);
  const std::optional<Column> errors = columns.take("errors");
  if (errors) columns.check_length("errors", errors->values.size());
  if (columns.failed()) return {};

  detailed.gaps_s = std::move(gaps->values);
  detailed.gap_begin = std::move(gaps->row_begin);
  detailed.input_tokens = as_tokens(input);
  detailed.output_tokens = as_tokens(output);
  finish(detailed);
  if (output.empty()) {
    for (std::size_t i = 0; i < detailed.requests(); ++i) {
      detailed.output_tokens.push_back(static_cast<std::uint32_t>(detailed.gaps_of(i).size() + 1));
    }
    findings.push_back({Weight::note, "output_lens", "", "missing: taken as one more than the gaps"});
  }
  for (std::size_t i = 0; i < detailed.requests(); ++i) {
    const bool failed = errors ? errors->values[i] != 0 : detailed.output_tokens[i] == 0;
    detailed.succeeded.push_back(failed ? 0 : 1);
  }
  return detailed;
}

}  // namespace pageproof::results
