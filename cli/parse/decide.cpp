// The command line of what helps to decide whether converting pays: measured results, and predicted ones.
#include "cli/parse/command_line.hpp"
#include "cli/results_commands.hpp"

namespace pageproof::cli {

void add_results(CommandLine& line) {
  static ResultsOptions o;
  CLI::App* sub = line.command(
      line.app, "results", "list the runs that result files of a benchmark hold, and what is wrong with them",
      "pageproof results results/ --mapping setups.json");
  sub->add_option("FILE", o.inputs, "result files as their tools wrote them, and folders of them")
      ->required();
  sub->add_option("--mapping", o.mapping, "JSON that gives tags to files by their paths (docs/results.md)");
  sub->add_option("--failed", o.failed_percent, "percent of a run's requests that may fail")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  line.runs(sub, [] { return results(o); });
}

}  // namespace pageproof::cli
