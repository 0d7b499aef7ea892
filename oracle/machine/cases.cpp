#include "oracle/machine/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernels/convert/names.hpp"
#include "kernels/convert/shapes.hpp"

namespace pageproof::machine {
namespace {

constexpr std::uint32_t kMostHeads = 16;

std::vector<pageproof_shape> shapes_of_one_head() {
  std::vector<pageproof_shape> shapes;
#define PAGEPROOF_SHAPE(N, D, E) shapes.push_back({1, N, D, E});
  PAGEPROOF_FOR_EACH_SHAPE(PAGEPROOF_SHAPE)
#undef PAGEPROOF_SHAPE
  return shapes;
}

std::uint32_t page_bytes(const pageproof_shape& s) {
  return 2 * s.heads * s.tokens * s.head_dim * s.element_bytes;
}

// Which head counts are launched for a shape; in place the page is bounded.
std::vector<std::uint32_t> head_counts(const pageproof_shape& one_head, convert::Direction direction) {
  std::vector<std::uint32_t> heads;
  const std::uint32_t most = direction == convert::Direction::out_of_place
                                 ? UINT32_MAX
                                 : PAGEPROOF_IN_PLACE_PAGE_BYTES / page_bytes(one_head);
  for (std::uint32_t h = 1; h <= std::min(kMostHeads, most); ++h) heads.push_back(h);
  if (direction == convert::Direction::out_of_place || most <= kMostHeads) return heads;
  // Beyond: where a kernel of its own begins, and the end.
  const auto kernel = [&](std::uint32_t h) {
    return kernel_of(
        {{h, one_head.tokens, one_head.head_dim, one_head.element_bytes}, direction, Pattern::near});
  };
  for (std::uint32_t h = kMostHeads + 1; h <= most; ++h) {
    if (h == most || kernel(h) != kernel(h - 1)) heads.push_back(h);
  }
  return heads;
}

// In the quick form a kernel is shown at its first and last head count and one between, the patterns in turn.
void thin_out(std::vector<Case>& cases) {
  const std::size_t counts = cases.size() / std::size(kPatterns);
  std::vector<Case> kept;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::size_t count = i / std::size(kPatterns);
    const std::size_t pattern = i % std::size(kPatterns);
    if (count == 0 ? pattern != 2 : (count == std::min<std::size_t>(2, counts - 1) && pattern < 3))
      kept.push_back(cases[i]);
  }
  cases = std::move(kept);
}

}  // namespace

std::string to_string(Pattern pattern) {
  switch (pattern) {
    case Pattern::near:
      return "near";
    case Pattern::far:
      return "far";
    case Pattern::wide:
      return "wide";
    case Pattern::duplicate:
      break;
  }
  return "duplicate";
}

std::string to_string(const Case& c) {
  return fmt::format("{} H={} N={} D={} e={}, {}",
                     c.direction == convert::Direction::in_place ? "in place" : "out of place", c.shape.heads,
                     c.shape.tokens, c.shape.head_dim, c.shape.element_bytes, to_string(c.pattern));
}

std::string kernel_of(const Case& c) {
  pageproof_job job{};
  job.shape = c.shape;
  job.id_count = 1;
  job.layers = 1;
  return kernel_name(plan_launch(job, c.direction, convert::kAmdLimits));
}

std::vector<KernelCases> all_cases(bool quick) {
  std::map<std::string, std::vector<Case>> of_kernel;
  for (const pageproof_shape& one_head : shapes_of_one_head()) {
    for (const auto direction : {convert::Direction::out_of_place, convert::Direction::in_place}) {
      for (const std::uint32_t heads : head_counts(one_head, direction)) {
        for (const Pattern pattern : kPatterns) {
          const Case c{
              {heads, one_head.tokens, one_head.head_dim, one_head.element_bytes}, direction, pattern};
          of_kernel[kernel_of(c)].push_back(c);
        }
      }
    }
  }
  std::vector<KernelCases> all;
  for (auto& [kernel, cases] : of_kernel) {
    if (quick) thin_out(cases);
    all.push_back({kernel, std::move(cases)});
  }
  return all;
}

}  // namespace pageproof::machine
