// One step of the induction over an order's digits: `at` is the fold of the digits further out and `capacity`
// the product of their radices, 0 <= at < capacity. The model's own templates run on two digits, (at, digit)
// with radices (capacity, radix): that is one Horner step, and unfold's one division.
//
//   base     the outermost digit: 0 <= digit < radix
//   bounds   0 <= at · radix + digit < capacity · radix                               (lemma L1)
//   onto     any offset below capacity · radix splits into a value below capacity and a digit (lemma L4)
//   grows    capacity <= capacity · radix
//
// What the steps say of an order: bounds by induction from the base; every offset is reached; a prefix of the
// fold never exceeds the whole.
#pragma once

#include "oracle/proof/obligation.hpp"

namespace pageproof::proof {

// The steps of an order with these radices; a radix that is a literal stays one, others are symbols.
std::vector<Query> step_queries(const std::vector<Sym>& radices, const std::string& prefix);

// lemma L3, which cuts and unfold rest on: q · r + m = a · r + c with both remainders in [0, r) gives q = a
// and m = c. For a symbolic radix, or a literal.
Query division_lemma(const std::string& name, const std::optional<std::uint64_t>& radix);

}  // namespace pageproof::proof
