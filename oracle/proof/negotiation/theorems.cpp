#include "oracle/proof/negotiation/theorems.hpp"

#include <functional>

#include "model/page/fold.hpp"
#include "model/page/landing.hpp"

namespace pageproof::proof {
namespace {

using handshake::SideFacts;

// What a theorem adds to a pair.
struct Statement {
  Formula goal;
  Shown coordinate = {};
};

RuleTheorem theorem(const char* name, const char* claim, const char* world,
                    const std::function<Statement(Scope&, const SymbolicPair&)>& state) {
  static std::vector<std::unique_ptr<Scope>> scopes;  // symbols point at theirs
  Scope& scope = *scopes.emplace_back(std::make_unique<Scope>());
  SymbolicPair pair = pair_in(scope);
  Rules rules = conversion_rules(pair.facts);
  Statement statement = state(scope, pair);
  return {name,
          claim,
          world,
          scope.assumptions(),
          std::move(rules),
          std::move(statement.goal),
          std::move(statement.coordinate),
          std::move(pair)};
}

Formula tagged(const SideFacts<Sym>& side, int tag, int layout) {
  return all_of({equal(side.tag, literal(tag)), equal(side.layout, literal(layout))});
}

Statement one_shape(Scope&, const SymbolicPair& p) {
  const SymbolicFacts& f = p.facts;
  return {all_of({equal(f.local.heads, f.remote.heads), equal(f.local.tokens, f.remote.tokens),
                  equal(f.local.dims, f.remote.dims), equal(f.local.dtype, f.remote.dtype),
                  equal(p.local_element_bytes, p.remote_element_bytes)})};
}

Statement lengths(Scope&, const SymbolicPair& p) {
  const SideFacts<Sym>& local = p.facts.local;
  const SideFacts<Sym>& remote = p.facts.remote;
  const Sym side = shape_bytes(remote, p.remote_element_bytes);
  return {all_of({equal(local.block_len, side), equal(Sym(2) * local.block_len, remote.block_len)})};
}

// Half j of remote region i is virtual region 2i + j, paired with the local region of that number.
Statement regions(Scope& scope, const SymbolicPair& p) {
  const SideFacts<Sym>& local = p.facts.local;
  const SideFacts<Sym>& remote = p.facts.remote;
  const Sym i = scope.digit("remote_region", remote.regions);
  const Sym j = scope.digit("half", Sym(2));
  const Sym k = scope.digit("local_region", local.regions);
  const Sym of_region = scope.natural("k/2");
  const Sym of_half = scope.digit("k%2", Sym(2));
  scope.assume(equal(k, Sym(2) * of_region + of_half));
  return {all_of({less(Sym(2) * i + j, local.regions), less(of_region, remote.regions),
                  implies(equal(Sym(2) * i + j, k), all_of({equal(i, of_region), equal(j, of_half)}))}),
          {{"remote_region", i}, {"half", j}, {"local_region", k}}};
}

// names_agree, for the local region k: where both lists go that far, one name.
Statement names(Scope& scope, const SymbolicPair& p) {
  const SideFacts<Sym>& local = p.facts.local;
  const SideFacts<Sym>& remote = p.facts.remote;
  const Sym k = scope.digit("local_region", local.regions);
  const Sym i = scope.natural("k/2");
  scope.assume(equal(k, Sym(2) * i + scope.digit("k%2", Sym(2))));
  const Sym local_layer = scope.natural("local_layer");
  const Sym remote_layer = scope.natural("remote_layer");
  scope.assume(
      implies(all_of({p.facts.names_agree, less(i, remote.regions)}), equal(local_layer, remote_layer)));
  return {all_of({less(i, remote.regions), equal(local_layer, remote_layer)}),
          {{"local_region", k}, {"local_layer", local_layer}, {"remote_layer", remote_layer}}};
}

// The READ copies byte o of half j, the page's byte j · (block_len / 2) + o, to byte o of plane j.
Statement landing(Scope& scope, const SymbolicPair& p) {
  const SideFacts<Sym>& local = p.facts.local;
  const SideFacts<Sym>& remote = p.facts.remote;
  const Sym side = shape_bytes(local, p.local_element_bytes);
  const Sym half_len = scope.natural("block_len/2");
  scope.assume(equal(remote.block_len, Sym(2) * half_len + scope.digit("block_len%2", Sym(2))));
  const Sym byte = scope.digit("byte_of_half", local.block_len);
  const Sym page_byte = scope.digit("page_byte", remote.block_len);
  const Formula first = less(page_byte, side);
  return {all_of({less(byte, side),                     // half 0: byte o < S lies at byte o
                  equal(half_len + byte, side + byte),  // half 1: byte S + o does, of the V plane
                  implies(first, less(page_byte, local.block_len)),  // and no byte of the page is left out
                  implies(negation(first), less(page_byte, side + local.block_len))}),
          {{"byte_of_half", byte}, {"page_byte", page_byte}}};
}

// Where the prefill wrote an element's byte and where the converter takes it from: (head, token, side, dim,
// byte) folded over each side's own sizes.
Statement element(Scope& scope, const SymbolicPair& p) {
  const SideFacts<Sym>& local = p.facts.local;
  const SideFacts<Sym>& remote = p.facts.remote;
  const std::vector<Sym> digits{scope.digit("head", remote.heads), scope.digit("token", remote.tokens),
                                scope.digit("side", Sym(2)), scope.digit("dim", remote.dims),
                                scope.digit("byte", p.remote_element_bytes)};
  const std::vector<Sym> written{remote.heads, remote.tokens, Sym(2), remote.dims, p.remote_element_bytes};
  const std::vector<Sym> taken{local.heads, local.tokens, Sym(2), local.dims, p.local_element_bytes};
  const Sym wrote = scope.natural("written_at");
  scope.assume(implies(tagged(remote, handshake::kTagStandard, handshake::kLayoutHeadsFirst),
                       equal(wrote, page::fold<Sym>(digits, written))));
  std::vector<Formula> parts{equal(wrote, page::fold<Sym>(digits, taken))};
  for (std::size_t i = 0; i < digits.size(); ++i) parts.push_back(less(digits[i], taken[i]));
  return {all_of(std::move(parts)),
          {{"head", digits[0]},
           {"token", digits[1]},
           {"side", digits[2]},
           {"dim", digits[3]},
           {"byte", digits[4]},
           {"written_at", wrote}}};
}

Statement planes(Scope& scope, const SymbolicPair& p) {
  const Sym layer = scope.natural("layer");
  const Sym side = scope.digit("side", Sym(2));
  const Sym region = scope.natural("plane_region");
  scope.assume(implies(tagged(p.facts.local, handshake::kTagShuffled, handshake::kLayoutPlanes),
                       equal(region, Sym(2) * layer + side)));
  return {equal(region, Sym(2) * layer + side), {{"layer", layer}, {"side", side}, {"plane_region", region}}};
}

Statement granules(Scope& scope, const SymbolicPair& p) {
  const SideFacts<Sym>& local = p.facts.local;
  const auto left = [&](const Sym& count) {
    return scope.named_division(count * p.local_element_bytes, Sym(16)).remainder;
  };
  return {all_of({equal(left(local.dims), Sym(0)), equal(left(local.tokens), Sym(0))})};
}

Statement blocks(Scope& scope, const SymbolicPair& p) {
  const SideFacts<Sym>& local = p.facts.local;
  const SideFacts<Sym>& remote = p.facts.remote;
  const Sym c = scope.natural("kernel_block");
  return {all_of({equal(local.tokens * local.blocks_per_logical, remote.tokens * remote.blocks_per_logical),
                  iff(less(c, local.blocks_per_logical), less(c, remote.blocks_per_logical))}),
          {{"kernel_block", c}}};
}

Statement ranks(Scope& scope, const SymbolicPair& p) {
  const SideFacts<Sym>& local = p.facts.local;
  const SideFacts<Sym>& remote = p.facts.remote;
  const Sym rank = scope.digit("rank", local.tp);
  const Sym source = scope.natural("source_rank");
  const Sym head = scope.digit("head", local.heads);
  scope.assume(implies(equal(local.tp, remote.tp), equal(source, rank)));
  return {all_of({less(source, remote.tp), equal(rank * local.heads + head, source * remote.heads + head)}),
          {{"rank", rank}, {"source_rank", source}, {"head", head}}};
}

Statement one_way(Scope&, const SymbolicPair&) {
  return {any_of({})};
}

std::vector<RuleTheorem> make() {
  std::vector<RuleTheorem> all;
  all.push_back(theorem("shape", "both sides mean one shape and one type of element", "", one_shape));
  all.push_back(theorem("lengths",
                        "each half is one local block long, half of a remote block, and H·N·D·e bytes "
                        "of the shape that the prefill wrote",
                        "", lengths));
  all.push_back(theorem("regions",
                        "the halves of the remote regions are the local regions, one to one: half j of "
                        "region i is region 2i + j",
                        "", regions));
  all.push_back(theorem("names", "each local region has its remote region, and both name one layer",
                        "names_agree says it for the regions that both have", names));
  all.push_back(
      theorem("landing",
              "page byte p < S lies at byte p of the K plane's block, p >= S at byte p − S of "
              "the V plane's, S = H·N·D·e of the decoder; every byte of the page lands",
              "half j begins at j · (block_len div 2) of the remote block and is as long as the local "
              "block",
              landing));
  all.push_back(
      theorem("element", "the converter takes each byte of each element from where the prefill wrote it",
              "standard pages at LBHNC hold (head, token, side, dim, byte) in this order, the prefill's "
              "sizes; of other pages nothing is known",
              element));
  all.push_back(theorem("planes",
                        "half j of layer i is read into the region that the converter takes for side j "
                        "of layer i",
                        "shuffled pages at LHBNC lie in regions 2i (K) and 2i + 1 (V); of others "
                        "nothing is known",
                        planes));
  all.push_back(theorem("granules",
                        "rows of D elements and runs of N elements are whole granules of 16 bytes, as "
                        "both shuffled planes need",
                        "", granules));
  all.push_back(theorem("blocks",
                        "manager blocks hold equally many tokens and kernel blocks: lists of kernel blocks "
                        "pair by position",
                        "", blocks));
  all.push_back(theorem("ranks", "a rank reads a rank that exists and holds its heads",
                        "equal TP sizes: rank k reads rank k; heads of rank k begin at k · H", ranks));
  // Both ways at once: a rule stands for itself and for itself with the roles exchanged.
  RuleTheorem both = theorem("one_way", "no pair is accepted with its roles exchanged as well", "", one_way);
  Scope* const scope = both.pair.facts.local.tag.node().scope;
  const Rules back = conversion_rules(exchanged(both.pair).facts);
  for (std::size_t i = 0; i < back.size(); ++i)
    both.rules[i].holds = all_of({both.rules[i].holds, back[i].holds});
  both.assumed = scope->assumptions();
  all.push_back(std::move(both));
  return all;
}

}  // namespace

const std::vector<RuleTheorem>& rule_theorems() {
  static const std::vector<RuleTheorem> all = make();
  return all;
}

Query question_of(const RuleTheorem& theorem, const Rules& rules, const std::string& name) {
  std::vector<Formula> assumptions = theorem.assumed;
  for (const Rule& rule : rules) assumptions.push_back(rule.holds);
  // A goal without variables has no relevant assumptions: keep all.
  std::vector<std::string> variables;
  variables_of(theorem.goal, variables);
  if (!variables.empty()) assumptions = relevant(assumptions, theorem.goal);
  return {name, theorem.claim, Part::whole, Form::named, std::move(assumptions), theorem.goal};
}

}  // namespace pageproof::proof
