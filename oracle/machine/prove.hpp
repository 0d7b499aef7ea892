// Proves the kernels of a code object, case by case.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/page/plain/failure.hpp"
#include "oracle/machine/conversion.hpp"

namespace pageproof::machine {

// An access instruction may touch this many times the fewest lines for its bytes, over a kernel's cases.
inline constexpr double kMostLines = 1.1;

// What may be read from the file system or from the program: one code object.
struct Image {
  std::string name;  // "gfx942", or the file's path
  std::span<const std::byte> elf;
};
// Those that this build embeds.
std::vector<Image> embedded_images();

struct ProveOptions {
  std::vector<std::string> kernels;  // names or beginnings of names; empty: all
  std::optional<std::uint32_t> heads;
  std::optional<Pattern> pattern;
  bool quick = false;
  std::uint32_t threads = 2;
  std::function<void(std::uint64_t done, std::uint64_t of)> progress = [](auto, auto) {};
};

struct KernelResult {
  std::string target;
  std::string kernel;
  std::uint64_t launches = 0;
  std::uint64_t refuted_as_expected = 0;  // of them: blocks listed twice
  Statistics total;                       // traffic: of the cases that are `near`
  std::uint64_t code_bytes = 0;
  std::uint64_t executed_bytes = 0;  // by some case
  double seconds = 0;
  std::vector<Failure> failures;
};

// Every kernel of every image, in their order.
Expected<std::vector<KernelResult>> prove_images(std::span<const Image> images, const ProveOptions& options);

}  // namespace pageproof::machine
