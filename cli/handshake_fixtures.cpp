// `pageproof handshake fixtures DIR`: for each reason the smallest pair of engines, as a file for other
// tests.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "golden/handshake/suite.hpp"

namespace pageproof::cli {

Result handshake_fixtures(const HandshakeFixturesOptions& options) {
  const Expected<std::size_t> tests = golden::write_handshake_suite(options.directory);
  if (!tests) return std::unexpected(tests.error());
  return Report{
      true, fmt::format("{}/{}: {} tests", options.directory, golden::kHandshakeFile, *tests),
      one_document({{"command", "handshake fixtures"}, {"directory", options.directory}, {"tests", *tests}})};
}

}  // namespace pageproof::cli
