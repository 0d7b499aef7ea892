// One decoder: a loop of steps that looks up only between them. Private to the simulation.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "model/serving/refusal.hpp"
#include "model/serving/simulate.hpp"

namespace pageproof::serving {

// What all decoders of a run share.
struct Shared {
  const Deployment& deployment;
  const Setup& setup;
  const StepTime& time;
  const SimulationOptions& options;
  Simulation& out;
  double run_factor = 1;  // of every step
  double origin = 0;      // the first request's start, from which the seconds of the run count
  bool steady = false;    // between the first finish and the last start
  std::uint64_t second = 0, tokens_in_second = 0;
};

class Decoder {
 public:
  Decoder(Shared& shared, std::uint32_t number) : shared_(shared), number_(number) {}

  // A read ended. Seen at the next boundary, at once where the decoder is idle.
  void arrived(double now, std::uint64_t request);

  double next_event() const { return next_; }  // infinity: idle, nothing to wait for

  // The boundary at next_event(), the step that begins there, and further steps as long as they end before
  // `horizon` and nothing but tokens happens. Adds the requests that finished. @pre next_event() <= horizon
  Expected<void> run(double horizon, std::vector<std::uint64_t>& finished);

  // No more steps: counts the gaps of the last one.
  void close() { count_gaps(0); }

 private:
  struct Waiting {
    double converted;        // `side`: its event
    std::uint64_t boundary;  // the first at which it may join
    std::uint64_t request;
  };
  struct Finish {
    std::uint64_t step, request;
    bool operator>(const Finish& o) const { return step != o.step ? step > o.step : request > o.request; }
  };

  void end_step(double now, std::vector<std::uint64_t>& finished);
  void notice(double now);
  void ready_from_wait(double now);
  void join(double now);
  Expected<void> begin_step(double now);
  Expected<void> plain_steps(double horizon);
  Expected<void> not_too_long() const;
  void count_step(double end, double seconds);
  void count_gaps(std::uint32_t joins_after);
  double noise_of(std::uint64_t step) const;

  Shared& shared_;
  std::uint32_t number_;
  double next_ = kNever;
  bool in_step_ = false;

  std::vector<std::uint64_t> arrived_;  // reads that have ended, not noticed
  std::vector<Waiting> waiting_;        // noticed; their event or their scheduler step is to come
  std::deque<std::uint64_t> ready_;     // may join
  std::vector<std::uint64_t> joining_;  // in the step in progress, without a token yet
  std::priority_queue<Finish, std::vector<Finish>, std::greater<>> finishes_;

  std::uint32_t batch_ = 0;
  double context_ = 0;      // tokens, all running requests
  std::uint64_t step_ = 0;  // number of the step in progress, or of the next
  double step_start_ = 0;
  double step_seconds_ = 0;   // of the step in progress
  double stall_ = 0;          // conversions on its path
  double side_free_ = 0;      // when the stream of conversions is idle again
  double side_slowdown_ = 0;  // of steps meanwhile: the share of bandwidth they lose

  struct {
    double seconds = 0;
    std::uint32_t gaps = 0, joins = 0;
  } last_;  // the step whose gaps are not counted yet
};

}  // namespace pageproof::serving
