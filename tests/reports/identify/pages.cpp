#include "tests/reports/identify/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "oracle/offset/writer.hpp"

namespace pageproof::reports {

KnownPages Reference::pool() const {
  return {{.first = bytes}, *page::find_format("standard"), shape};
}

const std::byte* Reference::element(const Coordinate& coordinate) const {
  return bytes.data() + oracle::standard_byte(shape, coordinate);
}

Reference random_reference(const Shape& shape, std::uint64_t blocks, std::uint64_t seed) {
  Reference reference{shape, blocks, Bytes(blocks * shape.page_bytes())};
  std::mt19937_64 random(seed);
  for (std::byte& byte : reference.bytes) byte = static_cast<std::byte>(random() >> 56);
  return reference;
}

void each_element(const Shape& shape, const std::function<void(const Coordinate&)>& visit) {
  for (const Side side : {Side::key, Side::value}) {
    for (std::uint64_t h = 0; h < shape.heads; ++h) {
      for (std::uint64_t t = 0; t < shape.tokens; ++t) {
        for (std::uint64_t d = 0; d < shape.head_dim; ++d) visit({0, side, h, t, d});
      }
    }
  }
}

Table table_of(const page::PageFormat& format, const Shape& shape) {
  Table table;
  each_element(shape, [&](const Coordinate& coordinate) {
    if (coordinate.side == Side::value && format.key_only()) return;
    const page::Place place = page::locate(format, shape, coordinate);
    table.push_back(place.byte + (place.region == Side::value ? shape.side_bytes() : 0));
  });
  return table;
}

std::string to_string(Form form) {
  return form == Form::tensors        ? "tensors"
         : form == Form::side_by_side ? "side_by_side"
                                      : "one_after_another";
}

Dump::Dump(Form as, const Shape& shape, std::uint64_t block_count, std::uint8_t fill)
    : form(as), blocks(block_count), slot_bytes(shape.side_bytes()) {
  const std::uint64_t plane = blocks * slot_bytes;
  first.resize(form == Form::tensors ? plane : 2 * plane, std::byte{fill});
  if (form == Form::tensors) second.resize(plane, std::byte{fill});
}

DumpedPages Dump::pool() const {
  return {form == Form::tensors, first, second, block_ids};
}

std::byte* Dump::slot(std::uint64_t block, std::uint64_t which) {
  if (form == Form::side_by_side) return first.data() + (2 * block + which) * slot_bytes;
  if (form == Form::one_after_another) return first.data() + (which * blocks + block) * slot_bytes;
  return (which == 0 ? first : second).data() + block * slot_bytes;
}

void write(Dump& dump, const Reference& reference, const Table& table,
           const std::function<std::uint64_t(std::uint64_t)>& to) {
  for (std::uint64_t block = 0; block < reference.blocks; ++block) {
    std::size_t i = 0;
    each_element(reference.shape, [&](Coordinate coordinate) {
      if (i >= table.size()) return;
      coordinate.block = block;
      std::memcpy(dump.at(to(block), table[i++]), reference.element(coordinate),
                  reference.shape.element_bytes);
    });
  }
}

Dump written(Form form, const Reference& reference, const std::string& tag) {
  Dump dump(form, reference.shape, reference.blocks);
  write(dump, reference, table_of(**page::find_format(tag), reference.shape));
  return dump;
}

Identification identified(const Dump& dump, const Reference& reference, const Diligence& diligence,
                          const std::string& expected) {
  IdentifyOptions options;
  options.diligence = diligence;
  if (!expected.empty()) options.expected = *page::find_format(expected);
  const DumpedPages pool = dump.pool();
  Expected<Identification> found = identify(pool, reference.pool(), options);
  if (!found) throw std::runtime_error(to_string(found.error()));
  return *std::move(found);
}

namespace {

bool among(const Identification& found, std::span<const Answer> answers, const std::string& tag,
           Accident accident) {
  return std::ranges::any_of(answers, [&](const Answer& answer) {
    const Candidate& candidate = found.candidates[answer.candidate];
    return candidate.format->tag == tag && candidate.accident == accident;
  });
}

}  // namespace

bool has_answer(const Identification& found, const std::string& tag, Accident accident) {
  return among(found, found.answers, tag, accident);
}

bool has_side_answer(const Identification& found, Side side, const std::string& tag, Accident accident) {
  return among(found, found.side_answers[static_cast<std::size_t>(side)], tag, accident);
}

std::string summary(const Identification& found) {
  return to_text(found);
}

}  // namespace pageproof::reports
