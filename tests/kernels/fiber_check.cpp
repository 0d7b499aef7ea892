// Runs the GPU kernels as work-items in random order and compares every byte.
//
//   fiber_check SEED LIMITS PAGE_BYTES [without-barrier]
//
// LIMITS is amd, nvidia or small (few work-items: for ThreadSanitizer). Cases with pages above PAGE_BYTES are
// left out. without-barrier is the mutant: bytes must differ, and ThreadSanitizer must report data races.
// Exit 0 when all bytes are right.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "kernels/convert/fibers/fibers.hpp"
#include "tests/kernels/pages.hpp"

namespace {

using namespace pageproof;
using convert::Direction;
using convert::Limits;

constexpr Limits kSmallLimits{8 * 1024, 64, 256};

bool barrier_dropped = false;

struct CheckedItem : convert::fibers::FiberItem {
  void barrier() const {
    if (!barrier_dropped) FiberItem::barrier();
  }
};

Limits limits_named(std::string_view name) {
  if (name == "amd") return convert::kAmdLimits;
  if (name == "nvidia") return convert::kHopperLimits;
  return kSmallLimits;
}

std::string run(const tests::Case& c, Direction direction, std::uint64_t seed, const Limits& limits) {
  tests::Memory memory(c, direction == Direction::in_place, seed);
  convert::fibers::run_launch<CheckedItem>(convert::plan_launch(memory.job(), direction, limits), seed);
  if (!memory.standard_untouched()) return "the standard pages were written";
  return tests::difference(memory.planes(), memory.expected());
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) {
    std::fputs("fiber_check SEED amd|nvidia|small PAGE_BYTES [without-barrier]\n", stderr);
    return 2;
  }
  const std::uint64_t seed = std::strtoull(arguments[1], nullptr, 10);
  const Limits limits = limits_named(arguments[2]);
  const std::uint64_t page_bytes = std::strtoull(arguments[3], nullptr, 10);
  barrier_dropped = count > 4 && std::string_view(arguments[4]) == "without-barrier";
  int cases = 0, wrong = 0, held = 0;
  for (const tests::Case& c : tests::all_cases(seed, page_bytes)) {
    for (const Direction direction : {Direction::out_of_place, Direction::in_place}) {
      if (direction == Direction::in_place && 2 * c.side_bytes() > limits.page_bytes()) continue;
      ++cases;
      held += direction == Direction::in_place && 2 * c.side_bytes() > limits.stage_bytes;
      const std::string difference = run(c, direction, seed, limits);
      if (difference.empty()) continue;
      ++wrong;
      std::printf("%s %s: %s\n", tests::to_string(c).c_str(),
                  direction == Direction::in_place ? "in place" : "out of place", difference.c_str());
    }
  }
  std::printf("%d cases, %d of them with heads held in registers, %d wrong\n", cases, held, wrong);
  return wrong == 0 && cases > 0 && held > 0 ? 0 : 1;
}
