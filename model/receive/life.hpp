// The life of a request's blocks, from allocation to the end, as plain numbers: what one decode worker, the
// prefill and the device know of one request (Life), how the request is tied to one block (Tie), and what
// happened to one layer of that block (Page). Steps over them: steps.hpp. What must never be: rules.hpp.
//
// Everything is a template over the number type: with plain integers it runs (fuzz/receive), with a solver's
// numbers the same text is proved (oracle/proof/receive). Source: connector spec §5, RFC §4.
#pragma once

#include <cstdint>

namespace pageproof::receive {

// Phase of a request, as the worker sees it (§5.7); the names of the spec stand behind.
inline constexpr int kFresh = 0;        // NEW, no blocks
inline constexpr int kWaiting = 1;      // blocks allocated; WAIT_HS, READY_Q
inline constexpr int kReading = 2;      // POST, XFER
inline constexpr int kConverting = 3;   // RECEIVED, conversion being launched layer by layer
inline constexpr int kRecorded = 4;     // every layer launched, event recorded
inline constexpr int kReported = 5;     // REPORTED_OK by this worker
inline constexpr int kScheduled = 6;    // a decode step may use the blocks
inline constexpr int kFailed = 7;       // REPORTED_FAIL: by this worker or by another one
inline constexpr int kRecomputing = 8;  // the prompt is prefilled here, into the same blocks
inline constexpr int kDraining = 9;     // finished, preempted, aborted or failed: to be freed
inline constexpr int kFreed = 10;       // blocks given back; the prefill may still hold its pages
inline constexpr int kEnded = 11;
inline constexpr int kPhases = 12;

// The remote engine (§5.7). `done`: the handshake's future is done and its callback has not run (hazard H2).
inline constexpr int kAbsent = 0;
inline constexpr int kPending = 1;
inline constexpr int kDone = 2;
inline constexpr int kReady = 3;

// Verdict of the negotiation.
inline constexpr int kRejected = 0;
inline constexpr int kMatch = 1;    // equal formats: the bytes are used as they land
inline constexpr int kConvert = 2;  // standard into shuffled

// The request's pages at the prefill.
inline constexpr int kHeld = 0;
inline constexpr int kTold = 1;     // freed: a notice said that the reads have ended
inline constexpr int kExpired = 2;  // freed: the lease ran out, or the prefill died

inline constexpr int kIdle = 0;
inline constexpr int kQueued = 1;
inline constexpr int kRunning = 2;

// What is given. Flags are 0 or 1.
template <class Number>
struct Setting {
  Number side;      // conversion on a side stream with an event, else on the step path
  Number deferred;  // start_load_kv after the forward pass, else before it
  Number layers;    // at least 1
};

template <class Number>
struct Life {
  Number phase;
  Number verdict;
  Number engine;
  Number turn;         // of the runner: 0 before the forward pass, 1 after it
  Number zero;         // 1: a kernel that zeroes the new blocks is enqueued and has not run
  Number reads;        // handles that the request needs; 0 where all blocks are here already
  Number posted;       // of these, posted
  Number outstanding;  // of these, neither done nor failed
  Number bad;          // 1: this worker's handshake, a post or a read failed
  Number stale;        // 1: a read ended well after the prefill had freed its pages
  Number early;        // 1: failure was reported while a read was outstanding
  Number launched;     // layers whose conversion is enqueued
  Number retired;      // layers whose conversion has run
  Number event;        // layers that the recorded event covers
  Number others;       // other workers that have not reported
  Number others_bad;   // 1: one of them failed
  Number policy;       // what a failure does: 0 the request fails, 1 it is computed here
  Number resolved;     // times that the policy was applied
  Number recomputed;   // 1: the bytes were computed here
  Number decode;       // of the newest decode step: idle, queued, running
  Number steps;        // decode steps to come
  Number prefill;
  Number frees;       // times that the prefill freed the pages
  Number early_told;  // 1: a notice was sent while a read was outstanding
  Number duplicate;   // 1: the notice may come once more
};

// A request and one block.
template <class Number>
struct Tie {
  Number own;     // 1: the request's reads and conversion go to the block
  Number shares;  // 1: the request uses it as a prefix. Both stay until the request has ended
  Number holds;   // 1: counted in the block's references
};

// One layer of one block, since its last allocation.
template <class Number>
struct Page {
  Number layer;
  Number refs;       // requests that hold the block; 0: in the pool
  Number published;  // 1: another request may share it as a prefix
  Number started;    // conversions enqueued
  Number finished;   // conversions that have run
  Number wanted;     // 1: what lands in it has to be converted
  Number local;      // 1: the bytes were written here, by a prefill
};

// Every field with its name, so that a solver's variables and a trace need no list of their own.
template <class Of, class Visit>
void visit_fields_of_life(Of& life, Visit&& visit) {
  visit("phase", life.phase), visit("verdict", life.verdict), visit("engine", life.engine);
  visit("turn", life.turn), visit("zero", life.zero), visit("reads", life.reads);
  visit("posted", life.posted), visit("outstanding", life.outstanding), visit("bad", life.bad);
  visit("stale", life.stale), visit("early", life.early), visit("launched", life.launched);
  visit("retired", life.retired), visit("event", life.event), visit("others", life.others);
  visit("others_bad", life.others_bad), visit("policy", life.policy), visit("resolved", life.resolved);
  visit("recomputed", life.recomputed), visit("decode", life.decode), visit("steps", life.steps);
  visit("prefill", life.prefill), visit("frees", life.frees), visit("early_told", life.early_told);
  visit("duplicate", life.duplicate);
}
template <class Of, class Visit>
void visit_fields_of_tie(Of& tie, Visit&& visit) {
  visit("own", tie.own), visit("shares", tie.shares), visit("holds", tie.holds);
}
template <class Of, class Visit>
void visit_fields_of_page(Of& page, Visit&& visit) {
  visit("layer", page.layer), visit("refs", page.refs), visit("published", page.published);
  visit("started", page.started), visit("finished", page.finished), visit("wanted", page.wanted);
  visit("local", page.local);
}
template <class Of, class Visit>
void visit_fields_of_setting(Of& setting, Visit&& visit) {
  visit("side", setting.side), visit("deferred", setting.deferred), visit("layers", setting.layers);
}

// What the text needs of a number type beside its operators: a literal, and a choice between two numbers.
template <class Number>
struct Arithmetic {
  static Number literal(const Number&, int value) { return static_cast<Number>(value); }
  static Number choose(bool condition, const Number& yes, const Number& no) { return condition ? yes : no; }
};

template <class Number>
void put(Number& place, int value) {
  place = Arithmetic<Number>::literal(place, value);
}
template <class Truth, class Number>
Number choose(const Truth& condition, const Number& yes, const Number& no) {
  return Arithmetic<Number>::choose(condition, yes, no);
}
template <class Truth, class Number>
void put_where(const Truth& condition, Number& place, int value) {
  place = choose(condition, Arithmetic<Number>::literal(place, value), place);
}

}  // namespace pageproof::receive
