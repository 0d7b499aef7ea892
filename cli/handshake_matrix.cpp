// `pageproof handshake matrix`: every backend and page format as prefill and as decoder, with the verdict of
// the pair.
#include <fmt/format.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "model/handshake/negotiate.hpp"
#include "model/handshake/today.hpp"

namespace pageproof::cli {
namespace {

using namespace handshake;
using region::Backend;
using region::Engine;
using region::Layout;

struct Setup {
  const char* name;
  Backend backend;
  Layout layout;
  std::function<void(Engine&)> change = [](Engine&) {};
};

void shuffled(Engine& engine) {
  engine.shuffle = true;
}

void gluon(Engine& engine) {
  engine.shuffle = true;
  engine.kernel_path = region::KernelPath::gluon;
  engine.block_size = engine.kernel_block_size = 128;
}

std::vector<Setup> setups() {
  const auto blocks_of = [](std::uint64_t tokens) {
    return [tokens](Engine& engine) { engine.block_size = engine.kernel_block_size = tokens; };
  };
  return {
      {"FLASH_ATTN LBHNC", Backend::flash_attn, Layout::lbhnc},
      {"FLASH_ATTN LBNHC", Backend::flash_attn, Layout::lbnhc},
      {"TRITON_ATTN LBHNC", Backend::triton_attn, Layout::lbhnc},
      {"AITER unified LBHNC", Backend::rocm_aiter_unified_attn, Layout::lbhnc},
      {"AITER unified LBHNC 64", Backend::rocm_aiter_unified_attn, Layout::lbhnc, blocks_of(64)},
      {"AITER FA LBHNC", Backend::rocm_aiter_fa, Layout::lbhnc},
      {"AITER FA shuffled LBHNC", Backend::rocm_aiter_fa, Layout::lbhnc, shuffled},
      {"AITER FA shuffled LHBNC", Backend::rocm_aiter_fa, Layout::lhbnc, shuffled},
      {"AITER FA gluon LHBNC 128", Backend::rocm_aiter_fa, Layout::lhbnc, gluon},
      {"ROCM_ATTN LHBNC", Backend::rocm_attn, Layout::lhbnc},
      {"CPU_ATTN LBHNC", Backend::cpu_attn, Layout::lbhnc},
  };
}

Expected<EngineSide> side_of_setup(const Setup& setup, const std::string& id, bool today) {
  Engine engine;
  engine.engine_id = id;
  engine.model.layers = 2;
  engine.backend = setup.backend;
  engine.platform = region::facts_of(setup.backend).platform;
  engine.convert_page_format = true;
  setup.change(engine);
  const Expected<Engine> ok = region::checked(engine, setup.name);
  if (!ok) return std::unexpected(ok.error());
  return side_with_layout(*ok, setup.layout, today ? BackendInHash::yes : BackendInHash::no);
}

// Today's rejections that the table shows, by the step at which they happen.
using Steps = std::map<std::string, std::string>;

std::string cell(const EngineSide& local, const EngineSide& remote, bool today, Steps& steps) {
  if (today) {
    const Attempt attempt = meet_today(local, remote);
    return attempt.accepted()
               ? "accepted"
               : fmt::format("{} {}", attempt.rejection->at, to_string(attempt.rejection->exception));
  }
  const Verdict verdict = meet_proposed(local, remote);
  if (verdict.accepted()) return std::string(to_string(verdict.outcome));
  if (verdict.check) {
    steps[verdict.check->at] =
        fmt::format("{}: {}", to_string(verdict.check->exception), verdict.check->message);
    return verdict.check->at;
  }
  return std::string(to_string(verdict.reason));
}

}  // namespace

Result handshake_matrix(const HandshakeMatrixOptions& options) {
  const std::vector<Setup> all = setups();
  Report report;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  Steps steps;
  const std::string mark = options.markdown ? "`" : "";
  if (options.markdown) {
    report.text = "| prefill \\ decode |";
    for (const Setup& decode : all) report.text += fmt::format(" {} |", decode.name);
    report.text += "\n|---|" + [&] {
      std::string rule;
      for (std::size_t i = 0; i < all.size(); ++i) rule += "---|";
      return rule;
    }() + "\n";
  }
  for (const Setup& prefill : all) {
    const Expected<EngineSide> remote = side_of_setup(prefill, "prefill", options.today);
    if (!remote) return std::unexpected(remote.error());
    if (options.markdown) report.text += fmt::format("| {} |", prefill.name);
    for (const Setup& decode : all) {
      const Expected<EngineSide> local = side_of_setup(decode, "decode", options.today);
      if (!local) return std::unexpected(local.error());
      const std::string verdict = cell(*local, *remote, options.today, steps);
      report.text += options.markdown
                         ? fmt::format(" {}{}{} |", mark, verdict, mark)
                         : fmt::format("{:<26} -> {:<26} {}\n", prefill.name, decode.name, verdict);
      json.push_back({{"prefill", prefill.name}, {"decode", decode.name}, {"verdict", verdict}});
    }
    if (options.markdown) report.text += "\n";
  }
  if (options.markdown && !options.today) {
    report.text +=
        "\n`match`: read as it is; `convert`: standard pages become shuffled pages after the read; `repack`: "
        "they\n"
        "become CPU_ATTN's. Otherwise the first reason why the pair is refused:\n\n";
    for (const ReasonFacts& facts : reasons()) {
      if (report.text.find("`" + std::string(facts.name) + "`") == std::string::npos) continue;
      report.text += fmt::format("- `{}` ({}): {}; {}\n", facts.name, to_string(facts.origin), facts.sentence,
                                 facts.change);
    }
    for (const auto& [at, message] : steps) report.text += fmt::format("- `{}` (today): {}\n", at, message);
    report.text += "\n" + knob_entry();
  }
  report.json = one_document({{"verdicts", options.today ? "today" : "RFC"}, {"pairs", json}});
  return report;
}

}  // namespace pageproof::cli
