#include "oracle/machine/survivor.hpp"

#include <algorithm>

#include "oracle/machine/hazards.hpp"

namespace pageproof::machine {
namespace {

bool is_idle(std::string_view name) {
  return name == "s_nop" || name == "s_setprio" || name == "s_sleep";
}

struct Differs {};  // thrown out of a launch: the rule does not hold

// What differs from `original` in `wave` becomes undefined; the mask of active lanes may not.
void forget_differences(Wave& wave, const Wave& original) {
  if (wave.exec() != original.exec()) throw Differs{};
  for (std::uint16_t i = 0; i < kScalarRegisters; ++i) {
    if (i == kExec || i == kExec + 1) continue;
    const ScalarRegister& now = wave.scalars[i];
    const ScalarRegister& then = original.scalars[i];
    if (now.defined != then.defined || (now.defined && now.value != then.value))
      wave.scalars[i].defined = false;
  }
  if (wave.scc.value != original.scc.value || !original.scc.defined) wave.scc.defined = false;
  for (std::size_t i = 0; i < wave.vectors.size(); ++i) {
    VectorRegister& now = wave.vectors[i];
    const VectorRegister& then = original.vectors[i];
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      if (now.at(lane) == then.at(lane)) continue;
      now.undefined |= LaneMask{1} << lane;
      now.in_words &= ~(LaneMask{1} << lane);
    }
  }
}

// Runs mutant and original from the same state; goes on from the mutant's, less what differs.
bool is_unread(const Survivor& s, const std::function<bool(const Hooks&)>& proved) {
  const Instruction& original = s.original.at[s.at / 4];
  if (original.opcode->stores) return false;
  Hooks hooks;
  hooks.replaced = s.at;
  hooks.replacement = [&](Wave& wave, const Instruction& mutant) {
    if (mutant.opcode->stores) throw Differs{};
    Wave other = wave;
    other.pc = s.at + original.bytes;
    original.opcode->execute(other, original);
    mutant.opcode->execute(wave, mutant);
    if (wave.pc != other.pc || wave.ended != other.ended || wave.at_barrier != other.at_barrier)
      throw Differs{};
    forget_differences(wave, other);
  };
  try {
    return proved(hooks);
  } catch (const Differs&) {
    return false;
  }
}

}  // namespace

std::optional<Rule> explain_by_text(const Survivor& s) {
  const Instruction& original = s.original.at[s.at / 4];
  const Instruction& mutant = s.mutant.at[s.at / 4];
  if (original.bytes != mutant.bytes) return std::nullopt;
  if (original.text == mutant.text) return Rule::same;
  if (original.opcode == nullptr || mutant.opcode == nullptr) return std::nullopt;
  if (original.plain == mutant.plain) return Rule::hint;
  if (is_idle(original.opcode->name) && is_idle(mutant.opcode->name) &&
      wait_states(mutant) >= wait_states(original))
    return Rule::idle;
  return std::nullopt;
}

std::optional<Rule> explain_by_launches(const Survivor& s, const Launches& launches) {
  if (!launches.executed[s.at / 4]) return Rule::never;
  const Instruction& original = s.original.at[s.at / 4];
  const Instruction& mutant = s.mutant.at[s.at / 4];
  // A shorter wait may be one for a hazard that is not modelled.
  if (original.opcode == nullptr || wait_states(mutant) < wait_states(original)) return std::nullopt;
  if (original.opcode->name == "s_waitcnt" && mutant.opcode->name == "s_waitcnt") return Rule::wait;
  if (is_unread(s, launches.proved)) return Rule::unread;
  return launches.alike ? std::optional(Rule::alike) : std::nullopt;
}

}  // namespace pageproof::machine
