// Laws of the page formats of the catalogue, each over every coordinate of one shape. What places an element
// is a parameter: the model's own fold, or a mutant of it.
#pragma once

#include <functional>
#include <string>

#include "fuzz/generate/choices.hpp"
#include "fuzz/laws/formulas.hpp"
#include "fuzz/laws/laws.hpp"
#include "model/page/format.hpp"
#include "model/page/rearrange.hpp"

namespace pageproof::fuzz {

// A format, a shape that fits it, and a block.
struct FormatCase {
  const page::PageFormat* format = nullptr;
  Shape shape;
  std::uint64_t block = 0;
};

// Small: every format over every shape of 1 to `small_most` heads and as many times the least N and D. Else
// more of each, in pages of at most 16 KiB. Block 0.
FormatCase make_shape_of_format(Choices& choices, bool small, std::uint64_t small_most);
// The same with 3, in block 0 or 2^33; else any block below 2^34.
FormatCase make_format_case(Choices& choices, bool small);

using Locate = std::function<page::Place(const page::PageFormat&, const Shape&, const Coordinate&)>;
using Find = std::function<Coordinate(const page::PageFormat&, const Shape&, const page::Place&)>;
using Rearranges = std::function<Expected<page::Rearrangement>(const page::PageFormat&,
                                                               const page::PageFormat&, const Shape&)>;

// Every element of the block lies in its page or plane, no two in one place, no place is left over.
Verdict one_place_each(const FormatCase& c, const Locate& locate);
// Unfolding the byte where an element lies gives its coordinate.
Verdict unfold_undoes_fold(const FormatCase& c, const Find& find);
// The byte is the formula's element, in the block's page or plane.
Verdict is_its_formula(const FormatCase& c, const Locate& locate);
// Its slices tile the axes, and it refuses N and D that its needs rule out.
Verdict fits_what_it_needs(const FormatCase& c,
                           const std::function<Expected<void>(const page::PageFormat&, const Shape&)>& fits);
// Into `to` and back: each element where `locate` has it, then every byte as before; other blocks untouched.
Verdict conversion_comes_back(const FormatCase& c, const page::PageFormat& to, const Rearranges& rearrange);
// A tile of N tokens and N/16 pages of 16 are the same K bytes iff N = 16 or (H = 1 and D = x), the same V
// bytes iff N = 16 or H = 1. `claim` says so of a shape: K, V.
using SameAsPages = std::function<std::pair<bool, bool>(const Shape&)>;
Verdict tiles_are_pages_of_16(const Shape& shape, const SameAsPages& claim);

}  // namespace pageproof::fuzz
