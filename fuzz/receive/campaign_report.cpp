// A campaign as text, and two of them as one.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "fuzz/receive/campaign.hpp"

namespace pageproof::fuzz_receive {
namespace {

// The first round that both runs have, of the same seed.
std::optional<std::uint64_t> shared_round(const ShardRun& a, const ShardRun& b) {
  if (a.seed != b.seed || a.rounds == 0 || b.rounds == 0) return std::nullopt;
  const std::uint64_t last = std::min(a.shard.round(a.rounds - 1), b.shard.round(b.rounds - 1));
  const std::uint64_t period = b.shard.count / std::gcd(a.shard.count, b.shard.count);
  std::uint64_t looked_at = 0;
  for (std::uint64_t nth = 0; nth < a.rounds && a.shard.round(nth) <= last; ++nth) {
    const std::uint64_t round = a.shard.round(nth);
    if (round < b.shard.round(0)) continue;
    if ((round - b.shard.round(0)) % b.shard.count == 0) return round;
    if (++looked_at > period) break;
  }
  return std::nullopt;
}

template <class Of, class Counts>
std::string table_of(const char* title, const Counts& counts) {
  std::string text;
  visit_counts<Of>(counts, [&](std::string_view name, std::uint64_t count) {
    text += fmt::format("{:<10}{:<18} {:>12} times\n", text.empty() ? title : "", name, count);
  });
  return text;
}

}  // namespace

std::vector<std::pair<const char*, std::uint64_t*>> counts_of(Campaign& campaign) {
  return {{"events", &campaign.events},           {"pieces", &campaign.pieces},
          {"requests", &campaign.requests},       {"scheduled", &campaign.scheduled},
          {"block_lives", &campaign.block_lives}, {"compared_bytes", &campaign.compared_bytes}};
}

std::string to_string(const Setting& setting) {
  std::string text;
  for (const auto& [name, value] : setting) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

std::vector<std::string_view> never(const Campaign& campaign) {
  std::vector<std::string_view> names;
  std::uint32_t faults = kAllFaults;
  bool bytes = true;
  for (const auto& [name, value] : campaign.setting) {
    if (name == "bytes") bytes = value == "yes";
    if (name != "faults") continue;
    faults = 0;
    for (std::size_t at = 0; at < value.size();) {
      const std::size_t end = std::min(value.find(',', at), value.size());
      if (const auto one = parse_faults({value.substr(at, end - at)})) faults |= *one;
      at = end + 1;
    }
  }
  for (int i = 0; i < kFaults; ++i) {
    const auto fault = static_cast<Fault>(i);
    if ((faults & bit(fault)) == 0 || campaign.tally.of(fault) > 0) continue;
    if (bytes || fault != Fault::partial_read) names.push_back(to_string(fault));
  }
  for (int i = 0; i < kSituations; ++i) {
    const auto situation = static_cast<Situation>(i);
    const std::uint32_t needed = needed_by(situation);
    if ((faults & needed) != needed || campaign.tally.of(situation) > 0) continue;
    if (bytes || !needs_bytes(situation)) names.push_back(to_string(situation));
  }
  return names;
}

Expected<void> same_setting(const Setting& setting, const Setting& other, const std::string& subject) {
  for (std::size_t i = 0; i < setting.size() && i < other.size(); ++i) {
    const auto& [name, value] = setting[i];
    if (value == other[i].second) continue;
    return std::unexpected(
        Error{subject, name, value, fmt::format("not {}, as the others", other[i].second)});
  }
  return {};
}

Expected<Campaign> merged(const Campaign& a, const Campaign& b, const std::string& subject) {
  if (a.runs.empty()) return b;
  if (const auto same = same_setting(b.setting, a.setting, subject); !same) {
    return std::unexpected(same.error());
  }
  Campaign both = a;
  for (const ShardRun& run : b.runs) {
    for (const ShardRun& there : a.runs) {
      const auto round = shared_round(there, run);
      if (!round) continue;
      return std::unexpected(Error{subject, "shard", fuzz::to_string(run.shard),
                                   fmt::format("round {} of seed {} is in shard {}, too", *round, run.seed,
                                               fuzz::to_string(there.shard))});
    }
    both.runs.push_back(run);
  }
  Campaign more = b;
  const auto from = counts_of(more);
  const auto to = counts_of(both);
  for (std::size_t i = 0; i < to.size(); ++i) *to[i].second += *from[i].second;
  both.tally += b.tally;
  both.failures.insert(both.failures.end(), b.failures.begin(), b.failures.end());
  return both;
}

std::string to_string(const Campaign& campaign) {
  double seconds = 0;  // of the processors
  std::string text = fmt::format("Setting   {}\n", to_string(campaign.setting));
  for (const ShardRun& run : campaign.runs) {
    seconds += run.cpu_seconds;
    text += fmt::format("Run       seed {} shard {}: {} rounds in {:.1f} s ({:.1f} s of CPU)\n", run.seed,
                        fuzz::to_string(run.shard), run.rounds, run.seconds, run.cpu_seconds);
  }
  const auto rate = [&](std::uint64_t count) {
    return seconds > 0 ? static_cast<double>(count) / seconds : 0.0;
  };
  text += fmt::format(
      "Events    {} steps of the model ({:.2f} million/s of CPU), {} pieces of READs and kernels\n",
      campaign.events, rate(campaign.events) / 1e6, campaign.pieces);
  text += fmt::format("Requests  {} ended, {} times scheduled\n", campaign.requests, campaign.scheduled);
  text += fmt::format("Blocks    {} lives ({:.0f}/s of CPU), {} bytes compared with the oracle\n",
                      campaign.block_lives, rate(campaign.block_lives), campaign.compared_bytes);
  text += table_of<Fault>("Faults", campaign.tally.faults);
  text += table_of<Situation>("Came up", campaign.tally.situations);
  if (const auto names = never(campaign); !names.empty()) {
    text += fmt::format("NEVER     {}: longer, or another seed\n", fmt::join(names, ", "));
  }
  for (const Failure& failure : campaign.failures) text += "\n" + pageproof::to_string(failure);
  return fmt::format("{}\n{}", campaign.holds() ? "HOLDS     no rule broken, every request ended" : "REFUTED",
                     text);
}

}  // namespace pageproof::fuzz_receive
