#include "kernels/plan/posted.hpp"

#include <algorithm>
#include <cassert>

namespace pageproof::plan {
namespace {

// Rows of one table as populate reads them: one progression after another, none longer than its series.
struct Progression {
  std::uint64_t address = 0;
  std::uint64_t stride = 0;
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
};

class RunBuilder {
 public:
  void add(Progression next) {
    while (next.count != 0) {
      if (open_.count == 0) {
        start(next);
      } else if (open_.count == 1 && extends_with(distance_to(next), next)) {
        open_.stride = distance_to(next);
        take(next, 1);
      } else if (open_.count > 1 && extends_with(open_.stride, next)) {
        take(next, next.stride == open_.stride ? next.count : 1);
      } else {
        close();
      }
    }
  }

  // The rows of `blocks` blocks, `stride` apart, each as `block` says them: several rows and then a gap.
  void add_blocks(Progression block, std::uint64_t stride, std::uint64_t blocks) {
    for (; blocks != 0; --blocks, block.address += stride) {
      add(block);
      // From a block on that is a run of its own, all blocks are; the last one stays open for what follows.
      const std::uint64_t alike = blocks - 1;
      if (open_.count != block.count || open_.first + open_.count != next_id_ || alike < 2) continue;
      close();
      runs_.back().repeats = alike;
      next_id_ += (alike - 1) * block.count;
      last_ += (alike - 1) * stride;
      block.address += (alike - 1) * stride;
      blocks -= alike - 1;
    }
  }

  std::vector<StridedRun> finish() {
    if (open_.count != 0) close();
    return std::move(runs_);
  }

 private:
  std::uint64_t distance_to(const Progression& next) const { return next.address - last_; }
  // The next row may follow at this distance; a distance that is not positive never does.
  bool extends_with(std::uint64_t distance, const Progression& next) const {
    return next.bytes == open_.bytes && next.address > last_ && distance_to(next) == distance;
  }

  void start(Progression& next) {
    open_ = {next_id_, 0, 0, next.bytes, 1};
    take(next, 1);
  }
  void take(Progression& next, std::uint64_t rows) {
    open_.count += rows;
    next_id_ += rows;
    last_ = next.address + (rows - 1) * next.stride;
    next.address += rows * next.stride;
    next.count -= rows;
  }
  void close() {
    runs_.push_back(open_);
    open_ = {};
  }

  std::vector<StridedRun> runs_;
  StridedRun open_;
  std::uint64_t last_ = 0;  // address of the open run's last row
  std::uint64_t next_id_ = 0;
};

// The dense run that holds a row, looked up from the last hit on.
class DenseRuns {
 public:
  explicit DenseRuns(const DescriptorTable& table) : runs_(strided_runs(table)) {}

  // Do ids `id` and id + 1 lie in one dense run?
  bool joins_next(std::uint64_t id) {
    if (id < runs_[at_].first || id - runs_[at_].first >= runs_[at_].count * runs_[at_].repeats) {
      const auto after = std::ranges::upper_bound(runs_, id, {}, &StridedRun::first);
      at_ = static_cast<std::size_t>(after - runs_.begin()) - 1;
    }
    return runs_[at_].dense() && (id - runs_[at_].first) % runs_[at_].count + 1 < runs_[at_].count;
  }
  std::uint64_t bytes_of(std::uint64_t id) {
    joins_next(id);
    return runs_[at_].bytes;
  }

 private:
  std::vector<StridedRun> runs_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<StridedRun> strided_runs(const DescriptorTable& table) {
  RunBuilder builder;
  for (const Series& series : table.series()) {
    if (series.parts == 1) {
      builder.add({series.address, series.stride, series.bytes, series.count});
    } else if (series.stride == series.parts * series.bytes) {
      builder.add({series.address, series.bytes, series.bytes, series.count * series.parts});
    } else {
      builder.add_blocks({series.address, series.bytes, series.bytes, series.parts}, series.stride,
                         series.count);
    }
  }
  return builder.finish();
}

std::vector<Posted> posted(const DescriptorTable& local, std::span<const std::uint64_t> local_ids,
                           const DescriptorTable& remote, std::span<const std::uint64_t> remote_ids) {
  assert(local_ids.size() == remote_ids.size());
  std::vector<Posted> list;
  if (local_ids.empty()) return list;
  DenseRuns local_runs(local), remote_runs(remote);
  for (std::size_t i = 0; i < local_ids.size(); ++i) {
    const bool joins = i != 0 && local_ids[i] == local_ids[i - 1] + 1 &&
                       remote_ids[i] == remote_ids[i - 1] + 1 && local_runs.joins_next(local_ids[i - 1]) &&
                       remote_runs.joins_next(remote_ids[i - 1]);
    if (!joins) list.push_back({i, 0, 0});
    ++list.back().pairs;
    list.back().bytes += local_runs.bytes_of(local_ids[i]);
  }
  return list;
}

}  // namespace pageproof::plan
