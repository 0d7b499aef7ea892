#include "model/region/inspect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/region/backend.hpp"

namespace pageproof::region {
namespace {

__extension__ using Wide = unsigned __int128;

// Walks the layout inwards out: each stride must be the product of what lies within it. The number of layers
// is not known, so once L is within, any positive multiple serves.
bool has_layout(const StridedView& view, Layout layout) {
  const auto order = order_of(layout);
  Wide running = 1;
  bool layers_within = false;
  for (std::size_t i = order.size(); i-- > 0;) {
    if (order[i] == LayoutAxis::layer) {
      layers_within = i != 0;
      continue;
    }
    const std::size_t axis = static_cast<std::size_t>(order[i]) - 1;
    if (view.sizes[axis] == 1) continue;
    const Wide stride = view.strides[axis];
    const bool fits = layers_within ? stride != 0 && stride % running == 0 : stride == running;
    if (!fits) return false;
    running = stride * view.sizes[axis];
    layers_within = false;
  }
  return true;
}

std::string names_of(const std::vector<Layout>& layouts) {
  if (layouts.empty()) return "no layout";
  std::vector<std::string> names;
  for (const Layout layout : layouts) names.push_back(to_string(layout));
  return fmt::format("{}", fmt::join(names, " or "));
}

// Backends whose own page format has (or has not) two slots and that take one of the layouts.
std::vector<std::string> backends_with(bool two_slots, const std::vector<Layout>& layouts) {
  std::vector<std::string> names;
  for (const BackendFacts& facts : backends()) {
    const bool shuffles = facts.backend == Backend::rocm_aiter_fa && two_slots;
    if (!shuffles && has_two_slots(facts.page_format, "").value_or(false) != two_slots) continue;
    const bool takes = facts.layouts.empty() || std::ranges::any_of(layouts, [&](Layout layout) {
                         return std::ranges::find(facts.layouts, layout) != facts.layouts.end();
                       });
    if (takes && !layouts.empty()) names.emplace_back(facts.name);
  }
  return names;
}

}  // namespace

std::vector<Layout> layouts_with(const StridedView& view) {
  std::vector<Layout> found;
  for (const Layout layout : kLayouts) {
    if (has_layout(view, layout)) found.push_back(layout);
  }
  return found;
}

Expected<void> declaration_holds(const StridedView& view, Layout declared, const std::string& subject) {
  const std::vector<Layout> layouts = layouts_with(view);
  if (std::ranges::find(layouts, declared) != layouts.end()) return {};
  return std::unexpected(Error{subject, "kv_cache_layout", to_string(declared),
                               fmt::format("contradicts the strides ({}), which are those of {}",
                                           fmt::join(view.strides, ", "), names_of(layouts))});
}

ViewReading read_view(const StridedView& view, std::uint64_t head_dim) {
  ViewReading reading;
  const std::uint64_t slots = view.sizes[1];
  const std::uint64_t content = view.sizes[3];
  const bool heads_by_shape = head_dim != 0 && content == 2 * head_dim;
  const bool slots_by_shape = head_dim != 0 && slots == 2 && content != 0 && content % head_dim == 0;
  reading.steps.push_back(fmt::format(
      "sizes ({}) with D = {}: {}", fmt::join(view.sizes, ", "), head_dim,
      heads_by_shape && slots_by_shape
          ? fmt::format("ambiguous: {} KV heads of K and V side by side, or a K and a V slot of {} heads",
                        slots, content / head_dim)
      : heads_by_shape ? fmt::format("{} KV heads of K and V side by side", slots)
      : slots_by_shape ? fmt::format("a K and a V slot of {} heads", content / head_dim)
                       : "neither a standard nor a two-slot view"));

  const std::vector<Layout> layouts = layouts_with(view);
  const std::vector<std::string> with_slots = backends_with(true, layouts);
  const std::vector<std::string> with_heads = backends_with(false, layouts);
  reading.slots_fit = slots_by_shape && !with_slots.empty();
  reading.heads_fit = heads_by_shape && !with_heads.empty();
  reading.steps.push_back(fmt::format(
      "strides ({}): {}, which {}", fmt::join(view.strides, ", "), names_of(layouts),
      with_slots.empty() ? "no backend with two slots offers"
                         : fmt::format("{} offer with two slots", fmt::join(with_slots, " and "))));
  if (reading.decided()) reading.kv_heads = reading.heads_fit ? slots : content / head_dim;
  reading.steps.push_back(reading.decided()
                              ? fmt::format("so: {}, {} KV heads",
                                            reading.heads_fit ? "a standard view" : "a two-slot view",
                                            reading.kv_heads)
                              : "so: not decided by the view alone");
  return reading;
}

}  // namespace pageproof::region
