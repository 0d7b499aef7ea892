// One read of the tests, held so that its plan can be spoilt before the oracle sees it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <vector>

#include "reports/silent/bytes.hpp"
#include "reports/silent/space.hpp"

namespace pageproof::silent {

using Change = std::function<void(region::Engine&)>;

inline region::Engine engine_named(const char* id, const Change& change = {}) {
  region::Engine engine;
  engine.engine_id = id;
  engine.num_blocks = std::string(id) == "decode" ? kDecodeBlocks : kPrefillBlocks;
  engine.model.layers = 2;
  engine.model.head_dim = 32;
  if (change) change(engine);
  return engine;
}

inline Candidate candidate(const region::Engine& engine, region::Layout layout = region::Layout::lbhnc) {
  Expected<Candidate> made = candidate_of(engine, layout);
  EXPECT_TRUE(made.has_value()) << to_string(made.error());
  return *std::move(made);
}

// A decode engine of one rank reads from a prefill of as many ranks.
struct PlannedReading {
  Candidate local;
  Candidate remote;
  region::BlockGroups local_ids = {};
  region::BlockGroups remote_ids = {};
  std::vector<handshake::Copy> copies = {};

  PlannedReading(Candidate decode, Candidate prefill) : local(std::move(decode)), remote(std::move(prefill)) {
    const Request request = request_of(local.engine(), remote.engine());
    std::map<std::uint64_t, handshake::AgentMetadata> sources;
    sources.emplace(0, remote.side.metadata);
    const auto read =
        handshake::planned_read(local.side, sources, 1, request.local, request.remote, false, false);
    EXPECT_TRUE(read.has_value() && !read->refused);
    copies = read->copies;
    for (const auto& group : request.local) {
      local_ids.push_back(region::kernel_block_ids(group, region::blocks_per_logical_block(local.engine())));
    }
    for (const auto& group : request.remote) {
      remote_ids.push_back(
          region::kernel_block_ids(group, region::blocks_per_logical_block(remote.engine())));
    }
  }

  Reading reading(const Cache& writer) const {
    return {.local = *local.cache,
            .remote = writer,
            .ranks = {.local_rank = 0,
                      .local_size = 1,
                      .remote_size = 1,
                      .kv_heads = local.engine().model.kv_heads,
                      .latent = local.engine().model.latent},
            .local_blocks = local_ids,
            .remote_blocks = remote_ids,
            .copies = copies};
  }
  std::optional<Wrong> wrong() const {
    const auto found = first_wrong(reading(*remote.cache));
    EXPECT_TRUE(found.has_value());
    return found.value_or(std::nullopt);
  }
};

}  // namespace pageproof::silent
