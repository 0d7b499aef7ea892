// Several statements of where an element of a page goes, made independently of each other, must agree byte
// for byte: the digit orders of the model, the writer's arithmetic, the RFC's reshape/permute, and the writer
// run again over gathered tokens. The same for the landing, stated twice.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fuzz/laws/laws.hpp"
#include "model/page/landing.hpp"

namespace pageproof::fuzz {

// Writes the shuffled K and V block of one standard page.
struct Statement {
  std::string name;
  std::function<void(const Shape& shape, std::span<const std::byte> page, std::span<std::byte> key,
                     std::span<std::byte> value)>
      write;
};

std::vector<Statement> statements();

// Each statement against the first, on a page of this shape filled from the seed.
Verdict statements_agree(const Shape& shape, std::uint64_t seed, std::span<const Statement> of);

// Where byte p of a page lands; the model's page::landing, or a mutant of it.
using Landing = std::function<page::Place(const Shape& shape, std::uint64_t page_byte)>;

// The landing is what the oracle's READ leaves, and its halves in a row are the page.
Verdict landing_is_the_halves(const Shape& shape, std::uint64_t seed, const Landing& landing);

}  // namespace pageproof::fuzz
