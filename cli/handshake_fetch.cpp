// `pageproof handshake fetch`: asks a running prefill for its payload, as a decoder would, and judges it.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/commands.hpp"
#include "cli/handshake_documents.hpp"
#include "cli/json.hpp"
#include "golden/container/atomic_file.hpp"
#include "model/handshake/wire.hpp"
#include "reports/fetch/ask.hpp"

namespace pageproof::cli {
namespace {

using nlohmann::ordered_json;

Expected<void> options_fit(const HandshakeFetchOptions& options) {
  const auto refuse = [](const char* option, std::string value, std::string problem) {
    return std::unexpected(Error{"handshake fetch", option, std::move(value), std::move(problem)});
  };
  if (!(options.seconds >= kShortestFetch && options.seconds <= kLongestFetch)) {
    return refuse("--timeout", fmt::format("{:g}", options.seconds),
                  fmt::format("not within {:g} to {:g} seconds", kShortestFetch, kLongestFetch));
  }
  if (!options.against.empty() && options.tp_rank >= options.check.remote_tp) {
    return refuse(
        "--tp-rank", std::to_string(options.tp_rank),
        fmt::format("an engine of TP size {} has no such rank: give --remote-tp", options.check.remote_tp));
  }
  return {};
}

}  // namespace

Result handshake_fetch(const HandshakeFetchOptions& options) {
  if (const Expected<void> fit = options_fit(options); !fit) return std::unexpected(fit.error());
  const Expected<fetch::Address> address = fetch::parse_address(options.address, "HOST:PORT");
  if (!address) return std::unexpected(address.error());
  // The decoder's file first: a slip there should not cost a question.
  Expected<handshake::Document> local = handshake::HandshakePayload{};
  if (!options.against.empty()) {
    local = handshake::read_document_file(options.against, handshake::Behaviour::s2);
    if (!local) return std::unexpected(local.error());
  }

  const Expected<fetch::Answer> answer =
      fetch::ask({.address = *address,
                  .pp_rank = options.pp_rank,
                  .tp_rank = options.tp_rank,
                  .timeout = std::chrono::milliseconds(std::llround(options.seconds * 1000))});
  if (!answer) return std::unexpected(answer.error());
  // As it came, also where it turns out to be malformed.
  if (!options.out.empty()) {
    const Expected<void> written = golden::write_file_atomically(options.out, std::span(answer->payload));
    if (!written) return std::unexpected(written.error());
  }

  const std::string subject = to_string(*address);
  Expected<handshake::HandshakePayload> payload = handshake::decode_payload(answer->payload, subject);
  if (!payload) return std::unexpected(payload.error());
  const Named remote{*std::move(payload), subject};
  const ordered_json fetched = {{"from", subject},
                                {"pp_rank", options.pp_rank},
                                {"tp_rank", options.tp_rank},
                                {"payload_bytes", answer->payload.size()},
                                {"round_trip_seconds", answer->round_trip},
                                {"clock_seconds", answer->remote_clock}};
  if (options.against.empty()) {
    Expected<ordered_json> shown = shown_document(remote, options.s0);
    if (!shown) return std::unexpected(shown.error());
    (*shown)["fetched"] = fetched;
    const std::string text = one_document(*shown);
    return Report{.holds = true, .text = text, .json = text};
  }
  Expected<Judged> judged = check_documents({*local, options.against}, remote, options.check);
  if (!judged) return std::unexpected(judged.error());
  judged->json["fetched"] = fetched;
  return Report{
      .holds = judged->holds,
      .text = fmt::format("fetched {} B from {}, TP rank {}, in {:.1f} ms\n{}", answer->payload.size(),
                          subject, options.tp_rank, answer->round_trip * 1000, judged->text),
      .json = one_document(judged->json)};
}

}  // namespace pageproof::cli
