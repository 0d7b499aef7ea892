// The laws of every page format of the catalogue, over every small shape and over random ones.
#include <nlohmann/json.hpp>

#include "fuzz/laws/catalogue_laws.hpp"
#include "fuzz/property/property.hpp"

namespace pageproof::fuzz {
namespace {

using page::PageFormat;
using page::Place;

nlohmann::json values_of(const FormatCase& c) {
  return {{"format", c.format->tag}, {"shape", to_json(c.shape)}, {"block", c.block}};
}

nlohmann::json describe(Choices& choices, Domain domain) {
  return values_of(make_format_case(choices, domain == Domain::small));
}

// A law about one format, with what it judges put in.
template <class Judge>
RunCase over_formats(const std::string& name, const std::string& claim, const Judge& judge) {
  return [name, claim, judge](Choices& choices, Domain domain) -> std::optional<Failure> {
    const FormatCase c = make_format_case(choices, domain == Domain::small);
    const Verdict verdict = judge(c);
    if (!verdict) return {};
    return Failure{name,
                   claim,
                   c.format->tag + "   " + pageproof::to_string(c.shape) + "   " + verdict->where,
                   verdict->expected,
                   verdict->got,
                   ""};
  };
}

PageFormat changed(const PageFormat& format, std::string_view tag, std::string_view key,
                   std::string_view value) {
  PageFormat other = format;
  if (format.tag != tag) return other;
  other.key = *page::parse_order(key);
  other.value = *page::parse_order(value);
  return other;
}

// ---- a place of its own

const std::string kPlaceName = "format.one_place_each";
const std::string kPlaceClaim =
    "every element lies in its page or plane, no two in one place, and none is left over";

RunCase place_property(const Locate& locate) {
  return over_formats(kPlaceName, kPlaceClaim,
                      [locate](const FormatCase& c) { return one_place_each(c, locate); });
}

Place digit_twice(const PageFormat& format, const Shape& shape, const Coordinate& at) {
  return page::locate(changed(format, "aiter-shuffled", "h t/x d%x d/x d%x", "h t/x d%x d/x t/x"), shape, at);
}

Place one_element_late(const PageFormat& format, const Shape& shape, const Coordinate& at) {
  Place place = page::locate(format, shape, at);
  place.byte += shape.element_bytes;
  return place;
}

Place radix_of_page(const PageFormat& format, const Shape& shape, const Coordinate& at) {
  Place place = page::locate(format, shape, at);
  if (format.tag == "cpu-amx") place.byte += at.token / 16 * shape.head_dim * shape.element_bytes;
  return place;
}

Place sides_in_one_plane(const PageFormat& format, const Shape& shape, const Coordinate& at) {
  Place place = page::locate(format, shape, at);
  if (format.tag == "xqa-1") place.region = Side::key;
  return place;
}

// ---- back again

const std::string kBackName = "format.unfold_undoes_fold";
const std::string kBackClaim = "unfolding the byte of an element gives its coordinate, its block included";

RunCase back_property(const Find& find) {
  return over_formats(kBackName, kBackClaim,
                      [find](const FormatCase& c) { return unfold_undoes_fold(c, find); });
}

Coordinate block_forgotten(const PageFormat& format, const Shape& shape, const Place& place) {
  Coordinate found = page::coordinate_at(format, shape, place);
  found.block %= std::uint64_t{1} << 32;
  return found;
}

Coordinate value_by_key_order(const PageFormat& format, const Shape& shape, const Place& place) {
  PageFormat faulty = format;
  if (format.tag == "classic-paged") faulty.value = format.key;
  return page::coordinate_at(faulty, shape, place);
}

// ---- the source's arithmetic

const std::string kFormulaName = "format.is_its_formula";
const std::string kFormulaClaim =
    "a line of digits folds to the index arithmetic of its source, in every block";

RunCase formula_property(const Locate& locate) {
  return over_formats(kFormulaName, kFormulaClaim,
                      [locate](const FormatCase& c) { return is_its_formula(c, locate); });
}

Place shuffled_read_as_classic(const PageFormat& format, const Shape& shape, const Coordinate& at) {
  const bool exchanged = format.tag == "aiter-shuffled";
  return page::locate(exchanged ? **page::find_format("classic-paged") : format, shape, at);
}

Place heads_before_tokens(const PageFormat& format, const Shape& shape, const Coordinate& at) {
  return page::locate(changed(format, "standard-nhd", "h t s d", "h t s d"), shape, at);
}

Place offset_of_32_bits(const PageFormat& format, const Shape& shape, const Coordinate& at) {
  Place place = page::locate(format, shape, at);
  place.byte %= std::uint64_t{1} << 32;
  return place;
}

// ---- what a format needs

using Fits = std::function<Expected<void>(const PageFormat&, const Shape&)>;

const std::string kFitsName = "format.fits_what_it_needs";
const std::string kFitsClaim = "a format takes every multiple of what it needs and refuses the rest";

RunCase fits_property(const Fits& fits) {
  return over_formats(kFitsName, kFitsClaim,
                      [fits](const FormatCase& c) { return fits_what_it_needs(c, fits); });
}

Expected<void> fits_as_declared(const PageFormat& format, const Shape& shape) {
  return page::fits(format, shape);
}

Expected<void> fits_any_element(const PageFormat& format, const Shape& shape) {
  PageFormat lenient = format;
  lenient.needs.element_bytes = 0;
  return page::fits(lenient, shape);
}

Expected<void> needs_32_tokens(const PageFormat& format, const Shape& shape) {
  PageFormat strict = format;
  if (format.tag == "aiter-page16") strict.needs.tokens_multiple = 32;
  return page::fits(strict, shape);
}

// ---- conversion

const std::string kConvertName = "format.conversion_comes_back";
const std::string kConvertClaim =
    "any two formats of the same sides convert there, each element where it belongs, and back to the same "
    "bytes";

struct PairCase {
  FormatCase from;
  const PageFormat* to = nullptr;
};

PairCase make_pair_case(Choices& choices, Domain domain) {
  PairCase c{make_shape_of_format(choices, domain == Domain::small, 2), nullptr};
  c.to = &page::catalogue()[choices.below(page::catalogue().size())];
  return c;
}

nlohmann::json describe_pair(Choices& choices, Domain domain) {
  const PairCase c = make_pair_case(choices, domain);
  return {{"from", values_of(c.from)}, {"to", c.to->tag}};
}

RunCase convert_property(const Rearranges& rearrange) {
  return [rearrange](Choices& choices, Domain domain) -> std::optional<Failure> {
    const PairCase c = make_pair_case(choices, domain);
    const Verdict verdict = conversion_comes_back(c.from, *c.to, rearrange);
    if (!verdict) return {};
    return Failure{
        kConvertName,      kConvertClaim, pageproof::to_string(c.from.shape) + "   " + verdict->where,
        verdict->expected, verdict->got,  ""};
  };
}

Expected<page::Rearrangement> value_as_classic(const PageFormat& from, const PageFormat& to,
                                               const Shape& shape) {
  return page::rearrangement(from, changed(to, "aiter-shuffled", "h d/x t d%x", "h d t"), shape);
}

Expected<page::Rearrangement> back_is_there(const PageFormat& from, const PageFormat& to,
                                            const Shape& shape) {
  auto map = page::rearrangement(from, to, shape);
  const auto other = page::rearrangement(to, from, shape);
  if (map && other && from.tag > to.tag) map->source_of = other->source_of;
  return map;
}

// ---- tiles and pages of 16

const std::string kTilesName = "format.tiles_are_pages_of_16";
const std::string kTilesClaim =
    "a tile of N tokens and N/16 pages of 16 are the same K iff N = 16 or (H = 1 and D = x), the same V iff "
    "N = 16 "
    "or H = 1";

Shape make_tile(Choices& choices, Domain domain) {
  const bool small = domain == Domain::small;
  Shape shape;
  shape.element_bytes = choices.between(1, 2);
  shape.tokens = 16 * choices.between(1, small ? 4 : 8);
  shape.head_dim = shape.granule_elements() * choices.between(1, small ? 4 : 8);
  shape.heads = choices.between(1, small ? 3 : 5);
  return shape;
}

nlohmann::json describe_tile(Choices& choices, Domain domain) {
  return to_json(make_tile(choices, domain));
}

RunCase tiles_property(const SameAsPages& claim) {
  return [claim](Choices& choices, Domain domain) -> std::optional<Failure> {
    const Shape shape = make_tile(choices, domain);
    const Verdict verdict = tiles_are_pages_of_16(shape, claim);
    if (!verdict) return {};
    return Failure{kTilesName,        kTilesClaim,  pageproof::to_string(shape) + "   " + verdict->where,
                   verdict->expected, verdict->got, ""};
  };
}

std::pair<bool, bool> same_as_pages(const Shape& shape) {
  const bool one_page = shape.tokens == 16;
  const bool one_head = shape.heads == 1;
  return {one_page || (one_head && shape.head_dim == shape.granule_elements()), one_page || one_head};
}

std::pair<bool, bool> same_for_one_head(const Shape& shape) {
  const bool same = shape.tokens == 16 || shape.heads == 1;
  return {same, same};
}

std::pair<bool, bool> same_for_16_tokens_alone(const Shape& shape) {
  return {shape.tokens == 16, shape.tokens == 16};
}

const RegisteredProperty kProperties[] = {
    RegisteredProperty(
        {.name = kPlaceName,
         .claim = kPlaceClaim,
         .run = place_property(page::locate),
         .describe = describe,
         .mutants =
             {{"digit_twice", "a digit stands twice and another is missing", place_property(digit_twice)},
              {"one_element_late", "every offset is one element late", place_property(one_element_late)},
              {"radix_of_page", "the rows of AMX tiles have the stride of a page",
               place_property(radix_of_page)},
              {"sides_in_one_plane", "V lies in the plane of K", place_property(sides_in_one_plane)}}}),
    RegisteredProperty(
        {.name = kBackName,
         .claim = kBackClaim,
         .run = back_property(page::coordinate_at),
         .describe = describe,
         .mutants = {{"block_forgotten", "the block is taken modulo 2^32", back_property(block_forgotten)},
                     {"value_by_key_order", "a classic V is unfolded as its K",
                      back_property(value_by_key_order)}}}),
    RegisteredProperty(
        {.name = kFormulaName,
         .claim = kFormulaClaim,
         .run = formula_property(page::locate),
         .describe = describe,
         .mutants = {{"shuffled_read_as_classic", "the shuffled format has the classic V",
                      formula_property(shuffled_read_as_classic)},
                     {"heads_before_tokens", "NHD pages have heads outside tokens",
                      formula_property(heads_before_tokens)},
                     {"offset_of_32_bits", "offsets wrap at 4 GiB", formula_property(offset_of_32_bits)}}}),
    RegisteredProperty({.name = kFitsName,
                        .claim = kFitsClaim,
                        .run = fits_property(fits_as_declared),
                        .describe = describe,
                        .mutants = {{"fits_any_element", "formats of one element size take others",
                                     fits_property(fits_any_element)},
                                    {"needs_32_tokens", "pages of 16 tokens come in pairs",
                                     fits_property(needs_32_tokens)}}}),
    RegisteredProperty(
        {.name = kConvertName,
         .claim = kConvertClaim,
         .run = convert_property(page::rearrangement),
         .describe = describe_pair,
         .mutants = {{"value_as_classic", "V is written in the classic order",
                      convert_property(value_as_classic)},
                     {"back_is_there", "the way back is the way there", convert_property(back_is_there)}}}),
    RegisteredProperty({.name = kTilesName,
                        .claim = kTilesClaim,
                        .run = tiles_property(same_as_pages),
                        .describe = describe_tile,
                        .mutants = {{"same_for_one_head", "K is the same for every D of one head",
                                     tiles_property(same_for_one_head)},
                                    {"same_for_16_tokens_alone", "only 16 tokens are the same",
                                     tiles_property(same_for_16_tokens_alone)}}}),
};

}  // namespace
}  // namespace pageproof::fuzz
