// add_remote_agent as a machine: side effects A0 to A8, the checks (A9), handles A10 to A12, in the order in
// which the connector has them. Inner part of this room: today.hpp is the way in. Source: connector spec
// §2.1.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "model/handshake/check_input.hpp"
#include "model/handshake/machine.hpp"
#include "model/handshake/worker.hpp"

namespace pageproof::handshake {

struct AgentContext {
  using Failure = Rejection;

  const EngineSide& local;
  Worker& worker;
  const AgentMetadata& remote;
  std::uint64_t rank = 0;
  std::uint64_t tp_size = 1;
  std::function<void(const std::string& step)> watch = {};  // called before each step

  // Filled on the way.
  std::int64_t tp_ratio = 1;
  std::optional<checks::Input> input = {};

  RemoteEngine& entry() { return worker.remotes.at(remote.engine_id); }
  void enter(const std::string& step) const {
    if (watch) watch(step);
  }
};

// A worker that met engines before answers for those that are ready (A0); a fresh one has no such step.
enum class Meets : std::uint8_t { perhaps_again, first };
const Machine<AgentContext>& agent_machine(region::Behaviour behaviour, Meets meets);

}  // namespace pageproof::handshake
