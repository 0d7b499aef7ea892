#include "reports/silent/search.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "reports/silent/sums.hpp"

namespace pageproof::silent {
namespace {

using region::Engine;
using region::Layout;

const char* name_of(const Engine& engine) {
  return region::facts_of(engine.backend).name.data();
}

bool permute_matters(const Candidate& local, const Candidate& remote) {
  return !local.engine().model.latent && local.side.layout != remote.side.layout &&
         remote.side.layout == Layout::lbhnc;
}

void judge_pair(Judge& judge, const Candidate& local, const Candidate& remote, const PairId& id, Part& part) {
  const Judge::Ruling today = judge.today(local, remote, id.flags);
  const Judge::Ruling proposed = judge.proposed(local, remote, id.flags, false);
  const Judge::Ruling open = judge.proposed(local, remote, id.flags, true);
  ++part.pairs;
  const Fate fates[] = {today.fate, proposed.fate, open.fate};
  for (std::size_t i = 0; i < 3; ++i) ++part.counts[i].of[static_cast<std::size_t>(fates[i])];

  ++part.by_flags[(id.flags.permute ? 1 : 0) + (id.flags.unchecked ? 2 : 0)]
        .of[static_cast<std::size_t>(today.fate)];

  const Refusal refusal{proposed.verdict.reason, proposed.verdict.check, proposed.hash};
  const Part::Sides sides{name_of(remote.engine()), name_of(local.engine()), proposed.verdict.outcome};
  if (today.fate == Fate::right || today.fate == Fate::wrong) {
    Looks& looks = part.looks[features_of(local, remote, id.flags)];
    if (today.fate == Fate::right) {
      ++looks.right;
      keep_first(looks.first_right, id);
    } else {
      ++looks.wrong;
      keep_first(looks.first_wrong, id);
      add(part.mended, {refusal, proposed.verdict.outcome}, id);
    }
  }
  if (today.fate == Fate::right && proposed.fate == Fate::rejected) add(part.lost, refusal, id);
  if (today.fate == Fate::rejected && proposed.fate == Fate::right) add(part.gained, sides, id);
  if (proposed.fate == Fate::rejected && open.fate == Fate::right) {
    add(part.opened, {name_of(remote.engine()), name_of(local.engine()), open.verdict.outcome}, id);
  }
  if (proposed.fate == Fate::wrong) part.proposed_silent.push_back(id);
  if (open.fate == Fate::wrong) part.open_silent.push_back(id);
}

// All flags that change something for these two.
void judge_flags(Judge& judge, const Candidate& local, const Candidate& remote, PairId id, Part& part) {
  const bool permute = permute_matters(local, remote);
  const bool unchecked = local.hash != remote.hash;
  for (const bool off : {false, true}) {
    if (off && !unchecked) continue;
    for (const bool on : {false, true}) {
      if (on && !permute) continue;
      id.flags = {.permute = on, .unchecked = off};
      judge_pair(judge, local, remote, id, part);
      if (!off) ++part.counts[3].of[static_cast<std::size_t>(judge.untagged(local, remote, on).fate)];
    }
  }
}

// Decode engines by their bytes: what is shared between pairs stays within one group.
std::vector<std::vector<std::uint32_t>> groups_of(const ModelSpace& space) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> groups;
  for (std::uint32_t i = 0; i < space.decode.size(); ++i) groups[space.decode[i].bytes].push_back(i);
  std::vector<std::vector<std::uint32_t>> out;
  for (auto& [bytes, members] : groups) out.push_back(std::move(members));
  return out;
}

void search_model(const ModelSpace& space, std::uint32_t model, unsigned threads, Fault fault, Sums& sums) {
  const auto groups = groups_of(space);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t g = next++; g < groups.size(); g = next++) {
      Judge judge(fault);
      Part part;
      for (const std::uint32_t decode : groups[g]) {
        for (std::uint32_t prefill = 0; prefill < space.prefill.size(); ++prefill) {
          judge_flags(judge, space.decode[decode], space.prefill[prefill],
                      {.model = model, .decode = decode, .prefill = prefill}, part);
        }
      }
      sums.take(part);
    }
  };
  std::vector<std::jthread> pool;
  for (unsigned i = 1; i < threads; ++i) pool.emplace_back(work);
  work();
}

std::uint64_t distinct(const std::vector<Candidate>& side) {
  std::uint32_t most = 0;
  for (const Candidate& one : side) most = std::max(most, one.bytes + 1);
  return most;
}

}  // namespace

SilentSet find_silent(Extent extent, unsigned threads, Fault fault, std::optional<std::size_t> only) {
  const auto begun = std::chrono::steady_clock::now();
  SilentSet out;
  out.extent = extent;
  Sums sums;
  for (std::size_t model = 0; model < models_of(extent); ++model) {
    if (only && model != *only) continue;
    const ModelSpace space = model_space(extent, model);
    const std::uint64_t before = sums.all().pairs;
    search_model(space, static_cast<std::uint32_t>(model), std::max(1u, threads), fault, sums);
    ModelCounts counts{.name = space.name,
                       .decode = space.decode.size(),
                       .prefill = space.prefill.size(),
                       .geometries = distinct(space.decode) * distinct(space.prefill),
                       .pairs = sums.all().pairs - before};
    for (const auto& [why, engines] : space.left_out) {
      out.left_out[why] += engines;
      counts.left_out += engines;
    }
    out.geometries += counts.geometries;
    out.models.push_back(std::move(counts));
  }
  name_sums(sums.all(), out);
  out.cover = causes_of(out.seen, conditions());
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return out;
}

Example example_of(Extent extent, const PairId& id) {
  const ModelSpace space = model_space(extent, id.model);
  const Candidate& local = space.decode[id.decode];
  const Candidate& remote = space.prefill[id.prefill];
  Judge judge(Fault::none);
  const Judge::Ruling ruling = judge.today(local, remote, id.flags);
  return {id.flags.permute ? local.permuting : local.side, remote.side,
          judge_bytes(local, remote, remote.side.metadata, ruling.verdict.steps)};
}

}  // namespace pageproof::silent
