// The parts of the command line that every parser uses. CLI11 stays in this folder and in main.cpp.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "cli/commands.hpp"

namespace pageproof::cli {

// Refuses what is not a whole number up to `largest`, also where the library would wrap or saturate.
inline CLI::Validator whole_number(std::uint64_t largest) {
  return CLI::Validator(
      [largest](const std::string& text) {
        std::uint64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        const bool whole = error == std::errc{} && end == text.data() + text.size() && number <= largest;
        return whole ? std::string() : fmt::format("{}: not a whole number up to {}", text, largest);
      },
      "NUMBER");
}

struct CommandLine {
  CLI::App app{"pageproof: proves, fuzzes, converts and hands over KV-cache pages between engines"};
  bool json = false;
  std::function<Result()> chosen;

  CLI::App* command(CLI::App& parent, const std::string& name, const std::string& what,
                    const std::string& example) {
    CLI::App* sub = parent.add_subcommand(name, what);
    sub->footer("Example:\n  " + example);
    return sub;
  }

  // Where `option` was given: refuses every other given option that is not among `with`, for it would count
  // for nothing.
  static void only_with(CLI::App* sub, const std::string& option, const std::vector<std::string>& with) {
    if (sub->count(option) == 0) return;
    for (const CLI::Option* other : sub->get_options()) {
      const std::string name = other->get_name();
      if (other->count() == 0 || name == option || std::ranges::find(with, name) != with.end()) continue;
      throw CLI::ValidationError(name, "does nothing beside " + option);
    }
  }

  // Ends a subcommand: what it runs once the command line has been read, and `check` accepts it or throws.
  void runs(CLI::App* sub, std::function<Result()> run, std::function<void()> check = {}) {
    sub->add_flag("--json", json, "print one JSON document and nothing else on stdout");
    sub->callback([this, run = std::move(run), check = std::move(check)] {
      if (check) check();
      chosen = run;
    });
  }
};

template <class Number>
CLI::Option* number(CLI::App* sub, const std::string& name, Number& value, const std::string& what) {
  return sub->add_option(name, value, what)->check(whole_number(std::numeric_limits<Number>::max()));
}

// One a subcommand: adds its options, and what it runs.
void add_verify(CommandLine& line);
void add_convert(CommandLine& line);
void add_check(CommandLine& line);
void add_identify(CommandLine& line);
void add_formats(CommandLine& line);
void add_offset(CommandLine& line);
void add_view(CommandLine& line);
void add_schedule(CommandLine& line);
void add_fixtures(CommandLine& line);
void add_fuzz(CommandLine& line);
void add_prove(CommandLine& line);
void add_prove_code(CommandLine& line);
void add_handshake(CommandLine& line);
void add_plan(CommandLine& line);
void add_receive(CommandLine& line);
void add_bench(CommandLine& line);
void add_amd(CommandLine& line);
void add_results(CommandLine& line);
void add_gonogo(CommandLine& line);
void add_cost(CommandLine& line);
void add_calibrate(CommandLine& line);
void add_validate(CommandLine& line);
void add_simulate(CommandLine& line);
void add_plan_runs(CommandLine& line);
void add_predictions(CommandLine& line);
void add_report(CommandLine& line);

}  // namespace pageproof::cli
