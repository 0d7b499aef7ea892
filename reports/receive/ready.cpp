// Whether a kernel may read a block: what filled it is right, whole, and has a path to the kernel.
#include <fmt/format.h>

#include "reports/receive/checker.hpp"

namespace pageproof::receive_log {
namespace {

using receive::Rule;

std::string_view name_of_user(Kind kind) {
  return kind == Kind::schedule ? "the decode step" : kind == Kind::copy ? "the copy" : "the recompute";
}

std::string_view name_of_filler(Kind kind) {
  return kind == Kind::convert    ? "the conversion"
         : kind == Kind::schedule ? "the step that filled"
                                  : to_string(kind);
}

}  // namespace

// What fills a block waits for the kernels that overwrite it.
void Checker::behind_overwrites(const Event& event, std::uint64_t id, Block& block, Order::Chain chain) {
  for (const Touch& one : block.overwrites) {
    if (order_.before(one.node, chain)) continue;
    breaks(kOverwrittenAfterFill, event,
           fmt::format("nothing waits for the {} of block {}", to_string(one.kind), id), {one.line},
           missing(one, event, kByEvent));
  }
  block.overwrites.clear();
}

// Has a kernel on the chain a path from all that fills the block? Once there is one, there always is.
bool Checker::reads_block(const Event& event, std::uint64_t id, Block& block, Order::Chain chain) {
  const std::uint64_t bit = std::uint64_t{1} << chain;
  if ((block.ready & bit) != 0) return true;
  if (!is_filled_before(event, id, block, chain)) return false;
  block.ready |= bit;
  return true;
}

bool Checker::is_filled_before(const Event& event, std::uint64_t id, const Block& block, Order::Chain chain) {
  const auto no = [&](const Named& rule, std::string what, std::size_t line) {
    breaks(rule, event, std::move(what), {line});
    return false;
  };
  const auto waits = [&](const Named& rule, const Touch& first, std::string_view how) {
    if (order_.before(first.node, chain)) return true;
    breaks(rule, event,
           fmt::format("{} does not wait for {} of block {}", name_of_user(event.kind),
                       name_of_filler(first.kind), id),
           {first.line}, missing(first, event, how));
    return false;
  };
  if (block.unknown) return true;
  if (block.local) return waits(kUnfilledDecoded, *block.local, kByEvent);
  if (block.failed) {
    return no(named(Rule::failed_scheduled), fmt::format("a read into block {} failed", id), *block.failed);
  }
  if (!block.flying.empty() && (!block.convert || block.filler == event.request)) {
    return no(named(Rule::unread_scheduled), fmt::format("a read into block {} is outstanding", id),
              block.flying.begin()->first);
  }
  if (!block.reads) return no(kUnfilledDecoded, fmt::format("nothing filled block {}", id), block.given.line);
  if (!block.convert) {
    if (block.seen.empty()) {
      return no(named(Rule::unread_scheduled), fmt::format("no read into block {} was posted", id),
                block.given.line);
    }
    for (const auto& [thread, seen] : block.seen) {
      if (!waits(named(Rule::unread_scheduled), seen, kByMessage)) return false;
    }
    needs_fence(event, id, block, chain);
    return true;
  }
  const std::vector<std::uint64_t>& group = groups_[block.group];
  const std::size_t wanted = group.empty() ? layers_ : group.size();
  for (std::size_t i = 0; i < wanted && block.layers.size() < wanted; ++i) {
    const std::uint64_t layer = group.empty() ? i : group[i];
    if (block.layers.contains(layer)) continue;
    return no(named(Rule::unconverted_scheduled),
              fmt::format("block {} layer {} was not converted", id, layer), block.given.line);
  }
  for (const auto& [layer, conversion] : block.layers) {
    if (!waits(named(Rule::unconverted_decoded), conversion, kByEvent)) return false;
  }
  return true;
}

}  // namespace pageproof::receive_log
