#include "reports/schedule/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <numeric>

#include "oracle/offset/writer.hpp"

namespace pageproof::schedule {
namespace {

using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                 boost::no_property, std::uint32_t, std::uint32_t>;
using Edge = std::pair<std::uint32_t, std::uint32_t>;

// Page i of the run: its planes' blocks are blocks i of the run's K and V half, its bytes are bytes i · 2S on
// of what has landed.
void add_page(LandedRun& run, std::uint64_t page) {
  const Shape& shape = run.shape;
  const std::uint64_t e = shape.element_bytes;
  const std::uint64_t plane = run.pages * shape.side_bytes() / e;
  for (const Side side : {Side::key, Side::value}) {
    for (std::uint64_t head = 0; head < shape.heads; ++head) {
      for (std::uint64_t token = 0; token < shape.tokens; ++token) {
        for (std::uint64_t dim = 0; dim < shape.head_dim; ++dim) {
          const Coordinate c{page, side, head, token, dim};
          const std::uint64_t to = (side == Side::key ? 0 : plane) + oracle::shuffled_byte(shape, c) / e;
          run.source_of[to] = static_cast<std::uint32_t>(oracle::standard_byte(shape, c) / e);
        }
      }
    }
  }
}

std::vector<Edge> edges_of(const LandedRun& run) {
  const std::uint64_t x = run.shape.granule_elements();
  std::vector<Edge> edges;
  for (std::uint32_t granule = 0; granule < run.granules(); ++granule) {
    std::vector<std::uint32_t> sources;
    for (std::uint64_t i = 0; i < x; ++i) {
      sources.push_back(static_cast<std::uint32_t>(run.source_of[granule * x + i] / x));
    }
    std::ranges::sort(sources);
    const auto repeated = std::ranges::unique(sources);
    sources.erase(repeated.begin(), repeated.end());
    for (const std::uint32_t source : sources) edges.emplace_back(granule, source);
  }
  return edges;
}

}  // namespace

Expected<LandedRun> run_of(const Shape& shape, std::uint64_t pages) {
  if (const auto good = checked(shape, "shape"); !good) return std::unexpected(good.error());
  const std::uint64_t page_granules = shape.page_bytes() / kGranuleBytes;
  if (page_granules > kMostGranules) {
    return std::unexpected(
        Error{"run", "page", std::to_string(shape.page_bytes()),
              fmt::format("above the {} B that are scheduled", kMostGranules * kGranuleBytes)});
  }
  if (pages == 0 || pages > kMostGranules / page_granules) {
    return std::unexpected(
        Error{"run", "pages", std::to_string(pages),
              fmt::format("not 1 to {} pages of {} B", kMostGranules / page_granules, shape.page_bytes())});
  }
  LandedRun run{shape, pages, std::vector<std::uint32_t>(pages * shape.page_bytes() / shape.element_bytes)};
  for (std::uint64_t page = 0; page < pages; ++page) add_page(run, page);
  return run;
}

std::uint64_t Schedule::largest() const {
  std::uint64_t most = 0;
  for (const auto& step : steps) most = std::max<std::uint64_t>(most, step.size());
  return most;
}

Schedule schedule_of(const LandedRun& run) {
  const std::vector<Edge> edges = edges_of(run);
  const auto granules = static_cast<std::uint32_t>(run.granules());
  const Graph graph(boost::edges_are_sorted, edges.begin(), edges.end(), granules);
  std::vector<std::uint32_t> component(granules);
  const auto map =
      boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph));
  const auto count = static_cast<std::size_t>(boost::strong_components(graph, map));
  Schedule schedule{std::vector<std::vector<std::uint32_t>>(count), granules};
  for (std::uint32_t granule = 0; granule < granules; ++granule) {
    schedule.steps[component[granule]].push_back(granule);
  }
  return schedule;
}

bool converts(const LandedRun& run, const Schedule& schedule) {
  const std::uint64_t x = run.shape.granule_elements();
  std::vector<std::uint32_t> memory(run.source_of.size());
  std::iota(memory.begin(), memory.end(), std::uint32_t{0});
  for (const std::vector<std::uint32_t>& step : schedule.steps) {
    std::vector<std::uint32_t> held;
    for (const std::uint32_t granule : step) {
      for (std::uint64_t i = 0; i < x; ++i) held.push_back(memory[run.source_of[granule * x + i]]);
    }
    auto next = held.begin();
    for (const std::uint32_t granule : step) {
      for (std::uint64_t i = 0; i < x; ++i) memory[granule * x + i] = *next++;
    }
  }
  return memory == run.source_of;
}

}  // namespace pageproof::schedule
