#include "model/region/registration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace pageproof::region {
namespace {

struct Run {
  std::uint64_t base;
  std::uint64_t length;
  std::uint64_t stride;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// A maximal run of digits (without leading zeros) or of other characters.
std::string_view next_part(std::string_view& text) {
  std::size_t end = 1;
  while (end < text.size() && is_digit(text[end]) == is_digit(text[0])) ++end;
  std::string_view part = text.substr(0, end);
  text.remove_prefix(end);
  while (part.size() > 1 && part[0] == '0') part.remove_prefix(1);
  return part;
}

bool fills_storage(const LayerView& view, Behaviour behaviour) {
  std::uint64_t rows = 0;
  if (__builtin_mul_overflow(view.blocks, view.strides.block, &rows) || rows > view.storage_bytes)
    return false;
  const std::uint64_t tail = view.storage_bytes - rows;
  return behaviour == Behaviour::s0 ? tail == 0 : tail < view.strides.block;
}

// The first rule that fits the view (spec §3.4, rules 1 to 4).
Expected<std::vector<Run>> runs_of(const LayerView& view, Behaviour behaviour, const std::string& subject) {
  const std::uint64_t page = view.spec.page_bytes();
  const std::uint64_t stride = view.strides.block;
  if (view.compressed) return std::vector<Run>{{view.pointer, page, page}};
  if (fills_storage(view, behaviour)) {
    if (is_page_contiguous(view)) return std::vector<Run>{{view.pointer, page, stride}};
    return std::vector<Run>{{view.storage_base, stride, stride}};
  }
  std::uint64_t segment = 0;
  const bool wraps = __builtin_mul_overflow(view.blocks, stride, &segment);
  const std::uint64_t bytes = view_bytes(view);
  if (wraps || segment == 0 || bytes % segment != 0) {
    return std::unexpected(Error{subject, view.layer, fmt::format("block stride {} B", stride),
                                 "KV cache view cannot be partitioned into NIXL regions (AssertionError)"});
  }
  const std::uint64_t planes = bytes / segment;
  std::vector<Run> runs;
  for (std::uint64_t i = 0; i < planes; ++i) {
    runs.push_back({view.pointer + i * segment, planes > 1 ? stride : page, stride});
  }
  return runs;
}

std::vector<const LayerView*> visited(std::span<const LayerView> views, Behaviour behaviour) {
  std::vector<const LayerView*> order;
  for (const LayerView& view : views) order.push_back(&view);
  if (behaviour != Behaviour::s0) {
    // Equal names keep the order given, which is that of the span.
    std::ranges::sort(order, [](const LayerView* a, const LayerView* b) {
      return natural_less(a->layer, b->layer) || (!natural_less(b->layer, a->layer) && a < b);
    });
  }
  return order;
}

void add_memory(Registration& out, const LayerView& view, Behaviour behaviour, std::span<const Run> runs) {
  std::vector<MemoryRange> ranges;
  if (behaviour == Behaviour::s0) {
    for (const Run& run : runs) ranges.push_back({run.base, view.blocks * run.length, view.memory});
  } else {
    ranges.push_back({view.storage_base, view.storage_bytes, view.memory});
  }
  for (const MemoryRange& range : ranges) {
    if (std::ranges::find(out.memory, range) == out.memory.end()) out.memory.push_back(range);
  }
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const bool numbers = is_digit(a[0]) && is_digit(b[0]);
    const std::string_view left = next_part(a);
    const std::string_view right = next_part(b);
    if (numbers && left.size() != right.size()) return left.size() < right.size();
    if (left != right) return left < right;
  }
  return a.empty() && !b.empty();
}

Expected<Registration> register_views(std::span<const LayerView> views, Behaviour behaviour,
                                      const std::string& subject) {
  Registration out;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> seen;
  for (const LayerView* view : visited(views, behaviour)) {
    const Expected<std::vector<Run>> runs = runs_of(*view, behaviour, subject);
    if (!runs) return std::unexpected(runs.error());
    add_memory(out, *view, behaviour, *runs);
    for (const Run& run : *runs) {
      const std::uint64_t length_of_identity = behaviour == Behaviour::s0 ? 0 : run.length;
      const auto [at, fresh] = seen.try_emplace({run.base, length_of_identity}, out.regions.size());
      if (!fresh) {
        Region& first = out.regions[at->second];
        if (first.group != view->group) first.group = kShared;
        continue;
      }
      out.regions.push_back({.base = run.base,
                             .block_len = run.length,
                             .block_stride = run.stride,
                             .num_blocks = view->blocks,
                             .group = view->group,
                             .name = view->layer,
                             .latent = view->latent,
                             .memory = view->memory,
                             .page_format = view->page_format});
    }
  }
  return out;
}

Expected<Registration> register_engine(const Engine& engine, Layout layout) {
  const Expected<std::vector<LayerView>> views = allocate(engine, layout);
  if (!views) return std::unexpected(views.error());
  return register_views(*views, engine.behaviour, engine.engine_id);
}

}  // namespace pageproof::region
