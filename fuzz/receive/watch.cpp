// The rules of the model, watched in every state.
#include <fmt/format.h>

#include <algorithm>

#include "fuzz/receive/world.hpp"

namespace pageproof::fuzz_receive {
namespace {

using rx::Step;

rx::Tie<int> tie_of(const World::Request& request, bool own) {
  return {own ? 1 : 0, own ? 0 : 1, request.holds ? 1 : 0};
}

}  // namespace

// The rules about the request once, those about a block for each layer of each of its blocks, where the step
// can have changed anything of them.
void World::watch(std::uint16_t slot, Step step) {
  if (!options_.watches || violation_) return;
  const Request& request = requests_[slot];
  const rx::Tie<int> no_tie{0, 0, 0};
  rx::Page<int> no_page{};
  no_page.refs = 1;
  const rx::Engine<int>& engine = peers_[request.peer].engine;
  rx::visit_rules(setting_, request.life, engine, no_tie, no_page, rx::nobody(false),
                  [&](rx::Rule rule, bool broken) {
                    if (broken)
                      report(std::string(to_string(rule)), std::string(claim_of(rule)), request.id, -1, -1);
                  });
  switch (step) {
    case Step::forward:
    case Step::handshake_starts:
    case Step::handshake_ends:
    case Step::callback_runs:
    case Step::stranger_enters:
    case Step::stranger_leaves:
    case Step::zero_runs:
    case Step::tell_prefill:
    case Step::end:
      return;
    default:
      break;
  }
  for (const std::uint16_t block : request.own) watch_block(slot, block, true);
  for (const std::uint16_t block : request.shared) watch_block(slot, block, false);
}

void World::watch_block(std::uint16_t slot, std::uint16_t block, bool own) {
  const Request& request = requests_[slot];
  rx::Other<bool> other = rx::nobody(false);
  for (const std::uint16_t tied : blocks_[block].slots) {
    if (tied == slot) continue;
    const Request& one = requests_[tied];
    const bool owns = std::ranges::find(one.own, block) != one.own.end();
    const rx::Other<bool> does = rx::other_of(one.life, tie_of(one, owns));
    other = {other.reading || does.reading,   other.elsewhere || does.elsewhere,
             other.zeroing || does.zeroing,   other.converting || does.converting,
             other.decoding || does.decoding, other.owns || does.owns};
  }
  for (const rx::Page<int>& page : blocks_[block].layers) {
    rx::visit_rules(setting_, request.life, peers_[request.peer].engine, tie_of(request, own), page, other,
                    [&](rx::Rule rule, bool broken) {
                      if (!broken) return;
                      report(std::string(to_string(rule)), std::string(claim_of(rule)), request.id, block,
                             page.layer);
                    });
  }
}

void World::report(std::string name, std::string claim, std::uint32_t request, int block, int layer) {
  if (violation_ || !options_.watches || (options_.only && name != to_string(*options_.only))) return;
  if (options_.bytes_alone && name != "bytes") return;
  std::string what = fmt::format("request {}", request);
  if (block >= 0) what += fmt::format(" block {}", block);
  if (layer >= 0) what += fmt::format(" layer {}", layer);
  violation_ = Violation{std::move(name), std::move(claim), std::move(what)};
}

}  // namespace pageproof::fuzz_receive
