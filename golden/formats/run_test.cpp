#include "golden/formats/run_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "golden/formats/fixture_json.hpp"
#include "golden/formats/tensors.hpp"
#include "golden/pages/sha256.hpp"

namespace pageproof::golden::formats {
namespace {

using oracle::EngineFormat;
using Regions = std::vector<std::span<const std::byte>>;

std::string hex(std::span<const std::byte> little_endian) {
  std::string text = "0x";
  for (std::size_t i = little_endian.size(); i-- > 0;) {
    text += fmt::format("{:02x}", std::to_integer<unsigned>(little_endian[i]));
  }
  return text;
}

std::string spoken(const Rule& rule) {
  return fmt::format("{}: {}: {}", rule.field, rule.value, rule.problem);
}

class Runner {
 public:
  Runner(const Group& group, const Test& test, const SafetensorsFile& file, const ConvertFormat& converter)
      : group_(group), shape_(group.shape), test_(test), file_(file), converter_(converter) {}

  std::vector<Failure> run() && {
    if (test_.rule) {
      check_refusal();
    } else if (test_.operation == Operation::find) {
      check_found();
    } else {
      check_conversion(test_.operation);
    }
    return std::move(failures_);
  }

 private:
  const EngineFormat& to() const { return *oracle::engine_format(test_.to); }

  Regions stored(const std::string& format) const {
    Regions regions;
    for (const StoredTensor& tensor : group_.find(format, test_.shift)->tensors) {
      regions.push_back(file_.find(tensor.tensor)->data);
    }
    return regions;
  }

  // What the source would be where the group has no pages of it: bytes of the right sizes.
  std::vector<Bytes> blank(const std::string& format) const {
    const EngineFormat& stated = *oracle::engine_format(format);
    const std::size_t regions = stated.one_region || stated.key_only ? 1 : 2;
    return std::vector<Bytes>(regions, Bytes(group_.blocks * stated.block_bytes(shape_), kSentinel));
  }

  Expected<void> convert(Operation operation, const Regions& source, std::vector<Bytes>& destination) const {
    std::vector<std::span<std::byte>> regions(destination.begin(), destination.end());
    return converter_({operation, shape_, group_.blocks, test_.from, test_.to, source, std::move(regions)});
  }

  void check_conversion(Operation operation) {
    const Regions expected = stored(test_.to);
    std::vector<Bytes> got = blank(test_.to);
    const std::string name = fmt::format("fixtures.{}_format", to_string(operation));
    if (const auto done = convert(operation, stored(test_.from), got); !done) {
      fail(name, "the pages are converted", "", "accepted", to_string(done.error()));
      return;
    }
    const Regions regions(got.begin(), got.end());
    const auto difference = first_difference(to(), shape_, group_.blocks, expected, regions);
    if (!difference) return;
    fail(name, "the converted pages are the oracle's",
         fmt::format("{}   {} bytes differ", pageproof::to_string(difference->first), difference->bytes),
         hex(element_at(to(), shape_, expected, difference->first)),
         hex(element_at(to(), shape_, regions, difference->first)));
  }

  // Pages that the test says are in another format: the difference is the recorded one, and a converter makes
  // the right ones.
  void check_found() {
    check_conversion(Operation::convert);
    const auto difference =
        first_difference(to(), shape_, group_.blocks, stored(test_.to), stored(*test_.found));
    const auto text = [](const Difference& d) {
      return fmt::format("{}, {} bytes", pageproof::to_string(d.first), d.bytes);
    };
    const std::string got = difference ? text(*difference) : "no difference";
    if (got == text(*test_.difference)) return;
    fail("fixtures.difference", "the first difference and the count are the recorded ones", "",
         text(*test_.difference), got);
  }

  void check_refusal() {
    const FormatPages* pages = group_.find(test_.from, test_.shift);
    const std::vector<Bytes> made = pages == nullptr ? blank(test_.from) : std::vector<Bytes>{};
    const Regions source = pages == nullptr ? Regions(made.begin(), made.end()) : stored(test_.from);
    std::vector<Bytes> destination = blank(test_.to);
    const char* claim = "a shape or pair that a format's rule forbids is refused by that rule";
    const auto done = convert(Operation::convert, source, destination);
    if (done) {
      fail("fixtures.refuses_format", claim, "", spoken(*test_.rule), "accepted");
    } else if (const Rule got{done.error().field, done.error().value, done.error().problem};
               got != *test_.rule) {
      fail("fixtures.refuses_format", claim, "", spoken(*test_.rule), spoken(got));
    }
    if (destination != blank(test_.to))
      fail("fixtures.refuses_format", claim, "", "nothing written", "written");
  }

  void fail(std::string name, std::string claim, const std::string& example, std::string expected,
            std::string got) {
    failures_.push_back({std::move(name), std::move(claim),
                         fmt::format("{} tcId={} ({})   {}   {}", kSuiteFile, test_.tc_id, test_.comment,
                                     pageproof::to_string(shape_), example),
                         std::move(expected), std::move(got), ""});
  }

  const Group& group_;
  const Shape& shape_;
  const Test& test_;
  const SafetensorsFile& file_;
  const ConvertFormat& converter_;
  std::vector<Failure> failures_;
};

}  // namespace

std::vector<Failure> check_pages(const Group& group, const SafetensorsFile& file) {
  std::vector<Failure> failures;
  for (const FormatPages& pages : group.pages) {
    for (const StoredTensor& stored : pages.tensors) {
      const std::string got = sha256_hex(file.find(stored.tensor)->data);
      if (got == stored.sha256) continue;
      failures.push_back({"fixtures.tensor_sha256", "the data is what its digest says",
                          fmt::format("tensor {} of {}", stored.tensor, group.file), stored.sha256, got, ""});
    }
  }
  return failures;
}

std::vector<Failure> run_test(const Group& group, const Test& test, const SafetensorsFile& file,
                              const ConvertFormat& converter) {
  return Runner(group, test, file, converter).run();
}

}  // namespace pageproof::golden::formats
