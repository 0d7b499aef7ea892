#include "oracle/machine/wave.hpp"

#include <algorithm>

namespace pageproof::machine {

Wave::Wave(Workgroup& shared, const Kernel& kernel, std::uint32_t wave)
    : group(shared),
      index(wave),
      hazards(kernel.gfx940),
      vectors(kernel.vector_registers),
      first_accumulator(kernel.first_accumulator),
      vector_marks(kernel.vector_registers) {}

void Wave::restart() {
  pc = 0;
  executed = 0;
  scc = {};
  hazards.restart();
  ended = at_barrier = false;
  exec_mask = 0;
  scalars.fill({});
  for (VectorRegister& r : vectors) {
    r.in_words = 0;
    r.undefined = ~LaneMask{0};
  }
  vector_queue.clear();
  other_queue.clear();
  scalar_marks.fill(0);
  std::ranges::fill(vector_marks, 0);
}

ScalarRegister Wave::scalar(const Operand& operand, std::uint32_t part) const {
  if (operand.kind == OperandKind::constant)
    return {static_cast<std::uint32_t>(operand.constant >> 32 * part), true};
  const std::uint32_t i = operand.index + part;
  if (scalar_marks[i] != 0) refute(Check::wait, "s{} is read before its load was waited for", i);
  return scalars[i];
}

void Wave::set_scalar(const Operand& operand, ScalarRegister value, std::uint32_t part) {
  const std::uint32_t i = operand.index + part;
  if (scalar_marks[i] != 0) refute(Check::wait, "s{} is written while its load is in flight", i);
  scalars[i] = value;
  if (i != kExec && i != kExec + 1) return;
  if (!value.defined) refute(Check::undefined_value, "the mask of active lanes is undefined");
  exec_mask = std::uint64_t{scalars[kExec + 1].value} << 32 | scalars[kExec].value;
}

Wave::Scalar64 Wave::scalar64(const Operand& operand) const {
  if (operand.kind == OperandKind::constant) return {operand.constant, true};
  const ScalarRegister low = scalar(operand, 0);
  const ScalarRegister high = scalar(operand, 1);
  return {std::uint64_t{high.value} << 32 | low.value, low.defined && high.defined};
}

void Wave::set_scalar64(const Operand& operand, Scalar64 value) {
  set_scalar(operand, {static_cast<std::uint32_t>(value.value), value.defined}, 0);
  set_scalar(operand, {static_cast<std::uint32_t>(value.value >> 32), value.defined}, 1);
}

std::uint32_t Wave::decided(const Operand& operand, const char* what) const {
  const ScalarRegister value = scalar(operand);
  if (!value.defined) refute(Check::undefined_value, "{} is undefined", what);
  return value.value;
}

std::uint64_t Wave::decided64(const Operand& operand, const char* what) const {
  const Scalar64 value = scalar64(operand);
  if (!value.defined) refute(Check::undefined_value, "{} is undefined", what);
  return value.value;
}

std::size_t Wave::vector_index(const Operand& operand, std::uint32_t part) const {
  const bool accumulator = operand.index >= kAccumulators;
  const std::size_t i =
      (accumulator ? first_accumulator + operand.index - kAccumulators : operand.index) + part;
  if (i >= vectors.size() || (!accumulator && i >= first_accumulator)) {
    refute(Check::registers, "{}{} is beyond the registers of the kernel", accumulator ? "a" : "v",
           operand.index % kAccumulators + part);
  }
  return i;
}

const VectorRegister& Wave::vector(const Operand& operand, std::uint32_t part) const {
  const std::size_t i = vector_index(operand, part);
  if (vector_marks[i] != 0) refute(Check::wait, "v{} is read before its load was waited for", i);
  return vectors[i];
}

VectorRegister& Wave::set_vector(const Operand& operand, std::uint32_t part) {
  const std::size_t i = vector_index(operand, part);
  if (vector_marks[i] != 0) refute(Check::wait, "v{} is written while its load is in flight", i);
  return vectors[i];
}

Source Wave::source(const Operand& operand, LaneValues& broadcast, std::uint32_t part) const {
  if (operand.kind == OperandKind::vector) {
    const VectorRegister& r = vector(operand, part);
    return {r.value.data(), r.not_numbers(), &r};
  }
  const ScalarRegister s = scalar(operand, part);
  broadcast.fill(s.value);
  return {broadcast.data(), s.defined ? 0 : ~LaneMask{0}, nullptr};
}

void Wave::write_values(const Operand& operand, const LaneValues& values, std::uint32_t part) {
  VectorRegister& r = set_vector(operand, part);
  const LaneMask active = exec_mask;
  r.in_words &= ~active;
  r.undefined &= ~active;
  if (active == ~LaneMask{0}) {
    r.value = values;
    return;
  }
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    r.value[lane] = has_lane(active, lane) ? values[lane] : r.value[lane];
  }
}

std::uint16_t& Wave::marks(const InFlight& f, std::uint32_t i) {
  return f.of_vectors ? vector_marks[f.first + i] : scalar_marks[f.first + i];
}

void Wave::issue(Queue queue, Access access, const Operand& destination, std::uint32_t registers) {
  const bool of_vectors = destination.kind == OperandKind::vector;
  InFlight f{access, of_vectors, 0, static_cast<std::uint16_t>(registers)};
  if (registers > 0) {
    f.first = static_cast<std::uint16_t>(of_vectors ? vector_index(destination, 0) : destination.index);
    for (std::uint32_t i = 0; i < registers; ++i) ++marks(f, i);
  }
  in(queue).push_back(f);
}

void Wave::wait(Queue queue, std::uint32_t most) {
  std::vector<InFlight>& q = in(queue);
  if (q.size() <= most) return;
  // Scalar loads come back in any order: only waiting for all of them says which.
  if (most > 0 && std::ranges::any_of(q, [](const InFlight& f) { return f.access == Access::scalar_load; })) {
    refute(Check::wait, "a wait for some of the accesses in flight, scalar loads among them");
  }
  const auto end = q.begin() + static_cast<std::ptrdiff_t>(q.size() - most);
  for (auto f = q.begin(); f != end; ++f) {
    for (std::uint32_t i = 0; i < f->registers; ++i) --marks(*f, i);
  }
  q.erase(q.begin(), end);
}

void Wave::check_nothing_in_flight_at_barrier() const {
  if (std::ranges::any_of(vector_queue, [](const InFlight& f) { return f.access == Access::vector_load; })) {
    refute(Check::in_flight, "loads are in flight at the barrier");
  }
  if (std::ranges::any_of(other_queue, [](const InFlight& f) { return f.access == Access::lds; })) {
    refute(Check::in_flight, "accesses to the LDS are in flight at the barrier");
  }
}

}  // namespace pageproof::machine
