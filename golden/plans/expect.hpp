// The expected part of a test, from the model of today's connector (model/region) and the oracle's offsets;
// nothing that ships is asked.
#pragma once

#include "golden/plans/fixture.hpp"
#include "model/region/engine.hpp"
#include "model/region/layout.hpp"

namespace pageproof::golden::plans {

// Fills ids, rows and posted transfers of every source.
void fill_expected(Test& test);

// SHA-256 of the bytes that the rows bring.
std::string digest_of_rows(const Test& test);

// The same by the oracle's offsets, for engines with one KV-cache allocation each: every element of the
// request's blocks from the element of the same head, token and dim; where the strategy converts, by the
// landing's contract. One group, equal block sizes.
struct Described {
  region::Engine local;
  region::Layout local_layout = region::Layout::lbhnc;
  region::Engine remote;
  region::Layout remote_layout = region::Layout::lbhnc;
};
std::string digest_by_oracle(const Test& test, const Described& engines);

}  // namespace pageproof::golden::plans
