// What the text of the receive model needs of a number type beside its operators: a literal, and a choice
// between two numbers. Plain integers here; a solver's numbers in oracle/proof/receive.
#pragma once

namespace pageproof::receive {

template <class Number>
struct Arithmetic {
  static Number literal(const Number&, int value) { return static_cast<Number>(value); }
  static Number choose(bool condition, const Number& yes, const Number& no) { return condition ? yes : no; }
};

template <class Number>
void put(Number& place, int value) {
  place = Arithmetic<Number>::literal(place, value);
}
template <class Truth, class Number>
Number choose(const Truth& condition, const Number& yes, const Number& no) {
  return Arithmetic<Number>::choose(condition, yes, no);
}
template <class Truth, class Number>
void put_where(const Truth& condition, Number& place, int value) {
  place = choose(condition, Arithmetic<Number>::literal(place, value), place);
}

}  // namespace pageproof::receive
