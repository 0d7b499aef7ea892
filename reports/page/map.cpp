#include "reports/page/map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "reports/page/charts.hpp"
#include "reports/page/html.hpp"

namespace pageproof::page {
namespace {

struct Placed {
  const Cell* cell;
  const Square* square;
};

// One small table. Rows and columns in the order in which cells come.
struct Block {
  std::string place, question;
  std::vector<Placed> squares;
};

std::string question_of(const Square& square) {
  if (square.setup.empty()) return square.by;
  return fmt::format("{} against {}: {}", square.setup, square.comparator, metric_words(square.by));
}

bool by_rule(const Square& square) {
  return square.by.starts_with("rule");
}

std::vector<Block> blocks_of(const Content& content, Asked asked, bool judged) {
  std::vector<Block> blocks;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  for (const Cell& cell : content.cells) {
    const std::string place = place_of(cell);
    for (const Square& square : cell.squares) {
      if (by_rule(square) != (asked == Asked::rules)) continue;
      if ((square.setup == content.decides) != judged) continue;
      const std::string question = question_of(square);
      const auto [found, fresh] = known.try_emplace({place, question}, blocks.size());
      if (fresh) blocks.push_back({place, question, {}});
      blocks[found->second].squares.push_back({&cell, &square});
    }
  }
  return blocks;
}

// The metrics in the order of their weight for the rules.
std::size_t rank_of(std::string_view by) {
  constexpr std::array<std::string_view, 4> kOrder{"tpot", "ttft", "output_throughput", "prefill_throughput"};
  return static_cast<std::size_t>(std::ranges::find(kOrder, by) - kOrder.begin());
}

std::string square_html(const Placed& placed) {
  const Square& square = *placed.square;
  const std::string gain =
      square.gain ? fmt::format("<small>{}</small>", percent(*square.gain)) : std::string();
  return fmt::format("<td class=\"s {}\"><b>{}</b>{}</td>", class_of(square.mark), letter_of(square.mark),
                     gain);
}

using Line = std::pair<std::string, std::uint64_t>;  // load, output tokens

// Rows and columns of all maps of one place: what stands at one spot is the same cell in each.
struct Frame {
  std::vector<std::uint64_t> contexts;
  std::vector<Line> lines;
};

Frame frame_of(const Content& content, const std::string& place) {
  Frame frame;
  for (const Cell& cell : content.cells) {
    if (cell.squares.empty() || place_of(cell) != place) continue;
    frame.contexts.push_back(cell.isl);
    const Line line{cell.load, cell.osl};
    if (std::ranges::find(frame.lines, line) == frame.lines.end()) frame.lines.push_back(line);
  }
  std::ranges::sort(frame.contexts);
  frame.contexts.erase(std::ranges::unique(frame.contexts).begin(), frame.contexts.end());
  return frame;
}

std::string block_html(const Block& block, const Frame& frame) {
  std::string out = fmt::format(
      "<figure class=\"map\"><figcaption>{}</figcaption><table><thead><tr><th scope=\"col\">load, out</th>",
      escaped(block.question));
  for (const std::uint64_t context : frame.contexts)
    out += fmt::format("<th scope=\"col\">{}</th>", tokens(context));
  out += "</tr></thead><tbody>\n";
  for (const auto& [load, osl] : frame.lines) {
    out += fmt::format("<tr><th scope=\"row\">{}, {}</th>", escaped(load), tokens(osl));
    for (const std::uint64_t context : frame.contexts) {
      const auto found = std::ranges::find_if(block.squares, [&](const Placed& placed) {
        return placed.cell->isl == context && placed.cell->osl == osl && placed.cell->load == load;
      });
      out += found == block.squares.end() ? "<td></td>" : square_html(*found);
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></figure>\n";
}

}  // namespace

std::string map_of(const Content& content, Asked asked, bool judged) {
  std::vector<Block> blocks = blocks_of(content, asked, judged);
  const auto order = [](const Block& block) {
    const Square& first = *block.squares.front().square;
    return std::tuple(block.place, first.setup, first.by != kAllRules, first.comparator, rank_of(first.by),
                      first.by);
  };
  std::ranges::sort(blocks, {}, order);
  std::string out;
  Frame frame;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i == 0 || blocks[i].place != blocks[i - 1].place) {
      if (i > 0) out += "</div>\n";
      if (!blocks[i].place.empty()) out += fmt::format("<h4>{}</h4>\n", escaped(blocks[i].place));
      out += "<div class=\"maps\">\n";
      frame = frame_of(content, blocks[i].place);
    }
    out += block_html(blocks[i], frame);
  }
  return blocks.empty() ? out : out + "</div>\n";
}

std::string legend_of(const Content& content) {
  std::set<Mark> seen;
  for (const Cell& cell : content.cells) {
    for (const Square& square : cell.squares) seen.insert(square.mark);
  }
  std::string out = "<ul class=\"legend\">\n";
  for (const Mark mark : seen) {
    out += fmt::format("<li><span class=\"s {}\"><b>{}</b></span> {}</li>\n", class_of(mark), letter_of(mark),
                       meaning_of(mark));
  }
  return seen.empty() ? "" : out + "</ul>\n";
}

}  // namespace pageproof::page
