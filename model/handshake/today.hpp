// Today's handshake of a decode worker with a prefill engine, step by step: for each remote rank decode the
// payload, compare the hashes, decode the metadata, compare the engine id, then add_remote_agent: side
// effects A0 to A8, the checks (A9), handles A10 to A12. All or nothing for the caller, but not for the
// worker: what failed leaves its traces. Source: connector spec §1.5, §2.1.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/handshake/checks.hpp"
#include "model/handshake/machine.hpp"
#include "model/handshake/rejection.hpp"
#include "model/handshake/side.hpp"
#include "model/handshake/worker.hpp"

namespace pageproof::handshake {

// What one remote rank answered.
struct Reply {
  std::uint64_t rank = 0;
  std::vector<std::byte> payload = {};  // MessagePack of HandshakePayload
};

struct Attempt {
  Worker worker = {};  // after the handshake
  // The steps taken, in order: "decode payload", "hash", ..., "A9", "check 1", ..., then "ready" or
  // "rejected".
  std::vector<std::string> trace = {};
  std::optional<Rejection> rejection = {};

  bool accepted() const { return !rejection.has_value(); }
};

// Called before each step, and at the end, with the worker as it is then.
using Watch = std::function<void(const std::string& step, const Worker& worker)>;

// Without a reply there is no handshake: the worker stays as it is, the trace is empty.
// @pre one reply for each rank in tp_mapping().handshakes, in that order, as far as the remote answered
Attempt handshake_today(const EngineSide& local, const Worker& worker, std::span<const Reply> replies,
                        const std::string& expected_engine_id, std::uint64_t remote_tp_size,
                        const Watch& watch = {});

// The table of steps that handshake_today() runs.
Outline outline_today(region::Behaviour behaviour);

// _validate_remote_parallel_config: S1 and S2 only.
std::optional<Rejection> parallel_config_today(const EngineSide& local, const AgentMetadata& remote);

// Steps A0 to A12 for metadata that is decoded already: the cheap way in when a million pairs are judged.
// Changes the worker.
std::optional<Rejection> add_remote_agent(const EngineSide& local, Worker& worker,
                                          const AgentMetadata& metadata, std::uint64_t remote_rank,
                                          std::uint64_t remote_tp_size);

// A fresh worker meets all ranks of a remote engine that differ only in rank. The hash check is made, the
// wire is not.
Attempt meet_today(const EngineSide& local, const EngineSide& remote);

}  // namespace pageproof::handshake
