// The life of a request's blocks, from allocation to the end, as plain numbers: what one decode worker, the
// prefill and the device know of one request (Life), what the worker knows of the remote engine that all its
// requests share (Engine), how a request is tied to one block (Tie), and what happened to one layer of that
// block (Page). Steps over them: steps.hpp. What must never be: rules.hpp.
//
// Everything is a template over the number type: with plain integers it runs (fuzz/receive), with a solver's
// numbers the same text is proved (oracle/proof/receive). Source: connector spec §5, RFC §4.
#pragma once

#include <cstdint>

#include "model/receive/number.hpp"

namespace pageproof::receive {

// Phase of a request, as the worker sees it (§5.7) until it has reported, then as the scheduler does; the
// names of the spec stand behind.
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

// A remote engine, and the one thread of the worker that makes handshakes with it and with others.
template <class Number>
struct Engine {
  Number state;
  Number losses;  // times that it still becomes absent: evicted, replaced, or a handshake that others began
  Number strangers;  // handshakes with other engines to come
  Number inside;     // 1: the handshake thread is inside the transfer agent, for another engine (H3)
  Number sticky;     // 1: the worker's conversion flag was set by another engine's handshake (T7, H1)
  Number overlaps;   // 1: the main thread called the agent meanwhile
};

template <class Number>
struct Life {
  Number phase;
  Number verdict;
  Number turn;         // of the runner: 0 before the forward pass, 1 after it
  Number zero;         // 1: a kernel that zeroes the new blocks is enqueued and has not run
  Number reads;        // handles that the request needs; 0 where all blocks are here already
  Number posted;       // of these, posted
  Number outstanding;  // of these, neither done nor failed
  Number bad;          // 1: this worker's handshake, a post or a read failed
  Number stale;        // 1: a read ended well after the prefill had freed its pages
  Number early;        // 1: failure was reported while a read was outstanding
  Number blind;        // 1: something was posted to an engine that was not ready
  Number launched;     // layers whose conversion is enqueued
  Number retired;      // layers whose conversion has run
  Number event;        // layers that the recorded event covers
  Number heard;        // 1: this worker has heard that the request was aborted, or failed elsewhere
  Number late;         // 1: it began a conversion after that
  Number others;       // other workers that have not reported
  Number others_bad;   // 1: one of them failed
  Number policy;       // what a failure does: 0 the request fails, 1 it is computed here
  Number resolved;     // times that the policy was applied
  Number recomputed;   // 1: the bytes were computed here
  Number decode;       // of the newest decode step: idle, queued, running
  Number steps;        // decode steps to come
  Number aborted;      // 1: the scheduler has dropped the request; the workers may not know yet
  Number given_back;   // 1: its blocks are back in the pool
  Number prefill;
  Number frees;      // times that the prefill freed the pages during this life
  Number told;       // 1: this request's notice, of its reads or of its abort, was sent
  Number duplicate;  // 1: the notice may come once more
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

}  // namespace pageproof::receive
