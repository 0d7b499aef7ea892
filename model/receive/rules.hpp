// What must never be, said of a request, of its engine, of one layer of one block and of one other request
// that may have been given the same block: each rule is a condition that no state may fulfil. They speak of
// what happened to the memory and of what was told to whom, not of how the steps are guarded.
//
//   visit_rules(setting, life, engine, tie, page, other, [&](Rule rule, Truth broken) { ... })
#pragma once

#include "model/receive/life.hpp"

namespace pageproof::receive {

enum class Rule : std::uint8_t {
  unconverted_scheduled,
  unconverted_decoded,
  unread_scheduled,
  freed_while_touched,
  freed_while_zeroed,
  reused_while_held,
  converted_while_read,
  converted_twice,
  match_converted,
  failed_converted,
  failed_scheduled,
  scheduled_before_workers,
  failure_before_reads_end,
  recomputed_while_touched,
  policy_twice,
  rejected_pair_posts,
  unknown_engine_posts,
  agent_calls_overlap,
  zeroed_after_landing,
  stale_scheduled,
  told_before_reads_end,
  told_twice,
};
inline constexpr int kRules = static_cast<int>(Rule::told_twice) + 1;

// What a request does with the block.
template <class Truth>
struct Other {
  Truth reading;     // a read of it may still write the block
  Truth elsewhere;   // another worker has not reported it, and may still write its part of the block
  Truth zeroing;     // a kernel that zeroes the block for it is enqueued
  Truth converting;  // a kernel that converts the block for it is enqueued
  Truth decoding;    // a decode step of it uses the block
  Truth owns;        // it was given the block to fill, and holds it
};

template <class Number>
auto other_of(const Life<Number>& life, const Tie<Number>& tie) {
  using Truth = decltype(life.phase == 0);
  const Truth own = tie.own == 1;
  return Other<Truth>{own && life.outstanding > 0,
                      own && life.others > 0,
                      own && life.zero == 1,
                      own && life.retired < life.launched,
                      (own || tie.shares == 1) && life.decode != kIdle,
                      own && tie.holds == 1};
}
// Nobody.
template <class Truth>
Other<Truth> nobody(const Truth& no) {
  return {no, no, no, no, no, no};
}

template <class Number, class Truth, class Visit>
void visit_rules(const Setting<Number>& given, const Life<Number>& s, const Engine<Number>& engine,
                 const Tie<Number>& tie, const Page<Number>& page, const Other<Truth>& other, Visit&& visit) {
  using enum Rule;
  const Other<Truth> self = other_of(s, tie);
  const Truth scheduled = s.phase == kScheduled;
  const Truth from_reads = scheduled && s.recomputed == 0;
  const Truth needs = tie.holds == 1 && page.wanted == 1 && page.local == 0;
  const Truth on_side = given.side == 1;
  const auto touches = [](const Other<Truth>& one) {
    return one.reading || one.elsewhere || one.converting || one.decoding;
  };
  // On the step path a conversion that is enqueued comes before the decode step, in stream order.
  visit(unconverted_scheduled,
        scheduled && needs && ((on_side && page.finished < 1) || (!on_side && page.started < 1)));
  visit(unconverted_decoded, s.decode == kRunning && needs && page.finished < 1);
  visit(unread_scheduled, from_reads && (s.posted < s.reads || s.outstanding > 0));
  visit(freed_while_touched, page.refs == 0 && (touches(self) || touches(other)));
  visit(freed_while_zeroed, page.refs == 0 && (self.zeroing || other.zeroing));
  visit(reused_while_held, self.owns && other.owns);
  visit(converted_while_read, (self.converting || other.converting) && (self.reading || other.reading));
  visit(converted_twice, page.started > 1);
  visit(match_converted, page.refs > 0 && page.wanted == 0 && page.started > 0);
  visit(failed_converted, (s.bad == 1 && s.launched > 0) || s.late == 1);
  visit(failed_scheduled, from_reads && (s.bad == 1 || s.others_bad == 1));
  visit(scheduled_before_workers, scheduled && s.others > 0);
  visit(failure_before_reads_end, s.early == 1);
  visit(recomputed_while_touched,
        s.recomputed == 1 && (s.outstanding > 0 || s.retired < s.launched || s.others > 0));
  visit(policy_twice, s.resolved > 1);
  visit(rejected_pair_posts, s.verdict == kRejected && (s.posted > 0 || s.phase == kReading));
  visit(unknown_engine_posts, s.blind == 1 || (s.outstanding > 0 && engine.state != kReady));
  visit(agent_calls_overlap, engine.overlaps == 1);
  visit(zeroed_after_landing, s.zero == 1 && (s.posted > 0 || s.recomputed == 1 || s.decode == kRunning));
  visit(stale_scheduled, from_reads && s.stale == 1);
  visit(told_before_reads_end, s.told == 1 && s.outstanding > 0);
  visit(told_twice, s.frees > 1);
}

}  // namespace pageproof::receive
