// RapidCheck as the one who answers a generator's choices: it shrinks each of them towards 0.
#pragma once

#include <rapidcheck.h>

#include "fuzz/generate/convert_case.hpp"

namespace pageproof::fuzz {

// @pre called while RapidCheck generates (inside rc::gen::exec or a property)
inline Choices::Source from_rapidcheck() {
  return [](std::uint64_t bound) -> std::uint64_t {
    // At the nominal size every answer is as likely as any other.
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint64_t>(0, bound));
  };
}

inline rc::Gen<ConvertCase> convert_cases(const Extent& extent) {
  return rc::gen::exec([extent] {
    Choices choices(from_rapidcheck());
    return make_convert_case(choices, extent);
  });
}

}  // namespace pageproof::fuzz
