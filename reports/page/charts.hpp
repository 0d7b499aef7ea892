// Which charts a page has: each with a title, words for who cannot see it, and the table of its numbers.
#pragma once

#include <string>
#include <vector>

#include "reports/page/content.hpp"
#include "reports/page/html.hpp"

namespace pageproof::page {

struct Panel {
  std::string place = {};  // text: what neighbours may share
  std::string title;       // text
  std::string alt;         // text: what is to be seen
  std::string commands;    // for gnuplot; empty: the table alone
  Table table;
  std::string said = {};  // text, instead of a chart
};

// Every one in the order of cells; the cells of a panel share model, workload and P:D.
// `metric` of each setup in each cell, in percent of the median of setup b, or of the first that has it.
std::vector<Panel> repeat_panels(const Content& content, const std::string& metric);
std::vector<Panel> itl_panels(const Content& content);   // p50, p90, p99
std::vector<Panel> ttft_panels(const Content& content);  // its parts
std::vector<Panel> break_even_panels(const Content& content);
std::vector<Panel> prediction_panels(const Content& content);
std::vector<Panel> sensitivity_panels(const Content& content);

// "TPOT" for "tpot"; a name that is not known stays.
std::string_view metric_words(std::string_view metric);
// "Qwen3-8B, cold, P:D 1:1": what the cells of one panel share.
std::string place_of(const Cell& cell);
std::string load_words(const Cell& cell);  // "64 at once"
std::string load_of(const Cell& cell);     // "64 at once, 4k in, 512 out"
std::string tokens(std::uint64_t count);   // 4096 -> "4k"

}  // namespace pageproof::page
