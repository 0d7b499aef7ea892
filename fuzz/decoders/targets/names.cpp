// Short texts: page-format tags, lines of digits, layouts, element types, shards, base64.
#include "fuzz/campaign/shard.hpp"
#include "fuzz/decoders/decoder.hpp"
#include "golden/container/dtype.hpp"
#include "model/handshake/wire.hpp"
#include "model/page/format.hpp"
#include "model/page/layout.hpp"
#include "model/region/layout.hpp"

namespace pageproof::fuzz {
namespace {

void decode_order(Bytes input) {
  const auto order = decoded(input, [&] { return page::parse_order(text_of(input)); });
  if (!order) return;
  const auto again = page::parse_order(page::to_string(*order));
  must(again && *again == *order, "a line of digits comes back");
  const page::DigitOrder normal = page::normal_form(*order);
  must(page::normal_form(normal) == normal, "a normal form is its own");
  for (const Shape& shape : {Shape{3, 32, 64, 2}, Shape{1, 16, 16, 1}}) {
    for (const bool has_side : {false, true}) {
      const auto tiling = page::tiles(*order, shape, has_side, "input");
      if (!tiling) must_be_one_line(tiling.error());
    }
  }
}

}  // namespace

void decode_one(Bytes input) {
  decode_order(input);
  const std::string text(text_of(input));
  if (const auto format = decoded(input, [&] { return page::find_format(text); })) {
    must((*format)->tag == text, "a tag names its format");
  }
  if (const auto layout = decoded(input, [&] { return page::find_layout(text); })) {
    must((*layout)->name == text || (*layout)->alias == text, "a name or an alias names its layout");
  }
  if (const auto layout = decoded(input, [&] { return region::parse_layout(text, "input"); })) {
    must(region::to_string(*layout) == text || region::legacy_name(*layout) == text,
         "a layout's name comes back");
  }
  if (const auto dtype = golden::dtype_from_name(text))
    must(golden::name(*dtype) == text, "a type's name comes back");
  if (const auto shard = decoded(input, [&] { return parse_shard(text); })) {
    const auto again = parse_shard(to_string(*shard));
    must(again && again->index == shard->index && again->count == shard->count, "a shard comes back");
  }
  if (const auto bytes = decoded(input, [&] { return handshake::from_base64(text, "input", "$"); })) {
    must(handshake::base64(*bytes) == text, "base64 comes back");
  }
}

}  // namespace pageproof::fuzz
