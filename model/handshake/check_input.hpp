// What the numbered checks share: the facts they look at, and one function a check. Inner part of this room:
// see checks.hpp for the order and the numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "model/handshake/checks.hpp"
#include "model/handshake/machine.hpp"
#include "model/region/tp_mapping.hpp"

namespace pageproof::handshake::checks {

// What the checks look at, computed once.
struct Input {
  const EngineSide& local;
  const region::Engine& engine;
  const AgentMetadata& remote;
  const RemoteEngine& recorded;
  std::uint64_t remote_tp;
  std::int64_t tp_ratio = 1;
  std::uint64_t ratio = 1;  // r: local block tokens / remote block tokens
  region::TpPair pair = {};
  std::string local_layout = "";
};
using Result = std::optional<Rejection>;
using Check = Result (*)(const Input&, Worker&);

// @pre worker.remotes has the engine's topology: side effects A2 to A8 came before
Input input_of(const EngineSide& local, const AgentMetadata& remote, std::uint64_t remote_tp,
               const Worker& worker);

// A numbered check: two of them leave a flag of the worker set.
struct Numbered {
  std::uint32_t number;
  bool in_s0;
  Check check;
  std::optional<Mark> leaves = {};
};
std::span<const Numbered> numbered();  // 1 to 19, in order

Rejection rejection(std::uint32_t check, Exception exception, std::string message, std::string local,
                    std::string remote, std::string change);

// Does the engine have a head-sharded draft model under an MLA target?
bool head_sharded_draft(const region::Engine& engine);

// Checks 1 to 9: parallel sizes, block sizes and modes.
Result recorded_parallel_sizes(const Input& in, Worker& worker);
Result dcp_sizes_divide(const Input& in, Worker& worker);
Result mamba_needs_equal_dcp(const Input& in, Worker& worker);
Result sizes_divide(const Input& in, Worker& worker);
Result no_gathering_of_replicas(const Input& in, Worker& worker);
Result draft_is_transferable(const Input& in, Worker& worker);
Result dcp_groups(const Input& in, Worker& worker);
Result mamba_prefix_caching(const Input& in, Worker& worker);
Result no_ratio_through_the_host(const Input& in, Worker& worker);

// Checks 10 to 19: layout, backend and regions.
Result same_layout(const Input& in, Worker& worker);
Result cpu_repack(const Input& in, Worker& worker);
Result contiguous_heads(const Input& in, Worker& worker);
Result draft_heads(const Input& in, Worker& worker);
Result block_lengths(const Input& in, Worker& worker);
Result recorded_blocks(const Input& in, Worker& worker);
Result region_count(const Input& in, Worker& worker);
Result list_lengths(const Input& in, Worker& worker);
Result strides_hold_blocks(const Input& in, Worker& worker);
Result same_names(const Input& in, Worker& worker);

}  // namespace pageproof::handshake::checks
