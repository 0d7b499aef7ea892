#include "fuzz/generate/choices.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

namespace pageproof::fuzz {
namespace {

// The output function of SplitMix64.
constexpr std::uint64_t scrambled(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15u;

}  // namespace

std::uint64_t Choices::below(std::uint64_t bound) {
  assert(bound > 0);
  const std::uint64_t choice = std::min(source_(bound), bound - 1);
  made_.push_back(choice);
  return choice;
}

std::vector<std::uint64_t> Choices::distinct_below(std::uint64_t count, std::uint64_t bound) {
  assert(count <= bound);
  std::vector<std::uint64_t> left(bound);
  std::iota(left.begin(), left.end(), 0);
  std::vector<std::uint64_t> chosen;
  while (chosen.size() < count) {
    const auto at = left.begin() + static_cast<std::ptrdiff_t>(below(left.size()));
    chosen.push_back(*at);
    left.erase(at);
  }
  return chosen;
}

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  return scrambled(scrambled(a + kGolden) ^ (b * kGolden + 1));
}

Choices::Source seeded(std::uint64_t seed) {
  return [state = scrambled(seed + kGolden)](std::uint64_t bound) mutable {
    state += kGolden;
    return scrambled(state) % bound;
  };
}

Choices::Source recorded(std::vector<std::uint64_t> choices) {
  return [choices = std::move(choices), next = std::size_t{0}](std::uint64_t) mutable {
    return next < choices.size() ? choices[next++] : 0;
  };
}

Choices::Source Odometer::source() {
  position_ = 0;
  return [this](std::uint64_t bound) {
    if (position_ == wheels_.size()) wheels_.push_back({0, bound});
    assert(wheels_[position_].bound == bound);
    return wheels_[position_++].value;
  };
}

bool Odometer::next() {
  wheels_.resize(position_);
  while (!wheels_.empty()) {
    Wheel& last = wheels_.back();
    if (++last.value < last.bound) return true;
    wheels_.pop_back();
  }
  return false;
}

}  // namespace pageproof::fuzz
