// The laws of conversion as properties: of what ships, and of every faulty converter that a law must refute.
#include <nlohmann/json.hpp>

#include "fuzz/laws/faulty.hpp"
#include "fuzz/laws/laws.hpp"
#include "fuzz/property/property.hpp"

namespace pageproof::fuzz {
namespace {

// Refusals and 64-bit offsets are what the fast converter answers for; the fold has neither.
Extent only_fast(Extent extent) {
  extent.only_fast_shapes = true;
  extent.high_ids = false;
  return extent;
}

bool is_about_the_fast_converter(const Law& law) {
  return law.check == bad_ids_are_refused || law.check == page_bound_is_kept ||
         law.check == offsets_are_64_bit;
}

// Costly cases are tried less often: megabytes of page, or gigabytes of address space.
std::uint64_t quick_cases(const Law& law) {
  if (law.check == page_bound_is_kept) return 30;
  return law.check == offsets_are_64_bit ? 100 : 300;
}

RunCase run_with(const Law& law, const Converter& converter,
                 const std::function<ConvertCase(Choices&, Domain)>& make) {
  return [law, converter, make](Choices& choices, Domain domain) -> std::optional<Failure> {
    const ConvertCase c = make(choices, domain);
    const Verdict verdict = law.check(c, converter);
    if (!verdict) return {};
    return Failure{law.name,          law.claim,    to_string(c) + "   " + verdict->where,
                   verdict->expected, verdict->got, ""};
  };
}

Property property_of(const Law& law) {
  const bool fast = is_about_the_fast_converter(law);
  const auto make = [fast](Choices& choices, Domain domain) {
    const Extent& extent = domain == Domain::small ? small_extent() : wide_extent();
    return make_convert_case(choices, fast ? only_fast(extent) : extent);
  };
  Property property{
      .name = law.name,
      .claim = law.claim,
      .run = run_with(law, production(), make),
      .describe = [make](Choices& choices, Domain domain) { return to_json(make(choices, domain)); },
      .mutants = {},
      .has_small = law.check != page_bound_is_kept && law.check != offsets_are_64_bit,
      .quick_cases = quick_cases(law)};
  for (const FaultEntry& entry : faults()) {
    if (entry.law != law.name) continue;
    property.mutants.push_back({entry.name, entry.what, run_with(law, faulty_converter(entry.fault), make)});
  }
  return property;
}

const std::vector<RegisteredProperty> kConvert = [] {
  std::vector<RegisteredProperty> registered;
  for (const Law& law : convert_laws()) registered.emplace_back(property_of(law));
  return registered;
}();

}  // namespace
}  // namespace pageproof::fuzz
