// A violation's records, made few: whole requests out, then parts, then smaller requests, until nothing can
// be taken out and the same rule is still broken.
#include <algorithm>
#include <numeric>

#include "fuzz/receive/drive.hpp"

namespace pageproof::fuzz_receive {
namespace {

using rx::Step;

bool same_life(const rx::Life<int>& a, const rx::Life<int>& b) {
  return a.reads == b.reads && a.others == b.others && a.steps == b.steps && a.turn == b.turn;
}

// Does this part of the records break the rule?
bool still_breaks(const WorldOptions& options, const Violation& violation,
                  const std::vector<Record>& records) {
  World world(options);
  for (const Record& record : records) {
    world.apply(record);
    if (world.violation()) return world.violation()->name == violation.name;
  }
  return false;
}

}  // namespace

std::vector<Record> reduced(const WorldOptions& options, const Violation& violation,
                            std::vector<Record> records) {
  WorldOptions same = options;
  for (int rule = 0; rule < rx::kRules; ++rule) {
    if (to_string(static_cast<rx::Rule>(rule)) == violation.name) same.only = static_cast<rx::Rule>(rule);
  }
  if (!still_breaks(same, violation, records)) return records;
  // Whole requests first, then parts of what is left, down to single records.
  std::vector<std::uint32_t> ids;
  for (const Record& record : records) ids.push_back(record.request);
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  for (const std::uint32_t id : ids) {
    std::vector<Record> fewer = records;
    std::erase_if(fewer, [id](const Record& record) { return record.request == id; });
    if (still_breaks(same, violation, fewer)) records = std::move(fewer);
  }
  const auto try_without = [&](const std::vector<std::size_t>& places) {
    std::vector<Record> fewer;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (std::ranges::find(places, i) == places.end()) fewer.push_back(records[i]);
    }
    if (!still_breaks(same, violation, fewer)) return false;
    records = std::move(fewer);
    return true;
  };
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t part = std::max<std::size_t>(1, records.size() / 2); part >= 1; part /= 2) {
      for (std::size_t at = 0; at + part <= records.size();) {
        std::vector<std::size_t> places(part);
        std::iota(places.begin(), places.end(), at);
        if (try_without(places)) {
          smaller = true;
        } else {
          at += part;
        }
      }
    }
    // Then smaller requests: one read, one decode step, no other worker, fewer blocks.
    const auto try_smaller = [&](std::size_t at, const auto& change) {
      Record changed = records[at];
      change(changed);
      if (changed.own == records[at].own && changed.shared == records[at].shared &&
          (!changed.arrival || same_life(*changed.life, *records[at].life))) {
        return false;
      }
      std::vector<Record> other = records;
      other[at] = std::move(changed);
      if (!still_breaks(same, violation, other)) return false;
      records = std::move(other);
      return true;
    };
    for (std::size_t at = 0; at < records.size(); ++at) {
      if (records[at].arrival) {
        for (const auto number : {&rx::Life<int>::reads, &rx::Life<int>::others, &rx::Life<int>::steps}) {
          const int least = number == &rx::Life<int>::others ? 0 : 1;
          const auto lower = [&](Record& record) {
            if ((*record.life).*number > least) (*record.life).*number = least;
          };
          smaller = try_smaller(at, lower) || smaller;
        }
        smaller = try_smaller(at, [](Record& record) { record.life->turn = 1; }) || smaller;
      } else if (records[at].step == Step::allocate) {
        while (!records[at].own.empty() &&
               (try_smaller(at, [](Record& record) { record.own.pop_back(); }) ||
                try_smaller(at, [](Record& record) { record.own.erase(record.own.begin()); }))) {
          smaller = true;
        }
        while (!records[at].shared.empty() &&
               try_smaller(at, [](Record& record) { record.shared.pop_back(); })) {
          smaller = true;
        }
      }
    }
    // Two turns of the runner of one request undo each other.
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (records[i].arrival || records[i].step != Step::forward) continue;
      for (std::size_t j = i + 1; j < records.size(); ++j) {
        const Record& other = records[j];
        if (other.arrival || other.step != Step::forward || other.request != records[i].request) continue;
        smaller = try_without({i, j}) || smaller;
        break;
      }
    }
  }
  return records;
}

}  // namespace pageproof::fuzz_receive
