// RapidCheck's commands against the real world: pages with bytes, the production converter, wire and device.
// A command says who moves and not what has to come of it. What has to come of it is told by a state that
// shares nothing with the world or the model: who came with which prompt, and so, element by element through
// the oracle's offsets, what every decode step has to see.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/state.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "fuzz/receive/world.hpp"
#include "oracle/offset/writer.hpp"

namespace pageproof {
namespace {

namespace rx = receive;
namespace sim = fuzz_receive;

constexpr std::uint16_t kSlots = 2;
constexpr std::uint32_t kBlocks = 6;

struct Request {
  sim::Prompt prompt;
  int reads = 1;
  int steps = 1;
  bool converts = true;
};

// What is expected: of each slot, who came. Its number is the slot's, from 1.
struct Expected {
  std::map<std::uint16_t, Request> came;
};

// The world, and what its decode steps were seen to read.
struct Harness {
  struct Seen {
    std::uint16_t slot, block, layer, index, appended;
    int ended;                            // decode steps of the request, before this one
    std::vector<std::uint16_t> elements;  // as they lay there then: K side, then V side
  };

  explicit Harness(const sim::WorldOptions& options)
      : world(options, [this](const sim::Happening& did) { hear(did); }) {}

  void hear(const sim::Happening& did) {
    using What = sim::Happening::What;
    if (did.what == What::step && did.step == rx::Step::decode_retires) ++retired[did.slot];
    if (did.what == What::recompute) --retired[did.slot];  // a step of the device, and no decode step
    if (did.what == What::schedule) ++launched[did.slot];
    if (did.what != What::decoded) return;
    Seen one{did.slot, did.blocks.front(), did.layer, did.index, did.appended, retired[did.slot], {}};
    ++read[did.slot];
    for (const int which : {0, 1}) {
      const auto side = world.pages()->side(one.block, one.layer, which);
      one.elements.insert(one.elements.end(), side.begin(), side.end());
    }
    seen.push_back(std::move(one));
  }

  sim::World world;
  std::vector<Seen> seen;
  std::map<std::uint16_t, int> retired, launched, read;
};

// Element (head, token, side, dim) of a standard page is its own number, xor what names prompt, block, layer.
void expect_page(const Harness::Seen& seen, const Request& request) {
  using sim::kShape;
  const std::uint16_t salt = sim::salt_of(request.prompt.number, seen.index, seen.layer);
  const std::uint64_t last_block = (request.prompt.tokens - 1U) / kShape.tokens;
  const std::uint64_t first = request.prompt.tokens % kShape.tokens;
  const bool grows = seen.index == last_block && first > 0;
  const int room = static_cast<int>(kShape.tokens - first);
  RC_ASSERT(seen.appended == (grows ? std::min(seen.ended, room) : 0));
  for (std::uint64_t head = 0; head < kShape.heads; ++head) {
    for (std::uint64_t token = 0; token < kShape.tokens; ++token) {
      const bool written = grows && token >= first && token < first + seen.appended;
      for (const Side side : {Side::key, Side::value}) {
        for (std::uint64_t dim = 0; dim < kShape.head_dim; ++dim) {
          const std::uint64_t number =
              ((head * kShape.tokens + token) * 2 + (side == Side::value ? 1 : 0)) * kShape.head_dim + dim;
          const std::uint64_t byte = oracle::shuffled_byte(
              kShape, {.block = 0, .side = side, .head = head, .token = token, .dim = dim});
          const std::uint64_t at = byte / 2 + (side == Side::value ? kShape.side_bytes() / 2 : 0);
          const auto want = static_cast<std::uint16_t>((written ? sim::kAppended : number) ^ salt);
          RC_ASSERT(seen.elements[at] == want);
        }
      }
    }
  }
}

// Everything that a decode step has read since the last look.
void look(Harness& harness, const Expected& expected) {
  for (const Harness::Seen& seen : harness.seen) expect_page(seen, expected.came.at(seen.slot));
  harness.seen.clear();
}

bool goes_wrong(rx::Step step) {
  switch (step) {
    case rx::Step::post_fails:
    case rx::Step::handshake_fails:
    case rx::Step::engine_forgotten:
    case rx::Step::stranger_enters:
    case rx::Step::other_fails:
    case rx::Step::abort:
    case rx::Step::lease_expires:
      return true;
    default:
      return false;
  }
}

using Command = rc::state::Command<Expected, Harness>;

struct Come : Command {
  std::uint16_t slot;
  Request request;
  Come(std::uint16_t in, const Request& who) : slot(in), request(who) {}

  void checkPreconditions(const Expected& now) const override { RC_PRE(!now.came.contains(slot)); }
  void apply(Expected& now) const override { now.came[slot] = request; }
  void run(const Expected&, Harness& harness) const override {
    sim::Arrival arrival{.life = {}, .prompt = request.prompt};
    arrival.life.verdict = request.converts ? rx::kConvert : rx::kMatch;
    arrival.life.reads = request.reads;
    arrival.life.steps = request.steps;
    arrival.life.policy = 1;
    const auto id = static_cast<std::uint32_t>(slot + 1);
    RC_ASSERT(
        harness.world.apply({.request = id, .slot = slot, .move = sim::Move::arrival, .arrival = arrival}));
  }
  void show(std::ostream& out) const override {
    out << "request " << slot + 1 << " comes: prompt " << request.prompt.number << " of "
        << request.prompt.tokens << " tokens, " << request.reads << " reads, " << request.steps << " steps, "
        << (request.converts ? "to be converted" : "equal formats");
  }
};

// The worker: the nth step that it can take for the slot, `times` in a row. Its first is the allocation, of
// the first blocks that are free.
bool takes(sim::World& world, std::uint16_t slot, std::uint32_t nth, bool wrong) {
  std::vector<rx::Step> steps;
  world.enabled(slot, steps);
  if (!wrong) std::erase_if(steps, goes_wrong);
  if (std::erase(steps, rx::Step::forward) > 0) steps.push_back(rx::Step::forward);
  if (steps.empty()) return false;
  const sim::World::Request& request = world.request(slot);
  sim::Record record{.request = request.id, .slot = slot, .step = steps[nth % steps.size()]};
  if (record.step == rx::Step::allocate) {
    for (std::uint16_t block = 0; block < kBlocks; ++block) {
      if (record.own.size() == request.prompt.blocks(sim::kShape.tokens)) break;
      if (world.blocks()[block].layers[0].refs == 0) record.own.push_back(block);
    }
    if (record.own.size() < request.prompt.blocks(sim::kShape.tokens)) return false;
  }
  for (const sim::Read& read : request.reads) {
    if (world.can_see(request, read, record.step)) record.handle = read.handle;
  }
  return world.apply(record);
}

struct Works : Command {
  std::uint16_t slot;
  std::uint32_t nth;
  int times;
  bool wrong;
  Works(std::uint16_t of, std::uint32_t which, int often, bool goes)
      : slot(of), nth(which), times(often), wrong(goes) {}

  void run(const Expected& now, Harness& harness) const override {
    for (int i = 0; i < times && harness.world.request(slot).live; ++i) {
      takes(harness.world, slot, nth, wrong);
    }
    look(harness, now);
  }
  void show(std::ostream& out) const override {
    out << "the worker takes " << times << " steps for request " << slot + 1 << " (choice " << nth
        << (wrong ? ", failures as well)" : ")");
  }
};

struct Carries : Command {
  std::uint16_t slot;
  std::uint32_t nth;
  bool breaks;
  Carries(std::uint16_t of, std::uint32_t which, bool gives_up) : slot(of), nth(which), breaks(gives_up) {}

  void run(const Expected&, Harness& harness) const override {
    const sim::World::Request& request = harness.world.request(slot);
    if (!request.live || request.reads.empty()) return;
    const sim::Read& read = request.reads[nth % request.reads.size()];
    harness.world.apply({.request = request.id,
                         .slot = slot,
                         .move = breaks ? sim::Move::read_breaks : sim::Move::piece,
                         .handle = read.handle});
  }
  void show(std::ostream& out) const override {
    out << "the wire " << (breaks ? "breaks" : "carries a piece of") << " READ " << nth << " of request "
        << slot + 1;
  }
};

struct GoesOn : Command {
  std::uint16_t stream;
  explicit GoesOn(std::uint16_t which) : stream(which) {}

  void run(const Expected& now, Harness& harness) const override {
    harness.world.apply({.move = sim::Move::tick, .handle = stream});
    look(harness, now);
  }
  void show(std::ostream& out) const override { out << "the device goes on with stream " << stream; }
};

rc::Gen<std::shared_ptr<const Command>> any_command() {
  const auto slot = rc::gen::inRange<std::uint16_t>(0, kSlots);
  const auto shared = [](auto command) { return std::shared_ptr<const Command>(std::move(command)); };
  const auto request =
      rc::gen::apply([](std::uint32_t number, std::uint16_t tokens, int reads, int steps,
                        bool matches) { return Request{{number, tokens}, reads, steps, !matches}; },
                     rc::gen::inRange(0U, 3U), rc::gen::inRange<std::uint16_t>(1, 49), rc::gen::inRange(1, 4),
                     rc::gen::inRange(1, 3), rc::gen::weightedElement<bool>({{4, false}, {1, true}}));
  const auto seldom = rc::gen::weightedElement<bool>({{15, false}, {1, true}});
  return rc::gen::weightedOneOf<std::shared_ptr<const Command>>(
      {{2, rc::gen::apply(
               [=](std::uint16_t in, const Request& who) { return shared(std::make_shared<Come>(in, who)); },
               slot, request)},
       {6, rc::gen::apply([=](std::uint16_t of, std::uint32_t nth, int times,
                              bool wrong) { return shared(std::make_shared<Works>(of, nth, times, wrong)); },
                          slot, rc::gen::inRange(0U, 3U), rc::gen::inRange(1, 5), seldom)},
       {4, rc::gen::apply([=](std::uint16_t of, std::uint32_t nth,
                              bool breaks) { return shared(std::make_shared<Carries>(of, nth, breaks)); },
                          slot, rc::gen::inRange(0U, 3U), seldom)},
       {4, rc::gen::map(rc::gen::inRange<std::uint16_t>(0, sim::kStreams),
                        [=](std::uint16_t stream) { return shared(std::make_shared<GoesOn>(stream)); })}});
}

// Wire and device first, then the worker, until everybody has ended: what was begun has to come right.
void come_to_an_end(Harness& harness, const Expected& expected) {
  const auto live = [&] {
    return std::ranges::any_of(expected.came,
                               [&](const auto& one) { return harness.world.request(one.first).live; });
  };
  for (int turn = 0; live(); ++turn) {
    RC_ASSERT(turn < 500);
    for (std::uint16_t stream = 0; stream < sim::kStreams; ++stream) {
      while (harness.world.apply({.move = sim::Move::tick, .handle = stream})) {
      }
    }
    for (const auto& [slot, who] : expected.came) {
      const sim::World::Request& request = harness.world.request(slot);
      if (!request.live) continue;
      for (std::uint16_t handle = 0; handle < who.reads; ++handle) {
        while (harness.world.apply(
            {.request = request.id, .slot = slot, .move = sim::Move::piece, .handle = handle})) {
        }
      }
      harness.world.apply({.request = request.id, .slot = slot, .move = sim::Move::delivered});
      takes(harness.world, slot, static_cast<std::uint32_t>(turn % 3), false);
    }
    look(harness, expected);
  }
  // Every decode step has read every block of its prompt, layer by layer.
  for (const auto& [slot, who] : expected.came) {
    const int pages =
        static_cast<int>(who.prompt.blocks(sim::kShape.tokens) * harness.world.options().layers);
    RC_ASSERT(harness.read[slot] == harness.launched[slot] * pages);
  }
}

struct Tried {
  bool failed = false;
  std::vector<std::string> commands;  // of the last that failed, the smallest
  std::uint64_t decoded = 0;
};

// RapidCheck's own check, its report kept here.
class Silent : public rc::detail::TestListener {
 public:
  void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
  void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
  void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
};

Tried try_commands(rx::Guard without, int cases, std::uint64_t seed) {
  Tried tried;
  const auto property = [&] {
    const sim::WorldOptions options{.side = *rc::gen::arbitrary<bool>(),
                                    .deferred = *rc::gen::arbitrary<bool>(),
                                    .slots = kSlots,
                                    .blocks = kBlocks,
                                    .peers = 1,
                                    .without = without,
                                    .watches = false};
    const auto commands =
        *rc::state::gen::commands(Expected{}, [](const Expected&) { return any_command(); });
    std::vector<std::string> shown;
    for (const auto& command : commands) {
      std::ostringstream text;
      command->show(text);
      shown.push_back(text.str());
    }
    try {
      Harness harness(options);
      Expected expected;
      rc::state::runAll(commands, expected, harness);
      rc::state::applyAll(commands, expected);
      come_to_an_end(harness, expected);
      for (const auto& [slot, count] : harness.launched) tried.decoded += static_cast<std::uint64_t>(count);
    } catch (const rc::detail::CaseResult&) {
      tried.failed = true;
      tried.commands = shown;
      throw;
    }
  };
  rc::detail::TestParams parameters;
  parameters.seed = seed;
  parameters.maxSuccess = cases;
  Silent silent;
  rc::detail::checkTestable(property, rc::detail::TestMetadata{}, parameters, silent,
                            std::unordered_map<std::string, rc::detail::Reproduce>{});
  return tried;
}

TEST(ReceiveMachine, DecodeStepsSeeWhatThePromptSays) {
  const Tried tried = try_commands(rx::Guard::none, 200, 2026);
  EXPECT_FALSE(tried.failed) << testing::PrintToString(tried.commands);
  EXPECT_GT(tried.decoded, 100U);
}

// A care that is left out is found by the bytes and the end alone, and what is left of the commands is short.
TEST(ReceiveMachine, AFaultIsCaughtAndShrunk) {
  using enum rx::Guard;
  for (const rx::Guard guard : {reads_have_ended, zero_has_run, no_read_failed, event_completed}) {
    const Tried tried = try_commands(guard, 1000, 2026);
    EXPECT_TRUE(tried.failed) << rx::to_string(guard);
    EXPECT_LE(tried.commands.size(), 16U) << rx::to_string(guard) << testing::PrintToString(tried.commands);
  }
}

}  // namespace
}  // namespace pageproof
