// Prints queries as SMT-LIB 2. Trusted: what stands here is what the solvers read.
#include <fmt/format.h>

#include <algorithm>

#include "oracle/proof/query.hpp"

namespace pageproof::proof {
namespace {

class Printer {
 public:
  explicit Printer(Form form) : form_(form) {}

  std::string print(const Sym& sym) {
    const Node& node = sym.node();
    switch (node.kind) {
      case Node::Kind::number:
        return std::to_string(node.number);
      case Node::Kind::variable:
        return "|" + node.name + "|";
      case Node::Kind::sum:
        return fmt::format("(+ {} {})", print(node.parts[0]), print(node.parts[1]));
      case Node::Kind::product:
        return print_product(node);
      default:
        return print(*node.seen);
    }
  }

  std::string print(const Formula& formula) {
    switch (formula.kind) {
      case Formula::Kind::equal:
        return fmt::format("(= {} {})", print(formula.terms[0]), print(formula.terms[1]));
      case Formula::Kind::less:
        return fmt::format("(< {} {})", print(formula.terms[0]), print(formula.terms[1]));
      case Formula::Kind::at_most:
        return fmt::format("(<= {} {})", print(formula.terms[0]), print(formula.terms[1]));
      case Formula::Kind::negation:
        return fmt::format("(not {})", print(formula.parts[0]));
      default:
        break;
    }
    const bool all = formula.kind == Formula::Kind::all;
    if (formula.parts.empty()) return all ? "true" : "false";
    std::string text = all ? "(and" : "(or";
    for (const Formula& part : formula.parts) text += " " + print(part);
    return text + ")";
  }

  // p = a · b for each name that print() gave away, in order.
  const std::vector<std::pair<std::string, std::string>>& products() const { return products_; }

 private:
  std::string print_product(const Node& node) {
    const std::string text = fmt::format("(* {} {})", print(node.parts[0]), print(node.parts[1]));
    const auto literal = [](const Sym& sym) { return sym.node().kind == Node::Kind::number; };
    if (form_ == Form::polynomial || literal(node.parts[0]) || literal(node.parts[1])) return text;
    auto known = std::ranges::find(products_, text, &std::pair<std::string, std::string>::second);
    if (known == products_.end()) {
      products_.emplace_back(fmt::format("product{}", products_.size()), text);
      known = products_.end() - 1;
    }
    return known->first;
  }

  Form form_;
  std::vector<std::pair<std::string, std::string>> products_;
};

}  // namespace

std::string body(const Query& query) {
  std::vector<std::string> names;
  for (const Formula& assumption : query.assumptions) variables_of(assumption, names);
  variables_of(query.goal, names);
  Printer printer(query.form);
  std::string assertions;
  for (const Formula& assumption : query.assumptions) {
    assertions += fmt::format("(assert {})\n", printer.print(assumption));
  }
  // A guard asks for a model of its assumptions; its goal is false, so that nothing more is asserted.
  if (!query.expects_sat()) assertions += fmt::format("(assert (not {}))\n", printer.print(query.goal));
  std::string text;
  for (const std::string& name : names) text += fmt::format("(declare-const |{}| Int)\n", name);
  for (const auto& [name, product] : printer.products()) {
    text += fmt::format("(declare-const {0} Int)\n(assert (= {0} {1}))\n", name, product);
  }
  return text + assertions;
}

std::string to_smtlib(const Query& query, bool mutant) {
  const char* expected = "unsat, the claim follows from the assumptions";
  if (query.expects_sat()) expected = "sat, the assumptions can hold";
  if (mutant) expected = "sat, the claim is false: this is a mutant";
  return fmt::format(
      "; {0}\n; Claim: {1}\n; Expected: {2}\n(set-info :source |{0}|)\n(set-info :status {3})\n"
      "(set-logic QF_NIA)\n{4}(check-sat)\n",
      query.name, query.claim, expected, query.expects_sat() || mutant ? "sat" : "unsat", body(query));
}

}  // namespace pageproof::proof
