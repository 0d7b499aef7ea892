// Proposes cuts: reads a symbolic number as a polynomial and divides it by a monomial. Nothing here is
// trusted: a wrong proposal becomes a side query that the solver refuses.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "oracle/proof/sym.hpp"

namespace pageproof::proof {

// Product of variables, by name and sorted, with repeats -> coefficient.
using Polynomial = std::map<std::vector<std::string>, std::int64_t>;

// What the solver sees of the number, multiplied out.
Polynomial expand(const Sym& sym);

// `polynomial` as a number again, over variables of `scope`.
Sym to_sym(const Polynomial& polynomial, Scope* scope);

// polynomial / monomial where it divides every term; nothing otherwise.
std::optional<Polynomial> divided(const Polynomial& polynomial, const Polynomial& monomial);

// a and rest with value = a·radix + rest, where the terms that the radix does not divide can be bounded below
// the radix by the variables' bounds; nothing when none is in sight.
std::optional<page::Split<Sym>> propose_cut(const Sym& value, const Sym& radix,
                                            const std::map<std::string, Sym>& bounds);

// The number with each bounded variable at its bound (digits: the radix), and everything else as it is: no
// value of it is larger.
Polynomial upper_bound(const Polynomial& polynomial, const std::map<std::string, Sym>& bounds);

}  // namespace pageproof::proof
