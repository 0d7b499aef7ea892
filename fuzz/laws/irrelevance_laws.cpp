#include <numeric>

#include "fuzz/laws/verdict.hpp"

namespace pageproof::fuzz {
namespace {

// Converts two cases that differ in something irrelevant, out of place and in place, and compares all bytes.
Verdict convert_alike(const ConvertCase& a, const ConvertCase& b, const Converter& converter,
                      const std::string& what) {
  StandardMemory standard = standard_memory(a);
  PlanesMemory landed = planes_memory(a);
  for (const bool in_place : {false, true}) {
    if (in_place) land_by_oracle(a, standard, landed);
    const Convert& convert = in_place ? converter.in_place : converter.out_of_place;
    const std::string how = what + (in_place ? ", in place" : ", out of place");
    PlanesMemory expected = landed;
    PlanesMemory got = landed;
    if (Verdict refused = accepts(convert, job_of(a, standard, expected), how)) return refused;
    if (Verdict refused = accepts(convert, job_of(b, standard, got), how)) return refused;
    if (Verdict wrong = same(difference(a, expected, got), how)) return wrong;
  }
  return {};
}

}  // namespace

Verdict order_of_ids_is_irrelevant(const ConvertCase& c, const Converter& converter) {
  const std::size_t count = c.to.size();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  Choices choices(seeded(mixed(c.seed, 4)));
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[choices.below(i)]);
  ConvertCase other = c;
  for (std::size_t i = 0; i < count; ++i) {
    other.from[i] = c.from[order[i]];
    other.to[i] = c.to[order[i]];
  }
  return convert_alike(c, other, converter, "ids in another order");
}

Verdict threads_are_irrelevant(const ConvertCase& c, const Converter& converter) {
  ConvertCase one = c;
  one.threads = 1;
  ConvertCase several = c;
  several.threads = c.threads + 1;
  return convert_alike(one, several, converter, std::to_string(several.threads) + " threads against 1");
}

Verdict id_width_is_irrelevant(const ConvertCase& c, const Converter& converter) {
  ConvertCase narrow = c;
  narrow.id_bytes = 4;
  ConvertCase wide = c;
  wide.id_bytes = 8;
  return convert_alike(narrow, wide, converter, "8-byte ids against 4-byte ids");
}

}  // namespace pageproof::fuzz
