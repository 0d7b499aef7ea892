// The variables of one obligation, what is assumed of them, and the cuts that dividing symbols proposed.
#pragma once

#include "oracle/proof/formula.hpp"

namespace pageproof::proof {

// value = quotient · radix + remainder and 0 <= remainder < radix, as proposed: both become queries.
struct Cut {
  Sym value;
  Sym radix;
  Sym quotient;
  Sym remainder;
};

class Scope {
 public:
  Scope() = default;
  Scope(const Scope&) = delete;  // its numbers point at it
  Scope& operator=(const Scope&) = delete;

  Sym size(const std::string& name);     // at least 1
  Sym natural(const std::string& name);  // at least 0
  // 0 <= name < bound.
  Sym digit(const std::string& name, const Sym& bound);
  // A digit with a fault: at most the bound, for mutants.
  Sym digit_up_to(const std::string& name, const Sym& bound);
  void assume(const Formula& formula) { assumptions_.push_back(formula); }

  // A variable that was declared before.
  Sym known(const std::string& name);
  // Fresh q and m with q · radix + m = value and 0 <= m < radix.
  page::Split<Sym> named_division(const Sym& value, const Sym& radix);
  void record_cut(const Cut& cut) { cuts_.push_back(cut); }

  const std::map<std::string, Sym>& bounds() const { return bounds_; }
  const std::vector<Formula>& assumptions() const { return assumptions_; }
  const std::vector<Cut>& cuts() const { return cuts_; }

 private:
  std::map<std::string, Sym> bounds_;  // of digits
  std::vector<Formula> assumptions_;
  std::vector<Cut> cuts_;
  std::size_t divisions_ = 0;
};

}  // namespace pageproof::proof
