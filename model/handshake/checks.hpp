// The numbered checks of _validate_remote_agent_handshake, as they are today: geometry and names, never what
// lies inside a page. In order, each with its exception; two of them set flags of the worker before later
// ones can fail (trap T7). Source: connector spec §2.2. Checks 6 and 13 concern a head-sharded draft model
// under an MLA target.
#pragma once

#include <cstdint>
#include <optional>

#include "model/handshake/metadata.hpp"
#include "model/handshake/rejection.hpp"
#include "model/handshake/side.hpp"
#include "model/handshake/worker.hpp"

namespace pageproof::handshake {

// The checks that an upstream version has: S0 only 1, 4, 5, 8 to 12, 14 to 16.
bool has_check(region::Behaviour behaviour, std::uint32_t check);

// Check 14 on its own: may region i of the remote, of this length, fill the local region? Empty: yes.
struct LengthRule {
  std::uint64_t local_tp = 1;
  std::uint64_t remote_tp = 1;
  std::uint64_t kv_heads = 1;  // of the whole model; 1 for MLA
  bool replicated = false;     // the region holds the same on every rank
  std::uint64_t ratio = 1;     // r
};
bool lengths_fit(std::uint64_t local_len, std::uint64_t remote_len, const LengthRule& rule);

}  // namespace pageproof::handshake
