// The AMD machine code that this build embeds, run on symbols.
#include <fmt/format.h>

#include <algorithm>

#include "oracle/machine/disassembler.hpp"
#include "oracle/machine/mutants.hpp"
#include "oracle/machine/prove.hpp"
#include "reports/verify/check.hpp"

namespace pageproof::reports {
namespace {

// Why there is nothing to run here; empty where there is.
std::string nothing_to_run() {
  const std::vector<machine::Image> images = machine::embedded_images();
  if (images.empty()) return "this build embeds no code object (it found no clang 22)";
  const auto disassembler = machine::Disassembler::of(images.front().name);
  return disassembler ? "" : to_string(disassembler.error());
}

CheckResult failed(const char* check, const Error& error) {
  return {.cases = 0,
          .failures = {{check, "the embedded code objects can be read", to_string(error), "kernels",
                        "an error", fmt::format("pageproof verify {}", check)}},
          .skipped = {}};
}

CheckResult prove_kernels(const CheckOptions& options) {
  if (std::string reason = nothing_to_run(); !reason.empty())
    return {.cases = 0, .failures = {}, .skipped = std::move(reason)};
  machine::ProveOptions prove;
  prove.quick = options.quick;
  prove.progress = options.progress;
  const auto results = machine::prove_images(machine::embedded_images(), prove);
  if (!results) return failed("machine.kernels", results.error());
  CheckResult found;
  for (const machine::KernelResult& result : *results) {
    found.cases += result.launches;
    std::ranges::copy(result.failures, std::back_inserter(found.failures));
  }
  return found;
}

// Flipped bits: one kernel a target and strategy, every so manieth bit; in full also more bits of one of
// them. A bit that survives costs all launches of its kernel three times.
CheckResult flip_bits(const CheckOptions& options) {
  if (std::string reason = nothing_to_run(); !reason.empty()) {
    return {.cases = 0, .failures = {}, .skipped = std::move(reason)};
  }
  const std::vector<machine::Image> images = machine::embedded_images();
  machine::MutantOptions sample;
  sample.kernels = {"pageproof_out_of_place_n16_d64_e2", "pageproof_in_place_staged_n16_d64_e2",
                    "pageproof_in_place_held_n16_d128_e2"};
  sample.every = options.quick ? 1601 : 211;
  sample.first = options.seed % sample.every;
  sample.progress = options.progress;
  auto results = machine::flip_bits(images, sample);
  if (results && !options.quick) {
    machine::MutantOptions dense;
    dense.every = 13;
    dense.first = options.seed % dense.every;
    dense.kernels = {"pageproof_in_place_staged_n16_d64_e2"};
    dense.progress = options.progress;
    const std::vector<machine::Image> one{images.front()};
    auto more = machine::flip_bits(one, dense);
    if (!more) return failed("machine.mutants", more.error());
    std::ranges::move(*more, std::back_inserter(*results));
  }
  if (!results) return failed("machine.mutants", results.error());
  CheckResult found;
  for (const machine::MutantResult& result : *results) {
    found.cases += result.bits;
    for (const machine::Unexplained& u : result.unexplained) {
      found.failures.push_back(
          {"machine.mutants", "a flipped bit of the code breaks the proof, or a rule explains why not",
           fmt::format("{} {}, bit {}: {} -> {}", result.target, result.kernel, u.bit, u.original, u.mutant),
           "refuted", "proved, and no rule explains it",
           fmt::format("pageproof prove-code --mutants --target {} --kernel {}", result.target,
                       result.kernel)});
    }
  }
  return found;
}

const Registered kKernels(
    {.name = "machine.kernels",
     .claim = "every kernel that ships for gfx90a, gfx942 and gfx950 moves every byte where the writer "
              "would, for all data, with every access in bounds, waited for and free of races",
     .run = prove_kernels});

const Registered kMutants(
    {.name = "machine.mutants",
     .claim = "a flipped bit of that machine code breaks the proof, or a rule explains why it may not",
     .run = flip_bits});

}  // namespace
}  // namespace pageproof::reports
