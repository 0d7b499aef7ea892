#include "oracle/machine/launch.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pageproof::machine {
namespace {

// Far from every pool and table, and its low half carries into the high one.
constexpr std::uint64_t kArgumentsBase = 0xffff'ff00;

constexpr std::uint64_t kLdsBytes = 64 * 1024;

// User registers, in their order: the descriptor of a scratch buffer that nothing here uses, four registers
// that stay undefined; and the address of the arguments.
constexpr std::uint32_t kScratchBuffer = 1 << 0;
constexpr std::uint32_t kArgumentsPointer = 1 << 3;

// The bytes that the driver would write: the kernel's own parameters, then what the launch's size says.
std::vector<Byte> argument_bytes(const Kernel& kernel, const LaunchSize& size,
                                 std::span<const std::byte> own) {
  std::vector<Byte> bytes(kernel.kernarg_bytes, 0);
  const auto put = [&](const KernelArgument& argument, std::uint64_t value) {
    for (std::uint32_t i = 0; i < argument.bytes; ++i)
      bytes.at(argument.offset + i) = i < 8 ? value >> 8 * i & 0xff : 0;
  };
  std::size_t used = 0;
  for (const KernelArgument& a : kernel.arguments) {
    if (std::uint64_t{a.offset} + a.bytes > bytes.size())
      refute(Check::memory, "argument {} lies beyond the arguments", a.kind);
    if (a.kind == "by_value" || a.kind == "global_buffer") {
      if (used + a.bytes > own.size())
        refute(Check::memory, "the kernel takes more arguments than it is given");
      for (std::uint32_t i = 0; i < a.bytes; ++i) bytes[a.offset + i] = static_cast<Byte>(own[used + i]);
      used += a.bytes;
    } else if (a.kind.starts_with("hidden_block_count_")) {
      put(a, size.grid.at(static_cast<std::size_t>(a.kind.back() - 'x')));
    } else if (a.kind == "hidden_group_size_x") {
      put(a, size.work_items);
    } else if (a.kind.starts_with("hidden_group_size_")) {
      put(a, 1);
    } else if (a.kind == "hidden_grid_dims") {
      put(a, 3);
    } else if (a.kind == "hidden_dynamic_lds_size") {
      put(a, size.dynamic_lds_bytes);
    }  // offsets and remainders are 0
  }
  if (used != own.size())
    refute(Check::memory, "the kernel takes {} bytes of arguments and is given {}", used, own.size());
  return bytes;
}

void check_kernel(const Kernel& kernel, const LaunchSize& size) {
  if (kernel.scratch_bytes != 0) refute(Check::memory, "the kernel uses scratch memory");
  if (kernel.lds_bytes + size.dynamic_lds_bytes > kLdsBytes) {
    refute(Check::memory, "{} bytes of LDS, and a workgroup has {}",
           kernel.lds_bytes + size.dynamic_lds_bytes, kLdsBytes);
  }
  if (size.work_items > kernel.most_work_items) {
    refute(Check::registers, "{} work-items, and the kernel is compiled for {}", size.work_items,
           kernel.most_work_items);
  }
  if ((kernel.wants & ~(kScratchBuffer | kArgumentsPointer)) != 0) {
    refute(Check::registers, "the kernel starts with registers that are not modelled ({:#x})", kernel.wants);
  }
}

}  // namespace

std::expected<Statistics, Refuted> Machine::run(const Program& program, const LaunchSize& size,
                                                std::span<const std::byte> explicit_arguments, Memory& memory,
                                                std::uint64_t most_instructions, const Hooks& hooks) {
  Statistics statistics;
  where = program.kernel.name;
  try {
    check_kernel(program.kernel, size);
    memory.add("the arguments", kArgumentsBase, argument_bytes(program.kernel, size, explicit_arguments),
               Use::read_only);
    waves.clear();
    group =
        std::make_unique<Workgroup>(memory, lds, statistics.loads, statistics.stores, statistics.trace, 0, 0);
    for (std::uint32_t i = 0; i * kLanes < size.work_items; ++i)
      waves.emplace_back(*group, program.kernel, i);
    for (std::uint32_t z = 0; z < size.grid[2]; ++z) {
      for (std::uint32_t y = 0; y < size.grid[1]; ++y) {
        for (std::uint32_t x = 0; x < size.grid[0]; ++x) {
          run_workgroup(program, size, {x, y, z}, statistics, most_instructions, hooks);
        }
      }
    }
  } catch (Refutation& refutation) {
    return std::unexpected(Refuted{refutation.check, std::move(refutation.what), where});
  }
  return statistics;
}

void Machine::run_workgroup(const Program& program, const LaunchSize& size, std::array<std::uint32_t, 3> id,
                            Statistics& statistics, std::uint64_t most_instructions, const Hooks& hooks) {
  const Kernel& kernel = program.kernel;
  ++group->number;
  ++group->epoch;
  lds.reset(kernel.lds_bytes + size.dynamic_lds_bytes, program.narrowest_access);
  for (Wave& wave : waves) {
    wave.restart();
    // User registers, then the workgroup's ids; v0 is the work-item's.
    const auto start = [&](std::uint32_t i, std::uint32_t value) { wave.scalars.at(i) = {value, true}; };
    if ((kernel.wants & kArgumentsPointer) != 0) {
      const std::uint32_t first = (kernel.wants & kScratchBuffer) != 0 ? 4 : 0;
      start(first, static_cast<std::uint32_t>(kArgumentsBase));
      start(first + 1, static_cast<std::uint32_t>(kArgumentsBase >> 32));
    }
    std::uint32_t next = kernel.user_registers;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (kernel.group_id[axis]) start(next++, id[axis]);
    }
    const std::uint32_t live = std::min(kLanes, size.work_items - wave.index * kLanes);
    const LaneMask mask = live == kLanes ? ~LaneMask{0} : (LaneMask{1} << live) - 1;
    wave.set_scalar64({OperandKind::scalar, 2, kExec, 0}, {mask, true});
    wave.vectors[0].undefined = ~mask;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      wave.vectors[0].value[lane] = wave.index * kLanes + lane;
  }
  while (std::ranges::any_of(waves, [](const Wave& wave) { return !wave.ended; })) {
    for (Wave& wave : waves) {
      wave.at_barrier = false;
      if (!wave.ended) run_wave(program, wave, statistics, most_instructions, hooks);
    }
    ++group->epoch;  // waves that have ended do not hold up a barrier
    ++statistics.barriers;
  }
}

void Machine::run_wave(const Program& program, Wave& wave, Statistics& statistics,
                       std::uint64_t most_instructions, const Hooks& hooks) {
  const std::uint64_t before = wave.executed;
  const Instruction* instruction = nullptr;
  std::uint32_t at = 0;
  try {
    while (!wave.ended && !wave.at_barrier) {
      at = wave.pc;
      instruction = nullptr;
      if (at % 4 != 0 || at / 4 >= program.at.size())
        refute(Check::instruction, "a jump to byte {}, outside the kernel", static_cast<std::int32_t>(at));
      instruction = &program.at[at / 4];
      if (instruction->opcode == nullptr) refute(Check::instruction, "{}", instruction->refusal);
      if (++wave.executed > most_instructions)
        refute(Check::ends, "no end after {} instructions", most_instructions);
      if (hooks.executed != nullptr) (*hooks.executed)[at / 4] = true;
      wave.hazards.issue(*instruction);
      wave.pc += instruction->bytes;
      if (at == hooks.replaced) {
        hooks.replacement(wave, *instruction);
      } else {
        instruction->opcode->execute(wave, *instruction);
      }
    }
  } catch (const Refutation&) {
    where = fmt::format("{} at byte {} of the code, workgroup {}, wave {}",
                        instruction != nullptr ? instruction->text : "code", at, wave.group.number - 1,
                        wave.index);
    throw;
  }
  statistics.instructions += wave.executed - before;
}

}  // namespace pageproof::machine
