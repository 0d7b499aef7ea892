// pageproof schedule: what a conversion in place of a run of pages must hold at once.
#include "reports/schedule/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/json.hpp"

namespace pageproof::cli {

Result schedule(const ScheduleOptions& options) {
  const auto run = schedule::run_of(options.shape, options.pages);
  if (!run) return std::unexpected(run.error());
  const schedule::Schedule found = schedule::schedule_of(*run);
  const bool holds = schedule::converts(*run, found);
  const std::uint64_t largest = found.largest();
  const double share = 100 * static_cast<double>(largest) / static_cast<double>(found.granules);
  const auto alone = std::ranges::count(found.steps, std::size_t{1}, &std::vector<std::uint32_t>::size);
  Report report{.holds = holds, .text = "", .json = ""};
  report.text = fmt::format(
      "Pages      {} of {} (x={}), {} B\n"
      "Granules   {} of 16 B\n"
      "Components {}, {} of them a single granule; they can be converted in any order\n"
      "Largest    {} granules, {} B, {:.2f} % of the run: held at once by a conversion in place\n"
      "Executed   {}\n",
      options.pages, to_string(options.shape), options.shape.granule_elements(),
      options.pages * options.shape.page_bytes(), found.granules, found.steps.size(), alone, largest,
      largest * kGranuleBytes, share,
      holds ? "component by component on every element: the planes are the oracle's"
            : "WRONG: the planes differ");
  report.json = one_document({{"command", "schedule"},
                              {"holds", holds},
                              {"shape", json_of(options.shape)},
                              {"pages", options.pages},
                              {"granules", found.granules},
                              {"components", found.steps.size()},
                              {"single_granules", alone},
                              {"largest_granules", largest},
                              {"largest_bytes", largest * kGranuleBytes}});
  return report;
}

}  // namespace pageproof::cli
