#include "fuzz/receive/odds.hpp"

namespace pageproof::fuzz_receive {

using rx::Step;

std::optional<Fault> fault_of(Step step, const rx::Life<int>& life) {
  switch (step) {
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
    case Step::finish:
      if (life.aborted == 0 && (life.steps > 0 || life.decode != rx::kIdle)) return Fault::preemption;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

bool comes_again(Step step) {
  switch (step) {
    case Step::forward:
    case Step::handshake_starts:
    case Step::handshake_ends:
    case Step::callback_runs:
    case Step::engine_forgotten:
    case Step::stranger_enters:
    case Step::stranger_leaves:
      return true;
    default:
      return false;
  }
}

std::uint32_t how_seldom(Fault fault) {
  switch (fault) {
    case Fault::abort:
    case Fault::lease_expiry:
      return 240;
    case Fault::preemption:
      return 24;
    default:
      return 48;
  }
}

}  // namespace pageproof::fuzz_receive
