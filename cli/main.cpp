// The program: reads the command line (cli/parse has a parser for each subcommand), runs what it names,
// prints.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <optional>
#include <sstream>

#include "cli/parse/command_line.hpp"

namespace {

using namespace pageproof;

constexpr const char* kNoOutput = "stdout: cannot be written";

// No option and no argument means anything when it is empty, as a shell leaves it whose variable was not set:
// it must not read as if it had not been given.
void refuse_empty_words(CLI::App& app) {
  const CLI::Validator not_empty(
      [](const std::string& text) { return text.empty() ? std::string("empty") : std::string(); }, "");
  for (CLI::Option* option : app.get_options()) {
    if (option->get_expected_min() > 0) option->check(not_empty);
  }
  for (CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) refuse_empty_words(*sub);
}

// The first word that should be a subcommand and is none; the library would only say that one is missing.
std::optional<std::string> unknown_subcommand(const CLI::App& app, int argc, char** argv) {
  const CLI::App* group = &app;
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
    const std::vector<const CLI::App*> known = group->get_subcommands([](const CLI::App*) { return true; });
    if (known.empty()) break;
    const auto named = std::ranges::find(known, std::string_view(argv[i]), &CLI::App::get_name);
    if (named == known.end()) {
      std::vector<std::string> names;
      for (const CLI::App* sub : known) names.push_back(sub->get_name());
      return fmt::format("{}: no such subcommand; there are {}", argv[i], fmt::join(names, ", "));
    }
    group = *named;
  }
  return std::nullopt;
}

// One line whatever the text holds: what a user typed may contain line ends.
int complain(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    line += control ? fmt::format("\\x{:02x}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  fmt::print(stderr, "pageproof: {}\n", line);
  return 2;
}

bool print(std::string text) {
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

bool written(const cli::Report& report, bool json) {
  if (json) return print(report.json);
  if (!report.pieces) return print(report.text);
  const cli::Sink sink = [](std::string_view piece) {
    return std::fwrite(piece.data(), 1, piece.size(), stdout) == piece.size();
  };
  return report.pieces(sink) && std::fflush(stdout) == 0;
}

// Runs what was chosen. Memory may end anywhere below; what else a library throws is a bug, but no crash.
cli::Result answer(const cli::CommandLine& line) try { return line.chosen(); } catch (const std::bad_alloc&) {
  return std::unexpected(Error{"memory", "", "", "not enough for this input"});
} catch (const std::exception& error) {
  return std::unexpected(Error{"internal error", "", "", error.what()});
}

}  // namespace

int main(int argc, char** argv) {
  cli::CommandLine line;
  line.app.require_subcommand(1);
  line.app.set_version_flag("--version", "pageproof " PAGEPROOF_VERSION);
  for (const auto add :
       {cli::add_verify,    cli::add_convert,    cli::add_check,     cli::add_identify,  cli::add_formats,
        cli::add_offset,    cli::add_view,       cli::add_schedule,  cli::add_fixtures,  cli::add_fuzz,
        cli::add_prove,     cli::add_prove_code, cli::add_handshake, cli::add_plan,      cli::add_receive,
        cli::add_bench,     cli::add_amd,        cli::add_results,   cli::add_gonogo,    cli::add_cost,
        cli::add_calibrate, cli::add_validate,   cli::add_simulate,  cli::add_plan_runs, cli::add_predictions,
        cli::add_report}) {
    add(line);
  }
  refuse_empty_words(line.app);
  if (const auto unknown = unknown_subcommand(line.app, argc, argv)) return complain(*unknown);
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    std::ostringstream text;
    line.app.exit(help, text, text);
    return print(text.str()) ? 0 : complain(kNoOutput);
  } catch (const CLI::ParseError& error) {
    return complain(error.what());
  }
  const cli::Result result = answer(line);
  if (!result) return complain(to_string(result.error()));
  if (!written(*result, line.json)) return complain(kNoOutput);
  for (const Error& refused : result->refused) complain(to_string(refused));
  if (result->unfinished) return complain(to_string(*result->unfinished));
  if (!result->refused.empty()) return 2;
  return result->holds ? 0 : 1;
}
