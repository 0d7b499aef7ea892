// Sections as plain text and as Markdown. Names come from files that anyone may have written: what a terminal
// or Markdown would act on is written so that it is only read.
#include <fmt/format.h>

#include <algorithm>

#include "reports/gonogo/words.hpp"

namespace pageproof::gonogo {
namespace {

std::vector<std::size_t> widths(const std::vector<std::vector<std::string>>& table) {
  std::vector<std::size_t> out(table.front().size(), 0);
  for (const std::vector<std::string>& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) out[i] = std::max(out[i], visible(row[i]).size());
  }
  return out;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : visible(text)) {
    if (std::string_view("\\|<>&`*_[]~#@").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// Longer than any run of backticks in the lines, so that none of them ends it.
std::string fence_around(const std::vector<std::string>& lines) {
  std::size_t longest = 2;
  for (const std::string& line : lines) {
    std::size_t run = 0;
    for (const char c : line) {
      run = c == '`' ? run + 1 : 0;
      longest = std::max(longest, run);
    }
  }
  return std::string(longest + 1, '`');
}

}  // namespace

std::string visible(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool second_set =
        byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (byte >= 0x20 && byte != 0x7f && !second_set) {
      out += text[i];
      continue;
    }
    out += fmt::format("\\x{:02x}", byte);
    if (second_set) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[++i]));
  }
  return out;
}

std::string to_text(const std::vector<Section>& sections) {
  std::string out;
  for (const Section& section : sections) {
    out += (out.empty() ? "" : "\n") + visible(section.title) + "\n";
    for (const std::string& line : section.lines) out += "  " + visible(line) + "\n";
    for (const std::string& line : section.drawing) out += "  " + visible(line) + "\n";
    if (section.table.empty()) continue;
    const std::vector<std::size_t> width = widths(section.table);
    for (const std::vector<std::string>& row : section.table) {
      std::string line = " ";
      for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format(" {:<{}} ", visible(row[i]), width[i]);
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
  }
  return out;
}

std::string to_markdown(const std::vector<Section>& sections) {
  std::string out;
  for (const Section& section : sections) {
    out += fmt::format("{}{} {}\n\n", out.empty() ? "" : "\n", out.empty() ? "##" : "###",
                       escaped(section.title));
    for (const std::string& line : section.lines) out += "- " + escaped(line) + "\n";
    if (!section.drawing.empty()) {
      const std::string fence = fence_around(section.drawing);
      out += fence + "\n";
      for (const std::string& line : section.drawing) out += visible(line) + "\n";
      out += fence + "\n";
    }
    if (section.table.empty()) continue;
    if (!section.lines.empty()) out += "\n";
    for (std::size_t r = 0; r < section.table.size(); ++r) {
      out += "|";
      for (const std::string& cell : section.table[r]) out += " " + escaped(cell) + " |";
      out += "\n";
      if (r > 0) continue;
      out += "|";
      for (std::size_t i = 0; i < section.table[r].size(); ++i) out += "---|";
      out += "\n";
    }
  }
  return out;
}

}  // namespace pageproof::gonogo
