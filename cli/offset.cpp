// pageproof offset: where one element lies, how the fold got there, and what the oracle says to it.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "model/page/format.hpp"
#include "model/page/landing.hpp"
#include "oracle/offset/writer.hpp"

namespace pageproof::cli {
namespace {

constexpr const char* kLandingTag = "landing";

// Everything the two statements say about one element.
struct Answer {
  page::Place place;        // the model's: region and byte
  const char* region = "";  // "page", "K plane", "V plane"
  std::uint64_t block_base = 0;
  page::Explanation fold;  // of the order; for the landing, of the standard page it came in
  std::optional<std::uint64_t>
      oracle_byte;                   // from the region's base; nothing where the oracle has no statement
  std::optional<Side> oracle_plane;  // the landing's: the plane by the oracle
};

const char* plane_name(Side side) {
  return side == Side::key ? "K plane" : "V plane";
}

// The oracle's arithmetic, over the byte-half contract: bytes below S of a page land in the K plane.
void ask_landing_oracle(const Shape& shape, Coordinate coordinate, Answer& answer) {
  const std::uint64_t block = std::exchange(coordinate.block, 0);
  const std::uint64_t half = shape.heads * shape.tokens * shape.head_dim * shape.element_bytes;
  const std::uint64_t page_byte = oracle::standard_byte(shape, coordinate);
  answer.oracle_plane = page_byte / half == 0 ? Side::key : Side::value;
  answer.oracle_byte = block * half + page_byte % half;
}

Answer landing_answer(const Shape& shape, const Coordinate& coordinate) {
  Answer answer;
  answer.place = page::landing_of(shape, coordinate);
  answer.region = plane_name(answer.place.region);
  answer.block_base = coordinate.block * shape.side_bytes();
  answer.fold = page::explain(**page::find_format("standard"), shape, coordinate);
  ask_landing_oracle(shape, coordinate, answer);
  return answer;
}

Answer format_answer(const page::PageFormat& format, const Shape& shape, const Coordinate& coordinate) {
  Answer answer;
  const bool page = format.regions == page::Regions::page;
  answer.place = page::locate(format, shape, coordinate);
  answer.region = page ? "page" : plane_name(answer.place.region);
  answer.block_base = coordinate.block * (page ? shape.page_bytes() : shape.side_bytes());
  answer.fold = page::explain(format, shape, coordinate);
  if (format.tag == "standard") answer.oracle_byte = oracle::standard_byte(shape, coordinate);
  if (format.tag == "aiter-shuffled") answer.oracle_byte = oracle::shuffled_byte(shape, coordinate);
  return answer;
}

bool agrees(const Answer& answer) {
  return (!answer.oracle_byte || *answer.oracle_byte == answer.place.byte) &&
         (!answer.oracle_plane || *answer.oracle_plane == answer.place.region);
}

std::string text_of(const OffsetOptions& o, const Answer& answer) {
  const Shape& shape = o.shape;
  const bool landing = o.format == kLandingTag;
  std::string text = fmt::format("{}   {} (x={})   {}\n", o.format, to_string(shape),
                                 shape.granule_elements(), to_string(o.coordinate));
  text +=
      fmt::format("Byte      {} of the {} (0x{:x})\n", answer.place.byte, answer.region, answer.place.byte);
  text += fmt::format("Block     begins at byte {}\n", answer.block_base);
  text += fmt::format("Fold      {} = element {}{}\n", answer.fold.arithmetic, answer.fold.element,
                      landing ? " of the standard page" : "");
  std::size_t width = std::string_view("DIGIT").size();
  for (const page::FoldStep& step : answer.fold.steps) width = std::max(width, step.digit.size());
  text += fmt::format("          {:<{}}  {:>8}  {:>8}\n", "DIGIT", width, "VALUE", "VALUES");
  for (const page::FoldStep& step : answer.fold.steps) {
    text += fmt::format("          {:<{}}  {:>8}  {:>8}\n", step.digit, width, step.value, step.radix);
  }
  const std::uint64_t page_byte = answer.fold.element * shape.element_bytes;
  if (landing) {
    text += fmt::format("Landing   page byte p = {} · {} = {}, S = {}: {}\n", answer.fold.element,
                        shape.element_bytes, page_byte, shape.side_bytes(),
                        answer.place.region == Side::key ? "p < S, byte p of the K-plane block"
                                                         : "p >= S, byte p - S of the V-plane block");
  } else {
    text += fmt::format("Sum       {} + {} · {} = {}\n", answer.block_base, answer.fold.element,
                        shape.element_bytes, answer.place.byte);
  }
  if (o.format == "standard") {
    const page::Place landed = page::landing_of(shape, o.coordinate);
    text += fmt::format("Landing   byte {} of the {} (the {} half of the page)\n", landed.byte,
                        plane_name(landed.region), landed.region == Side::key ? "first" : "second");
  }
  if (!answer.oracle_byte) return text + "Oracle    has no statement about this format\n";
  text += fmt::format("Oracle    {}{}: {}\n", *answer.oracle_byte,
                      answer.oracle_plane ? fmt::format(" of the {}", plane_name(*answer.oracle_plane)) : "",
                      agrees(answer) ? "agrees" : "DIFFERS");
  return text;
}

nlohmann::ordered_json answer_json(const OffsetOptions& o, const Answer& answer) {
  nlohmann::ordered_json digits = nlohmann::ordered_json::array();
  for (const page::FoldStep& step : answer.fold.steps) {
    digits.push_back({{"digit", step.digit}, {"value", step.value}, {"values", step.radix}});
  }
  nlohmann::ordered_json json = {{"command", "offset"},
                                 {"holds", agrees(answer)},
                                 {"format", o.format},
                                 {"shape", json_of(o.shape)},
                                 {"coordinate", json_of(o.coordinate)},
                                 {"region", answer.region},
                                 {"byte", answer.place.byte},
                                 {"block_base", answer.block_base},
                                 {"element", answer.fold.element},
                                 {"arithmetic", answer.fold.arithmetic},
                                 {"digits", digits},
                                 {"oracle_byte", nullptr}};
  if (answer.oracle_byte) json["oracle_byte"] = *answer.oracle_byte;
  if (answer.oracle_plane) json["oracle_region"] = plane_name(*answer.oracle_plane);
  if (o.format == "standard") {
    const page::Place landed = page::landing_of(o.shape, o.coordinate);
    json["landing"] = {{"region", plane_name(landed.region)}, {"byte", landed.byte}};
  }
  return json;
}

}  // namespace

Result offset(const OffsetOptions& options) {
  const auto shape = checked(options.shape, "offset");
  if (!shape) return std::unexpected(shape.error());
  const auto inside = page::checked(options.coordinate, *shape, "offset");
  if (!inside) return std::unexpected(inside.error());
  Answer answer;
  if (options.format == kLandingTag) {
    answer = landing_answer(*shape, options.coordinate);
  } else {
    const auto format = page::find_format(options.format);
    if (!format) return std::unexpected(Error{"--format", options.format, "", format.error().problem});
    const auto fits = page::fits(**format, *shape, options.coordinate.side);
    if (!fits) return std::unexpected(fits.error());
    answer = format_answer(**format, *shape, options.coordinate);
  }
  return Report{agrees(answer), text_of(options, answer), one_document(answer_json(options, answer))};
}

}  // namespace pageproof::cli
