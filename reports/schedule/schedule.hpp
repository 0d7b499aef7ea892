// In which order may the pages of a run be converted in place? The run's K blocks and V blocks hold the
// landed bytes of m pages (model/page/landing.hpp) and shall hold the shuffled ones. In granules of 16 bytes:
//
//   u -> v   granule u, as it shall be, has an element that lies in granule v, as it has landed
//
// Granules that reach each other (strong components) must be read whole before any of them is written. No arc
// leads from one component to another: the conversion permutes elements, so as many leave a set of granules
// as enter it. Components may thus be converted in any order, and the largest is what a conversion in place
// must hold at once.
#pragma once

#include <cstdint>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/page/plain/shape.hpp"

namespace pageproof::schedule {

inline constexpr std::uint64_t kMostGranules = std::uint64_t{1} << 22;  // 64 MiB of pages

// For the run's K blocks, then its V blocks, as element indices: element i, as it shall be, is element
// source_of[i] as it has landed. By the oracle's arithmetic.
struct LandedRun {
  Shape shape;
  std::uint64_t pages = 1;  // m
  std::vector<std::uint32_t> source_of;

  std::uint64_t granules() const { return source_of.size() / shape.granule_elements(); }
};

// Refused: no pages, a shape the shuffled planes do not fit, more than kMostGranules.
Expected<LandedRun> run_of(const Shape& shape, std::uint64_t pages);

// The granules of each component.
struct Schedule {
  std::vector<std::vector<std::uint32_t>> steps;
  std::uint64_t granules = 0;

  std::uint64_t largest() const;  // granules
};

// Boost.Graph: the strong components of the dependence graph.
Schedule schedule_of(const LandedRun& run);

// Runs the schedule on the elements' own numbers: each step reads its granules' sources, then writes. True
// where the run then holds what it shall, element by element, and no step held more than its own granules.
bool converts(const LandedRun& run, const Schedule& schedule);

}  // namespace pageproof::schedule
