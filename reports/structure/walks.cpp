#include "reports/structure/walks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "reports/structure/corpus.hpp"

namespace pageproof::structure {
namespace {

using handshake::Acceptances;
using handshake::RemoteEngine;
using handshake::Worker;

constexpr std::size_t kMostBroken = 8;

// Follows one trace after the other through a graph, and remembers what was met.
class Walker {
 public:
  explicit Walker(const Graph& graph)
      : graph_(graph), taken_(graph.arcs.size(), false), marked_(graph.states.size()) {
    for (std::size_t i = 0; i < graph.states.size(); ++i) states_.emplace(graph.states[i].name, i);
    for (std::size_t i = 0; i < graph.arcs.size(); ++i) {
      arcs_[{graph.arcs[i].from, graph.arcs[i].to}].push_back(i);
    }
  }

  void begin(const std::string& meeting) {
    ++walked_.handshakes;
    meeting_ = meeting;
    at_.reset();
  }

  // The handshake enters a step; `left` is what changed since it entered the one before.
  void enter(const std::string& step, const std::set<Mark>& left) {
    ++walked_.steps;
    const auto found = states_.find(step);
    if (found == states_.end()) return note(step, "a state of the graph", "no such state");
    const std::size_t state = found->second;
    if (at_) {
      take(*at_, state);
      check_marks(*at_, left);
    } else if (state != Graph::kStart) {
      note(step, "the start", "another state");
    }
    at_ = state;
  }

  void end() {
    if (!at_ || !graph_.is_sink_by_name(*at_)) note(meeting_, "ends in ready or rejected", "elsewhere");
  }

  Walked finished() {
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      if (taken_[i]) continue;
      const Transition& arc = graph_.arcs[i];
      walked_.never_taken.push_back(fmt::format("{} {}-> {}", graph_.states[arc.from].name,
                                                arc.on.empty() ? "" : arc.on + " ",
                                                graph_.states[arc.to].name));
    }
    for (std::size_t i = 0; i < marked_.size(); ++i) {
      for (const Mark mark : graph_.states[i].leaves) {
        if (graph_.states[i].scratch || marked_[i].contains(mark)) continue;
        walked_.never_marked.push_back(fmt::format("{} leaves {}", graph_.states[i].name, to_string(mark)));
      }
    }
    return std::move(walked_);
  }

 private:
  void note(const std::string& what, const char* expected, std::string got) {
    if (walked_.broken.size() < kMostBroken) {
      walked_.broken.push_back({fmt::format("{}: {}", meeting_, what), expected, std::move(got)});
    }
  }

  void take(std::size_t from, std::size_t to) {
    const auto found = arcs_.find({from, to});
    if (found != arcs_.end()) {
      for (const std::size_t arc : found->second) taken_[arc] = true;
    } else {
      note(fmt::format("{} -> {}", graph_.states[from].name, graph_.states[to].name), "an arc of the graph",
           "no such arc");
    }
  }

  void check_marks(std::size_t state, const std::set<Mark>& left) {
    const State& here = graph_.states[state];
    for (const Mark mark : left) {
      const bool declared = !here.scratch && std::ranges::count(here.leaves, mark) != 0;
      if (!declared) note(here.name, "leaves only its marks", std::string(to_string(mark)));
    }
    marked_[state].insert(left.begin(), left.end());
  }

  const Graph& graph_;
  std::unordered_map<std::string, std::size_t> states_;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> arcs_;
  std::vector<bool> taken_;
  std::vector<std::set<Mark>> marked_;
  std::optional<std::size_t> at_;
  std::string meeting_;
  Walked walked_;
};

// Checks whose arc to `rejected` nothing that comes over the wire can take, and why.
struct CannotFail {
  std::string_view handshake;
  std::string_view state;
  std::string_view because;
};
constexpr CannotFail kCannotFail[] = {
    {"today, S0", "A12", "its metadata has no memory types"},
    {"RFC, S2", "scope: tag_missing", "\"tag present\" asked before"},
    {"RFC, S2", "scope: heads_unequal", "equal by an equal hash and equal TP sizes"},
    {"RFC, S2", "scope: dims_unequal", "equal by an equal hash"},
    {"RFC, S2", "scope: dims_not_granules", "no shuffled decoder has such pages"},
    {"RFC, S2", "scope: local_block_len", "a decoder registers its own sides"},
    {"RFC, S2", "match: elements_unequal", "equal by an equal hash, else not known"},
    {"RFC, S2", "repack: elements_unequal", "equal by an equal hash, else not known"},
    {"RFC, S2", "repack: slots_across_ranks", "pages of CPU_ATTN have no two slots"},
    {"RFC, S2", "repack: permute_transposes", "a repack never permutes"},
};

std::string failure_of(std::string_view state) {
  return fmt::format("{} fails -> {}", state, handshake::kRejected);
}

// Behind the rules today's checks on the scratch worker have hardly anything left to reject.
bool is_scratch_failure(const Graph& graph, const std::string& arc) {
  return std::ranges::any_of(
      graph.states, [&](const State& state) { return state.scratch && arc == failure_of(state.name); });
}

Worker walk_once(Walker& walker, const Meeting& meeting, const Worker& before) {
  walker.begin(meeting.name);
  Worker last = before;
  const handshake::Attempt attempt =
      handshake::handshake_today(meeting.decoder, before, meeting.replies, meeting.expected_engine_id,
                                 meeting.remote_tp, [&](const std::string& step, const Worker& worker) {
                                   walker.enter(step, marks_between(last, worker));
                                   last = worker;
                                 });
  walker.end();
  return attempt.worker;
}

Walked walk_today(region::Behaviour behaviour) {
  const Graph graph = handshake_of(Order::today, behaviour).graph;
  Walker walker(graph);
  Worker failed;  // of the meeting before, which may have been with other sizes under the same engine id
  visit_meetings(behaviour, false, [&](const Meeting& meeting) {
    const Worker once = walk_once(walker, meeting, {});
    walk_once(walker, meeting, once);
    walk_once(walker, meeting, failed);
    failed = once;
  });
  return walker.finished();
}

Walked walk_proposed(region::Behaviour behaviour) {
  const Graph graph = handshake_of(Order::proposed, behaviour).graph;
  Walker walker(graph);
  for (const bool tagged : {false, true}) {
    visit_meetings(behaviour, tagged, [&](const Meeting& meeting) {
      walker.begin(meeting.name);
      Acceptances last;
      handshake::handshake_proposed(meeting.decoder, {}, meeting.replies, meeting.expected_engine_id,
                                    meeting.remote_tp, {},
                                    [&](const std::string& step, const Acceptances& accepted) {
                                      std::set<Mark> left;
                                      if (accepted != last) left.insert(Mark::acceptance);
                                      walker.enter(step, left);
                                      last = accepted;
                                    });
      walker.end();
    });
  }
  return walker.finished();
}

}  // namespace

std::set<Mark> marks_between(const Worker& before, const Worker& after) {
  std::set<Mark> marks;
  const auto mark_if = [&](bool differs, Mark mark) {
    if (differs) marks.insert(mark);
  };
  mark_if(before.permute != after.permute, Mark::permute);
  mark_if(before.repack != after.repack, Mark::repack);
  mark_if(before.local_handles != after.local_handles, Mark::local_handle);
  mark_if(before.split_handles != after.split_handles, Mark::split_handle);
  for (const auto& [id, now] : after.remotes) {
    const auto found = before.remotes.find(id);
    const RemoteEngine was = found == before.remotes.end() ? RemoteEngine{} : found->second;
    mark_if(was.topology != now.topology, Mark::topology);
    mark_if(was.mapping != now.mapping, Mark::mapping);
    mark_if(was.loaded_agents != now.loaded_agents, Mark::loaded_agent);
    mark_if(was.num_blocks != now.num_blocks || was.region_num_blocks != now.region_num_blocks ||
                was.region_group_ids != now.region_group_ids || was.region_mem_types != now.region_mem_types,
            Mark::recorded_regions);
    mark_if(was.bases != now.bases, Mark::bases);
    mark_if(was.remote_handles != now.remote_handles, Mark::remote_handle);
    mark_if(was.ready != now.ready, Mark::ready);
  }
  return marks;
}

std::vector<std::string> surprising(const Handshake& handshake, const Walked& walked) {
  std::vector<std::string> found;
  std::set<std::string> impossible;
  for (const CannotFail& one : kCannotFail) {
    if (one.handshake == handshake.name) impossible.insert(failure_of(one.state));
  }
  for (const std::string& arc : walked.never_taken) {
    if (impossible.erase(arc) == 0 && !is_scratch_failure(handshake.graph, arc)) {
      found.push_back(arc + ": never taken");
    }
  }
  for (const std::string& arc : impossible) found.push_back(arc + ": taken");
  return found;
}

Walked walk(Order order, region::Behaviour behaviour) {
  return order == Order::today ? walk_today(behaviour) : walk_proposed(behaviour);
}

}  // namespace pageproof::structure
