// `pageproof handshake silent`: every pair of engines in a finite space that today's checks accept and that
// reads wrong bytes, grouped into causes.
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.hpp"
#include "reports/silent/report.hpp"

namespace pageproof::cli {

Result handshake_silent(const HandshakeSilentOptions& options) {
  if (options.threads == 0 || options.threads > kMostSilentThreads) {
    return std::unexpected(Error{"handshake silent", "--threads", std::to_string(options.threads),
                                 "not within 1 to " + std::to_string(kMostSilentThreads)});
  }
  if (options.markdown && options.decisions) {
    return std::unexpected(Error{"handshake silent", "--decisions", "with --markdown",
                                 "each prints a page of its own: give one"});
  }
  const silent::SilentSet set =
      silent::find_silent(options.quick ? silent::Extent::quick : silent::Extent::full, options.threads);
  nlohmann::ordered_json json = silent::to_json(set);
  json["seconds"] = set.seconds;
  Report report;
  report.text = options.markdown    ? silent::to_markdown(set)
                : options.decisions ? silent::decisions(set)
                                    : silent::to_text(set);
  report.json = json.dump(2);
  return report;
}

}  // namespace pageproof::cli
