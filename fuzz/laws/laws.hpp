// The laws of conversion. A law looks at one case and one converter and answers with the refutation it found.
// It never asks which converter it was given: production must satisfy every law, and each mutant (faulty.hpp)
// must be refuted.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "fuzz/generate/convert_case.hpp"
#include "fuzz/laws/converter.hpp"

namespace pageproof::fuzz {

struct Refutation {
  std::string where;  // "layer=0 block=3 side=V head=0 token=7 dim=65   12 of 4096 bytes differ"
  std::string expected;
  std::string got;
};
using Verdict = std::optional<Refutation>;  // empty: the law holds for the case

struct Law {
  std::string name;  // the property's name: "convert.in_place_equals_out_of_place"
  std::string claim;
  Verdict (*check)(const ConvertCase&, const Converter&) = nullptr;
};

// All of them, in a fixed order.
std::span<const Law> convert_laws();

// One file a group; the table in laws.cpp says what each claims.
Verdict out_of_place_equals_oracle(const ConvertCase& c, const Converter& converter);
Verdict in_place_equals_out_of_place(const ConvertCase& c, const Converter& converter);
Verdict inverse_undoes_convert(const ConvertCase& c, const Converter& converter);
Verdict convert_undoes_inverse(const ConvertCase& c, const Converter& converter);
Verdict untouched_bytes_stay(const ConvertCase& c, const Converter& converter);

Verdict inverse_in_place_leaves_the_landing(const ConvertCase& c, const Converter& converter);
Verdict rewrite_is_the_oracles(const ConvertCase& c, const Converter& converter);

Verdict order_of_ids_is_irrelevant(const ConvertCase& c, const Converter& converter);
Verdict threads_are_irrelevant(const ConvertCase& c, const Converter& converter);
Verdict id_width_is_irrelevant(const ConvertCase& c, const Converter& converter);

Verdict bad_ids_are_refused(const ConvertCase& c, const Converter& converter);
Verdict page_bound_is_kept(const ConvertCase& c, const Converter& converter);

Verdict offsets_are_64_bit(const ConvertCase& c, const Converter& converter);

// Of in-place conversion: 256 KiB, as the C ABI states it.
inline constexpr std::uint64_t kInPlacePageBytes = std::uint64_t{256} << 10;

}  // namespace pageproof::fuzz
