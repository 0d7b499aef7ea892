// The command line of the page that people read.
#include "cli/parse/command_line.hpp"
#include "cli/report_command.hpp"

namespace pageproof::cli {

void add_report(CommandLine& line) {
  static ReportOptions o;
  CLI::App* sub =
      line.command(line.app, "report",
                   "one HTML page of the JSON documents of gonogo, cost, calibrate, validate, simulate, "
                   "plan-runs and sensitivity: "
                   "opens without a network, prints. Charts by gnuplot; without it, tables",
                   "pageproof report docs/cost.json -o report.html");
  sub->add_option("DOCUMENT", o.inputs, "what those commands print with --json (docs/report.md)")->required();
  sub->add_option("-o,--output", o.output, "the page")->required();
  sub->add_option("--title", o.title, "of the page");
  sub->add_flag("--no-charts", o.no_charts, "tables alone");
  line.runs(sub, [] { return report(o); });
}

}  // namespace pageproof::cli
