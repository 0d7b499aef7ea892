// What the worker does in a step: launches, events, and what it waits for where a guard asks for it. A guard
// about the device is kept by waiting; left out, nobody waits, and the log shows it.
#include "fuzz/receive/world.hpp"

namespace pageproof::fuzz_receive {

using rx::Guard;
using rx::Step;
using What = Happening::What;

void World::launch(Request& request, std::uint16_t slot, Kernel::Kind kind, Stream stream, int layer) {
  Kernel kernel{.kind = kind,
                .slot = slot,
                .request = request.id,
                .layer = static_cast<std::uint16_t>(layer),
                .appended = request.appended,
                .own = static_cast<std::uint16_t>(request.own.size())};
  kernel.add(request.own);
  const bool all = kind == Kernel::Kind::decode || kind == Kernel::Kind::compute ||
                   (kind == Kernel::Kind::convert && !in_force(Guard::own_blocks_only));
  if (all) kernel.add(request.shared);
  device_.launch(stream, kernel);
  using enum Kernel::Kind;
  const What what = kind == zero      ? What::zero
                    : kind == convert ? What::convert
                    : kind == compute ? What::recompute
                                      : What::schedule;
  if (kernel.count == 0 && (kind == zero || kind == convert)) return;  // a launch of nothing is none
  tell({.what = what,
        .request = request.id,
        .slot = slot,
        .layer = kernel.layer,
        .stream = stream,
        .blocks = kernel.all()});
}

void World::record_conversion(Request& request, std::uint16_t slot) {
  request.converted = device_.record(conversions());
  request.conversion_seen = false;
  tell({.what = What::record,
        .request = request.id,
        .slot = slot,
        .stream = conversions(),
        .name = "converted",
        .turn = ++request.records});
}

void World::await_zero(Request& request, std::uint16_t slot) {
  if (request.zero_seen || request.own.empty()) return;
  request.zero_seen = true;
  tell({.what = What::sync, .request = request.id, .slot = slot, .name = "zeroed"});
}
void World::await_conversion(Request& request, std::uint16_t slot) {
  if (!request.converted || request.conversion_seen) return;
  request.conversion_seen = true;
  tell({.what = What::sync,
        .request = request.id,
        .slot = slot,
        .name = "converted",
        .turn = request.records});
}
// The tokens of steps that have ended come back to the worker.
void World::await_steps(Request& request, std::uint16_t slot) {
  for (; request.steps_unseen > 0; --request.steps_unseen) {
    tell({.what = What::step_done, .request = request.id, .slot = slot});
  }
}

void World::act(std::uint16_t slot, Step step, const rx::Life<int>& before, std::uint16_t handle) {
  Request& request = requests_[slot];
  const auto say = [&](What what, bool ok = true) {
    tell({.what = what,
          .request = request.id,
          .slot = slot,
          .handle = handle,
          .ok = ok,
          .blocks = what == What::post ? blocks_of(request, handle) : std::span<const std::uint16_t>{}});
  };
  switch (step) {
    case Step::allocate:
      tell({.what = What::allocate,
            .request = request.id,
            .slot = slot,
            .converts = before.verdict == rx::kConvert,
            .blocks = request.own,
            .shared = request.shared});
      launch(request, slot, Kernel::Kind::zero, Stream::zero, 0);
      if (!request.own.empty()) {
        tell({.what = What::record,
              .request = request.id,
              .slot = slot,
              .stream = Stream::zero,
              .name = "zeroed"});
      }
      break;
    case Step::post_read:
      if (in_force(Guard::zero_has_run)) await_zero(request, slot);
      say(What::post);
      request.reads.push_back({.handle = handle, .key = request.key});
      ++peers_[request.peer].outstanding;
      if (peers_[request.peer].key != request.key) tally_.count(Fault::stale_metadata);
      break;
    case Step::post_fails:
      if (in_force(Guard::zero_has_run)) await_zero(request, slot);
      say(What::post), say(What::read_failed);
      tally_.count(Fault::post_error);
      break;
    case Step::read_ends:
      say(What::read_done);
      break;
    case Step::read_fails:
      say(What::read_failed);
      break;
    case Step::launch_layer:
      launch(request, slot, Kernel::Kind::convert, conversions(), before.launched);
      break;
    case Step::record_event:
      record_conversion(request, slot);
      break;
    case Step::use_as_landed:
      tally_.count(Situation::matching_pair);
      say(What::report);
      break;
    case Step::report:
      // On the step path the order of the stream is enough.
      if (options_.side && in_force(Guard::event_completed)) await_conversion(request, slot);
      say(What::report);
      break;
    case Step::report_failure:
      say(What::report, false);
      break;
    case Step::none_to_post:
      if (in_force(Guard::notify_after_zero)) await_zero(request, slot);
      break;
    case Step::resolve:
      if (request.life.phase == rx::kDraining) tally_.count(Situation::failed_request);
      break;
    case Step::recompute:
      if (in_force(Guard::recompute_after_zero)) await_zero(request, slot);
      tally_.count(Situation::recomputed);
      launch(request, slot, Kernel::Kind::compute, Stream::main, 0);
      ++request.steps_unseen;
      break;
    case Step::decode_queued:
      await_steps(request, slot);
      launch(request, slot, Kernel::Kind::decode, Stream::main, 0);
      ++request.steps_unseen;
      break;
    case Step::finish:
      if (before.aborted == 0 && (before.steps > 0 || before.decode != rx::kIdle))
        tally_.count(Fault::preemption);
      break;
    case Step::abort:
      tally_.count(Fault::abort);
      break;
    case Step::hear_of_loss:
      tally_.count(Situation::loss_heard);
      break;
    case Step::stranger_enters:
      tally_.count(Situation::other_handshake);
      break;
    case Step::free_blocks:
      if (in_force(Guard::free_after_zero)) await_zero(request, slot);
      if (in_force(Guard::free_after_conversion)) await_conversion(request, slot);
      if (in_force(Guard::free_after_decode)) await_steps(request, slot);
      say(What::free);
      break;
    case Step::handshake_fails:
      tally_.count(Fault::handshake_error);
      break;
    case Step::pair_refused:
      tally_.count(Fault::rejected_pair);
      break;
    case Step::other_fails:
      tally_.count(Fault::worker_error);
      break;
    case Step::engine_forgotten:
      tally_.count(Situation::engine_forgotten);
      break;
    case Step::lease_expires:
      tally_.count(Fault::lease_expiry);
      break;
    default:
      break;
  }
}

}  // namespace pageproof::fuzz_receive
