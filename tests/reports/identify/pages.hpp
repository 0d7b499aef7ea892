// Pages for the tests of `identify`, written element by element with the model's locate (which the
// identification does not use for its maps element by element) and kept apart from what reads them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/page/format.hpp"
#include "reports/identify/identify.hpp"

namespace pageproof::reports {

using Bytes = std::vector<std::byte>;

// Standard pages [B, H, N, 2D] of random bytes, K and V different.
struct Reference {
  Shape shape;
  std::uint64_t blocks = 0;
  Bytes bytes;

  KnownPages pool() const;
  const std::byte* element(const Coordinate& coordinate) const;
};
Reference random_reference(const Shape& shape, std::uint64_t blocks, std::uint64_t seed);

// Calls visit for every element of a block, in the order K then V, head, token, dim.
void each_element(const Shape& shape, const std::function<void(const Coordinate&)>& visit);

// Byte of each element in the block's two slots, in each_element's order.
using Table = std::vector<std::uint64_t>;
Table table_of(const page::PageFormat& format, const Shape& shape);

// How two slots a block lie in the dump.
enum class Form : std::uint8_t { tensors, side_by_side, one_after_another };
std::string to_string(Form form);

// A dump that owns its bytes: both slots of every block, wherever the form has them.
struct Dump {
  Form form = Form::tensors;
  std::uint64_t blocks = 0;
  std::uint64_t slot_bytes = 0;
  Bytes first, second;
  std::vector<std::uint64_t> block_ids;

  Dump(Form as, const Shape& shape, std::uint64_t block_count, std::uint8_t fill = 0xA5);
  DumpedPages pool() const;
  std::byte* slot(std::uint64_t block, std::uint64_t which);
  std::byte* at(std::uint64_t block, std::uint64_t position) {
    return slot(block, position / slot_bytes) + position % slot_bytes;
  }
};

// Writes every element of block b of the reference at table[i] of block to(b).
void write(
    Dump& dump, const Reference& reference, const Table& table,
    const std::function<std::uint64_t(std::uint64_t)>& to = [](std::uint64_t b) { return b; });
Dump written(Form form, const Reference& reference, const std::string& tag);

Identification identified(const Dump& dump, const Reference& reference, const Diligence& diligence = {},
                          const std::string& expected = "");

// "aiter-shuffled", "standard/landed", "aiter-shuffled@side_by_side": what holds on both sides.
bool has_answer(const Identification& found, const std::string& tag, Accident accident);
bool has_side_answer(const Identification& found, Side side, const std::string& tag, Accident accident);
std::string summary(const Identification& found);

// What a law has to say against the code; empty: it holds.
using Complaints = std::vector<std::string>;

}  // namespace pageproof::reports
