// Random numbers that are looked up, not drawn one after another: number `index` of a stream of a seed. What
// one setup asks for cannot shift what another gets, so runs of all setups share their arrivals and their
// noise (common random numbers), and a run is the same whatever ran before it.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace pageproof::serving {

enum class Stream : std::uint64_t {
  arrival = 1,
  input_length,
  output_length,
  run,
  prefill,
  prefill_run,
  step,
  cells
};

constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

constexpr std::uint64_t random_bits(std::uint64_t seed, Stream stream, std::uint64_t index) {
  return mixed(mixed(seed ^ mixed(static_cast<std::uint64_t>(stream))) + index);
}

// In (0, 1): never 0, so that its logarithm is a number.
constexpr double uniform(std::uint64_t seed, Stream stream, std::uint64_t index) {
  return (static_cast<double>(random_bits(seed, stream, index) >> 11) + 0.5) * 0x1p-53;
}

inline double normal(std::uint64_t seed, Stream stream, std::uint64_t index) {
  const double radius = std::sqrt(-2 * std::log(uniform(seed, stream, 2 * index)));
  return radius * std::cos(2 * std::numbers::pi * uniform(seed, stream, 2 * index + 1));
}

// A positive factor with mean 1 and this coefficient of variation (lognormal). 1 where cv is 0.
inline double noise_factor(std::uint64_t seed, Stream stream, std::uint64_t index, double cv) {
  if (cv == 0) return 1;
  const double variance = std::log1p(cv * cv);
  return std::exp(std::sqrt(variance) * normal(seed, stream, index) - variance / 2);
}

// A gamma variate of this shape and scale 1 (Marsaglia and Tsang's squeeze): up to 64 numbers of the stream.
double gamma_variate(std::uint64_t seed, Stream stream, std::uint64_t index, double shape);

}  // namespace pageproof::serving
