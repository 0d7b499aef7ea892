#include "fuzz/receive/drive.hpp"

#include <algorithm>
#include <utility>

#include "fuzz/receive/odds.hpp"
#include "fuzz/receive/traffic.hpp"

namespace pageproof::fuzz_receive {
namespace {

using rx::Step;

constexpr std::uint64_t kIdle = 500'000;  // tries in a row that brought no request on

class Driver {
 public:
  Driver(const RoundOptions& options, Listener listener)
      : options_(options),
        world_(options.world, std::move(listener)),
        dice_(options.seed),
        traffic_(options.faults, options.world.without),
        slow_(options.world.slots) {}

  Round run() {
    std::uint64_t idle = 0;
    while (!world_.violation() && (live_ > 0 || arrived_ < options_.requests)) {
      idle = move() == Brought::on ? 0 : idle + 1;
      if (idle > kIdle) {
        round_.stuck = 1;
        break;
      }
    }
    round_.events = world_.steps();
    round_.pieces = world_.pieces();
    round_.block_lives = world_.block_lives();
    round_.compared_bytes = world_.compared_bytes();
    round_.tally += world_.tally();
    round_.violation = world_.violation();
    return std::move(round_);
  }

 private:
  bool on(Fault fault) const { return (options_.faults & bit(fault)) != 0; }

  // The runner's turns, handshakes and what prefills do by themselves come again and again: nobody is
  // brought nearer to the end by them.
  enum class Brought : std::uint8_t { nothing, on };

  Brought carry_out(const Record& record) {
    if (!world_.apply(record)) return Brought::nothing;
    if (options_.records) round_.records.push_back(record);
    const bool again =
        record.move >= Move::peer_dies || (record.move == Move::step && comes_again(record.step));
    return again ? Brought::nothing : Brought::on;
  }

  Brought move() {
    const std::uint32_t actor = dice_.below(8);
    if (actor < 2) return device();
    const auto slot = static_cast<std::uint16_t>(dice_.below(options_.world.slots));
    if (!world_.request(slot).live) return arrive(slot);
    if (actor < 4) return wire(slot);
    return worker(slot);
  }

  Brought arrive(std::uint16_t slot) {
    if (arrived_ >= options_.requests) return Brought::nothing;
    const auto id = static_cast<std::uint32_t>(arrived_ + 1);
    Record record{.request = id, .slot = slot, .move = Move::arrival};
    Record blocks{.request = id, .slot = slot, .step = Step::allocate};
    record.arrival = traffic_.next(world_, id, dice_, blocks);
    if (!record.arrival) return Brought::nothing;
    ++arrived_;
    ++live_;
    slow_[slot] = on(Fault::delay) && dice_.one_in(4) ? dice_.below(16) : 0;
    carry_out(record);
    return carry_out(blocks);
  }

  Brought worker(std::uint16_t slot) {
    world_.enabled(slot, steps_);
    if (steps_.empty()) return Brought::nothing;
    const World::Request& request = world_.request(slot);
    const Step chosen = steps_[dice_.below(static_cast<std::uint32_t>(steps_.size()))];
    Record record{.request = request.id, .slot = slot, .step = chosen};
    if (const auto fault = fault_of(chosen, request.life)) {
      if (!on(*fault) && !(chosen == Step::lease_expires && on(Fault::lost_notice))) return Brought::nothing;
      if (!dice_.one_in(how_seldom(*fault))) return Brought::nothing;
    }
    if ((chosen == Step::engine_forgotten || chosen == Step::stranger_enters) && !shakes())
      return Brought::nothing;
    if ((chosen == Step::read_ends || chosen == Step::read_fails) && !choose_read(record))
      return Brought::nothing;
    if (chosen == Step::finish && request.life.steps > 0 && request.life.aborted == 0)
      traffic_.comes_again(request.prompt);
    const Brought brought = carry_out(record);
    if (chosen == Step::schedule || chosen == Step::recompute) ++round_.scheduled;
    if (chosen == Step::end && brought == Brought::on) ++round_.ended, --live_;
    return brought;
  }

  // An engine has to be shaken hands with again, or another one is.
  bool shakes() { return (on(Fault::slow_handshake) || on(Fault::handshake_error)) && dice_.one_in(32); }

  // Of those that can be seen to have ended: the first, or any.
  bool choose_read(Record& record) {
    const World::Request& request = world_.request(record.slot);
    handles_.clear();
    for (const Read& read : request.reads) {
      if (world_.can_see(request, read, record.step)) handles_.push_back(read.handle);
    }
    if (handles_.empty()) return false;
    if (!on(Fault::reordering)) {
      record.handle = std::ranges::min(handles_);
      return record.handle == std::ranges::min(request.reads, {}, &Read::handle).handle;
    }
    record.handle = handles_[dice_.below(static_cast<std::uint32_t>(handles_.size()))];
    return true;
  }

  Brought wire(std::uint16_t slot) {
    const World::Request& request = world_.request(slot);
    Record record{.request = request.id, .slot = slot, .move = Move::piece};
    if (request.copies > 0) {
      record.move = Move::delivered;
      if (on(Fault::lost_notice) && dice_.one_in(32)) record.move = Move::lost;
      if (on(Fault::duplicate_notice) && dice_.one_in(8)) record.move = Move::copied;
      if (dice_.one_in(3)) return Brought::nothing;  // still on its way
      return carry_out(record);
    }
    if (dice_.one_in(64)) return prefill(request.peer);
    const auto moves = [](const Read& read) { return read.state == Read::State::moving; };
    const auto moving = std::ranges::count_if(request.reads, moves);
    if (moving == 0) return Brought::nothing;
    auto which = dice_.below(static_cast<std::uint32_t>(moving));
    for (const Read& read : request.reads) {
      if (!moves(read) || which-- != 0) continue;
      record.handle = read.handle;
      break;
    }
    if ((slow_[slot] >> record.handle & 1) != 0 && !dice_.one_in(6)) {
      round_.tally.count(Fault::delay);
      return Brought::nothing;
    }
    if ((on(Fault::read_error) || on(Fault::partial_read)) && dice_.one_in(48))
      record.move = Move::read_breaks;
    return carry_out(record);
  }

  Brought prefill(std::uint16_t peer) {
    if (!world_.peer(peer).alive) return carry_out({.move = Move::peer_returns, .handle = peer});
    if (on(Fault::peer_death) && dice_.one_in(8)) return carry_out({.move = Move::peer_dies, .handle = peer});
    if (on(Fault::stale_metadata) && dice_.one_in(8)) {
      return carry_out({.move = Move::peer_moves, .handle = peer});
    }
    return Brought::nothing;
  }

  Brought device() {
    const auto stream = static_cast<std::uint16_t>(dice_.below(kStreams));
    if (world_.device().idle(static_cast<Stream>(stream))) return Brought::nothing;
    if (still_[stream] > 0) {
      --still_[stream];
      return Brought::on;
    }
    if (on(Fault::slow_stream) && dice_.one_in(64)) {
      round_.tally.count(Fault::slow_stream);
      still_[stream] = 20 + dice_.below(60);
    }
    return carry_out({.move = Move::tick, .handle = stream});
  }

  RoundOptions options_;
  World world_;
  Dice dice_;
  Round round_;
  Traffic traffic_;
  std::vector<Step> steps_;
  std::vector<std::uint16_t> handles_;
  std::vector<std::uint32_t> slow_;  // of each slot, the handles that are held back
  std::array<std::uint32_t, kStreams> still_ = {};
  std::uint64_t live_ = 0;
  std::uint64_t arrived_ = 0;
};

}  // namespace

Round run_round(const RoundOptions& options) {
  return Driver(options, {}).run();
}
Round run_round(const RoundOptions& options, Listener listener) {
  return Driver(options, std::move(listener)).run();
}

std::uint64_t seed_of_round(std::uint64_t seed, std::uint64_t round) {
  Dice dice(seed * 0x9e3779b97f4a7c15 + round);
  dice.roll();
  return dice.roll();
}

}  // namespace pageproof::fuzz_receive
