// What the steps of a life do to a block: how an allocation meets it, and what a step leaves in one layer of
// it and in its tie to the request.
#pragma once

#include "model/receive/step.hpp"

namespace pageproof::receive {

// How an allocation meets a block: not at all, as a new block, as a prefix that is here already.
enum class Take : std::uint8_t { nothing, own, share };

template <class Truth, class Number>
Guarded<Truth> guard_of(Take take, const Page<Number>& page) {
  if (take == Take::own) return {Guard::block_is_free, page.refs == 0};
  if (take == Take::share) return {Guard::prefix_is_published, page.published == 1};
  return {Guard::none, page.refs >= 0};
}

template <class Number>
void take(Take how, const Life<Number>& life, Tie<Number>& tie, Page<Number>& page) {
  if (how == Take::nothing) return;
  put(tie.holds, 1);
  page.refs = page.refs + 1;
  if (how == Take::share) {
    put(tie.shares, 1);
    return;
  }
  put(tie.own, 1);
  put(page.published, 0), put(page.started, 0), put(page.finished, 0), put(page.local, 0);
  put(page.wanted, 0);
  put_where(life.verdict == kConvert, page.wanted, 1);
}

// What a step does to a layer of a block, and to the tie. `before` is the life before the step; `without` a
// guard that is left out.
template <class Number>
void touch(Step step, const Life<Number>& before, Guard without, Tie<Number>& tie, Page<Number>& page) {
  const auto held = tie.holds == 1;
  const auto converts = without == Guard::own_blocks_only ? tie.holds == 1 : tie.own == 1;
  switch (step) {
    case Step::launch_layer:
      page.started = choose(converts && before.launched == page.layer, page.started + 1, page.started);
      break;
    case Step::retire_layer:
      page.finished = choose(converts && before.retired == page.layer, page.finished + 1, page.finished);
      break;
    case Step::recompute:
      put_where(tie.own == 1, page.local, 1);
      put_where(tie.own == 1, page.published, 1);
      break;
    case Step::schedule:
      put_where(tie.own == 1, page.published, 1);
      break;
    case Step::free_blocks:
      page.refs = choose(held, page.refs - 1, page.refs);
      put(tie.holds, 0);
      break;
    case Step::end:
      put(tie.own, 0);
      put(tie.shares, 0);
      break;
    default:
      break;
  }
}

}  // namespace pageproof::receive
