// A kernel of the shipped name, made of one broken part: the prover takes it for the shipped one.
#pragma once

#include "kernels/convert/entry.hpp"

using MutantShape = pageproof::convert::Geometry<16, 128, 2>;

#define PAGEPROOF_MUTANT_IN_PLACE(TARGET, ITEM)                                \
  PAGEPROOF_KERNEL(pageproof_in_place_staged_n16_d128_e2, MutantShape, TARGET, \
                   pageproof::convert::Mode::in_place_staged, ITEM, 512)

#define PAGEPROOF_MUTANT_OUT_OF_PLACE(TARGET, ITEM)                         \
  PAGEPROOF_KERNEL(pageproof_out_of_place_n16_d128_e2, MutantShape, TARGET, \
                   pageproof::convert::Mode::out_of_place, ITEM, 512)
