#include "cli/plan_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "model/handshake/document.hpp"
#include "model/handshake/wire.hpp"

namespace pageproof::cli {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Expected<void> add_ids(std::string_view part, const std::string& option, plan::BlockIds& ids) {
  const auto refuse = [&](std::string problem) {
    return std::unexpected(Error{option, "", fmt::format("\"{}\"", part), std::move(problem)});
  };
  const std::size_t dash = part.find('-');
  const auto first = number(part.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number(part.substr(dash + 1));
  if (!first || !last) return refuse("not a block id such as 3, nor a range such as 5-9");
  if (*first > *last) return refuse("the range runs backwards");
  if (*last - *first >= kMostListedBlocks - ids.size())
    return refuse(fmt::format("more than {} block ids", kMostListedBlocks));
  for (std::uint64_t i = 0; i <= *last - *first; ++i) ids.push_back(*first + i);
  return {};
}

Expected<handshake::AgentMetadata> inner_metadata(const handshake::HandshakePayload& payload,
                                                  const std::string& path) {
  using handshake::Behaviour;
  auto metadata = handshake::decode_metadata(payload.agent_metadata_bytes, Behaviour::s2, path);
  if (metadata) return metadata;
  auto old = handshake::decode_metadata(payload.agent_metadata_bytes, Behaviour::s0, path);
  return old ? old : metadata;
}

}  // namespace

Expected<plan::BlockGroups> parse_block_groups(std::string_view text, const std::string& option) {
  plan::BlockGroups groups;
  for (const std::string_view group : split(text, ';')) {
    groups.emplace_back();
    if (group.empty() || group == "none") continue;
    for (const std::string_view part : split(group, ',')) {
      if (const auto ok = add_ids(part, option, groups.back()); !ok) return std::unexpected(ok.error());
    }
  }
  return groups;
}

Expected<plan::Staging> parse_staging(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto base = number(text.substr(0, colon));
  const auto bytes = colon == std::string_view::npos ? std::nullopt : number(text.substr(colon + 1));
  if (base && bytes && *bytes != 0 && *bytes - 1 <= UINT64_MAX - *base) return plan::Staging{*base, *bytes};
  return std::unexpected(
      Error{"--staging", "", fmt::format("\"{}\"", text), "not BASE:BYTES with all bytes below 2^64"});
}

Expected<std::optional<plan::Strategy>> parse_strategy(std::string_view text) {
  if (text == "auto") return std::nullopt;
  const auto found =
      std::ranges::find(plan::kStrategies, text, [](plan::Strategy strategy) { return to_string(strategy); });
  if (found != std::end(plan::kStrategies)) return *found;
  return std::unexpected(Error{"--strategy", "", fmt::format("\"{}\"", text),
                               "not one of auto, whole, slots, halves, staged, run-halves"});
}

std::string shell_word(std::string_view word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_./:=,+@%-").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string replay_of(const PlanOptions& options, std::string_view strategy) {
  std::string line = "pageproof plan " + shell_word(options.local);
  for (const std::string& remote : options.remotes) line += " " + shell_word(remote);
  const auto add = [&](const char* option, std::string_view value) {
    line += fmt::format(" {} {}", option, shell_word(value));
  };
  add("--local-blocks", options.local_blocks);
  add("--remote-blocks", options.remote_blocks);
  add("--strategy", strategy);
  if (!options.staging.empty()) add("--staging", options.staging);
  const PlanOptions usual;
  const auto add_number = [&](const char* option, std::uint64_t value, std::uint64_t by_default) {
    if (value != by_default) add(option, std::to_string(value));
  };
  add_number("--local-tp", options.local_tp, usual.local_tp);
  add_number("--local-rank", options.local_rank, usual.local_rank);
  add_number("--remote-tp", options.remote_tp, usual.remote_tp);
  add_number("--kv-heads", options.kv_heads, usual.kv_heads);
  return line;
}

Expected<reports::PlanParty> read_party(const std::string& path, const CapturedRank& captured) {
  const auto document = handshake::read_document_file(path, handshake::Behaviour::s2);
  if (!document) return std::unexpected(document.error());
  if (const auto* engine = std::get_if<region::Engine>(&*document)) {
    auto side = handshake::side_of(*engine);
    if (!side) return std::unexpected(side.error());
    return reports::PlanParty{*std::move(side), true, path};
  }
  if (captured.tp_size == 0 || captured.tp_size > 65536) {
    return std::unexpected(Error{path, "TP size", std::to_string(captured.tp_size), "not within 1 to 65536"});
  }
  if (captured.kv_heads == 0)
    return std::unexpected(Error{path, "--kv-heads", "0", "a model has at least 1 KV head"});
  const auto* payload = std::get_if<handshake::HandshakePayload>(&*document);
  const auto metadata =
      payload != nullptr ? inner_metadata(*payload, path) : std::get<handshake::AgentMetadata>(*document);
  if (!metadata) return std::unexpected(metadata.error());
  const auto hash = payload != nullptr ? std::optional(payload->compatibility_hash) : std::nullopt;
  auto side = handshake::side_of_capture(*metadata, hash,
                                         {.tp_size = captured.tp_size, .kv_heads = captured.kv_heads}, path);
  if (!side) return std::unexpected(side.error());
  side->engine.tp_rank = captured.tp_rank;
  return reports::PlanParty{*std::move(side), false, path};
}

}  // namespace pageproof::cli
