// Where an element goes, stated four times over, and where a byte lands, stated twice.
#include <cstring>
#include <nlohmann/json.hpp>

#include "fuzz/laws/statements.hpp"
#include "fuzz/property/property.hpp"
#include "model/page/rearrange.hpp"
#include "oracle/offset/permute.hpp"
#include "oracle/offset/writer.hpp"

namespace pageproof::fuzz {
namespace {

struct ShapeCase {
  Shape shape;
  std::uint64_t seed = 0;
};

// Any shape is in scope here, the fast ones no more than others.
const Extent& shape_extent(Domain domain) {
  static const Extent wide = [] {
    Extent extent = wide_extent();
    extent.fast_share = 1;
    return extent;
  }();
  return domain == Domain::small ? small_extent() : wide;
}

ShapeCase make_shape_case(Choices& choices, Domain domain) {
  const Extent& extent = shape_extent(domain);
  ShapeCase c{make_shape(choices, extent), 0};
  c.seed = choices.below(extent.seeds);
  return c;
}

nlohmann::json describe(Choices& choices, Domain domain) {
  const ShapeCase c = make_shape_case(choices, domain);
  return {{"shape", to_json(c.shape)}, {"seed", c.seed}};
}

std::optional<Failure> failure_of(const std::string& name, const std::string& claim, const ShapeCase& c,
                                  const Verdict& verdict) {
  if (!verdict) return {};
  const std::string example =
      pageproof::to_string(c.shape) + "   seed=" + std::to_string(c.seed) + "   " + verdict->where;
  return Failure{name, claim, example, verdict->expected, verdict->got, ""};
}

const std::string kAgreeName = "format.statements_agree";
const std::string kAgreeClaim =
    "digit orders, the writer's arithmetic, reshape/permute and the writer run again put every element in "
    "the same "
    "place";

RunCase statements_property(const std::vector<Statement>& of) {
  return [of](Choices& choices, Domain domain) {
    const ShapeCase c = make_shape_case(choices, domain);
    return failure_of(kAgreeName, kAgreeClaim, c, statements_agree(c.shape, c.seed, of));
  };
}

// The statements with one of them replaced.
std::vector<Statement> with(const std::string& name, decltype(Statement::write) write) {
  std::vector<Statement> changed = statements();
  for (Statement& statement : changed) {
    if (statement.name == name) statement.write = std::move(write);
  }
  return changed;
}

using Page = std::span<const std::byte>;
using Block = std::span<std::byte>;

void value_order_h_d_t(const Shape& shape, Page page, Block key, Block value) {
  page::PageFormat format = **page::find_format("aiter-shuffled");
  format.value = page::parse_order("h d t").value();
  constexpr std::uint64_t kFirst[] = {0};
  const auto map = page::rearrangement(**page::find_format("standard"), format, shape);
  page::apply(map.value(), kFirst, {page, {}}, {key, value});
}

void key_not_permuted(const Shape& shape, Page page, Block key, Block value) {
  const oracle::View permuted = oracle::shuffled_key_view(shape);
  oracle::copy_contiguous(permuted.permuted({0, 2, 1, 3}), shape.element_bytes, page, key);
  oracle::copy_contiguous(oracle::shuffled_value_view(shape), shape.element_bytes, page, value);
}

void sides_from_one_row(const Shape& shape, Page page, Block key, Block value) {
  oracle::View second = oracle::shuffled_value_view(shape);
  second.start = 0;
  oracle::copy_contiguous(oracle::shuffled_key_view(shape), shape.element_bytes, page, key);
  oracle::copy_contiguous(second, shape.element_bytes, page, value);
}

// The writer run over slots that begin with the second token: the last token's slot is never written.
void slots_off_by_one(const Shape& shape, Page page, Block key, Block value) {
  const std::uint64_t row = shape.head_dim * shape.element_bytes;
  std::vector<std::byte> keys, values;
  std::vector<std::int64_t> slots;
  for (std::uint64_t token = 1; token < shape.tokens; ++token) {
    slots.push_back(static_cast<std::int64_t>(token - 1));
    for (std::uint64_t head = 0; head < shape.heads; ++head) {
      const Page rows = page.subspan((head * shape.tokens + token) * 2 * row, 2 * row);
      keys.insert(keys.end(), rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(row));
      values.insert(values.end(), rows.begin() + static_cast<std::ptrdiff_t>(row), rows.end());
    }
  }
  oracle::run_writer(shape, keys, values, slots, {key, value});
}

const std::string kLandingName = "landing.halves_are_the_page";
const std::string kLandingClaim =
    "page byte p lands at byte p of the K block and then of the V block, and those two in a row are the page";

RunCase landing_property(const Landing& landing) {
  return [landing](Choices& choices, Domain domain) {
    const ShapeCase c = make_shape_case(choices, domain);
    return failure_of(kLandingName, kLandingClaim, c, landing_is_the_halves(c.shape, c.seed, landing));
  };
}

page::Place halves_cut_between_heads(const Shape& shape, std::uint64_t byte) {
  const std::uint64_t first = (shape.heads + 1) / 2 * (shape.page_bytes() / shape.heads);
  if (byte < first) return {Side::key, byte};
  return {Side::value, byte - first};
}

page::Place halves_exchanged(const Shape& shape, std::uint64_t byte) {
  page::Place place = page::landing(shape, byte);
  place.region = place.region == Side::key ? Side::value : Side::key;
  return place;
}

page::Place halves_are_sides(const Shape& shape, std::uint64_t byte) {
  const std::uint64_t row = shape.head_dim * shape.element_bytes;
  const std::uint64_t within = byte / (2 * row) * row + byte % row;
  return {byte / row % 2 == 0 ? Side::key : Side::value, within};
}

const RegisteredProperty kStatementsAgree(
    {.name = kAgreeName,
     .claim = kAgreeClaim,
     .run = statements_property(statements()),
     .describe = describe,
     .mutants = {{"value_order_h_d_t", "the V order is h d t",
                  statements_property(with("digit order", value_order_h_d_t))},
                 {"key_not_permuted", "K is reshaped but not permuted",
                  statements_property(with("reshape/permute", key_not_permuted))},
                 {"sides_from_one_row", "V is sliced where K is",
                  statements_property(with("reshape/permute", sides_from_one_row))},
                 {"slots_off_by_one", "the synthetic slot mapping begins one token late",
                  statements_property(with("gather and re-run of the writer", slots_off_by_one))}},
     .quick_cases = 150});

const RegisteredProperty kLanding({.name = kLandingName,
                                   .claim = kLandingClaim,
                                   .run = landing_property(page::landing),
                                   .describe = describe,
                                   .mutants = {
                                       {"halves_cut_between_heads", "the first half takes whole heads",
                                        landing_property(halves_cut_between_heads)},
                                       {"halves_exchanged", "the first half lands in the V block",
                                        landing_property(halves_exchanged)},
                                       {"halves_are_sides", "K lands in the K block, V in the V block",
                                        landing_property(halves_are_sides)}}});

}  // namespace
}  // namespace pageproof::fuzz
