// An obligation is a claim about pages of every shape in a class, with the queries that together prove it and
// the mutants that show that it could fail.
#pragma once

#include <span>
#include <utility>

#include "model/page/plain/error.hpp"
#include "oracle/proof/query.hpp"

namespace pageproof::proof {

// Named numbers of an example, in the order in which they are shown.
using Shown = std::vector<std::pair<std::string, Sym>>;

// What an example shows beside its values: the number that was claimed and the number that came.
struct Example {
  Shown sizes;           // "H=1 N=16 D=128 e=2"
  Shown coordinate;      // "head=0 token=0 side=V dim=0"
  std::string relation;  // how `expected` is meant: "offset", "offset below"
  std::string unit;      // "B"; may be empty
  Sym expected;
  Sym got;
  // How a value reads where it stands for a name; an empty answer: as a number.
  std::string (*name_of_value)(const std::string& label, std::int64_t value) = nullptr;
  std::string said_expected = {};  // in place of the two numbers, where it is not empty
  std::string said_got = {};
};

// A false claim: a digit exchanged, a bound one too large. It must be refuted by an example.
struct Mutant {
  std::string name;   // "format.standard.k.x8.exchanged"
  std::string claim;  // what is falsely claimed
  Query query;        // its goal must fail for some values
  Example example;
};

Mutant mutant(const Scope& scope, const std::string& name, const std::string& claim, const Formula& goal,
              Example example);

struct Obligation {
  std::string name;    // "writer.shuffled_k"
  std::string claim;   // in a sentence
  std::string shapes;  // for which sizes
  std::vector<Query> queries = {};
  std::vector<Mutant> mutants = {};
};

// All obligations, in a fixed order.
std::vector<Obligation> all_obligations();

// Those that the names take: an obligation's name, a mutant's, or a prefix that ends before a dot. No name
// takes all. Refused with the name that takes nothing and the nearest ones.
Expected<std::vector<Obligation>> select_obligations(std::span<const std::string> names);

// The part before the first dot: "writer".
std::string group_of(const Obligation& obligation);

// Moves the queries of `from` to the end of `to`.
void append(std::vector<Query>& to, std::vector<Query> from);

// By group, each in a file of its own.
std::vector<Obligation> lemma_obligations();
std::vector<Obligation> format_obligations();
std::vector<Obligation> layout_obligations();
std::vector<Obligation> writer_obligations();
std::vector<Obligation> half_obligations();
std::vector<Obligation> torn_head_obligations();
std::vector<Obligation> identity_obligations();
std::vector<Obligation> region_obligations();
std::vector<Obligation> word_obligations();
std::vector<Obligation> statement_obligations();
std::vector<Obligation> descriptor_obligations();
std::vector<Obligation> transfer_obligations();
std::vector<Obligation> planner_obligations();
std::vector<Obligation> acceptance_obligations();  // negotiation/
std::vector<Obligation> reason_obligations();
std::vector<Obligation> consequence_obligations();
std::vector<Obligation> matching_obligations();

}  // namespace pageproof::proof
