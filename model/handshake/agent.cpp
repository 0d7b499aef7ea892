#include "model/handshake/agent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pageproof::handshake {
namespace {

using Failed = std::optional<Rejection>;

Rejection plain(std::string at, Exception exception, std::string message, std::string local,
                std::string remote, std::string change) {
  return {std::move(at),    0, exception, std::move(message), std::move(local), std::move(remote),
          std::move(change)};
}

std::size_t answered_before(const AgentContext& c) {
  const auto found = c.worker.remotes.find(c.remote.engine_id);
  return found != c.worker.remotes.end() && found->second.ready.contains(c.rank) ? 1 : 0;
}

Failed register_engine(AgentContext& c) {
  if (c.remote.engine_id == c.local.engine.engine_id) {
    return plain("A2", Exception::assertion_error, "an engine cannot be its own remote",
                 c.local.engine.engine_id, c.remote.engine_id, "give each engine an id of its own");
  }
  RemoteEngine& entry = c.worker.remotes[c.remote.engine_id];
  if (!entry.topology) {
    entry.topology = Topology{c.tp_size, c.remote.dcp_size, c.remote.block_size,
                              c.remote.physical_blocks_per_logical_kv_block};
  }
  return {};
}

Failed tp_sizes_divide(AgentContext& c) {
  const std::uint64_t local = c.local.engine.tp_size;
  const std::uint64_t remote = c.entry().topology->tp_size;
  const std::optional<std::int64_t> ratio = region::tp_ratio(local, remote);
  if (!ratio) {
    return plain("A3", Exception::assertion_error, "TP sizes must divide one another", std::to_string(local),
                 std::to_string(remote), "choose TP sizes that divide");
  }
  c.tp_ratio = *ratio;
  return {};
}

// Of the recorded topology, which stays: further ranks of the engine would compute the same again.
void map_ranks(AgentContext& c) {
  if (c.entry().mapping) return;
  const region::Engine& engine = c.local.engine;
  c.entry().mapping = region::tp_mapping({.local_rank = engine.tp_rank,
                                          .local_size = engine.tp_size,
                                          .remote_size = c.entry().topology->tp_size,
                                          .kv_heads = engine.model.latent ? 1 : engine.model.kv_heads,
                                          .latent = engine.model.latent});
}

void load_agent(AgentContext& c) {
  c.entry().loaded_agents.insert(c.rank);
}

Failed block_sizes_divide(AgentContext& c) {
  const std::uint64_t local = c.local.engine.kernel_block_size;
  const std::uint64_t remote = c.entry().topology->block_size;
  if (remote != 0 && local % remote == 0) return {};
  return plain("A6", Exception::assertion_error, "the prefill's block size must divide the decoder's",
               std::to_string(local), std::to_string(remote),
               "use blocks on the prefill side that divide the decoder's");
}

// The first rank's lists win.
void record_regions(AgentContext& c) {
  RemoteEngine& entry = c.entry();
  if (entry.num_blocks) return;
  const std::size_t count = c.remote.kv_caches_base_addr.size();
  entry.num_blocks = c.remote.num_blocks;
  entry.region_num_blocks =
      c.remote.region_num_blocks.value_or(std::vector<std::uint64_t>(count, c.remote.num_blocks));
  std::vector<std::int64_t> groups;
  for (const region::Region& region : c.local.registration.regions) groups.push_back(region.group);
  if (groups.size() != count) groups.assign(count, 0);
  entry.region_group_ids = c.remote.region_group_ids.value_or(groups);
  entry.region_mem_types =
      c.remote.region_mem_types.value_or(std::vector<std::string>(count, to_string(c.local.engine.memory)));
}

void record_bases(AgentContext& c) {
  c.entry().bases[c.rank] = c.remote.kv_caches_base_addr;
}

void begin_checks(AgentContext& c) {
  c.input.emplace(checks::input_of(c.local, c.remote, c.tp_size, c.worker));
}

void prepare_block_size(AgentContext& c) {
  const std::uint64_t remote = c.entry().topology->block_size;
  if (c.local.engine.kernel_block_size / remote > 1) c.worker.local_handles.insert(remote);
}

void prepare_split(AgentContext& c) {
  if (c.tp_ratio < 0 && (!c.local.engine.model.latent || c.entry().mapping->sources.size() > 1)) {
    c.worker.split_handles.insert({c.tp_ratio, c.entry().topology->block_size});
  }
}

Failed prepare_remote(AgentContext& c) {
  const std::vector<std::string>& types = c.entry().region_mem_types;
  if (std::ranges::adjacent_find(types, std::ranges::not_equal_to{}) != types.end()) {
    return plain("A12", Exception::not_implemented_error, "regions of several memory types",
                 to_string(c.local.engine.memory), "VRAM and DRAM", "keep the prefill's cache in one memory");
  }
  c.entry().remote_handles.insert(c.rank);
  return {};
}

Machine<AgentContext> made(region::Behaviour behaviour, Meets meets) {
  Machine<AgentContext> machine;
  if (meets == Meets::perhaps_again) {
    machine.choice("A0", {{"new", "A2"}, {"ready before", kEnd}}, answered_before);
  }
  machine.check("A2", {Mark::topology}, register_engine)
      .check("A3", {}, tp_sizes_divide)
      .effect("A4", {Mark::mapping}, map_ranks)
      .effect("A5", {Mark::loaded_agent}, load_agent)
      .check("A6", {}, block_sizes_divide)
      .effect("A7", {Mark::recorded_regions}, record_regions)
      .effect("A8", {Mark::bases}, record_bases)
      .effect("A9", {}, begin_checks);
  for (const checks::Numbered& numbered : checks::numbered()) {
    if (!has_check(behaviour, numbered.number)) continue;
    std::vector<Mark> leaves;
    if (numbered.leaves) leaves.push_back(*numbered.leaves);
    machine.check(fmt::format("check {}", numbered.number), std::move(leaves),
                  [check = numbered.check](AgentContext& c) { return check(*c.input, c.worker); });
  }
  machine.effect("A10", {Mark::local_handle}, prepare_block_size)
      .effect("A11", {Mark::split_handle}, prepare_split)
      .check("A12", {Mark::remote_handle}, prepare_remote);
  return std::move(machine.finished());
}

}  // namespace

const Machine<AgentContext>& agent_machine(region::Behaviour behaviour, Meets meets) {
  using enum region::Behaviour;
  static const std::array<Machine<AgentContext>, 4> machines = {
      made(s0, Meets::perhaps_again), made(s0, Meets::first), made(s2, Meets::perhaps_again),
      made(s2, Meets::first)};
  const std::size_t index = (behaviour == s0 ? 0u : 2u) + (meets == Meets::first ? 1u : 0u);
  return machines[index];
}

}  // namespace pageproof::handshake
