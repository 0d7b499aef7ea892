// Engines as the planner takes them: the one place where the model's regions become the planner's, and where
// two engines become a request.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/plan/request.hpp"
#include "model/handshake/side.hpp"
#include "model/page/plain/error.hpp"
#include "model/region/registration.hpp"
#include "model/region/tp_mapping.hpp"

namespace pageproof::reports {

// Latent regions hold the same on every rank; where `replicated`, all do.
plan::Side planner_side(std::span<const region::Region> regions, std::uint64_t device, bool replicated);

std::vector<plan::MemoryRange> planner_memory(const region::Registration& registration, std::uint64_t device);

// One engine of a pair.
struct PlanParty {
  handshake::EngineSide side;
  bool described = false;  // a description; else a capture, which tells less
  std::string file = {};   // where it was read; empty: LOCAL or REMOTE
};

struct PlannedPair {
  plan::Request request;
  std::string pages;               // "standard -> aiter-shuffled: converted after the read"
  std::vector<std::string> notes;  // what was assumed
};

// `remotes`: one for all source ranks (each then has its addresses), or one a source rank, in order of rank.
// `asked`: the strategy, where one is asked for; it decides what pages are that no tag names (pages.hpp).
// Refused: files of several engines, or of ranks that are not read; pairs that today's checks (pages of one
// format) or the RFC's (standard pages for shuffled planes) reject, with that rejection; formats that no read
// brings together; block lists that do not fit.
Expected<PlannedPair> plan_pair(const PlanParty& local, std::span<const PlanParty> remotes,
                                const plan::BlockGroups& local_blocks, const plan::BlockGroups& remote_blocks,
                                std::optional<plan::Strategy> asked);

}  // namespace pageproof::reports
