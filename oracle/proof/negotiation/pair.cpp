#include "oracle/proof/negotiation/pair.hpp"

#include <array>

namespace pageproof::proof {
namespace {

using handshake::SideFacts;

// The names of flags, in the order of PairFacts.
constexpr std::array kFlags = {"enabled", "rocm",          "gluon",       "latent",    "hybrid",
                               "pull",    "device_memory", "names_agree", "two_slots", "permutes"};

Formula flag(Scope& scope, const char* name) {
  const Sym bit = scope.natural(name);
  scope.assume(at_most(bit, Sym(1)));
  return equal(bit, Sym(1));
}

SideFacts<Sym> side_in(Scope& scope, const std::string& who, bool known) {
  const auto number = [&](const char* name) { return scope.natural(who + name); };
  const auto size = [&](const char* name) { return known ? scope.size(who + name) : number(name); };
  return {.tag = size("tag"),
          .layout = size("layout"),
          .tokens = size("tokens"),
          .blocks_per_logical = size("blocks_per_logical"),
          .dtype = size("dtype"),
          .tp = size("tp"),
          .context_parallel = size("context_parallel"),
          .heads = size("heads"),
          .dims = size("dims"),
          .side_bytes = number("side_bytes"),
          .block_len = number("block_len"),
          .regions = size("regions")};
}

void assume_elements(Scope& scope, const SideFacts<Sym>& side, const Sym& bytes) {
  const Formula two_bytes =
      any_of({side.dtype == handshake::kDtypeBfloat16, side.dtype == handshake::kDtypeFloat16});
  scope.assume(implies(two_bytes, bytes == 2));
  scope.assume(equal(side.side_bytes, shape_bytes(side, bytes)));
}

void add_sizes(Shown& shown, const std::string& who, const SideFacts<Sym>& side, const Sym& bytes) {
  shown.insert(shown.end(), {{who + "heads", side.heads},
                             {who + "tokens", side.tokens},
                             {who + "dims", side.dims},
                             {who + "element_bytes", bytes},
                             {who + "regions", side.regions},
                             {who + "blocks_per_logical", side.blocks_per_logical},
                             {who + "tp", side.tp},
                             {who + "context_parallel", side.context_parallel}});
}

void add_names(Shown& shown, const std::string& who, const SideFacts<Sym>& side) {
  shown.insert(shown.end(), {{who + "tag", side.tag},
                             {who + "layout", side.layout},
                             {who + "dtype", side.dtype},
                             {who + "block_len", side.block_len}});
}

}  // namespace

Sym shape_bytes(const SideFacts<Sym>& side, const Sym& element_bytes) {
  return side.heads * side.tokens * side.dims * element_bytes;
}

SymbolicPair pair_in(Scope& scope) {
  SideFacts<Sym> local = side_in(scope, "local.", true);
  SideFacts<Sym> remote = side_in(scope, "remote.", false);
  std::vector<Formula> flags;
  for (const char* name : kFlags) flags.push_back(flag(scope, name));
  const Sym local_bytes = scope.size("local.element_bytes");
  const Sym remote_bytes = scope.natural("remote.element_bytes");
  scope.assume(implies(equal(local.dtype, remote.dtype), equal(local_bytes, remote_bytes)));
  assume_elements(scope, local, local_bytes);
  assume_elements(scope, remote, remote_bytes);
  return {.facts = {.local = std::move(local),
                    .remote = std::move(remote),
                    .enabled = flags[0],
                    .rocm = flags[1],
                    .gluon = flags[2],
                    .latent = flags[3],
                    .hybrid = flags[4],
                    .pull = flags[5],
                    .device_memory = flags[6],
                    .names_agree = flags[7],
                    .two_slots = flags[8],
                    .permutes = flags[9]},
          .local_element_bytes = local_bytes,
          .remote_element_bytes = remote_bytes};
}

SymbolicPair exchanged(const SymbolicPair& pair) {
  SymbolicPair other = pair;
  std::swap(other.facts.local, other.facts.remote);
  std::swap(other.local_element_bytes, other.remote_element_bytes);
  return other;
}

Shown sizes_shown(const SymbolicPair& pair) {
  Shown shown;
  add_sizes(shown, "local.", pair.facts.local, pair.local_element_bytes);
  add_sizes(shown, "remote.", pair.facts.remote, pair.remote_element_bytes);
  return shown;
}

Shown names_shown(const SymbolicPair& pair) {
  Shown shown;
  add_names(shown, "local.", pair.facts.local);
  add_names(shown, "remote.", pair.facts.remote);
  const Formula* const flags[] = {&pair.facts.enabled,       &pair.facts.rocm,       &pair.facts.gluon,
                                  &pair.facts.latent,        &pair.facts.hybrid,     &pair.facts.pull,
                                  &pair.facts.device_memory, &pair.facts.names_agree};
  for (std::size_t i = 0; i < std::size(flags); ++i) shown.emplace_back(kFlags[i], flags[i]->terms[0]);
  return shown;
}

std::string name_of_value(const std::string& label, std::int64_t value) {
  const auto among = [value](auto names) {
    const auto at = static_cast<std::size_t>(value);
    return at < names.size() ? std::string(names[at]) : "other";
  };
  if (label.ends_with(".tag")) return among(std::array{"none", "standard", "aiter-shuffled"});
  if (label.ends_with(".layout"))
    return among(std::array{"none", "LBHNC", "LBNHC", "LHBNC", "BLHNC", "BLNHC", "BHLNC"});
  if (label.ends_with(".dtype")) return among(std::array{"unknown", "bfloat16", "float16"});
  for (const char* name : kFlags) {
    if (label == name) return value == 0 ? "no" : "yes";
  }
  return "";
}

Example pair_example(const SymbolicPair& pair, std::string expected, std::string got) {
  return {.sizes = sizes_shown(pair),
          .coordinate = names_shown(pair),
          .relation = "",
          .unit = "",
          .expected = Sym(0),
          .got = Sym(0),
          .name_of_value = name_of_value,
          .said_expected = std::move(expected),
          .said_got = std::move(got)};
}

}  // namespace pageproof::proof
