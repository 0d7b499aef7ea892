#include "reports/silent/search.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>

namespace pageproof::silent {
namespace {

using region::Engine;
using region::Layout;

// What the pairs with these features came to.
struct Looks {
  std::uint64_t right = 0;
  std::uint64_t wrong = 0;
  std::optional<PairId> first_right = {};
  std::optional<PairId> first_wrong = {};
};

// Reasons and checks as small numbers while a million pairs are counted; named when the counting is done.
struct Refusal {
  handshake::Reason reason = handshake::Reason::none;
  std::uint32_t check = 0;
  bool hash = false;

  auto operator<=>(const Refusal&) const = default;
};

std::string named(const Refusal& refusal) {
  if (refusal.hash) return "hash";
  const std::string name(handshake::to_string(refusal.reason));
  return refusal.check == 0 ? name : name + " " + std::to_string(refusal.check);
}

// A thread's share of the sums.
struct Part {
  std::uint64_t pairs = 0;
  std::array<Counts, 4> counts = {};  // today, proposed, open, untagged
  std::array<Counts, 4> by_flags = {};
  std::map<Features, Looks> looks;
  std::map<Refusal, Tally> lost;
  std::map<std::pair<Refusal, handshake::Outcome>, Tally> mended;
  using Sides = std::tuple<const char*, const char*, handshake::Outcome>;
  std::map<Sides, Tally> gained;
  std::map<Sides, Tally> opened;
  std::vector<PairId> proposed_silent;
  std::vector<PairId> open_silent;
};

template <class Key>
void add(std::map<Key, Tally>& tallies, const Key& key, const PairId& id, std::uint64_t pairs = 1) {
  Tally& tally = tallies[key];
  if (tally.pairs == 0 || id < tally.first) tally.first = id;
  tally.pairs += pairs;
}

const char* name_of(const Engine& engine) {
  return region::facts_of(engine.backend).name.data();
}

bool permute_matters(const Candidate& local, const Candidate& remote) {
  return !local.engine().model.latent && local.side.layout != remote.side.layout &&
         remote.side.layout == Layout::lbhnc;
}

void keep_first(std::optional<PairId>& kept, const PairId& id) {
  if (!kept || id < *kept) kept = id;
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

void trim(std::vector<PairId>& ids) {
  std::ranges::sort(ids, {}, &PairId::order);
  if (ids.size() > kShownPairs) ids.resize(kShownPairs);
}

// Sums of all threads, keyed as they were counted.
class Sums {
 public:
  void take(Part&& part) {
    const std::lock_guard lock(mutex_);
    all_.pairs += part.pairs;
    for (std::size_t i = 0; i < part.counts.size(); ++i) {
      for (std::size_t f = 0; f < kFates; ++f) {
        all_.counts[i].of[f] += part.counts[i].of[f];
        all_.by_flags[i].of[f] += part.by_flags[i].of[f];
      }
    }
    for (const auto& [features, looks] : part.looks) {
      Looks& sum = all_.looks[features];
      sum.right += looks.right;
      sum.wrong += looks.wrong;
      if (looks.first_right) keep_first(sum.first_right, *looks.first_right);
      if (looks.first_wrong) keep_first(sum.first_wrong, *looks.first_wrong);
    }
    merge(all_.lost, part.lost);
    merge(all_.mended, part.mended);
    merge(all_.gained, part.gained);
    merge(all_.opened, part.opened);
    for (auto [sum, ids] : {std::pair(&all_.proposed_silent, &part.proposed_silent),
                            std::pair(&all_.open_silent, &part.open_silent)}) {
      sum->insert(sum->end(), ids->begin(), ids->end());
      trim(*sum);
    }
  }
  const Part& all() const { return all_; }

 private:
  template <class Key>
  static void merge(std::map<Key, Tally>& sum, const std::map<Key, Tally>& part) {
    for (const auto& [key, tally] : part) add(sum, key, tally.first, tally.pairs);
  }
  std::mutex mutex_;
  Part all_;
};

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
      sums.take(std::move(part));
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

void name_sums(const Part& sums, SilentSet& out) {
  out.pairs = sums.pairs;
  out.today = sums.counts[0];
  out.proposed = sums.counts[1];
  out.open = sums.counts[2];
  out.untagged = sums.counts[3];
  out.today_by_flags = sums.by_flags;
  for (const auto& [features, looks] : sums.looks) {
    out.seen.push_back({features, looks.right, looks.wrong});
    out.examples.push_back(looks.first_wrong ? *looks.first_wrong : *looks.first_right);
  }
  for (const auto& [refusal, tally] : sums.lost) out.lost[named(refusal)] = tally;
  for (const auto& [how, tally] : sums.mended) {
    const auto& [refusal, outcome] = how;
    const bool refused = outcome == handshake::Outcome::rejected;
    out.mended[refused ? named(refusal) : std::string(handshake::to_string(outcome))] = tally;
  }
  for (const auto& [from, to] :
       {std::pair(&sums.gained, &out.gained), std::pair(&sums.opened, &out.opened)}) {
    for (const auto& [sides, tally] : *from) {
      const auto& [prefill, decode, outcome] = sides;
      (*to)[{prefill, decode, std::string(handshake::to_string(outcome))}] = tally;
    }
  }
  out.proposed_silent = sums.proposed_silent;
  out.open_silent = sums.open_silent;
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
