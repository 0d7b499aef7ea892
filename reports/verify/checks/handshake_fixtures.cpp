// golden/handshake_v1.json is what the solver and the model write today, byte for byte.
#include <fmt/format.h>

#include <algorithm>

#include "golden/container/mapped_file.hpp"
#include "golden/handshake/suite.hpp"
#include "reports/verify/check.hpp"

namespace pageproof::reports {
namespace {

constexpr const char* kName = "golden.handshake_is_current";

CheckResult failed(std::string example, std::string got) {
  return {.cases = 1,
          .failures = {{kName, "the committed pairs are what the solver finds", std::move(example),
                        "the generator's bytes", std::move(got), "pageproof handshake fixtures golden"}},
          .skipped = {}};
}

CheckResult run(const CheckOptions& options) {
  const auto file = options.fixtures / golden::kHandshakeFile;
  const auto committed = golden::MappedFile::open(file);
  if (!committed) return failed(file.string(), to_string(committed.error()));
  const auto made = golden::handshake_suite();
  if (!made) return failed("handshake_suite", to_string(made.error()));
  const auto bytes = committed->bytes();
  const auto fresh = std::as_bytes(std::span(*made));
  const auto differs = std::ranges::mismatch(bytes, fresh);
  if (differs.in1 != bytes.end() || differs.in2 != fresh.end()) {
    return failed(file.string(), fmt::format("other bytes from byte {} on", differs.in1 - bytes.begin()));
  }
  std::uint64_t tests = 0;
  for (std::size_t at = made->find("\"tcId\""); at != std::string::npos; at = made->find("\"tcId\"", at + 1))
    ++tests;
  return {.cases = tests, .failures = {}, .skipped = {}};
}

const Registered kCurrent(
    {.name = kName,
     .claim = "the pairs of handshake_v1.json are the smallest that the solver finds, judged "
              "by the model",
     .run = run});

}  // namespace
}  // namespace pageproof::reports
