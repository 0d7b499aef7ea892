// Any page format into any other: there, where each engine's own arithmetic has every element, and back to
// the same bytes; and the fixtures of page formats.
#include <fmt/format.h>

#include <functional>
#include <random>

#include "golden/formats/check.hpp"
#include "golden/formats/needs.hpp"
#include "golden/formats/tensors.hpp"
#include "model/page/format.hpp"
#include "reports/verify/check.hpp"
#include "reports/verify/fold_formats.hpp"

namespace pageproof::reports {
namespace {

using golden::Bytes;
using golden::formats::ConvertFormat;
using golden::formats::FormatRequest;
using golden::formats::Operation;
using oracle::EngineFormat;

constexpr std::uint64_t kBlocks = 2;
constexpr const char* kName = "convert.any_format";
constexpr const char* kClaim =
    "any page format converts into any other as both engines' own arithmetic says, and back to the same "
    "bytes";

// One head, odd and even counts; N of one tile, of two, of many and no power of two; x = 8 and 16.
constexpr Shape kQuick[] = {{3, 32, 16, 2}, {1, 16, 16, 1}, {1, 48, 8, 2}, {2, 128, 8, 2}};
constexpr Shape kFull[] = {{1, 16, 16, 2}, {1, 32, 64, 2},  {2, 16, 64, 2},  {2, 32, 32, 1}, {3, 16, 48, 1},
                           {3, 48, 80, 2}, {3, 128, 16, 1}, {5, 32, 128, 2}, {5, 16, 96, 2}, {8, 16, 32, 1},
                           {8, 8, 8, 2},   {8, 64, 16, 2},  {7, 32, 16, 1}};

Bytes random_pages(const Shape& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(kBlocks * shape.page_bytes());
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// The pages of one shape in every format that fits it, as the oracle writes them.
struct Pages {
  const EngineFormat* format = nullptr;
  std::vector<Bytes> regions;

  std::vector<std::span<const std::byte>> view() const { return {regions.begin(), regions.end()}; }
};
std::vector<Pages> pages_of(const Shape& shape, std::uint64_t seed) {
  const Bytes standard = random_pages(shape, seed);
  std::vector<Pages> all;
  for (const EngineFormat& format : oracle::engine_formats()) {
    if (format.key_only || golden::formats::broken_need(format.tag, shape)) continue;
    all.push_back({&format, golden::formats::written(format, shape, kBlocks, standard)});
  }
  return all;
}

std::optional<Failure> converted(const ConvertFormat& convert, const Shape& shape, const Pages& from,
                                 const Pages& to) {
  std::vector<Bytes> got;
  for (const Bytes& region : to.regions) got.emplace_back(region.size(), golden::kSentinel);
  const auto refuse = [&](const std::string& example, std::string expected, std::string found) {
    return Failure{
        kName,
        kClaim,
        fmt::format("{}   {} to {}   {}", to_string(shape), from.format->tag, to.format->tag, example),
        std::move(expected),
        std::move(found),
        fmt::format("pageproof verify {}", kName)};
  };
  const auto done = convert({Operation::convert,
                             shape,
                             kBlocks,
                             std::string(from.format->tag),
                             std::string(to.format->tag),
                             from.view(),
                             {got.begin(), got.end()}});
  if (!done) return refuse("", "converted", to_string(done.error()));
  const Pages found{to.format, std::move(got)};
  const auto difference =
      golden::formats::first_difference(*to.format, shape, kBlocks, to.view(), found.view());
  if (!difference) return std::nullopt;
  const auto shown = [&](const Pages& pages) {
    const auto element = golden::formats::element_at(*to.format, shape, pages.view(), difference->first);
    return fmt::format("0x{:02x}...", std::to_integer<unsigned>(element[0]));
  };
  return refuse(fmt::format("{}   {} bytes differ", to_string(difference->first), difference->bytes),
                shown(to), shown(found));
}

// A pair is right there and back where both of its ordered pairs are: each is compared with what the oracle
// wrote, so the way back ends at the bytes it began with.
void all_pairs(const ConvertFormat& convert, const Shape& shape, std::uint64_t seed, CheckResult& result) {
  const std::vector<Pages> all = pages_of(shape, seed);
  for (const Pages& from : all) {
    for (const Pages& to : all) {
      if (from.format == to.format) continue;
      ++result.cases;
      if (const auto failure = converted(convert, shape, from, to)) result.failures.push_back(*failure);
    }
  }
}

// A converter that takes one format for another must be found.
ConvertFormat taking(const char* said, const char* taken) {
  return [=](const FormatRequest& request) {
    FormatRequest other = request;
    if (other.to == said) other.to = taken;
    if (other.to == other.from) other.from = said;
    return fold_formats()(other);
  };
}

void mutants(std::uint64_t seed, CheckResult& result) {
  for (const auto& [said, taken] :
       {std::pair("flashinfer-nhd", "flashinfer-hnd"), std::pair("xqa-1", "xqa-0"),
        std::pair("aiter-page16", "aiter-shuffled"), std::pair("classic-paged", "sglang-vectorized-5d"),
        std::pair("cpu-neon", "cpu-amx"), std::pair("standard", "standard-nhd")}) {
    CheckResult found;
    all_pairs(taking(said, taken), kQuick[0], seed, found);
    ++result.cases;
    if (!found.failures.empty()) continue;
    result.failures.push_back({kName, "a converter that takes one format for another is found",
                               fmt::format("{} taken for {}", said, taken), "a difference", "none",
                               fmt::format("pageproof verify {}", kName)});
  }
}

CheckResult any_format(const CheckOptions& options) {
  CheckResult result;
  std::vector<Shape> shapes(std::begin(kQuick), std::end(kQuick));
  if (!options.quick) shapes.insert(shapes.end(), std::begin(kFull), std::end(kFull));
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    all_pairs(fold_formats(), shapes[i], options.seed + i, result);
    options.progress(i + 1, shapes.size());
  }
  mutants(options.seed, result);
  return result;
}

CheckResult fixtures(const CheckOptions& options) {
  const auto report = golden::formats::check_fixtures(options.fixtures, fold_formats());
  if (!report) {
    return {.cases = 0,
            .failures = {{"golden.formats", "the fixtures can be read", to_string(report.error()), "fixtures",
                          "an error", "pageproof verify golden.formats"}},
            .skipped = {}};
  }
  return {.cases = report->tests(), .failures = report->failures, .skipped = {}};
}

const Registered kAnyFormat({.name = kName, .claim = kClaim, .run = any_format});
const Registered kFixtures(
    {.name = "golden.formats",
     .claim = "the catalogue's conversion gives the bytes of the fixtures of all page formats and refuses by "
              "their rules",
     .run = fixtures});

}  // namespace
}  // namespace pageproof::reports
