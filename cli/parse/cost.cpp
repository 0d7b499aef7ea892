// The command line of cost, calibrate and validate.
#include "cli/decision_commands.hpp"
#include "cli/parse/command_line.hpp"

namespace pageproof::cli {
namespace {

// Numbers with commas between them; the library would pass over an empty one.
CLI::Option* numbers(CLI::App* sub, const std::string& name, std::vector<double>& values,
                     const std::string& what) {
  return sub
      ->add_option_function<std::string>(
          name,
          [&values, name](const std::string& given) {
            values.clear();
            std::string_view rest = given;
            while (true) {
              const std::string_view one = rest.substr(0, rest.find(','));
              double value = 0;
              const auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), value);
              if (error != std::errc{} || end != one.data() + one.size())
                throw CLI::ValidationError(name, fmt::format("{}: \"{}\" is not a number", given, one));
              values.push_back(value);
              if (one.size() == rest.size()) return;
              rest.remove_prefix(one.size() + 1);
            }
          },
          what)
      ->type_name("NUMBER,...");
}

}  // namespace

void add_cost(CommandLine& line) {
  static CostOptions o;
  CLI::App* sub = line.command(
      line.app, "cost",
      "what converting costs and from how many output tokens it pays, each figure with its formula",
      "pageproof cost --batch 64 --context 4096 --kappa 4,6 --bandwidth 1.5,3\n  pageproof cost --rfc");
  sub->add_option("--model", o.model, "qwen3-8b, qwen3-32b or qwen3-30b-a3b")->capture_default_str();
  sub->add_option("--device", o.device, "mi300x, mi308x or mi355x")->capture_default_str();
  number(sub, "--tp", o.tp, "tensor parallelism of the decoder")->capture_default_str();
  number(sub, "--batch", o.batch, "running requests")->capture_default_str();
  number(sub, "--context", o.context, "tokens of each")->capture_default_str();
  number(sub, "--output", o.output, "output tokens of each")->capture_default_str();
  number(sub, "--block", o.block_tokens, "tokens of a block")->capture_default_str();
  numbers(sub, "--kappa", o.traffic, "traffic: bytes moved for each byte of KV (default: 4,6)");
  numbers(sub, "--bandwidth", o.terabytes, "TB/s of the converter (default: 1.5,3)");
  sub->add_option("--saving", o.saving_ms,
                  "ms that a step of shuffled decode saves (default: by the step-time model, against both)");
  sub->add_option("--launch-us", o.launch_microseconds, "µs of the CPU a kernel launch")
      ->capture_default_str();
  sub->add_flag("--with-launches", o.with_launches, "count the launches in c, not only the bytes");
  sub->add_flag("--rfc", o.rfc,
                "every figure of the RFC's text, recomputed. Exit 1: one does not come out as the table says "
                "(where the RFC's "
                "and ours differ, the table says so)");
  sub->add_flag("--markdown", o.markdown, "that table in Markdown");
  const auto check = [sub] {
    CommandLine::only_with(sub, "--rfc", {"--markdown", "--json"});
    CommandLine::only_with(sub, "--markdown", {"--rfc", "--json"});
  };
  line.runs(sub, [] { return cost(o); }, check);
}

void add_calibrate(CommandLine& line) {
  static CalibrateOptions o;
  CLI::App* sub = line.command(
      line.app, "calibrate",
      "fit a step-time model to measured runs, and say how it predicts those that it was not fitted on",
      "pageproof calibrate docs/runs --split none -o model.json");
  sub->add_option("FILE", o.inputs,
                  "result files, folders of them, or step tables (*.csv: setup,batch,context,step_ms)")
      ->required();
  sub->add_option("-o,--output", o.output, "write the model here")->type_name("FILE");
  sub->add_option("--step-table", o.step_table, "write the decode step as a table that simulate reads")
      ->type_name("FILE");
  sub->add_option(
         "--split", o.split,
         "which cells are held out: none; chessboard, every other one; contexts, the longer half of the "
         "input lengths; loads, the higher half")
      ->capture_default_str();
  sub->add_flag("--swap", o.swap, "fit those that would be held out");
  sub->add_flag("--prefills-elsewhere", o.prefills_elsewhere,
                "the runs are of a decoder that another engine fills");
  sub->add_flag("--cells", o.cells, "list every cell");
  line.runs(sub, [] { return calibrate(o); });
}

void add_validate(CommandLine& line) {
  static ValidateOptions o;
  CLI::App* sub = line.command(line.app, "validate",
                               "a calibrated model against measured runs, fitted and held-out cells apart",
                               "pageproof validate docs/step_model.json docs/runs --cells");
  sub->add_option("MODEL", o.model, "as calibrate writes it")->required();
  sub->add_option("FILE", o.inputs, "as for calibrate")->required();
  sub->add_flag("--cells", o.cells, "list every cell");
  line.runs(sub, [] { return validate(o); });
}

}  // namespace pageproof::cli
