// The AMD machine code that this build embeds, run on symbols.
#include <fmt/format.h>

#include <algorithm>

#include "oracle/machine/disassembler.hpp"
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
  if (std::string reason = nothing_to_run(); !reason.empty()) return {.cases = 0, .failures = {}, .skipped = std::move(reason)};
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

const Registered kKernels(
    {.name = "machine.kernels",
     .claim = "every kernel that ships for gfx90a, gfx942 and gfx950 moves every byte where the writer "
              "would, for all data, with every access in bounds, waited for and free of races",
     .run = prove_kernels});

}  // namespace
}  // namespace pageproof::reports
