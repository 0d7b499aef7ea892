#include "fuzz/laws/verdict.hpp"

namespace pageproof::fuzz {
namespace {

// A job made bad in one way; the good ids before the bad one show whether anything was written before the
// refusal.
struct Defect {
  std::string what;
  void (*spoil)(const ConvertCase&, ConvertJob&);
  bool in_place_too = true;
  bool wide_ids_only = false;
};

const Defect kDefects[] = {
    {"last id of `to` is num_blocks",
     [](const ConvertCase& c, ConvertJob& job) {
       job.to.back() = static_cast<std::int64_t>(c.plane_blocks);
     }},
    {"last id of `to` is -1", [](const ConvertCase&, ConvertJob& job) { job.to.back() = -1; }},
    {"2^32 added to the last id of `to`",
     [](const ConvertCase&, ConvertJob& job) { job.to.back() += std::int64_t{1} << 32; }, true, true},
    {"last id of `from` is num_blocks",
     [](const ConvertCase& c, ConvertJob& job) {
       job.from.back() = static_cast<std::int64_t>(c.standard_blocks);
     },
     false},
    {"last id of `from` is -1", [](const ConvertCase&, ConvertJob& job) { job.from.back() = -1; }, false},
    {"2^32 added to the last id of `from`",
     [](const ConvertCase&, ConvertJob& job) { job.from.back() += std::int64_t{1} << 32; }, false, true},
    {"first id of `to` listed again at the end",
     [](const ConvertCase&, ConvertJob& job) {
       job.to.push_back(job.to.front());
       job.from.push_back(job.from.front());
     }},
};

Verdict refused_without_a_trace(const ConvertCase& c, const Convert& convert, const Defect& defect,
                                const std::string& how) {
  StandardMemory standard = standard_memory(c);
  const PlanesMemory before = planes_memory(c);
  PlanesMemory planes = before;
  ConvertJob job = job_of(c, standard, planes);
  defect.spoil(c, job);
  const std::string what = defect.what + ", " + how;
  if (Verdict accepted = refuses(convert, job, what)) return accepted;
  return same(difference(c, before, planes), "written though refused: " + what);
}

}  // namespace

Verdict bad_ids_are_refused(const ConvertCase& c, const Converter& converter) {
  if (c.to.empty()) return {};
  for (const Defect& defect : kDefects) {
    if (defect.wide_ids_only && c.id_bytes != 8) continue;
    if (Verdict wrong = refused_without_a_trace(c, converter.out_of_place, defect, "out of place"))
      return wrong;
    if (!defect.in_place_too) continue;
    if (Verdict wrong = refused_without_a_trace(c, converter.in_place, defect, "in place")) return wrong;
  }
  return {};
}

Verdict page_bound_is_kept(const ConvertCase& c, const Converter& converter) {
  ConvertCase large = c;
  large.layers = 1;
  large.standard_blocks = 1;
  large.plane_blocks = 2;
  large.from = {0};
  large.to = {c.seed % 2};
  large.shape.heads = 1;
  const std::uint64_t heads = kInPlacePageBytes / large.shape.page_bytes();

  large.shape.heads = heads == large.shape.tokens ? heads - 1 : heads;
  if (Verdict wrong = in_place_equals_out_of_place(large, converter)) return wrong;

  large.shape.heads = heads + 1 == large.shape.tokens ? heads + 2 : heads + 1;
  if (Verdict wrong = out_of_place_equals_oracle(large, converter)) return wrong;
  StandardMemory standard = standard_memory(large);
  const PlanesMemory before = planes_memory(large);
  PlanesMemory planes = before;
  const std::string what = "in place, a page of " + pageproof::to_string(large.shape);
  if (Verdict accepted = refuses(converter.in_place, job_of(large, standard, planes), what)) return accepted;
  return same(difference(large, before, planes), "written though refused: " + what);
}

}  // namespace pageproof::fuzz
