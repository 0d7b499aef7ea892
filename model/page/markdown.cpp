#include "model/page/markdown.hpp"

#include <fmt/format.h>

#include "model/page/format.hpp"
#include "model/page/layout.hpp"

namespace pageproof::page {
namespace {

std::string value_cell(const PageFormat& format) {
  if (format.key_only()) return "none";
  return format.value == format.key ? "the same" : fmt::format("`{}`", to_string(format.value));
}

std::string layout_cell(const Layout& layout) {
  constexpr std::string_view kSizes = "LBHNC";
  constexpr std::string_view kIndices = "lbhtc";
  std::string sum;
  for (std::size_t i = 0; i < kLayoutAxes; ++i) {
    std::string further_in;
    for (std::size_t j = i + 1; j < kLayoutAxes; ++j) further_in += kSizes[index_of(layout.order[j])];
    sum += fmt::format("{}{}{}{}", sum.empty() ? "" : " + ", kIndices[index_of(layout.order[i])],
                       further_in.empty() ? "" : "·", further_in);
  }
  return sum;
}

}  // namespace

std::string to_string(const Needs& needs) {
  std::string text;
  const auto add = [&](const std::string& rule) { text += (text.empty() ? "" : ", ") + rule; };
  if (needs.tokens_multiple != 1) add(fmt::format("N % {} == 0", needs.tokens_multiple));
  if (needs.head_dim_multiple != 1) add(fmt::format("D % {} == 0", needs.head_dim_multiple));
  if (needs.element_bytes != 0) add(fmt::format("e == {}", needs.element_bytes));
  if (needs.one_head) add("H == 1");
  return text.empty() ? "any" : text;
}

std::string catalogue_markdown() {
  std::string text =
      "| page format | K, outermost digit first | V | lies in | shape | same bytes as | read by | source |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const PageFormat& format : catalogue()) {
    std::string same;
    for (const std::string& tag : same_order_as(format))
      same += fmt::format("{}`{}`", same.empty() ? "" : ", ", tag);
    text += fmt::format("| `{}` | `{}` | {} | {} | {} | {} | {} | {} |\n", format.tag, to_string(format.key),
                        value_cell(format), format.regions == Regions::page ? "one page" : "planes",
                        to_string(format.needs), same, format.readers, format.source);
  }
  text +=
      "\nAxes: `h` head, `t` token, `s` side (0 K, 1 V), `d` dim; `t%16/x` is (t mod 16) div x; x = 16 B / "
      "element bytes.\n\n| layout | alias | byte of (layer l, block b, head slot h, token t, content byte c) "
      "|\n"
      "| --- | --- | --- |\n";
  for (const Layout& layout : layouts()) {
    text += fmt::format("| {} | {} | {} |\n", layout.name, layout.alias, layout_cell(layout));
  }
  text += "\n| no order of digits | because | source |\n| --- | --- | --- |\n";
  for (const NotAnOrder& other : not_orders()) {
    text += fmt::format("| {} | {} | {} |\n", other.name, other.reason, other.source);
  }
  return text;
}

}  // namespace pageproof::page
