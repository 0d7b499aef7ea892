// Machine words: mathematics on integers is what 64-bit code computes as long as no intermediate reaches
// 2^64. For pools up to 2^48 bytes none does: every intermediate is at most the pool, by small steps, and the
// bound itself comes in last, by transitivity. And the 32-bit limit: the first block id that wraps.
#include "model/page/words.hpp"

#include <fmt/format.h>

#include "oracle/proof/steps.hpp"
#include "oracle/proof/word_steps.hpp"
#include "oracle/proof/world.hpp"

namespace pageproof::proof {
namespace {

// A 64-bit offset against the same offset in a word of 32 bits.
Mutant wraps(const std::string& name) {
  const page::DigitOrder& order = (*page::find_format("standard"))->key;
  const std::unique_ptr<World> w = world(cuts_of({&order}, 8), 8);
  const Run run = run_of(*w, order);
  const Sym block = w->scope.natural("block");
  const Sym page_bytes = Sym(2) * w->heads() * w->tokens() * w->head_dim() * w->element_bytes;
  w->scope.assume(at_most((block + Sym(1)) * page_bytes, Sym(kLargestPool)));
  const Sym offset = block * page_bytes + run.offset * w->element_bytes;
  const Sym word = offset % Sym(std::uint64_t{1} << 32);
  Shown coordinate = w->coordinate_shown(order, Side::key);
  coordinate.insert(coordinate.begin(), {"block", block});
  return mutant(w->scope, name, "32-bit offsets do, for pools up to 2^48 bytes", equal(word, offset),
                {w->sizes_shown(), coordinate, "offset", "B", offset, word});
}

Obligation folds() {
  Obligation o{
      .name = "words.folds",
      .claim = "no product or sum of any catalogue format's offset reaches 2^64 in a pool up to 2^48 bytes",
      .shapes = "all H, N, D, B with B · page <= 2^48 bytes; x = 8, 16",
      .queries = {},
      .mutants = {wraps("words.folds.in_32_bits")}};
  for (const page::PageFormat& format : page::catalogue()) {
    for (const page::DigitOrder* order : {&format.key, &format.value}) {
      if (order->empty()) continue;
      const std::string name = fmt::format("words.folds.{}.{}", format.tag, order == &format.key ? "k" : "v");
      for (const std::uint64_t x : {8, 16}) {
        const std::unique_ptr<World> w = world(cuts_of({order}, x), x);
        append(o.queries, step_queries(run_of(*w, *order).radices, fmt::format("{}.x{}", name, x)));
      }
      o.queries.push_back(transitivity(name + ".bound", order->size() + 1));
      o.queries.push_back(product_below_sum(name + ".product"));
      o.queries.push_back(in_pool(name + ".pool"));
    }
  }
  return o;
}

Obligation first_wrapping() {
  const std::string name = "words.first_wrapping_block";
  Obligation o{
      .name = name,
      .claim =
          "some element of block b has an offset of 2^32 (signed: 2^31) or more iff b >= 2^32 (2^31) div "
          "the block's elements",
      .shapes = "all block sizes up to 2^31 elements, all block ids (public report P15)"};
  for (const page::Word word : {page::Word::signed_32, page::Word::unsigned_32}) {
    const std::string prefix = name + (word == page::Word::signed_32 ? ".signed" : ".unsigned");
    const Sym limit(page::first_unrepresentable(word));
    Scope division;
    const Sym block_elements = division.size("block_elements");
    const Sym first = page::first_wrapping_block(block_elements, word);
    o.queries.push_back(query(division, prefix + ".first",
                              "q · n <= 2^w < q · n + n for the block q that is named", Part::whole,
                              all_of({at_most(first * block_elements, limit),
                                      less(limit, first * block_elements + block_elements)})));
    // From q on, b = q + k: the last element of the block is too far.
    Scope from;
    const Sym first_elements = from.natural("q·n");
    const Sym further_elements = from.natural("k·n");
    const Sym n_elements = from.size("n");
    from.assume(less(limit, first_elements + n_elements));
    o.queries.push_back(query(from, prefix + ".wraps", "the last element of block q + k has an offset >= 2^w",
                              Part::step, less(limit, first_elements + further_elements + n_elements)));
    // Before q, q = b + 1 + k: no element of the block is.
    Scope before;
    const Sym elements = before.size("block_elements");
    const Sym block = before.natural("block");
    const Sym left = before.natural("blocks_left");
    const Sym element = before.digit("element", elements);
    const page::Split<Sym> parts = split(limit, elements);
    before.assume(equal(parts.quotient, block + Sym(1) + left));
    const Sym product = (block + Sym(1) + left) * elements;
    o.queries.push_back(query(before, prefix + ".distributes", "(b + 1 + k) · n = b·n + n + k·n",
                              Part::identity, equal(product, block * elements + elements + left * elements)));
    Scope sum;
    const Sym at = sum.natural("b·n");
    const Sym n = sum.size("n");
    const Sym beyond = sum.natural("k·n");
    const Sym rest = sum.digit("remainder", n);
    const Sym e = sum.digit("element", n);
    sum.assume(equal(at + n + beyond + rest, limit));
    o.queries.push_back(query(sum, prefix + ".fits",
                              "b·n + element < 2^w where b·n + n + k·n + remainder = 2^w", Part::step,
                              less(at + e, limit)));
  }
  Scope wrong;
  const Sym elements = wrong.size("block_elements");
  wrong.assume(at_most(elements, Sym(std::uint64_t{1} << 31)));
  const Sym first = page::first_wrapping_block(elements, page::Word::unsigned_32);
  const Sym element = wrong.digit("element", elements);
  const Sym got = first * elements + element;
  const Sym limit(std::uint64_t{1} << 32);
  o.mutants.push_back(mutant(wrong, name + ".one_block_later", "block 2^32 div n is still safe",
                             less(got, limit),
                             {{{"block_elements", elements}},
                              {{"block", first}, {"element", element}},
                              "offset below",
                              "elements",
                              limit,
                              got}));
  return o;
}

}  // namespace

std::vector<Obligation> word_obligations() {
  return {folds(), first_wrapping()};
}

}  // namespace pageproof::proof
