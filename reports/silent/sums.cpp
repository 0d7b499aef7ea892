#include "reports/silent/sums.hpp"

#include <algorithm>

namespace pageproof::silent {
namespace {

std::string named(const Refusal& refusal) {
  if (refusal.hash) return "hash";
  const std::string name(handshake::to_string(refusal.reason));
  return refusal.check == 0 ? name : name + " " + std::to_string(refusal.check);
}

void trim(std::vector<PairId>& ids) {
  std::ranges::sort(ids, {}, &PairId::order);
  if (ids.size() > kShownPairs) ids.resize(kShownPairs);
}

template <class Key>
void merge(std::map<Key, Tally>& sum, const std::map<Key, Tally>& part) {
  for (const auto& [key, tally] : part) add(sum, key, tally.first, tally.pairs);
}
}  // namespace

void keep_first(std::optional<PairId>& kept, const PairId& id) {
  if (!kept || id < *kept) kept = id;
}

void Sums::take(const Part& part) {
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

}  // namespace pageproof::silent
