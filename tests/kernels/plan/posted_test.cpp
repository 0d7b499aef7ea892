// What is posted, against NIXL's two steps run over rows that are written out: populate makes strided runs,
// makeXferReq joins neighbours inside dense ones.
#include "kernels/plan/posted.hpp"

#include <random>

#include "tests/kernels/plan/sides.hpp"

namespace pageproof::plan {
namespace {

struct Run {
  std::size_t number = 0;
  bool dense = false;
};

std::vector<Run> populated(const std::vector<Descriptor>& rows) {
  std::vector<std::size_t> number(rows.size());
  std::vector<std::uint64_t> stride;  // of each run; 0 while it has one row
  std::vector<std::uint64_t> count;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    bool extends = i != 0 && rows[i].bytes == rows[i - 1].bytes && rows[i].address > rows[i - 1].address;
    const std::uint64_t distance = i == 0 ? 0 : rows[i].address - rows[i - 1].address;
    if (extends && count.back() > 1) extends = stride.back() == distance;
    if (!extends) {
      stride.push_back(0);
      count.push_back(0);
    } else {
      stride.back() = distance;
    }
    ++count.back();
    number[i] = count.size() - 1;
  }
  std::vector<Run> runs;
  for (std::size_t i = 0; i < rows.size(); ++i)
    runs.push_back({number[i], stride[number[i]] == rows[i].bytes});
  return runs;
}

std::vector<Posted> simulated(const DescriptorTable& local, const BlockIds& to, const DescriptorTable& remote,
                              const BlockIds& from) {
  std::vector<Descriptor> local_rows(local.rows()), remote_rows(remote.rows());
  for (std::uint64_t id = 0; id < local.rows(); ++id) local_rows[id] = local.row(id);
  for (std::uint64_t id = 0; id < remote.rows(); ++id) remote_rows[id] = remote.row(id);
  const std::vector<Run> here = populated(local_rows), there = populated(remote_rows);
  const auto joined = [](const std::vector<Run>& runs, std::uint64_t before, std::uint64_t id) {
    return id == before + 1 && runs[id].dense && runs[id].number == runs[before].number;
  };
  std::vector<Posted> list;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const bool joins = i != 0 && joined(here, to[i - 1], to[i]) && joined(there, from[i - 1], from[i]);
    if (!joins) list.push_back({i, 0, 0});
    ++list.back().pairs;
    list.back().bytes += local_rows[to[i]].bytes;
  }
  return list;
}

class Tables {
 public:
  explicit Tables(std::uint64_t seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  // Few series of few blocks, close together, so that rows of different series touch by chance.
  DescriptorTable table() {
    std::vector<Series> series;
    std::uint64_t address = 64 * below(4);
    const std::uint64_t count = 1 + below(4);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t parts = 1 + below(3), stride = 16 * parts * (1 + below(2)) + 16 * below(2);
      const Series one{address, stride, 16, 1 + below(7), parts};
      series.push_back(one);
      const std::uint64_t end = address + (one.count - 1) * stride + parts * 16;
      address = below(3) == 0 ? 16 * below(8) : end + 16 * below(2);
    }
    return {series, 0};
  }

  // Ids that often follow each other.
  BlockIds ids(const DescriptorTable& table, std::size_t count) {
    BlockIds ids;
    for (std::size_t i = 0; i < count; ++i) {
      const bool follows = !ids.empty() && ids.back() + 1 < table.rows() && below(4) != 0;
      ids.push_back(follows ? ids.back() + 1 : below(table.rows()));
    }
    return ids;
  }

 private:
  std::mt19937_64 random_;
};

TEST(Posted, EqualsTheTwoStepsOverRandomTables) {
  std::uint64_t joined = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    Tables tables(seed);
    const DescriptorTable local = tables.table(), remote = tables.table();
    const std::size_t count = tables.below(12);
    const BlockIds to = tables.ids(local, count), from = tables.ids(remote, count);
    const auto expected = simulated(local, to, remote, from);
    ASSERT_EQ(posted(local, to, remote, from), expected) << "seed " << seed;
    joined += count - expected.size();
  }
  EXPECT_GT(joined, 500u);  // the tables do merge
}

// Runs are as long as those of the rows written out, and few.
TEST(Posted, StridedRunsAreThoseOfTheRowsAndFew) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const DescriptorTable table = Tables(seed).table();
    std::vector<Descriptor> rows(table.rows());
    table.fill(0, rows);
    const auto wanted = populated(rows);
    std::size_t id = 0, number = 0;
    for (const StridedRun& run : strided_runs(table)) {
      ASSERT_EQ(run.first, id) << "seed " << seed;
      for (std::uint64_t k = 0; k < run.repeats; ++k, ++number) {
        for (std::uint64_t i = 0; i < run.count; ++i, ++id) {
          ASSERT_EQ(wanted[id].number, number) << "seed " << seed << " row " << id;
          ASSERT_EQ(wanted[id].dense, run.dense()) << "seed " << seed << " row " << id;
        }
      }
    }
    ASSERT_EQ(id, rows.size());
  }
  const DescriptorTable gaps({{0, 100, 16, std::uint64_t{1} << 40, 4}}, 0);
  EXPECT_LE(strided_runs(gaps).size(), 3u);
}

// P22: stride = 2·len on one side.
TEST(Posted, HalvesNeverMerge) {
  const Side local = dense(0, 2, 512, 10), remote = dense(1 << 20, 1, 1024, 20);
  const BlockIds row{0, 1, 2, 3, 4, 5, 6, 7};
  const Plan halves = planned(request_of(local, remote, row, row, Pages::for_planes), Strategy::halves);
  EXPECT_EQ(halves.cost.planned, 16u);
  EXPECT_EQ(halves.cost.posted, 16u);
  const Plan runs = planned(request_of(local, remote, row, row, Pages::for_planes), Strategy::run_halves);
  EXPECT_EQ(runs.cost.posted, 2u);
}

TEST(Posted, AGapOnEitherSideStopsMerging) {
  const BlockIds row{0, 1, 2, 3};
  for (const bool gap_here : {false, true}) {
    Side local = dense(0, 1, 512, 10), remote = dense(1 << 20, 1, 512, 20);
    (gap_here ? local : remote).regions[0].block_stride = 528;
    EXPECT_EQ(planned(request_of(local, remote, row, row, Pages::same), Strategy::whole).cost.posted, 4u);
  }
  const Side side = dense(0, 1, 512, 10), remote = dense(1 << 20, 1, 512, 20);
  EXPECT_EQ(planned(request_of(side, remote, row, row, Pages::same), Strategy::whole).cost.posted, 1u);
  EXPECT_EQ(planned(request_of(side, remote, row, {3, 2, 1, 0}, Pages::same), Strategy::whole).cost.posted,
            4u);
}

}  // namespace
}  // namespace pageproof::plan
