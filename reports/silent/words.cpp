// How engines, rules and faults of the silent set are told.
#include <fmt/format.h>

#include <algorithm>

#include "reports/silent/report.hpp"

namespace pageproof::silent {
namespace {

using region::Engine;

std::string type_of(const Engine& engine) {
  return engine.cache_dtype == "auto" ? to_string(engine.dtype) : engine.cache_dtype;
}

std::string format_of(const Engine& engine) {
  return engine.model.latent ? "latent" : region::page_format_of(engine);
}

}  // namespace

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string described(const handshake::EngineSide& side) {
  const Engine& engine = side.engine;
  const std::string blocks = engine.block_size == engine.kernel_block_size
                                 ? fmt::format("{}-token blocks", engine.block_size)
                                 : fmt::format("{}-token blocks of {}-token kernel blocks", engine.block_size,
                                               engine.kernel_block_size);
  return fmt::format("{} {} {}, TP {}, {}, {}{}", to_string(engine.backend), format_of(engine),
                     to_string(side.layout), engine.tp_size, blocks, type_of(engine),
                     engine.enable_permute_local_kv ? ", enable_permute_local_kv" : "");
}

std::string story(const Example& example) {
  const Engine& here = example.local.engine;
  const Engine& there = example.remote.engine;
  if (!same_encoding(here, there)) {
    return fmt::format("the decoder reads elements of {} as {}", type_of(there), type_of(here));
  }
  if (example.bytes.steps.regroups > 1) {
    return "blocks of different sizes are regrouped by code that takes heads for tokens";
  }
  if (example.bytes.steps.permutes) {
    return "the receive-side permute moves rows as if tokens lay outside heads";
  }
  if (format_of(here) != format_of(there)) {
    return fmt::format("{} pages arrive and are read as {} pages", format_of(there), format_of(here));
  }
  if (here.tp_size != there.tp_size) {
    return "a rank's share of a page is cut from its bytes, which are not ordered by heads";
  }
  return "bytes arrive where other bytes are read";
}

std::string rule_in_words(const std::string& name) {
  if (name == "hash") return "the compatibility hashes differ";
  const std::string today(handshake::to_string(handshake::Reason::todays_check));
  if (name == today + " 10") {
    return "the layouts differ, and the permute branch is for local LBNHC caches of standard pages (RFC, §1)";
  }
  if (name.starts_with(today)) return "today's check" + name.substr(today.size());
  const auto all = handshake::reasons();
  const auto found = std::ranges::find(all, name, &handshake::ReasonFacts::name);
  return found == all.end() ? name : std::string(found->sentence);
}

}  // namespace pageproof::silent
