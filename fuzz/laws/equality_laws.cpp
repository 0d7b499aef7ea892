#include "fuzz/laws/verdict.hpp"

namespace pageproof::fuzz {

Verdict out_of_place_equals_oracle(const ConvertCase& c, const Converter& converter) {
  StandardMemory standard = standard_memory(c);
  PlanesMemory got = planes_memory(c);
  PlanesMemory expected = got;
  write_by_oracle(c, standard, expected);
  const ConvertJob job = job_of(c, standard, got);
  if (Verdict refused = accepts(converter.out_of_place, job, "out of place")) return refused;
  return same(difference_in(c, expected, got), "out of place");
}

Verdict in_place_equals_out_of_place(const ConvertCase& c, const Converter& converter) {
  StandardMemory standard = standard_memory(c);
  PlanesMemory expected = planes_memory(c);
  PlanesMemory got = expected;
  land_by_oracle(c, standard, got);
  if (Verdict refused = accepts(converter.out_of_place, job_of(c, standard, expected), "out of place")) {
    return refused;
  }
  if (Verdict refused = accepts(converter.in_place, job_of(c, standard, got), "in place")) return refused;
  return same(difference_in(c, expected, got), "in place");
}

// A rewrite has no way back: two codes become NaN, two become 0.
Verdict inverse_undoes_convert(const ConvertCase& any, const Converter& converter) {
  ConvertCase c = any;
  c.rewrite = false;
  StandardMemory standard = standard_memory(c);
  PlanesMemory planes = planes_memory(c);
  if (Verdict refused = accepts(converter.out_of_place, job_of(c, standard, planes), "out of place")) {
    return refused;
  }
  ConvertCase other = c;
  other.seed = mixed(c.seed, 3);
  StandardMemory back = standard_memory(other);
  if (Verdict refused = accepts(converter.inverse, job_of(c, back, planes), "inverse")) return refused;
  return same(difference_in(c, standard, back), "after convert and inverse");
}

Verdict convert_undoes_inverse(const ConvertCase& any, const Converter& converter) {
  ConvertCase c = any;
  c.rewrite = false;
  StandardMemory standard = standard_memory(c);
  PlanesMemory planes = planes_memory(c);
  if (Verdict refused = accepts(converter.inverse, job_of(c, standard, planes), "inverse")) return refused;
  ConvertCase other = c;
  other.seed = mixed(c.seed, 3);
  PlanesMemory back = planes_memory(other);
  if (Verdict refused = accepts(converter.out_of_place, job_of(c, standard, back), "out of place")) {
    return refused;
  }
  return same(difference_in(c, planes, back), "after inverse and convert");
}

Verdict untouched_bytes_stay(const ConvertCase& c, const Converter& converter) {
  StandardMemory standard = standard_memory(c);
  const StandardMemory source = standard;
  const PlanesMemory before = planes_memory(c);

  PlanesMemory planes = before;
  if (Verdict refused = accepts(converter.out_of_place, job_of(c, standard, planes), "out of place")) {
    return refused;
  }
  if (Verdict wrong = same(difference(c, source, standard), "source, out of place")) return wrong;
  if (Verdict wrong = same(difference_outside(c, before, planes), "out of place")) return wrong;

  planes = before;
  if (Verdict refused = accepts(converter.in_place, job_of(c, standard, planes), "in place")) return refused;
  if (Verdict wrong = same(difference(c, source, standard), "standard pages, in place")) return wrong;
  if (Verdict wrong = same(difference_outside(c, before, planes), "in place")) return wrong;

  planes = before;
  if (Verdict refused = accepts(converter.inverse, job_of(c, standard, planes), "inverse")) return refused;
  if (Verdict wrong = same(difference(c, before, planes), "planes, inverse")) return wrong;
  return same(difference_outside(c, source, standard), "inverse");
}

}  // namespace pageproof::fuzz
