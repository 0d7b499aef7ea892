#include "fuzz/receive/traffic.hpp"

#include <algorithm>

namespace pageproof::fuzz_receive {
namespace {

constexpr std::uint32_t kFamilies = 6;  // prompts that many requests begin with
constexpr std::uint32_t kLongest = 12;  // blocks

Prompt any_prompt(std::uint32_t id, Dice& dice) {
  Prompt prompt{.number = kFamilies + id};
  if (!dice.one_in(3)) prompt.number = dice.below(kFamilies);
  const std::uint32_t blocks = 1 + dice.below(kLongest);
  const std::uint32_t last = dice.one_in(3) ? kShape.tokens : 1 + dice.below(kShape.tokens);
  prompt.tokens = static_cast<std::uint16_t>((blocks - 1) * kShape.tokens + last);
  return prompt;
}

}  // namespace

void Traffic::look_around(const World& world, const Prompt& prompt) {
  free_.clear();
  here_.assign(prompt.blocks(kShape.tokens), -1);
  const std::size_t whole = prompt.tokens / kShape.tokens;
  for (std::uint16_t number = 0; number < world.blocks().size(); ++number) {
    const World::Block& block = world.blocks()[number];
    const rx::Page<int>& page = block.layers[0];
    const bool ready = page.published == 1 || without_ == rx::Guard::prefix_is_published;
    if (block.used && ready && !block.partial && block.prompt.number == prompt.number &&
        block.index < whole) {
      here_[block.index] = number;
    }
    if (page.refs == 0 || without_ == rx::Guard::block_is_free) free_.push_back(number);
  }
}

std::optional<Arrival> Traffic::next(const World& world, std::uint32_t id, Dice& dice, Record& blocks) {
  const auto on = [&](Fault fault) { return (faults_ & bit(fault)) != 0; };
  Arrival arrival;
  arrival.resumed = !again_.empty() && dice.one_in(2);
  arrival.prompt = arrival.resumed ? again_.back() : any_prompt(id, dice);
  look_around(world, arrival.prompt);
  blocks.own.clear();
  blocks.shared.clear();
  std::size_t index = 0;
  for (; index < here_.size() && here_[index] >= 0; ++index) {
    const auto block = static_cast<std::uint16_t>(here_[index]);
    blocks.shared.push_back(block);
    std::erase(free_, block);
  }
  if (free_.size() < here_.size() - index) return std::nullopt;
  for (; index < here_.size(); ++index) {
    const auto at = dice.below(static_cast<std::uint32_t>(free_.size()));
    blocks.own.push_back(free_[at]);
    free_[at] = free_.back();
    free_.pop_back();
  }
  if (arrival.resumed) again_.pop_back();
  arrival.peer = static_cast<std::uint16_t>(dice.below(world.options().peers));
  rx::Life<int>& life = arrival.life;
  life.verdict = dice.one_in(6) ? rx::kMatch : rx::kConvert;
  if (on(Fault::rejected_pair) && dice.one_in(16)) life.verdict = rx::kRejected;
  // What the router says of the prefill's pages may be old news.
  if (on(Fault::lease_expiry) && dice.one_in(64)) life.prefill = rx::kExpired;
  life.reads = blocks.own.empty() ? 0 : 1 + static_cast<int>(dice.below(4));
  life.others = static_cast<int>(dice.below(3));
  life.policy = static_cast<int>(dice.below(2));
  life.steps = 1 + static_cast<int>(dice.below(3));
  life.duplicate = on(Fault::duplicate_notice) ? 1 : 0;
  life.turn = static_cast<int>(dice.below(2));
  return arrival;
}

}  // namespace pageproof::fuzz_receive
