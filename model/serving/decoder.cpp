#include "model/serving/decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/serving/random.hpp"

namespace pageproof::serving {
namespace {

// Conversions that begin together: one after another, each done when its bytes have moved.
class Conversions {
 public:
  Conversions(const Converter& converter, std::uint32_t layers, bool free)
      : converter_(converter),
        launches_(conversion_launch_seconds(converter, layers)),
        layers_(layers),
        free_(free) {}

  // Seconds from the beginning until this one is done too.
  double add(double kv_bytes) {
    if (free_) return 0;
    if (!converter_.coalesced) return total_ += conversion_seconds(converter_, kv_bytes, layers_);
    bytes_ += conversion_bytes_seconds(converter_, kv_bytes);
    return total_ = converter_.launches_overlap ? std::max(bytes_, launches_) : bytes_ + launches_;
  }
  double total() const { return total_; }

 private:
  const Converter& converter_;
  double launches_;
  std::uint32_t layers_;
  bool free_;
  double bytes_ = 0;
  double total_ = 0;
};

}  // namespace

void Decoder::arrived(double now, std::uint64_t request) {
  arrived_.push_back(request);
  if (!in_step_) next_ = now;
}

double Decoder::noise_of(std::uint64_t step) const {
  return noise_factor(shared_.options.seed, Stream::step, step * kMostServers + number_,
                      shared_.options.noise.step);
}

Expected<void> Decoder::run(double horizon, std::vector<std::uint64_t>& finished) {
  const double now = next_;
  if (in_step_) end_step(now, finished);
  ready_from_wait(now);
  notice(now);
  join(now);
  if (const auto ok = begin_step(now); !ok) return ok;
  const bool quiet = in_step_ && joining_.empty() && arrived_.empty() && waiting_.empty() && stall_ == 0 &&
                     side_free_ <= now && (ready_.empty() || batch_ == shared_.deployment.max_num_seqs);
  if (quiet && finished.empty()) return plain_steps(horizon);
  return {};
}

// Reads whose event has completed, or whose scheduler steps have passed. An idle decoder has no steps to wait
// for.
void Decoder::ready_from_wait(double now) {
  const auto ready = [&](const Waiting& one) {
    return one.converted <= now && (one.boundary <= step_ || (batch_ == 0 && stall_ == 0));
  };
  std::erase_if(waiting_, [&](const Waiting& one) {
    if (!ready(one)) return false;
    ready_.push_back(one.request);
    return true;
  });
}

void Decoder::notice(double now) {
  stall_ = 0;
  if (arrived_.empty()) return;
  const Converter& converter = shared_.setup.converter;
  const Deployment& deployment = shared_.deployment;
  const double begin = converter.where == Conversion::side ? std::max(now, side_free_) : now;
  Conversions conversions(converter, deployment.model.layers,
                          shared_.options.fault == Fault::conversion_is_free);
  double bytes = 0;
  for (const std::uint64_t request : arrived_) {
    RequestRecord& record = shared_.out.requests[request];
    record.noticed = record.converted = now;
    const double own = read_cost(deployment, shared_.setup.descriptors, record.input_tokens).bytes;
    bytes += own;
    const std::uint64_t boundary = step_ + deployment.scheduler_steps;
    if (converter.where == Conversion::none) {
      if (deployment.scheduler_steps == 0) {
        ready_.push_back(request);
      } else {
        waiting_.push_back({now, boundary, request});
      }
      continue;
    }
    const double done = begin + conversions.add(own);
    if (converter.where == Conversion::side && shared_.options.fault != Fault::side_joins_at_once) {
      record.converted = done;
      waiting_.push_back({done, step_ + 1 + deployment.scheduler_steps, request});
    } else if (deployment.scheduler_steps == 0) {
      ready_.push_back(request);
    } else {
      record.converted = done;
      waiting_.push_back({now, boundary, request});
    }
  }
  arrived_.clear();
  shared_.out.converting_seconds += conversions.total();
  if (converter.where == Conversion::none) return;
  if (converter.where == Conversion::side) {
    side_free_ = begin + conversions.total();
    const double rate = conversions.total() > 0 ? converter.traffic * bytes / conversions.total() : 0;
    side_slowdown_ =
        std::min(0.99, converter.step_interference * rate / deployment.device.memory_bytes_per_second);
  } else {
    stall_ = conversions.total();
  }
}

void Decoder::join(double now) {
  while (!ready_.empty() && batch_ < shared_.deployment.max_num_seqs) {
    const bool newest = shared_.options.fault == Fault::newest_first;
    const std::uint64_t request = newest ? ready_.back() : ready_.front();
    newest ? ready_.pop_back() : ready_.pop_front();
    RequestRecord& record = shared_.out.requests[request];
    record.joined = now;
    record.first_step = step_;
    ++batch_;
    context_ += record.input_tokens;
    joining_.push_back(request);
    finishes_.push({step_ + record.output_tokens - 1, request});
  }
}

// Where nothing runs, the loop of the engine turns without steps, and sees an event as it completes.
Expected<void> Decoder::begin_step(double now) {
  in_step_ = batch_ > 0 || stall_ > 0;
  if (!in_step_) {
    count_gaps(0);
    next_ = kNever;
    for (const Waiting& one : waiting_) next_ = std::min(next_, std::max(now, one.converted));
    return {};
  }
  double seconds = 0;
  if (batch_ > 0) {
    seconds = shared_.time.seconds(batch_, context_);
    if (!(seconds > 0)) return std::unexpected(shared_.time.outside(batch_, context_));
    seconds *= shared_.run_factor * noise_of(step_);
  }
  if (side_free_ > now) {  // slower until the conversions beside it are done
    const double beside = side_free_ - now;
    const bool throughout = seconds <= beside * (1 - side_slowdown_);
    seconds = throughout ? seconds / (1 - side_slowdown_) : seconds + beside * side_slowdown_;
  }
  for (const std::uint64_t request : joining_) shared_.out.requests[request].stall = stall_;
  step_start_ = now;
  step_seconds_ = stall_ + seconds;
  next_ = now + step_seconds_;
  return not_too_long();
}

void Decoder::end_step(double now, std::vector<std::uint64_t>& finished) {
  if (shared_.options.fault == Fault::joins_mid_step) {
    for (const std::uint64_t request : arrived_) {
      RequestRecord& record = shared_.out.requests[request];
      record.noticed = record.converted = step_start_;
      ready_.push_back(request);
    }
    arrived_.clear();
    join(step_start_);
  }
  count_step(now, step_seconds_);
  for (const std::uint64_t request : joining_) shared_.out.requests[request].first_token = now;
  joining_.clear();
  if (shared_.options.fault != Fault::context_stands_still) context_ += batch_;
  while (!finishes_.empty() && finishes_.top().step == step_) {
    const std::uint64_t request = finishes_.top().request;
    RequestRecord& record = shared_.out.requests[request];
    finishes_.pop();
    record.finish = now;
    --batch_;
    context_ -= record.input_tokens;
    if (shared_.options.fault != Fault::context_stands_still) context_ -= record.output_tokens;
    finished.push_back(request);
  }
  if (batch_ == 0) context_ = 0;
  ++step_;
}

// Steps in which nobody joins or leaves. The one in progress is the first.
Expected<void> Decoder::plain_steps(double horizon) {
  const std::uint64_t leave = finishes_.top().step;
  const double until = std::min(horizon, kLongestRun);
  const double grow = shared_.options.fault == Fault::context_stands_still ? 0 : batch_;
  while (step_ != leave && next_ < until) {
    count_step(next_, step_seconds_);
    ++step_;
    context_ += grow;
    step_start_ = next_;
    step_seconds_ = shared_.time.seconds(batch_, context_) * shared_.run_factor * noise_of(step_);
    next_ = step_start_ + step_seconds_;
    if (!(step_seconds_ > 0)) return std::unexpected(shared_.time.outside(batch_, context_));
  }
  return not_too_long();
}

Expected<void> Decoder::not_too_long() const {
  if (next_ <= kLongestRun) return {};
  return refuse("simulation", "time", fmt::format("{:g} s", next_),
                fmt::format("more than {:g} s", kLongestRun));
}

void Decoder::count_step(double end, double seconds) {
  Simulation& out = shared_.out;
  const auto joins = static_cast<std::uint32_t>(joining_.size());
  count_gaps(joins);
  last_ = {seconds, batch_ - joins, joins};
  ++out.steps;
  out.steps_with_conversion += stall_ > 0;
  out.steps_with_join += joins > 0;
  out.tokens += batch_;
  out.batch_seconds[batch_] += seconds;
  if (shared_.steady) out.steady_seconds[batch_] += seconds;
  out.busy_seconds += seconds;
  out.running_seconds += seconds * batch_;
  const auto second = static_cast<std::uint64_t>(end - shared_.origin);
  if (second != shared_.second) shared_.tokens_in_second = 0;
  shared_.second = second;
  shared_.tokens_in_second += batch_;
  out.most_tokens_a_second = std::max(out.most_tokens_a_second, shared_.tokens_in_second);
  if (shared_.options.keep_steps) out.kept[number_].push_back({step_start_, seconds, stall_, batch_, joins});
}

void Decoder::count_gaps(std::uint32_t joins_after) {
  if (last_.gaps > 0) {
    GapHistogram& gaps = last_.joins > 0 || joins_after > 0 ? shared_.out.interfered : shared_.out.clean;
    gaps.add(last_.seconds, last_.gaps);
  }
  last_ = {};
}

}  // namespace pageproof::serving
