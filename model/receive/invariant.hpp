// What is true of every life at every time, one line a fact. It is no rule: it is what makes the rules
// follow, step by step. The solver shows that every step keeps it; the simulation asserts it.
//
//   visit_invariant(setting, life, engine, tie, [&](Truth fact) { ... })
#pragma once

#include "model/receive/life.hpp"

namespace pageproof::receive {

template <class Number, class Visit>
void visit_invariant(const Setting<Number>& given, const Life<Number>& s, const Engine<Number>& engine,
                     const Tie<Number>& tie, Visit&& visit) {
  using Truth = decltype(s.phase == 0);
  const auto flag = [&](const Number& number) { visit(number >= 0 && number <= 1); };
  const auto within = [&](const Number& number, const Number& most) { visit(number >= 0 && number <= most); };
  const auto implies = [&](const Truth& condition, const Truth& then) { visit(!condition || then); };
  const auto at = [&](int phase) { return s.phase == phase; };
  // Ranges.
  flag(given.side), flag(given.deferred), visit(given.layers >= 1);
  visit(s.phase >= kFresh && s.phase <= kEnded);
  visit(s.verdict >= kRejected && s.verdict <= kConvert);
  visit(s.decode >= kIdle && s.decode <= kRunning);
  visit(s.prefill >= kHeld && s.prefill <= kExpired);
  flag(s.turn), flag(s.zero), flag(s.bad), flag(s.heard), flag(s.others_bad), flag(s.policy);
  flag(s.resolved), flag(s.recomputed), flag(s.aborted), flag(s.told), flag(s.duplicate), flag(s.frees);
  visit(s.reads >= 0 && s.others >= 0 && s.steps >= 0);
  within(s.posted, s.reads), within(s.outstanding, s.posted);
  within(s.launched, given.layers), within(s.retired, s.launched), within(s.event, s.launched);
  // What never happens.
  visit(s.stale == 0 && s.early == 0 && s.blind == 0 && s.late == 0 && engine.overlaps == 0);
  // The engine.
  visit(engine.state >= kAbsent && engine.state <= kReady);
  visit(engine.losses >= 0 && engine.strangers >= 0);
  flag(engine.inside), flag(engine.sticky);
  implies(s.outstanding > 0, engine.state == kReady && at(kReading));
  // The prefill: freed at most once, and what was told is not followed by a read.
  implies(s.prefill == kHeld, s.frees == 0);
  implies(s.told == 1,
          s.outstanding == 0 && s.phase >= kWaiting && (s.bad == 1 || s.heard == 1 || s.posted == s.reads));
  // By phase.
  implies(at(kFresh), s.zero == 0 && s.bad == 0 && s.heard == 0 && s.others_bad == 0 && s.aborted == 0);
  implies(s.phase <= kWaiting, s.posted == 0);
  implies(s.phase <= kReading, s.launched == 0 && s.decode == kIdle && s.resolved == 0 && s.recomputed == 0);
  implies(at(kReading), s.verdict != kRejected && (s.bad == 1 || s.zero == 0));
  implies(s.posted > 0, s.verdict != kRejected && s.zero == 0);
  implies(s.launched > 0, s.bad == 0 && s.posted == s.reads && s.outstanding == 0 && s.verdict == kConvert);
  const Truth received = s.bad == 0 && s.posted == s.reads && s.outstanding == 0;
  implies(s.phase >= kConverting && s.phase <= kReported,
          received && s.zero == 0 && s.resolved == 0 && s.recomputed == 0);
  implies(at(kConverting) || at(kRecorded), s.verdict == kConvert);
  implies(at(kRecorded), s.event == given.layers);
  const Truth ready = received && ((s.verdict == kMatch && s.launched == 0) ||
                                   (s.verdict == kConvert && s.launched == given.layers &&
                                    (given.side == 0 || s.retired == given.layers)));
  implies(at(kReported), ready);
  implies(at(kScheduled),
          s.others == 0 && s.zero == 0 && (s.recomputed == 1 || (ready && s.others_bad == 0)));
  const Truth quiet = given.side == 0 || s.retired == s.launched;
  implies(at(kFailed), s.outstanding == 0 && quiet && s.resolved == 0 && s.recomputed == 0);
  implies(at(kRecomputing),
          s.outstanding == 0 && quiet && s.resolved == 1 && s.others == 0 && s.recomputed == 0);
  implies(s.phase >= kConverting && s.phase <= kFailed, s.decode == kIdle || at(kScheduled));
  implies(at(kRecomputing), s.decode == kIdle);
  implies(s.decode != kIdle, s.zero == 0 && (s.recomputed == 1 || ready));
  implies(s.recomputed == 1, s.outstanding == 0 && s.retired == s.launched && s.others == 0 && s.zero == 0 &&
                                 s.phase >= kScheduled);
  // Somebody can tell the prefill, whatever became of the request.
  implies(s.phase >= kConverting, s.outstanding == 0 && (s.bad == 1 || s.heard == 1 || s.posted == s.reads));
  visit((s.given_back == 1 && s.phase >= kFreed) || (s.given_back == 0 && s.phase < kFreed));
  implies(s.phase >= kFreed, s.others == 0 && s.retired == s.launched && s.decode == kIdle && s.zero == 0);
  // The tie.
  flag(tie.own), flag(tie.shares), flag(tie.holds);
  visit(tie.own == 0 || tie.shares == 0);
  implies(tie.own == 1 || tie.shares == 1, s.phase >= kWaiting && s.phase <= kFreed);
  const Truth between = s.phase >= kWaiting && s.phase <= kDraining;
  implies(tie.holds == 1, between && (tie.own == 1 || tie.shares == 1));
  implies(between && (tie.own == 1 || tie.shares == 1), tie.holds == 1);
}

// What is true of a block, and of its ties to a request and to any other.
template <class Number, class Visit>
void visit_block_invariant(const Setting<Number>& given, const Page<Number>& page, const Life<Number>& a,
                           const Tie<Number>& tie_a, const Life<Number>& b, const Tie<Number>& tie_b,
                           Visit&& visit) {
  using Truth = decltype(page.refs == 0);
  const auto flag = [&](const Number& number) { visit(number >= 0 && number <= 1); };
  const auto implies = [&](const Truth& condition, const Truth& then) { visit(!condition || then); };
  flag(page.published), flag(page.started), flag(page.wanted), flag(page.local);
  visit(page.finished >= 0 && page.finished <= page.started);
  visit(page.layer >= 0 && page.layer < given.layers);
  visit(page.refs == tie_a.holds + tie_b.holds);
  const Truth owned_by_a = tie_a.own == 1 && tie_a.holds == 1;
  const Truth owned_by_b = tie_b.own == 1 && tie_b.holds == 1;
  visit(!(owned_by_a && owned_by_b));
  // Whoever fills the block: its progress is the block's.
  const auto owner = [&](const Truth& owns, const Life<Number>& s) {
    implies(owns, (page.wanted == 1) == (s.verdict == kConvert));
    implies(owns, (page.started == 1) == (s.launched > page.layer));
    implies(owns, (page.finished == 1) == (s.retired > page.layer));
    implies(owns, page.local == s.recomputed);
    implies(owns && page.published == 1,
            s.outstanding == 0 && (s.phase == kScheduled || s.phase == kDraining));
  };
  owner(owned_by_a, a);
  owner(owned_by_b, b);
  // Stream order, or the event.
  const Truth usable = page.wanted == 0 || page.local == 1 || page.finished == 1;
  implies(a.decode == kRunning && tie_a.holds == 1, usable);
  implies(b.decode == kRunning && tie_b.holds == 1, usable);
  implies(!owned_by_a && !owned_by_b, page.started == page.finished);
  implies(page.published == 1, page.local == 1 || page.wanted == 0 ||
                                   (page.started == 1 && (given.side == 0 || page.finished == 1)));
  implies(page.wanted == 0, page.started == 0);
  implies((tie_a.shares == 1 && tie_a.holds == 1) || (tie_b.shares == 1 && tie_b.holds == 1),
          page.published == 1);
}

}  // namespace pageproof::receive
