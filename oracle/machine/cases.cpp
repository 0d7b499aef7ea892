#include "oracle/machine/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "kernels/convert/names.hpp"
#include "kernels/convert/orders/orders_launch.hpp"
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
        {{h, one_head.tokens, one_head.head_dim, one_head.element_bytes}, direction, Pattern::near, {}});
  };
  for (std::uint32_t h = kMostHeads + 1; h <= most; ++h) {
    if (h == most || kernel(h) != kernel(h - 1)) heads.push_back(h);
  }
  return heads;
}

bool is_other(const Order& order) {
  return order.pages != PAGEPROOF_HEADS_FIRST || order.direction != PAGEPROOF_TO_PLANES ||
         order.rewrite != PAGEPROOF_KEEP_BYTES;
}

// All combinations but the usual one; a rewrite needs elements of 1 byte.
std::vector<Order> other_orders(std::uint32_t element_bytes) {
  std::vector<Order> orders;
  for (const auto pages : {PAGEPROOF_HEADS_FIRST, PAGEPROOF_TOKENS_FIRST}) {
    for (const auto direction : {PAGEPROOF_TO_PLANES, PAGEPROOF_TO_PAGES}) {
      for (const auto rewrite : {PAGEPROOF_KEEP_BYTES, PAGEPROOF_E4M3_TO_E4M3FNUZ}) {
        if (rewrite != PAGEPROOF_KEEP_BYTES && element_bytes != 1) continue;
        if (pages == PAGEPROOF_HEADS_FIRST && direction == PAGEPROOF_TO_PLANES &&
            rewrite == PAGEPROOF_KEEP_BYTES)
          continue;
        orders.push_back({pages, direction, rewrite});
      }
    }
  }
  return orders;
}

// One kernel serves all shapes and orders there, so patterns take turns: two at these head counts, and one at
// the others. There the orders that rewrite bytes take turns as well: they are the same code with a rewrite
// behind each load, and run three times as long.
constexpr std::uint32_t kTwoPatterns[] = {1, 2, 3, 8};

void add_cases_of_order(std::vector<Case>& cases, const pageproof_shape& one_head,
                        convert::Direction direction, const Order& order, std::uint32_t turn) {
  const std::uint32_t fit = PAGEPROOF_IN_PLACE_PAGE_BYTES / page_bytes(one_head);
  const std::uint32_t most = direction == convert::Direction::in_place ? fit : kMostHeads;
  const auto add = [&](std::uint32_t heads, Pattern pattern) {
    cases.push_back(
        {{heads, one_head.tokens, one_head.head_dim, one_head.element_bytes}, direction, pattern, order});
  };
  for (std::uint32_t heads = 1; heads <= std::min(most, kMostHeads); ++heads) {
    if (std::ranges::find(kTwoPatterns, heads) != std::end(kTwoPatterns)) {
      add(heads, Pattern::near);
      add(heads, kPatterns[1 + cases.size() % 4]);
    } else if (order.rewrite == PAGEPROOF_KEEP_BYTES || heads % 4 == turn % 4) {
      add(heads, kPatterns[(heads + turn) % 4]);
    }
  }
  if (most > kMostHeads) add(most, kPatterns[turn % 4]);
}

std::vector<Case> cases_of_other_orders(const pageproof_shape& one_head) {
  std::vector<Case> cases;
  std::uint32_t turn = 0;
  for (const auto direction : {convert::Direction::out_of_place, convert::Direction::in_place}) {
    for (const Order& order : other_orders(one_head.element_bytes))
      add_cases_of_order(cases, one_head, direction, order, turn++);
  }
  return cases;
}

// In the quick form a kernel is shown at its first and last head count and one between, the patterns in turn.
void thin_out(std::vector<Case>& cases) {
  if (is_other(cases.front().order)) {
    const std::size_t step = std::max<std::size_t>(1, cases.size() / 12) | 1;  // odd: patterns take turns
    std::vector<Case> every;
    for (std::size_t i = 0; i < cases.size(); i += step) every.push_back(cases[i]);
    cases = std::move(every);
    return;
  }
  const std::size_t counts = cases.size() / std::size(kPatterns);
  std::vector<Case> kept;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::size_t count = i / std::size(kPatterns);
    const std::size_t pattern = i % std::size(kPatterns);
    if (count == 0 ? pattern != 2 : (count == std::min<std::size_t>(2, counts - 1) && pattern < 4))
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
    case Pattern::sparse:
      return "sparse";
    case Pattern::duplicate:
      break;
  }
  return "duplicate";
}

std::string to_string(const Case& c) {
  std::string order;
  if (c.order.pages == PAGEPROOF_TOKENS_FIRST) order += "tokens first, ";
  if (c.order.direction == PAGEPROOF_TO_PAGES) order += "to pages, ";
  if (c.order.rewrite != PAGEPROOF_KEEP_BYTES) order += "e4m3 to e4m3fnuz, ";
  return fmt::format("{}{} H={} N={} D={} e={}, {}", order,
                     c.direction == convert::Direction::in_place ? "in place" : "out of place", c.shape.heads,
                     c.shape.tokens, c.shape.head_dim, c.shape.element_bytes, to_string(c.pattern));
}

namespace {

template <class Launch>
Planned planned(const Launch& launch) {
  const auto arguments = std::as_bytes(std::span(&launch.arguments, 1));
  return {kernel_name(launch),
          {launch.block_groups(), launch.head_groups, launch.layers},
          launch.work_items * launch.teams,
          launch.stage_bytes,
          {arguments.begin(), arguments.end()}};
}

}  // namespace

Planned plan_on_amd(const pageproof_job& job, convert::Direction direction) {
  if (convert::is_other_order(job))
    return planned(plan_order_launch(job, direction, convert::kAmdOrderLimits));
  return planned(plan_launch(job, direction, convert::kAmdLimits));
}

std::string kernel_of(const Case& c) {
  pageproof_job job{};
  job.shape = c.shape;
  job.id_count = 1;
  job.layers = 1;
  job.order = c.order.pages;
  job.direction = c.order.direction;
  job.rewrite = c.order.rewrite;
  return plan_on_amd(job, c.direction).kernel;
}

std::vector<KernelCases> all_cases(bool quick) {
  std::map<std::string, std::vector<Case>> of_kernel;
  for (const pageproof_shape& one_head : shapes_of_one_head()) {
    for (const auto direction : {convert::Direction::out_of_place, convert::Direction::in_place}) {
      for (const std::uint32_t heads : head_counts(one_head, direction)) {
        for (const Pattern pattern : kPatterns) {
          const Case c{
              {heads, one_head.tokens, one_head.head_dim, one_head.element_bytes}, direction, pattern, {}};
          of_kernel[kernel_of(c)].push_back(c);
        }
      }
    }
  }
  for (const pageproof_shape& one_head : shapes_of_one_head()) {
    for (const Case& c : cases_of_other_orders(one_head)) of_kernel[kernel_of(c)].push_back(c);
  }
  std::vector<KernelCases> all;
  for (auto& [kernel, cases] : of_kernel) {
    if (quick) thin_out(cases);
    all.push_back({kernel, std::move(cases)});
  }
  return all;
}

}  // namespace pageproof::machine
