// One wave: its registers, what it has in flight, and where it is. Families of instructions read and write it
// through these functions, which refuse what hardware would get wrong: a register used before its load was
// waited for, a register beyond the kernel's own, an undefined value that decides something.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oracle/machine/code_object.hpp"
#include "oracle/machine/hazards.hpp"
#include "oracle/machine/instruction.hpp"
#include "oracle/machine/memory.hpp"
#include "oracle/machine/registers.hpp"

namespace pageproof::machine {

// Lines of 128 bytes that an access instruction touches, against the fewest for as many bytes.
struct Traffic {
  std::uint64_t touched = 0;
  std::uint64_t ideal = 0;
  double ratio() const { return ideal == 0 ? 0 : static_cast<double>(touched) / static_cast<double>(ideal); }
};

// What all waves of a workgroup share.
struct Workgroup {
  Memory& memory;
  Lds& lds;
  Traffic& loads;
  Traffic& stores;
  std::uint64_t& trace;      // see Statistics
  std::uint32_t number = 1;  // from 1
  std::uint32_t epoch = 1;
};

// Adds to a trace.
inline void record(std::uint64_t& trace, std::uint64_t event) {
  trace = (trace ^ event) * 0x9e37'79b9'7f4a'7c15;
  trace ^= trace >> 29;
}

// The source of a vector operation, of one register a lane.
struct Source {
  const std::uint32_t* value;      // 64 of them
  LaneMask not_numbers;            // lanes of which `value` says nothing
  const VectorRegister* in_words;  // null: such lanes are undefined

  Word at(std::uint32_t lane) const {
    if (!has_lane(not_numbers, lane)) return word_of(value[lane]);
    return in_words == nullptr ? kUndefinedWord : in_words->at(lane);
  }
};

class Wave {
 public:
  Wave(Workgroup& shared, const Kernel& kernel, std::uint32_t index);
  // As before its first instruction: everything undefined, nothing in flight.
  void restart();

  // Scalar registers. `part`: which register of a tuple.
  ScalarRegister scalar(const Operand& operand, std::uint32_t part = 0) const;
  void set_scalar(const Operand& operand, ScalarRegister value, std::uint32_t part = 0);
  // 64 bits of a pair or a constant; undefined where a part is.
  struct Scalar64 {
    std::uint64_t value = 0;
    bool defined = false;
  };
  Scalar64 scalar64(const Operand& operand) const;
  void set_scalar64(const Operand& operand, Scalar64 value);
  // Defined or refuted: what decides something.
  std::uint32_t decided(const Operand& operand, const char* what) const;
  std::uint64_t decided64(const Operand& operand, const char* what) const;

  LaneMask exec() const { return exec_mask; }

  // Vector registers. `broadcast` is where a scalar's 64 copies are put.
  Source source(const Operand& operand, LaneValues& broadcast, std::uint32_t part = 0) const;
  const VectorRegister& vector(const Operand& operand, std::uint32_t part = 0) const;
  VectorRegister& set_vector(const Operand& operand, std::uint32_t part = 0);
  // The active lanes of one register become these numbers.
  void write_values(const Operand& operand, const LaneValues& values, std::uint32_t part = 0);

  // In flight, in the order of issue. A register is marked until its load is waited for.
  enum class Queue : std::uint8_t { vector_memory, lds_and_scalar };
  enum class Access : std::uint8_t { vector_load, store, lds, scalar_load };
  void issue(Queue queue, Access access, const Operand& destination, std::uint32_t registers);
  void wait(Queue queue, std::uint32_t most);
  void check_nothing_in_flight_at_barrier() const;

  // Where one lane stands in the launch.
  Accessor accessor(std::uint32_t lane) const {
    return {group.number, group.epoch, index * kLanes + lane + 1};
  }

  Workgroup& group;
  std::uint32_t index;         // in its workgroup
  std::uint32_t pc = 0;        // in bytes, from the kernel's entry
  std::uint64_t executed = 0;  // instructions
  Condition scc;
  Hazards hazards;
  bool ended = false;
  bool at_barrier = false;

  std::array<ScalarRegister, kScalarRegisters> scalars{};
  std::vector<VectorRegister> vectors;

 private:
  struct InFlight {
    Access access;
    bool of_vectors;
    std::uint16_t first;
    std::uint16_t registers;
  };
  std::vector<InFlight>& in(Queue queue) {
    return queue == Queue::vector_memory ? vector_queue : other_queue;
  }
  std::size_t vector_index(const Operand& operand, std::uint32_t part) const;
  std::uint16_t& marks(const InFlight& f, std::uint32_t i);

  LaneMask exec_mask = 0;
  std::uint32_t first_accumulator;
  std::vector<InFlight> vector_queue;
  std::vector<InFlight> other_queue;
  std::array<std::uint16_t, kScalarRegisters> scalar_marks{};
  std::vector<std::uint16_t> vector_marks;
};

}  // namespace pageproof::machine
