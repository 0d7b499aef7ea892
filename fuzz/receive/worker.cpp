// Steps of the model as a worker takes them, and what the wire and the device allow of them.
#include <algorithm>

#include "fuzz/receive/world.hpp"

namespace pageproof::fuzz_receive {
namespace {

using rx::Guard;
using rx::Step;
using What = Happening::What;

// Not the worker's: the device and the wire take them.
bool is_taken_elsewhere(Step step) {
  switch (step) {
    case Step::zero_runs:
    case Step::retire_layer:
    case Step::decode_runs:
    case Step::decode_retires:
    case Step::notice_again:
    case Step::notice_dropped:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool World::can_see(const Request& request, const Read& read, Step step) const {
  const bool moves = read.state == Read::State::moving;
  if (step == Step::read_ends) {
    return read.state == Read::State::landed || (!pages_ && moves && reachable(request, read));
  }
  // A READ that outlasts the lease counts as failed, whatever the wire says.
  const bool late = request.life.prefill != rx::kHeld && !(pages_ && moves);
  return read.state == Read::State::broken || late || (!pages_ && !reachable(request, read));
}

bool World::possible(const Request& request, Step step) const {
  if (is_taken_elsewhere(step)) return false;
  switch (step) {
    case Step::tell_prefill:
    case Step::tell_abort:
      return !request.sent;
    case Step::read_ends:
    case Step::read_fails:
      return std::ranges::any_of(request.reads,
                                 [&](const Read& read) { return can_see(request, read, step); });
    case Step::post_fails:  // tried behind the same wait as a post that does not
      return !in_force(Guard::zero_has_run) || request.life.zero == 0;
    case Step::lease_expires:
      return options_.flaw != Flaw::lease_endless;
    // The event stands behind whatever else was launched before it was recorded.
    case Step::report:
      return !options_.side || !in_force(Guard::event_completed) || !request.converted ||
             device_.completed(*request.converted);
    case Step::free_blocks:
      return !in_force(Guard::free_after_conversion) || !request.converted ||
             device_.completed(*request.converted);
    default:
      return true;
  }
}

bool World::step(const Record& record) {
  Request& request = requests_[record.slot];
  if (!possible(request, record.step)) return false;
  const rx::Life<int> before = request.life;
  if (record.step == Step::tell_prefill || record.step == Step::tell_abort) {
    if (!may_send(request, record.step)) return false;
    request.sent = true;
    request.notice = record.step;
    request.copies = 1;
    tell({.what = What::notify, .request = request.id, .slot = record.slot});
    return true;
  }
  std::uint16_t handle = static_cast<std::uint16_t>(before.posted);
  if (record.step == Step::read_ends || record.step == Step::read_fails) {
    const auto read = std::ranges::find(request.reads, record.handle, &Read::handle);
    if (read == request.reads.end() || !can_see(request, *read, record.step)) return false;
    if (!model(request, record.step, true)) return false;
    const auto earlier = [&](const Read& other) { return other.handle < record.handle; };
    if (std::ranges::any_of(request.reads, earlier)) tally_.count(Fault::reordering);
    handle = record.handle;
    request.reads.erase(read);
    --peers_[request.peer].outstanding;
  } else if (!model(request, record.step, true)) {
    return false;
  }
  if (record.step == Step::allocate && !allocate(request, record, record.slot)) {
    request.life = before;
    return false;
  }
  act(record.slot, record.step, before, handle);
  behind(record.slot, record.step, before);
  return true;
}

bool World::allocate(Request& request, const Record& record, std::uint16_t slot) {
  if (record.own.size() + record.shared.size() > kMostBlocks) return false;
  const auto may = [&](rx::Take how, std::uint16_t block) {
    if (block >= blocks_.size()) return false;
    const rx::Guarded<bool> guard = rx::guard_of<bool>(how, blocks_[block].layers[0]);
    const bool tied = std::ranges::find(blocks_[block].slots, slot) != blocks_[block].slots.end();
    return !tied && (guard.holds || !in_force(guard.guard));
  };
  for (const std::uint16_t block : record.own) {
    if (!may(rx::Take::own, block)) return false;
  }
  for (const std::uint16_t block : record.shared) {
    if (!may(rx::Take::share, block)) return false;
  }
  const auto tie = [&](rx::Take how, std::uint16_t block) {
    rx::Tie<int> tied{};
    for (rx::Page<int>& page : blocks_[block].layers) rx::take(how, request.life, tied, page);
    blocks_[block].slots.push_back(slot);
    if (blocks_[block].slots.size() >= 3) tally_.count(Situation::shared_by_three);
  };
  request.own = record.own;
  request.shared = record.shared;
  request.holds = true;
  for (const std::uint16_t block : request.shared) tie(rx::Take::share, block);
  for (std::size_t i = 0; i < request.own.size(); ++i) {
    Block& block = blocks_[request.own[i]];
    tie(rx::Take::own, request.own[i]);
    if (block.used) tally_.count(Situation::block_reused);
    block.used = true;
    block.prompt = request.prompt;
    block.index = static_cast<std::uint16_t>(request.shared.size() + i);
    const bool last = i + 1 == request.own.size();
    block.partial = last && request.prompt.tokens % kShape.tokens != 0;
    if (last) tally_.count(block.partial ? Situation::partial_block : Situation::full_last_block);
  }
  if (!request.shared.empty()) {
    tally_.count(request.own.empty() ? Situation::full_prefix_hit : Situation::prefix_hit);
  }
  if (peers_[request.peer].engine.state != rx::kReady) tally_.count(Fault::slow_handshake);
  block_lives_ += request.own.size();
  return true;
}

}  // namespace pageproof::fuzz_receive
