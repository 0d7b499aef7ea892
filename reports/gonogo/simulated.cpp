#include "reports/gonogo/simulated.hpp"

#include <fmt/format.h>

#include <map>

namespace pageproof::gonogo {
namespace {

struct Origins {
  std::size_t simulated = 0, all = 0;
  void take(const Placed& placed) {
    ++all;
    simulated += placed.run->simulated;
  }
  bool mixed() const { return simulated > 0 && simulated < all; }
};

Origins origins_of(std::span<const Placed> runs) {
  Origins out;
  for (const Placed& placed : runs) {
    if (placed.status == RunStatus::valid) out.take(placed);
  }
  return out;
}

}  // namespace

std::string simulated_words(std::span<const Placed> runs) {
  const Origins origins = origins_of(runs);
  if (origins.simulated == 0) return {};
  if (!origins.mixed()) return "   of simulated runs";
  return fmt::format("   {} of {} runs are simulated", origins.simulated, origins.all);
}

void simulated_warnings(std::span<const Placed> runs, std::vector<Reason>& out) {
  const Origins origins = origins_of(runs);
  if (origins.simulated == 0) return;
  out.push_back(
      {"SIMULATED", fmt::format("{} of {} valid runs are simulated: what they say is a forecast, no "
                                "measurement",
                                origins.simulated, origins.all)});
  std::map<std::string, Origins> cells;
  for (const Placed& placed : runs) {
    if (placed.status == RunStatus::valid && placed.cell) cells[to_string(*placed.cell)].take(placed);
  }
  std::size_t mixed = 0;
  std::string first;
  for (const auto& [cell, of_cell] : cells) {
    if (!of_cell.mixed()) continue;
    if (mixed++ == 0) first = fmt::format("{}: {} of {} runs", cell, of_cell.simulated, of_cell.all);
  }
  if (mixed == 0) return;
  out.push_back({"SIMULATED_MIXED", fmt::format("simulated and measured runs stand in one cell, in {} of {}; "
                                                "first {}",
                                                mixed, cells.size(), first)});
}

}  // namespace pageproof::gonogo
