#include "reports/decision/smallest_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <tuple>

namespace pageproof::decision {
namespace {

// Setups that a rule compares, as bits in the order of kPlannedSetups.
unsigned setups_needed(const RuleForecast& rule) {
  const unsigned treated = rule.setup == "c" ? 1u << 3 : 1u << 4;
  return treated | (rule.rule == 'A' ? 3u : 1u << 2);
}

// A result that must be seen once: a rule of a setup, and which way it counts.
struct Item {
  std::string setup;
  char rule = 'A';
  bool passes = false;
  unsigned needs = 0;
  std::vector<std::size_t> loads = {};  // where it can be seen; indices into Group::points
};

// One model, workload and output length.
struct Group {
  std::vector<const PointForecast*> points = {};
  std::vector<Item> items = {};
};

struct Cost {
  int cells = std::numeric_limits<int>::max();
  double hours = 0;

  auto operator<=>(const Cost&) const = default;
};

struct BranchAndBound {
  const PlanOptions& options;
  const Group& group;
  std::vector<unsigned> masks = std::vector<unsigned>(group.points.size(), 0);  // setups chosen at each point
  std::vector<unsigned> best = {};
  Cost least = {};

  Cost added(std::size_t load, unsigned needs) const {
    Cost cost{0, 0};
    for (std::size_t setup = 0; setup < kSetups; ++setup) {
      if ((needs & ~masks[load]) >> setup & 1) {
        ++cost.cells;
        cost.hours += gpu_hours(options, *group.points[load], setup);
      }
    }
    return cost;
  }

  void descend(std::size_t item, const Cost& so_far) {
    if (so_far >= least) return;  // costs only grow
    if (item == group.items.size()) {
      least = so_far;
      best = masks;
      return;
    }
    for (const std::size_t load : group.items[item].loads) {
      const unsigned before = masks[load];
      const Cost more = added(load, group.items[item].needs);
      masks[load] |= group.items[item].needs;
      descend(item + 1, {so_far.cells + more.cells, so_far.hours + more.hours});
      masks[load] = before;
    }
  }
};

bool shows(const Item& item, const RuleForecast& rule, double certainty) {
  return rule.setup == item.setup && rule.rule == item.rule &&
         (item.passes ? rule.passes : rule.against) >= certainty;
}

bool shows(const Item& item, const PointForecast& point, double certainty) {
  return std::ranges::any_of(point.rules,
                             [&](const RuleForecast& rule) { return shows(item, rule, certainty); });
}

double hours_of_all(const PlanOptions& options, const PointForecast& point) {
  double hours = 0;
  for (std::size_t setup = 0; setup < kSetups; ++setup) hours += gpu_hours(options, point, setup);
  return hours;
}

// Of points that show the same items, the cheapest.
Group reduced(const PlanOptions& options, const std::vector<const PointForecast*>& points) {
  Group group;
  for (const char* setup : {"c", "d"}) {
    for (const char rule : {'A', 'B'}) {
      for (const bool passes : {true, false}) {
        Item item{.setup = setup, .rule = rule, .passes = passes};
        item.needs = setups_needed({.setup = setup, .rule = rule});
        if (std::ranges::any_of(points,
                                [&](const auto* point) { return shows(item, *point, options.certainty); })) {
          group.items.push_back(std::move(item));
        }
      }
    }
  }
  std::map<unsigned, const PointForecast*> cheapest;
  for (const PointForecast* point : points) {
    unsigned signature = 0;
    for (std::size_t i = 0; i < group.items.size(); ++i) {
      if (shows(group.items[i], *point, options.certainty)) signature |= 1u << i;
    }
    if (signature == 0) continue;
    const PointForecast*& kept = cheapest[signature];
    if (kept == nullptr || hours_of_all(options, *point) < hours_of_all(options, *kept)) kept = point;
  }
  for (const auto& [signature, point] : cheapest) {
    for (std::size_t i = 0; i < group.items.size(); ++i) {
      if ((signature >> i & 1) != 0) group.items[i].loads.push_back(group.points.size());
    }
    group.points.push_back(point);
  }
  std::ranges::sort(group.items, {}, [](const Item& item) { return item.loads.size(); });
  return group;
}

void add_loads(SmallestSet& out, const PlanOptions& options, const Group& group) {
  BranchAndBound search{.options = options, .group = group};
  search.descend(0, {0, 0});
  for (std::size_t load = 0; load < group.points.size(); ++load) {
    if (search.best[load] == 0) continue;
    ChosenLoad chosen{.point = group.points[load]->point, .setups = {}, .settles = {}};
    for (std::size_t setup = 0; setup < kSetups; ++setup) {
      if ((search.best[load] >> setup & 1) == 0) continue;
      chosen.setups.emplace_back(kPlannedSetups[setup]);
      chosen.gpu_hours += options.repeats * gpu_hours(options, *group.points[load], setup);
    }
    for (const Item& item : group.items) {
      const bool here = std::ranges::find(item.loads, load) != item.loads.end();
      if (here && (item.needs & ~search.best[load]) == 0) {
        chosen.settles.push_back(
            fmt::format("{}({}) {}", item.rule, item.setup, item.passes ? "passes" : "against"));
      }
    }
    out.runs += options.repeats * chosen.setups.size();
    out.gpu_hours += chosen.gpu_hours;
    out.loads.push_back(std::move(chosen));
  }
}

}  // namespace

std::string PartOfQuestion::name() const {
  return fmt::format("{}({}) {} {} osl {}", rule, setup, model, workload, output);
}

SmallestSet smallest_set(const PlanForecast& plan) {
  using Key = std::tuple<std::string, std::string, std::uint32_t>;
  std::map<Key, std::vector<const PointForecast*>> groups;
  for (const PointForecast& point : plan.points) {
    groups[{point.point.model, point.point.workload, point.point.output}].push_back(&point);
  }
  SmallestSet out;
  for (const auto& [key, points] : groups) {
    const Group group = reduced(plan.options, points);
    for (const char* setup : {"c", "d"}) {
      for (const char rule : {'A', 'B'}) {
        const bool seen = std::ranges::any_of(
            group.items, [&](const Item& item) { return item.setup == setup && item.rule == rule; });
        (seen ? out.settled : out.open)
            .push_back({setup, rule, std::get<0>(key), std::get<1>(key), std::get<2>(key)});
      }
    }
    if (!group.items.empty()) add_loads(out, plan.options, group);
  }
  return out;
}

}  // namespace pageproof::decision
