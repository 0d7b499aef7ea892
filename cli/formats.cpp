// pageproof formats: the catalogue, for a person and for a script.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "model/page/format.hpp"
#include "model/page/layout.hpp"
#include "model/page/markdown.hpp"

namespace pageproof::cli {
namespace {

constexpr const char* kLegend =
    "An order lists digits, outermost first. Axes: h KV head, t token, s side (K, V), d dim.\n"
    "t/x is t div x, t%x is t mod x; x = 16 bytes / element bytes. N and D are multiples of x.\n\n";

constexpr const char* kLanding =
    "Between the read and the conversion a page lies as its landing. That is no order of digits (an odd "
    "head\n"
    "count tears a head) but a function of the byte over the standard order: of a page of 2S bytes, byte p < "
    "S\n"
    "lies at byte p of the K-plane block, byte p >= S at byte p - S of the V-plane block.\n";

const char* region_name(page::Regions regions) {
  return regions == page::Regions::page ? "one page" : "K plane, V plane";
}

std::string table(std::span<const page::PageFormat> formats) {
  constexpr const char* kHeads[] = {"TAG", "K ORDER", "V ORDER"};
  std::array<std::size_t, 3> widths{};
  for (std::size_t i = 0; i < 3; ++i) widths[i] = std::string_view(kHeads[i]).size();
  for (const page::PageFormat& format : formats) {
    widths[0] = std::max(widths[0], format.tag.size());
    widths[1] = std::max(widths[1], page::to_string(format.key).size());
    widths[2] = std::max(widths[2], page::to_string(format.value).size());
  }
  const auto row = [&](std::string_view tag, std::string_view key, std::string_view value,
                       std::string_view where) {
    return fmt::format("{:<{}}  {:<{}}  {:<{}}  {}\n", tag, widths[0], key, widths[1], value, widths[2],
                       where);
  };
  std::string text = row(kHeads[0], kHeads[1], kHeads[2], "A BLOCK IS");
  for (const page::PageFormat& format : formats) {
    text += row(format.tag, page::to_string(format.key), page::to_string(format.value),
                region_name(format.regions));
    text += fmt::format("{:{}}  read by {}\n", "", widths[0], format.readers);
    text += fmt::format("{:{}}  source  {}\n", "", widths[0], format.source);
    text += fmt::format("{:{}}  shape   {}\n", "", widths[0], page::to_string(format.needs));
  }
  return text;
}

std::string other_tables() {
  std::string text =
      "\nKV-cache layouts, outermost axis first (L layer, B block, H head slot, N token, C content):\n";
  for (const page::Layout& layout : page::layouts()) {
    text += fmt::format("  {}{}{}\n", layout.name, layout.alias.empty() ? "" : ", also ", layout.alias);
  }
  text += "\nNo orders of digits:\n";
  for (const page::NotAnOrder& other : page::not_orders()) {
    text += fmt::format("  {}: {}\n", other.name, other.reason);
  }
  return text;
}

}  // namespace

Result formats(const FormatsOptions& options) {
  Report report;
  report.text = options.markdown ? page::catalogue_markdown()
                                 : kLegend + table(page::catalogue()) + "\n" + kLanding + other_tables();
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const page::PageFormat& format : page::catalogue()) {
    list.push_back({{"tag", format.tag},
                    {"key", page::to_string(format.key)},
                    {"value", page::to_string(format.value)},
                    {"regions", format.regions == page::Regions::page ? "page" : "planes"},
                    {"readers", format.readers},
                    {"shape", page::to_string(format.needs)},
                    {"same_order_as", page::same_order_as(format)},
                    {"source", format.source}});
  }
  nlohmann::ordered_json layouts = nlohmann::ordered_json::array();
  for (const page::Layout& layout : page::layouts()) {
    layouts.push_back({{"name", layout.name}, {"alias", layout.alias}});
  }
  nlohmann::ordered_json others = nlohmann::ordered_json::array();
  for (const page::NotAnOrder& other : page::not_orders()) {
    others.push_back({{"name", other.name}, {"reason", other.reason}, {"source", other.source}});
  }
  const nlohmann::ordered_json document = {{"command", "formats"},
                                           {"holds", true},
                                           {"formats", list},
                                           {"layouts", layouts},
                                           {"no_order_of_digits", others},
                                           {"landing",
                                            {{"order", nullptr},
                                             {"over", "standard"},
                                             {"byte_below_S", "K-plane block, byte p"},
                                             {"byte_from_S", "V-plane block, byte p - S"}}}};
  report.json = one_document(document);
  return report;
}

}  // namespace pageproof::cli
