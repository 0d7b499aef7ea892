// Runs the kernels of the other orders and compares every byte: as a GPU does, in work-items of random order,
// and as the C ABI does on the CPU.
//
//   orders_check SEED amd|nvidia|small|host PAGE_BYTES ONE_IN [without-barrier]
//
// Cases with pages above PAGE_BYTES are left out; of the others one in ONE_IN is run, so that every order
// meets other shapes. without-barrier is the mutant: bytes must differ, and ThreadSanitizer must report data
// races. Exit 0 when all bytes are right.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "kernels/convert/fibers/orders.hpp"
#include "tests/kernels/pages.hpp"

namespace {

using namespace pageproof;
using namespace pageproof::convert;

constexpr OrderLimits kSmallLimits{8 * 1024, 64, 128, 256};

bool barrier_dropped = false;

struct CheckedItem : fibers::OrderItem {
  void barrier() const {
    if (!barrier_dropped) OrderItem::barrier();
  }
};

std::string run(const tests::Case& c, Direction direction, std::uint64_t seed, std::string_view limits) {
  tests::Memory memory(c, direction == Direction::in_place, seed);
  const pageproof_job job = memory.job(2);
  if (limits == "host") {
    const auto status =
        direction == Direction::in_place ? pageproof_convert_in_place(&job) : pageproof_convert(&job);
    if (status != PAGEPROOF_OK) return pageproof_status_text(status);
  } else if (limits == "amd") {
    fibers::run_order_launch<CheckedItem, kAmdOrderLimits>(job, direction, seed);
  } else if (limits == "nvidia") {
    fibers::run_order_launch<CheckedItem, kNvidiaOrderLimits>(job, direction, seed);
  } else {
    fibers::run_order_launch<CheckedItem, kSmallLimits>(job, direction, seed);
  }
  return memory.wrong();
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 5) {
    std::fputs("orders_check SEED amd|nvidia|small|host PAGE_BYTES ONE_IN [without-barrier]\n", stderr);
    return 2;
  }
  const std::uint64_t seed = std::strtoull(arguments[1], nullptr, 10);
  const std::string_view limits = arguments[2];
  const std::uint64_t page_bytes = std::strtoull(arguments[3], nullptr, 10);
  const std::uint64_t one_in = std::strtoull(arguments[4], nullptr, 10);
  barrier_dropped = count > 5 && std::string_view(arguments[5]) == "without-barrier";
  const std::uint64_t staged = limits == "host"     ? PAGEPROOF_IN_PLACE_PAGE_BYTES
                               : limits == "amd"    ? kAmdOrderLimits.stage_bytes
                               : limits == "nvidia" ? kNvidiaOrderLimits.stage_bytes
                                                    : kSmallLimits.stage_bytes;
  const std::uint64_t largest =
      limits == "small" ? convert::page_bytes(kSmallLimits) : PAGEPROOF_IN_PLACE_PAGE_BYTES;
  int cases = 0, wrong = 0, held = 0;
  std::uint64_t number = 0;
  for (const tests::Case& c : tests::all_order_cases(seed, page_bytes)) {
    if (number++ % one_in != 0) continue;
    for (const Direction direction : {Direction::out_of_place, Direction::in_place}) {
      if (direction == Direction::in_place && 2 * c.side_bytes() > largest) continue;
      ++cases;
      held += direction == Direction::in_place && 2 * c.side_bytes() > staged;
      const std::string difference = run(c, direction, seed, limits);
      if (difference.empty()) continue;
      ++wrong;
      std::printf("%s %s: %s\n", tests::to_string(c).c_str(),
                  direction == Direction::in_place ? "in place" : "out of place", difference.c_str());
    }
  }
  std::printf("%d cases, %d of them with pages held as tiles, %d wrong\n", cases, held, wrong);
  return wrong == 0 && cases > 0 && (held > 0 || limits == "host") ? 0 : 1;
}
