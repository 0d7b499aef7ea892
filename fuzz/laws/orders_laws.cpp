// Laws of what the converter does besides moving standard pages into planes: the landing as a destination,
// and the rewrite of e4m3.
#include "fuzz/laws/verdict.hpp"
#include "oracle/offset/fp8.hpp"

namespace pageproof::fuzz {
namespace {

template <class Placement>
void rewrite_blocks(Bytes& bytes, const Placement& placement, std::uint64_t layers,
                    const std::vector<std::uint64_t>& ids) {
  for (std::uint64_t layer = 0; layer < layers; ++layer) {
    for (const std::uint64_t id : ids) {
      const std::uint64_t begin = placement.begin(layer, id);
      for (std::uint64_t i = begin; i < begin + placement.block_bytes; ++i) {
        bytes[i] = static_cast<std::byte>(oracle::e4m3_to_e4m3fnuz(static_cast<std::uint8_t>(bytes[i])));
      }
    }
  }
}

ConvertCase without_rewrite(const ConvertCase& c) {
  ConvertCase plain = c;
  plain.rewrite = false;
  return plain;
}

}  // namespace

Verdict inverse_in_place_leaves_the_landing(const ConvertCase& c, const Converter& converter) {
  PlanesMemory got = planes_memory(c);
  PlanesMemory expected = got;
  StandardMemory pages = standard_memory(c);
  if (Verdict refused = accepts(converter.inverse, job_of(c, pages, got), "inverse")) return refused;
  land_by_oracle(c, pages, expected);
  if (Verdict refused = accepts(converter.inverse_in_place, job_of(c, pages, got), "inverse, in place")) {
    return refused;
  }
  return same(difference(c, expected, got), "inverse, in place");
}

Verdict rewrite_is_the_oracles(const ConvertCase& c, const Converter& converter) {
  if (!c.rewrite) return {};
  const ConvertCase plain = without_rewrite(c);
  StandardMemory standard = standard_memory(c);
  PlanesMemory expected = planes_memory(c);
  PlanesMemory got = expected;
  const PlanesMemory planes = expected;
  if (Verdict refused = accepts(converter.out_of_place, job_of(plain, standard, expected), "bytes kept")) {
    return refused;
  }
  rewrite_blocks(expected.bytes, expected.key, c.layers, c.to);
  rewrite_blocks(expected.bytes, expected.value, c.layers, c.to);
  if (Verdict refused = accepts(converter.out_of_place, job_of(c, standard, got), "rewritten"))
    return refused;
  if (Verdict wrong = same(difference(c, expected, got), "rewritten")) return wrong;

  PlanesMemory source = planes;
  StandardMemory back = standard;
  if (Verdict refused = accepts(converter.inverse, job_of(plain, standard, source), "inverse, bytes kept")) {
    return refused;
  }
  rewrite_blocks(standard.bytes, standard.pages, c.layers, c.from);
  if (Verdict refused = accepts(converter.inverse, job_of(c, back, source), "inverse, rewritten"))
    return refused;
  return same(difference(c, standard, back), "inverse, rewritten");
}

}  // namespace pageproof::fuzz
