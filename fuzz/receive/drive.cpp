#include "fuzz/receive/drive.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace pageproof::fuzz_receive {
namespace {

using rx::Step;

constexpr std::array<std::string_view, kFaults> kFaultNames{
    "reordering",     "delay",         "read_error",       "post_error", "handshake_error",
    "slow_handshake", "rejected_pair", "worker_error",     "abort",      "preemption",
    "lease_expiry",   "lost_notice",   "duplicate_notice", "peer_death", "stale_metadata"};

// SplitMix64: the same numbers on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t roll() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((roll() >> 32) * n >> 32); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

// The fault that a step is, where it is one.
std::optional<Fault> fault_of(Step step, const rx::Life<int>& life) {
  switch (step) {
    case Step::read_fails:
      return Fault::read_error;
    case Step::post_fails:
      return Fault::post_error;
    case Step::handshake_fails:
      return Fault::handshake_error;
    case Step::other_fails:
      return Fault::worker_error;
    case Step::abort:
      return Fault::abort;
    case Step::lease_expires:
      return Fault::lease_expiry;
    case Step::notice_again:
    case Step::notice_dropped:
      return Fault::duplicate_notice;
    case Step::engine_forgotten:
      return Fault::stale_metadata;
    case Step::stranger_enters:
      return Fault::slow_handshake;
    case Step::finish:
      if (life.steps > 0 || life.decode != rx::kIdle) return Fault::preemption;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

class Driver {
 public:
  explicit Driver(const RoundOptions& options)
      : options_(options), world_(options.world), dice_(options.seed) {}

  Round run() {
    std::uint64_t idle = 0;
    while (!world_.violation() && (live_ > 0 || arrived_ < options_.requests)) {
      const auto slot = static_cast<std::uint16_t>(dice_.below(options_.world.slots));
      const bool moved = world_.request(slot).live ? step(slot) : arrive(slot);
      idle = moved ? 0 : idle + 1;
      if (idle > 20'000) {
        round_.stuck = 1;
        break;
      }
    }
    round_.block_lives = world_.block_lives();
    round_.compared_bytes = world_.compared_bytes();
    round_.violation = world_.violation();
    return std::move(round_);
  }

 private:
  bool on(Fault fault) const { return (options_.faults & bit(fault)) != 0; }

  bool carry_out(Record record) {
    if (!world_.apply(record)) return false;
    ++round_.events;
    if (record.step == Step::schedule || record.step == Step::recompute) ++round_.scheduled;
    round_.records.push_back(std::move(record));
    return true;
  }

  bool arrive(std::uint16_t slot) {
    if (arrived_ >= options_.requests) return false;
    rx::Life<int> life{};
    life.verdict = dice_.one_in(6) ? rx::kMatch : rx::kConvert;
    if (on(Fault::rejected_pair) && dice_.one_in(16))
      life.verdict = rx::kRejected, count(Fault::rejected_pair);
    life.reads = dice_.one_in(10) ? 0 : 1 + static_cast<int>(dice_.below(4));
    life.others = static_cast<int>(dice_.below(3));
    life.policy = static_cast<int>(dice_.below(2));
    life.steps = 1 + static_cast<int>(dice_.below(2));
    life.duplicate = on(Fault::duplicate_notice) ? 1 : 0;
    life.turn = static_cast<int>(dice_.below(2));
    const auto id = static_cast<std::uint32_t>(++arrived_);
    ++live_;
    Record record{.request = id, .slot = slot, .arrival = true};
    record.life = life;
    world_.apply(record);
    round_.records.push_back(std::move(record));
    return true;
  }

  void count(Fault fault) { ++round_.faults[static_cast<std::size_t>(fault)]; }

  bool step(std::uint16_t slot) {
    world_.enabled(slot, steps_);
    if (steps_.empty()) return false;
    const World::Request& request = world_.request(slot);
    Step chosen = steps_[dice_.below(static_cast<std::uint32_t>(steps_.size()))];
    Record record{.request = request.id, .slot = slot, .step = chosen};
    if (const auto fault = fault_of(chosen, request.life)) {
      // A lease that runs out is also how a lost notice ends.
      const bool lost = chosen == Step::lease_expires && on(Fault::lost_notice) && dice_.one_in(2);
      const Fault named = lost ? Fault::lost_notice : *fault;
      if (!on(named) || !dice_.one_in(named == Fault::duplicate_notice ? 4 : 48)) return false;
      count(named);
    }
    if (chosen == Step::read_ends && on(Fault::delay) && dice_.one_in(4)) {
      count(Fault::delay);
      return false;
    }
    if (chosen == Step::read_ends && on(Fault::reordering)) {
      record.handle = static_cast<std::uint16_t>(dice_.below(4));
      if (record.handle % request.outstanding.size() != 0) count(Fault::reordering);
    }
    if (chosen == Step::read_ends && on(Fault::peer_death) && dice_.one_in(200)) return peer_dies(slot);
    if (chosen == Step::allocate && !choose_blocks(record, request.life.reads > 0)) return false;
    if (!carry_out(std::move(record))) return false;
    // Handshakes that the request meets: its engine is away, or the thread is busy with another one.
    if (chosen == Step::allocate && on(Fault::slow_handshake) && dice_.one_in(4)) {
      const Step met = dice_.one_in(2) ? Step::engine_forgotten : Step::stranger_enters;
      if (carry_out({.request = request.id, .slot = slot, .step = met})) count(Fault::slow_handshake);
    }
    if (chosen == Step::end) {
      ++round_.ended;
      --live_;
    }
    return true;
  }

  bool peer_dies(std::uint16_t slot) {
    count(Fault::peer_death);
    const std::uint32_t id = world_.request(slot).id;
    while (!world_.request(slot).outstanding.empty()) {
      carry_out({.request = id, .slot = slot, .step = Step::read_fails});
    }
    carry_out({.request = id, .slot = slot, .step = Step::lease_expires});
    return true;
  }

  // Any block that the guards allow; without a guard, any block.
  bool choose_blocks(Record& record, bool reads) {
    const rx::Guard without = options_.world.without;
    free_.clear();
    ready_.clear();
    for (std::uint16_t block = 0; block < world_.blocks().size(); ++block) {
      const rx::Page<int>& page = world_.blocks()[block].layers[0];
      const bool whole = !world_.blocks()[block].partial;
      if ((page.published == 1 && whole) || without == rx::Guard::prefix_is_published)
        ready_.push_back(block);
      if (page.refs == 0 || without == rx::Guard::block_is_free) free_.push_back(block);
    }
    const auto take = [&](std::vector<std::uint16_t>& from, std::uint32_t most,
                          std::vector<std::uint16_t>& to) {
      for (std::uint32_t i = 0; i < most && !from.empty(); ++i) {
        const auto at = dice_.below(static_cast<std::uint32_t>(from.size()));
        const std::uint16_t block = from[at];
        from.erase(from.begin() + at);
        if (std::ranges::find(record.own, block) == record.own.end()) to.push_back(block);
      }
    };
    if (reads) {
      const std::uint32_t wanted = 1 + dice_.below(12);
      if (free_.size() < wanted) return false;
      take(free_, wanted, record.own);
    }
    take(ready_, dice_.one_in(3) ? 1 + dice_.below(2) : 0, record.shared);
    return true;
  }

  RoundOptions options_;
  World world_;
  Dice dice_;
  Round round_;
  std::vector<Step> steps_;
  std::vector<std::uint16_t> free_;
  std::vector<std::uint16_t> ready_;
  std::uint64_t live_ = 0;
  std::uint64_t arrived_ = 0;
};

}  // namespace

std::string_view to_string(Fault fault) {
  return kFaultNames[static_cast<std::size_t>(fault)];
}
std::uint32_t bit(Fault fault) {
  return 1U << static_cast<unsigned>(fault);
}

Expected<std::uint32_t> parse_faults(const std::vector<std::string>& names) {
  std::uint32_t faults = 0;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(kFaultNames, name);
    if (name == "all") {
      faults = kAllFaults;
    } else if (found != kFaultNames.end()) {
      faults |= 1U << (found - kFaultNames.begin());
    } else if (name != "none") {
      return std::unexpected(Error{"receive simulate", "--faults", name,
                                   fmt::format("no such fault; there are {}", fmt::join(kFaultNames, ", "))});
    }
  }
  const auto whole = [](const std::string& name) { return name == "all" || name == "none"; };
  if (const auto all = std::ranges::find_if(names, whole); names.size() > 1 && all != names.end()) {
    return std::unexpected(Error{"receive simulate", "--faults", *all, "stands alone or not at all"});
  }
  return names.empty() ? kAllFaults : faults;
}

std::string names_of_faults(std::uint32_t faults) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kFaultNames.size(); ++i) {
    if ((faults >> i & 1) != 0) names.push_back(kFaultNames[i]);
  }
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ","));
}

Round run_round(const RoundOptions& options) {
  return Driver(options).run();
}

std::string to_string(const Record& record) {
  if (record.arrival) {
    constexpr const char* kVerdicts[] = {"rejected", "match", "convert"};
    return fmt::format("request {} arrives: {} pair, {} reads", record.request,
                       kVerdicts[record.life->verdict], record.life->reads);
  }
  std::string text = fmt::format("request {} {}", record.request, rx::to_string(record.step));
  if (!record.own.empty()) text += fmt::format(" blocks {}", fmt::join(record.own, ","));
  if (!record.shared.empty()) text += fmt::format(" sharing {}", fmt::join(record.shared, ","));
  return text;
}

std::uint64_t seed_of_round(std::uint64_t seed, std::uint64_t round) {
  Dice dice(seed * 0x9e3779b97f4a7c15 + round);
  dice.roll();
  return dice.roll();
}

}  // namespace pageproof::fuzz_receive
