#include "fuzz/laws/statements.hpp"

#include <fmt/format.h>

#include <cstring>

#include "fuzz/laws/verdict.hpp"
#include "model/page/rearrange.hpp"
#include "oracle/offset/permute.hpp"
#include "oracle/offset/writer.hpp"

namespace pageproof::fuzz {
namespace {

using Page = std::span<const std::byte>;
using Block = std::span<std::byte>;

constexpr std::uint64_t kFirst[] = {0};

void by_digit_order(const Shape& shape, Page page, Block key, Block value) {
  const auto map =
      page::rearrangement(**page::find_format("standard"), **page::find_format("aiter-shuffled"), shape);
  page::apply(map.value(), kFirst, {page, {}}, {key, value});
}

void by_writer_arithmetic(const Shape& shape, Page page, Block key, Block value) {
  for (const Side side : {Side::key, Side::value}) {
    for (std::uint64_t head = 0; head < shape.heads; ++head) {
      for (std::uint64_t token = 0; token < shape.tokens; ++token) {
        for (std::uint64_t dim = 0; dim < shape.head_dim; ++dim) {
          const Coordinate c{0, side, head, token, dim};
          std::memcpy(&(side == Side::key ? key : value)[oracle::shuffled_byte(shape, c)],
                      &page[oracle::standard_byte(shape, c)], shape.element_bytes);
        }
      }
    }
  }
}

void by_permute(const Shape& shape, Page page, Block key, Block value) {
  oracle::copy_contiguous(oracle::shuffled_key_view(shape), shape.element_bytes, page, key);
  oracle::copy_contiguous(oracle::shuffled_value_view(shape), shape.element_bytes, page, value);
}

void by_gather_and_rewrite(const Shape& shape, Page page, Block key, Block value) {
  oracle::gather_and_rewrite(shape, page, kFirst, kFirst, {key, value});
}

ConvertCase one_block(const Shape& shape, std::uint64_t seed) {
  ConvertCase c;
  c.shape = shape;
  c.seed = seed;
  c.from = {0};
  c.to = {0};
  return c;
}

Block block_in(PlanesMemory& memory, const Placement& placement) {
  return std::span(memory.bytes).subspan(placement.begin(0, 0), placement.block_bytes);
}

}  // namespace

std::vector<Statement> statements() {
  return {{"writer arithmetic", by_writer_arithmetic},
          {"digit order", by_digit_order},
          {"reshape/permute", by_permute},
          {"gather and re-run of the writer", by_gather_and_rewrite}};
}

Verdict statements_agree(const Shape& shape, std::uint64_t seed, std::span<const Statement> of) {
  const ConvertCase c = one_block(shape, seed);
  const StandardMemory standard = standard_memory(c);
  const Page page = std::span(standard.bytes).subspan(standard.pages.begin(0, 0), shape.page_bytes());
  PlanesMemory first = planes_memory(c);
  const PlanesMemory before = first;
  of[0].write(shape, page, block_in(first, first.key), block_in(first, first.value));
  for (const Statement& statement : of.subspan(1)) {
    PlanesMemory other = before;
    statement.write(shape, page, block_in(other, other.key), block_in(other, other.value));
    const std::string what = fmt::format("{} against {}", statement.name, of[0].name);
    if (Verdict wrong = same(difference(c, first, other), what)) return wrong;
  }
  return {};
}

Verdict landing_is_the_halves(const Shape& shape, std::uint64_t seed, const Landing& landing) {
  const ConvertCase c = one_block(shape, seed);
  const StandardMemory standard = standard_memory(c);
  const Page page = std::span(standard.bytes).subspan(standard.pages.begin(0, 0), shape.page_bytes());
  PlanesMemory landed = planes_memory(c);
  land_by_oracle(c, standard, landed);
  const Block key = block_in(landed, landed.key);
  const Block value = block_in(landed, landed.value);
  for (std::uint64_t byte = 0; byte < page.size(); ++byte) {
    const page::Place place = landing(shape, byte);
    const bool inside = place.byte < shape.side_bytes();
    const std::byte got = inside ? (place.region == Side::key ? key : value)[place.byte] : std::byte{};
    const std::uint64_t in_a_row = place.byte + (place.region == Side::value ? shape.side_bytes() : 0);
    if (inside && in_a_row == byte && got == page[byte]) continue;
    return Refutation{
        fmt::format("page byte {}", byte),
        fmt::format("0x{:02x} at byte {} of the halves in a row", static_cast<unsigned>(page[byte]), byte),
        fmt::format("0x{:02x} at byte {} of the {} block", static_cast<unsigned>(got), place.byte,
                    pageproof::to_string(place.region))};
  }
  return {};
}

}  // namespace pageproof::fuzz
