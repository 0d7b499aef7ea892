#include "fuzz/receive/world.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pageproof::fuzz_receive {
namespace {

using rx::Step;

constexpr int kWithoutEnd = 1 << 30;  // of what may happen any number of times

rx::Tie<int> tie_of(const World::Request& request, bool own) {
  return {own ? 1 : 0, own ? 0 : 1, request.holds ? 1 : 0};
}

}  // namespace

World::World(const WorldOptions& options)
    : options_(options),
      setting_{.side = options.side ? 1 : 0,
               .deferred = options.deferred ? 1 : 0,
               .layers = static_cast<int>(options.layers)},
      engines_(options.engines, rx::Engine<int>{.state = options.engine_state,
                                                .losses = kWithoutEnd,
                                                .strangers = kWithoutEnd,
                                                .inside = 0,
                                                .sticky = 0,
                                                .overlaps = 0}),
      requests_(options.slots),
      blocks_(options.blocks) {
  for (Block& block : blocks_) {
    block.layers.resize(options.layers);
    for (std::uint32_t layer = 0; layer < options.layers; ++layer) {
      block.layers[layer].layer = static_cast<int>(layer);
    }
    block.salts.resize(options.layers);
  }
  if (options.bytes) pages_.emplace(options.blocks, options.layers);
}

bool World::settled(const Request& request) const {
  const auto is_settled = [&](std::uint16_t block) {
    return std::ranges::all_of(blocks_[block].layers,
                               [](const rx::Page<int>& page) { return page.finished >= page.started; });
  };
  return std::ranges::all_of(request.own, is_settled) && std::ranges::all_of(request.shared, is_settled);
}

rx::Here<int> World::here(std::uint16_t slot) const {
  const Request& request = requests_[slot];
  bool busy = false;
  for (std::size_t other = slot % engines_.size(); other < requests_.size(); other += engines_.size()) {
    busy = busy || (other != slot && requests_[other].life.outstanding > 0);
  }
  const rx::Life<int>& life = request.life;
  const bool asks = life.decode == rx::kQueued || life.phase == rx::kRecomputing;
  return {setting_, life, engine_of(slot), {!asks || settled(request), busy}};
}

void World::enabled(std::uint16_t slot, std::vector<Step>& steps) const {
  steps.clear();
  rx::visit_steps(here(slot), [&](Step step, bool place, const auto& guards, const auto&) {
    if (!place) return;
    for (const rx::Guarded<bool>& guard : guards) {
      if (!guard.holds && guard.guard != options_.without) return;
    }
    steps.push_back(step);
  });
}

bool World::allocate(Request& request, const Record& record, std::uint16_t slot) {
  const auto may = [&](rx::Take how, std::uint16_t block) {
    const rx::Guarded<bool> guard = rx::guard_of<bool>(how, blocks_[block].layers[0]);
    const bool tied = std::ranges::find(blocks_[block].slots, slot) != blocks_[block].slots.end();
    return !tied && (guard.holds || guard.guard == options_.without);
  };
  for (const std::uint16_t block : record.own) {
    if (!may(rx::Take::own, block)) return false;
  }
  for (const std::uint16_t block : record.shared) {
    if (!may(rx::Take::share, block)) return false;
  }
  const auto tie = [&](rx::Take how, std::uint16_t block) {
    rx::Tie<int> tied{};
    for (rx::Page<int>& page : blocks_[block].layers) rx::take(how, request.life, tied, page);
    blocks_[block].slots.push_back(slot);
  };
  request.own = record.own;
  request.shared = record.shared;
  request.salts_shared.clear();
  request.holds = true;
  for (const std::uint16_t block : request.shared) {
    tie(rx::Take::share, block);
    request.salts_shared.insert(request.salts_shared.end(), blocks_[block].salts.begin(),
                                blocks_[block].salts.end());
  }
  for (std::size_t i = 0; i < request.own.size(); ++i) {
    Block& block = blocks_[request.own[i]];
    tie(rx::Take::own, request.own[i]);
    block.landed = request.life.verdict != rx::kConvert;
    block.partial = i + 1 == request.own.size();
    block.appended = false;
    for (std::uint32_t layer = 0; layer < options_.layers; ++layer) {
      block.salts[layer] = salt_of(request.id, i, layer);
    }
  }
  block_lives_ += request.own.size();
  return true;
}

bool World::apply(const Record& record) {
  Request& request = requests_[record.slot];
  if (record.arrival) {
    if (request.live || !record.life) return false;
    request = {};
    request.life = *record.life;
    request.id = record.request;
    request.live = true;
    return true;
  }
  if (!request.live || request.id != record.request) return false;
  bool taken = false;
  const rx::Life<int> before = request.life;
  rx::Engine<int>& engine = engines_[record.slot % engines_.size()];
  rx::Life<int> after = before;
  rx::Engine<int> engine_after = engine;
  rx::visit_steps(here(record.slot), [&](Step step, bool place, const auto& guards, const auto& effect) {
    if (step != record.step || !place) return;
    for (const rx::Guarded<bool>& guard : guards) {
      if (!guard.holds && guard.guard != options_.without) return;
    }
    taken = true;
    effect(after, engine_after);
  });
  request.life = after;
  if (!taken) return false;
  if (record.step == Step::allocate && !allocate(request, record, record.slot)) {
    request.life = before;
    return false;
  }
  engine = engine_after;
  std::uint16_t handle = 0;
  if (record.step == Step::post_read)
    request.outstanding.push_back(static_cast<std::uint16_t>(before.posted));
  if (record.step == Step::read_ends || record.step == Step::read_fails) {
    const auto at =
        request.outstanding.begin() + static_cast<std::ptrdiff_t>(record.handle % request.outstanding.size());
    handle = *at;
    request.outstanding.erase(at);
  }
  const auto touch = [&](std::uint16_t block, bool own) {
    rx::Tie<int> tie;
    for (rx::Page<int>& page : blocks_[block].layers) {
      tie = tie_of(request, own);
      rx::touch(record.step, before, options_.without, tie, page);
    }
  };
  for (const std::uint16_t block : request.own) touch(block, true);
  for (const std::uint16_t block : request.shared) touch(block, false);
  if (record.step == Step::free_blocks) request.holds = false;
  if (pages_) move_bytes(record.step, request, before, handle);
  watch(record.slot, record.step);
  if (record.step == Step::end) {
    for (const auto* list : {&request.own, &request.shared}) {
      for (const std::uint16_t block : *list) std::erase(blocks_[block].slots, record.slot);
    }
    request.live = false;
  }
  return true;
}

void World::move_bytes(Step step, const Request& request, const rx::Life<int>& before, std::uint16_t handle) {
  switch (step) {
    case Step::zero_runs:
      for (const std::uint16_t block : request.own) pages_->zero(block);
      break;
    case Step::read_ends:
    case Step::read_fails:
      // Pages that the prefill has freed hold another request's bytes; a failed read wrote its first half.
      for (std::size_t i = 0; i < request.own.size(); ++i) {
        for (std::uint32_t layer = 0; layer < options_.layers; ++layer) {
          auto salt = salt_of(request.id, i, layer);
          if (before.prefill != rx::kHeld) salt = static_cast<std::uint16_t>(~salt);
          const auto parts = static_cast<std::uint32_t>(before.reads);
          if (step == Step::read_ends) {
            pages_->land(request.own[i], layer, salt, handle, parts);
          } else {
            pages_->land(request.own[i], layer, salt, 2U * handle, 2 * parts);
          }
        }
      }
      break;
    case Step::retire_layer: {
      ids_.assign(request.own.begin(), request.own.end());
      if (options_.without == rx::Guard::own_blocks_only) {
        ids_.insert(ids_.end(), request.shared.begin(), request.shared.end());
      }
      if (options_.converts_a_copy) {
        Pages(*pages_).convert(ids_, static_cast<std::uint32_t>(before.retired));
        break;
      }
      if (!ids_.empty() && !pages_->convert(ids_, static_cast<std::uint32_t>(before.retired))) {
        report("converter", "the converter takes the blocks of a request", request, -1, before.retired);
      }
      break;
    }
    case Step::recompute:
      for (std::size_t i = 0; i < request.own.size(); ++i) {
        for (std::uint32_t layer = 0; layer < options_.layers; ++layer) {
          pages_->write(request.own[i], layer, salt_of(request.id, i, layer));
        }
      }
      break;
    case Step::decode_runs:
      compare(request);
      break;
    case Step::decode_retires:
      if (!request.own.empty() && !(blocks_[request.own.back()].landed && request.life.recomputed == 0)) {
        const std::size_t last = request.own.size() - 1;
        for (std::uint32_t layer = 0; layer < options_.layers; ++layer) {
          pages_->append(request.own[last], layer, salt_of(request.id, last, layer));
        }
        blocks_[request.own[last]].appended = true;
      }
      break;
    default:
      break;
  }
}

void World::compare(const Request& request) {
  const auto one = [&](std::uint16_t block, std::uint32_t layer, std::uint16_t salt, bool landed) {
    const Pages::Content content = landed                    ? Pages::Content::landed
                                   : blocks_[block].appended ? Pages::Content::appended
                                                             : Pages::Content::shuffled;
    compared_bytes_ += kShape.page_bytes();
    const std::int64_t at = pages_->differs(block, layer, salt, content);
    if (at < 0 || violation_) return;
    report("bytes", "a decode step reads what the oracle's writer would have written", request, block,
           static_cast<int>(layer));
    if (violation_) violation_->what += fmt::format(" byte {} of the page", at);
  };
  for (std::uint32_t layer = 0; layer < options_.layers; ++layer) {
    for (std::size_t i = 0; i < request.own.size(); ++i) {
      const bool landed = blocks_[request.own[i]].landed && request.life.recomputed == 0;
      one(request.own[i], layer, salt_of(request.id, i, layer), landed);
    }
    for (std::size_t i = 0; i < request.shared.size(); ++i) {
      const std::uint16_t block = request.shared[i];
      const bool landed = blocks_[block].landed && blocks_[block].layers[layer].local == 0;
      one(block, layer, request.salts_shared[i * options_.layers + layer], landed);
    }
  }
}

// The rules about the request once, those about a block for each layer of each of its blocks, where the step
// can have changed anything of them.
void World::watch(std::uint16_t slot, Step step) {
  const Request& request = requests_[slot];
  const rx::Tie<int> no_tie{0, 0, 0};
  rx::Page<int> no_page{};
  no_page.refs = 1;
  rx::visit_rules(setting_, request.life, engine_of(slot), no_tie, no_page, rx::nobody(false),
                  [&](rx::Rule rule, bool broken) {
                    if (!broken) return;
                    report(std::string(to_string(rule)), std::string(claim_of(rule)), request, -1, -1);
                  });
  switch (step) {
    case Step::forward:
    case Step::handshake_starts:
    case Step::handshake_ends:
    case Step::callback_runs:
    case Step::zero_runs:
    case Step::other_reports:
    case Step::tell_prefill:
    case Step::end:
      return;
    default:
      break;
  }
  for (const std::uint16_t block : request.own) watch_block(slot, block, true);
  for (const std::uint16_t block : request.shared) watch_block(slot, block, false);
}

void World::watch_block(std::uint16_t slot, std::uint16_t block, bool own) {
  const Request& request = requests_[slot];
  rx::Other<bool> other = rx::nobody(false);
  for (const std::uint16_t tied : blocks_[block].slots) {
    if (tied == slot) continue;
    const Request& one = requests_[tied];
    const bool owns = std::ranges::find(one.own, block) != one.own.end();
    const rx::Other<bool> does = rx::other_of(one.life, tie_of(one, owns));
    other = {other.reading || does.reading,   other.elsewhere || does.elsewhere,
             other.zeroing || does.zeroing,   other.converting || does.converting,
             other.decoding || does.decoding, other.owns || does.owns};
  }
  for (const rx::Page<int>& page : blocks_[block].layers) {
    rx::visit_rules(setting_, request.life, engine_of(slot), tie_of(request, own), page, other,
                    [&](rx::Rule rule, bool broken) {
                      if (!broken) return;
                      report(std::string(to_string(rule)), std::string(claim_of(rule)), request, block,
                             page.layer);
                    });
  }
}

void World::report(std::string name, std::string claim, const Request& request, int block, int layer) {
  if (violation_ || (options_.only && name != to_string(*options_.only))) return;
  if (options_.bytes_alone && name != "bytes") return;
  std::string what = fmt::format("request {}", request.id);
  if (block >= 0) what += fmt::format(" block {}", block);
  if (layer >= 0) what += fmt::format(" layer {}", layer);
  violation_ = Violation{std::move(name), std::move(claim), std::move(what)};
}

}  // namespace pageproof::fuzz_receive
