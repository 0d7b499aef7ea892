// What must never be, said of a request, of one layer of one block and of one other request that may have
// been given the same block: each rule is a condition that no state may fulfil. They speak of what happened
// to the memory and of what was told to whom, not of how the steps are guarded.
//
//   visit_rules(setting, life, tie, page, other, [&](Rule rule, Truth broken) { ... })
#pragma once

#include "model/receive/life.hpp"

namespace pageproof::receive {

enum class Rule : std::uint8_t {
  unconverted_scheduled,
  unconverted_decoded,
  unread_scheduled,
  freed_while_touched,
  reused_while_held,
  converted_while_read,
  converted_twice,
  match_converted,
  failed_converted,
  failed_scheduled,
  scheduled_before_workers,
  failure_before_reads_end,
  policy_twice,
  rejected_pair_posts,
  unknown_engine_posts,
  zeroed_after_landing,
  stale_scheduled,
  told_before_reads_end,
  told_twice,
};
inline constexpr int kRules = static_cast<int>(Rule::told_twice) + 1;

// What the other request does with the block.
template <class Truth>
struct Other {
  Truth reading;     // a read of it may still write the block
  Truth converting;  // a kernel of it is enqueued on the block
  Truth decoding;    // a decode step of it uses the block
  Truth owns;        // it was given the block to fill, and holds it
};

// The same, of a life and its tie.
template <class Number>
auto other_of(const Life<Number>& life, const Tie<Number>& tie) {
  using Truth = decltype(life.phase == 0);
  const Truth own = tie.own == 1;
  return Other<Truth>{own && life.outstanding > 0, own && life.retired < life.launched,
                      (own || tie.shares == 1) && life.decode != kIdle, own && tie.holds == 1};
}

template <class Number, class Truth, class Visit>
void visit_rules(const Setting<Number>& given, const Life<Number>& s, const Tie<Number>& tie,
                 const Page<Number>& page, const Other<Truth>& other, Visit&& visit) {
  using enum Rule;
  const Other<Truth> self = other_of(s, tie);
  const Truth scheduled = s.phase == kScheduled;
  const Truth from_reads = scheduled && s.recomputed == 0;
  const Truth needs = tie.holds == 1 && page.wanted == 1 && page.local == 0;
  const Truth on_side = given.side == 1;
  // On the step path a conversion that is enqueued comes before the decode step, in stream order.
  visit(unconverted_scheduled,
        scheduled && needs && ((on_side && page.finished < 1) || (!on_side && page.started < 1)));
  visit(unconverted_decoded, s.decode == kRunning && needs && page.finished < 1);
  visit(unread_scheduled, from_reads && (s.posted < s.reads || s.outstanding > 0));
  visit(freed_while_touched, page.refs == 0 && (self.reading || self.converting || self.decoding ||
                                                other.reading || other.converting || other.decoding));
  visit(reused_while_held, self.owns && other.owns);
  visit(converted_while_read, (self.converting || other.converting) && (self.reading || other.reading));
  visit(converted_twice, page.started > 1);
  visit(match_converted, page.refs > 0 && page.wanted == 0 && page.started > 0);
  visit(failed_converted, s.bad == 1 && s.launched > 0);
  visit(failed_scheduled, from_reads && (s.bad == 1 || s.others_bad == 1));
  visit(scheduled_before_workers, scheduled && s.others > 0);
  visit(failure_before_reads_end, s.early == 1);
  visit(policy_twice, s.resolved > 1);
  visit(rejected_pair_posts, s.verdict == kRejected && s.posted > 0);
  visit(unknown_engine_posts, s.outstanding > 0 && s.engine != kReady);
  visit(zeroed_after_landing, s.zero == 1 && s.posted > 0);
  visit(stale_scheduled, from_reads && s.stale == 1);
  visit(told_before_reads_end, s.early_told == 1);
  visit(told_twice, s.frees > 1);
}

}  // namespace pageproof::receive
