// Runs a launch: every wave of every workgroup, one after another, from barrier to barrier. What a run that
// is not refuted shows holds for every order of waves and for all data: nothing conflicted, and no symbol was
// computed with.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "oracle/machine/program.hpp"
#include "oracle/machine/wave.hpp"

namespace pageproof::machine {

struct LaunchSize {
  std::array<std::uint32_t, 3> grid{1, 1, 1};  // workgroups
  std::uint32_t work_items = 64;               // of a workgroup, in x
  std::uint32_t dynamic_lds_bytes = 0;
};

struct Statistics {
  std::uint64_t instructions = 0;  // of waves
  std::uint64_t barriers = 0;
  Traffic loads;  // of global memory
  Traffic stores;
  std::uint64_t trace = 0;  // a hash of every vector access by every lane, in order
};

struct Refuted {
  Check check;
  std::string what;
  std::string where;  // "v_perm_b32 v1, v2, v3, s4 at byte 96, workgroup 1, wave 0"
};

// What may watch or replace single instructions; both may be left out.
struct Hooks {
  std::vector<bool>* executed = nullptr;  // of each word of the code: an instruction there was executed
  // Runs in place of the instruction at `replaced`, a byte of the code.
  std::uint32_t replaced = UINT32_MAX;
  std::function<void(Wave&, const Instruction&)> replacement;
};

// Keeps what runs after one another can share: registers are large.
class Machine {
 public:
  // `explicit_arguments` are the bytes of the kernel's own parameters; the hidden ones come from `size`.
  // Refuted with `ends` where a wave executes more than `most_instructions`.
  std::expected<Statistics, Refuted> run(const Program& program, const LaunchSize& size,
                                         std::span<const std::byte> explicit_arguments, Memory& memory,
                                         std::uint64_t most_instructions, const Hooks& hooks = {});

 private:
  struct Shared;
  void run_workgroup(const Program& program, const LaunchSize& size, std::array<std::uint32_t, 3> id,
                     Statistics& statistics, std::uint64_t most_instructions, const Hooks& hooks);
  void run_wave(const Program& program, Wave& wave, Statistics& statistics, std::uint64_t most_instructions,
                const Hooks& hooks);

  Lds lds;
  std::unique_ptr<Workgroup> group;
  std::vector<Wave> waves;
  std::string where;
};

}  // namespace pageproof::machine
