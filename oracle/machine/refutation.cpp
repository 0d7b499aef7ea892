#include "oracle/machine/refutation.hpp"

namespace pageproof::machine {

std::string to_string(Check check) {
  switch (check) {
    case Check::instruction:
      return "instruction";
    case Check::registers:
      return "registers";
    case Check::undefined_value:
      return "undefined_value";
    case Check::data_arithmetic:
      return "data_arithmetic";
    case Check::bounds:
      return "bounds";
    case Check::alignment:
      return "alignment";
    case Check::wait:
      return "wait";
    case Check::hazard:
      return "hazard";
    case Check::in_flight:
      return "in_flight";
    case Check::race:
      return "race";
    case Check::workgroups:
      return "workgroups";
    case Check::memory:
      return "memory";
    case Check::ends:
      return "ends";
    case Check::bytes:
      return "bytes";
    case Check::lines:
      break;
  }
  return "lines";
}

}  // namespace pageproof::machine
