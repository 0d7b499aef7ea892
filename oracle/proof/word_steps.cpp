#include "oracle/proof/word_steps.hpp"

#include <fmt/format.h>

namespace pageproof::proof {

Query transitivity(const std::string& name, std::size_t steps) {
  Scope scope;
  const Sym pool = scope.natural("pool_bytes");
  scope.assume(at_most(pool, Sym(kLargestPool)));
  Sym before = scope.natural("capacity0");
  const Sym first = before;
  for (std::size_t i = 1; i < steps; ++i) {
    const Sym next = scope.natural(fmt::format("capacity{}", i));
    scope.assume(at_most(before, next));
    before = next;
  }
  scope.assume(at_most(before, pool));
  const Sym intermediate = scope.natural("intermediate");
  scope.assume(at_most(intermediate, first));
  return query(scope, name, "what is at most a step's capacity is at most 2^48", Part::step,
               at_most(intermediate, Sym(kLargestPool)));
}

Query product_below_sum(const std::string& name) {
  Scope scope;
  const Sym product = scope.natural("product");
  const Sym digit = scope.natural("digit");
  return query(scope, name, "a product is at most the sum that it enters", Part::step,
               at_most(product, product + digit));
}

Query in_pool(const std::string& name) {
  Scope scope;
  const Sym bytes = scope.size("block_bytes");
  const Sym blocks = scope.size("B");
  const Sym block = scope.digit("block", blocks);
  const Sym byte = scope.digit("byte", bytes);
  return query(scope, name, "the byte of an element lies below the pool's bytes", Part::step,
               less(block * bytes + byte, blocks * bytes));
}

}  // namespace pageproof::proof
