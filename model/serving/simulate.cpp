#include "model/serving/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <deque>

#include "model/serving/decoder.hpp"
#include "model/serving/link.hpp"
#include "model/serving/random.hpp"
#include "model/serving/refusal.hpp"

namespace pageproof::serving {
namespace {

static_assert(sizeof(RequestRecord) == 128 && sizeof(StepRecord) == 32);  // what the limits count with

// The client, the prefill servers, the router and the links; the decoders have a file of their own.
class Run {
 public:
  Run(const Deployment& deployment, const Setup& setup, const StepTime& time, const Load& load,
      const SimulationOptions& options, std::vector<Request> requests)
      : deployment_(deployment),
        setup_(setup),
        options_(options),
        most_in_flight_(load.max_concurrency.value_or(kMostRequests)),
        capacity_(options.fault == Fault::capacity_is_endless ? kNever : capacity_tokens(deployment)),
        requests_(std::move(requests)),
        shared_{deployment, setup, time, options, out_},
        prefill_factor_(noise_factor(options.seed, Stream::prefill_run, 0, options.noise.run)),
        decoder_state_(deployment.decoders) {
    shared_.run_factor = noise_factor(options.seed, Stream::run, 0, options.noise.run);
    shared_.origin = requests_.front().arrival;
    const bool unshared = options.fault == Fault::link_is_unshared;
    for (std::uint32_t i = 0; i < deployment.decoders; ++i) {
      decoders_.emplace_back(shared_, i);
      wires_.emplace_back(deployment.link, !unshared);
    }
    for (std::uint32_t i = 0; i < deployment.prefill_servers; ++i) prefill_free_.push(0);
    out_.requests.resize(requests_.size());
    out_.batch_seconds.resize(deployment.max_num_seqs + std::size_t{1});
    out_.steady_seconds.resize(deployment.max_num_seqs + std::size_t{1});
    out_.kept.resize(options.keep_steps ? deployment.decoders : 0);
  }

  Expected<Simulation> run() {
    while (finished_ < requests_.size()) {
      const double arrival = next_arrival();
      const double prefilled = prefilled_.empty() ? kNever : prefilled_.top().first;
      const auto soonest = [](const auto& a, const auto& b) { return a.next_event() < b.next_event(); };
      const auto wire = std::ranges::min_element(wires_, soonest);
      const auto decoder = std::ranges::min_element(decoders_, soonest);
      const double outside = std::min({arrival, prefilled, wire->next_event()});
      if (outside <= decoder->next_event()) {
        if (arrival == outside) {
          start_request(outside);
        } else if (prefilled == outside) {
          const std::uint64_t request = prefilled_.top().second;
          prefilled_.pop();
          if (const auto ok = wants_room(outside, request); !ok) return std::unexpected(ok.error());
        } else {
          end_reads(outside, static_cast<std::size_t>(wire - wires_.begin()));
        }
        continue;
      }
      double horizon = outside;
      for (const Decoder& other : decoders_) {
        if (&other != &*decoder) horizon = std::min(horizon, other.next_event());
      }
      ended_.clear();
      if (const auto ok = decoder->run(horizon, ended_); !ok) return std::unexpected(ok.error());
      for (const std::uint64_t request : ended_) end_request(request);
      if (options_.keep_steps && out_.steps > kMostKeptSteps) {
        return refuse("detailed run", "steps", std::to_string(out_.steps),
                      fmt::format("more than {}", kMostKeptSteps));
      }
    }
    for (Decoder& decoder : decoders_) decoder.close();
    return std::move(out_);
  }

 private:
  struct DecoderState {
    std::uint64_t in_flight = 0;
    double reserved = 0;  // tokens: prompts and outputs, in whole blocks
    double prompts = 0;   // of these, prompts
  };
  using Timed = std::pair<double, std::uint64_t>;

  double blocks_of(double tokens) const {
    return std::ceil(tokens / deployment_.block_tokens) * deployment_.block_tokens;
  }
  double room_for(const RequestRecord& one) const {
    return blocks_of(static_cast<double>(one.input_tokens) + one.output_tokens);
  }

  // When the client lets the next request in.
  double next_arrival() const {
    if (started_ == requests_.size() || in_flight_ >= most_in_flight_) return kNever;
    return std::max(requests_[started_].arrival, let_in_);
  }

  void start_request(double now) {
    assert(started_ < requests_.size());
    const std::uint64_t index = started_++;
    const Request& request = requests_[index];
    RequestRecord& record = out_.requests[index];
    ++in_flight_;
    record.arrival = request.arrival;
    record.start = now;
    record.input_tokens = request.input_tokens;
    record.output_tokens = request.output_tokens;
    record.prefill_start = std::max(now, prefill_free_.top());
    const double seconds = prefill_seconds(deployment_, setup_, request.input_tokens, request.cached_tokens) *
                           prefill_factor_ *
                           noise_factor(options_.seed, Stream::prefill, index, options_.noise.prefill);
    record.prefill_end = record.prefill_start + seconds;
    prefill_free_.pop();
    prefill_free_.push(record.prefill_end);
    out_.prefill_busy_seconds += seconds;
    out_.prefilled_tokens += request.input_tokens - request.cached_tokens;
    prefilled_.push({record.prefill_end + deployment_.handover_seconds, index});
    if (started_ == requests_.size()) shared_.steady = false;
  }

  // The decoder with fewest requests that has room; nothing where none has.
  std::optional<std::uint32_t> decoder_for(const RequestRecord& record) const {
    std::optional<std::uint32_t> best;
    for (std::uint32_t i = 0; i < decoder_state_.size(); ++i) {
      if (decoder_state_[i].reserved + room_for(record) > capacity_) continue;
      if (!best || decoder_state_[i].in_flight < decoder_state_[*best].in_flight) best = i;
    }
    return best;
  }

  Expected<void> wants_room(double now, std::uint64_t request) {
    const RequestRecord& record = out_.requests[request];
    if (room_for(record) > capacity_) {
      return refuse("KV capacity", fmt::format("tokens of request {}", request),
                    fmt::format("{:.0f}", room_for(record)),
                    fmt::format("a decoder holds {:.0f} tokens", capacity_));
    }
    if (without_room_.empty()) {
      if (const auto decoder = decoder_for(record)) {
        begin_read(now, request, *decoder);
        return {};
      }
    }
    ++out_.capacity_waits;
    const auto prompt_fits = [&](const DecoderState& state) {
      return state.prompts + blocks_of(record.input_tokens) <= capacity_;
    };
    out_.preemption_risks += std::ranges::any_of(decoder_state_, prompt_fits);
    if (deployment_.capacity == Capacity::refused) {
      return refuse("KV capacity", fmt::format("tokens held when request {} came", request),
                    fmt::format("{:.0f}", decoder_state_.front().reserved),
                    fmt::format("no room for its {:.0f} more: a decoder holds {:.0f} tokens",
                                room_for(record), capacity_));
    }
    without_room_.push_back(request);
    return {};
  }

  void begin_read(double now, std::uint64_t request, std::uint32_t decoder) {
    RequestRecord& record = out_.requests[request];
    DecoderState& state = decoder_state_[decoder];
    record.decoder = decoder;
    record.read_start = now;
    ++state.in_flight;
    state.reserved += room_for(record);
    state.prompts += blocks_of(record.input_tokens);
    out_.most_kv_tokens = std::max(out_.most_kv_tokens, state.reserved);
    ReadCost cost = read_cost(deployment_, setup_.descriptors, record.input_tokens);
    if (options_.fault == Fault::descriptors_are_free) cost.post_seconds = 0;
    record.read_posted = wires_[decoder].begin(now, request, cost);
  }

  void end_reads(double now, std::size_t wire) {
    reads_.clear();
    wires_[wire].advance(now, reads_);
    for (const auto& [time, request] : reads_) {
      out_.requests[request].read_end = time;
      decoders_[wire].arrived(time, request);
    }
  }

  void end_request(std::uint64_t request) {
    const RequestRecord& record = out_.requests[request];
    DecoderState& state = decoder_state_[record.decoder];
    --state.in_flight;
    state.reserved -= room_for(record);
    state.prompts -= blocks_of(record.input_tokens);
    --in_flight_;
    let_in_ = std::max(let_in_, record.finish);
    if (finished_++ == 0 && started_ < requests_.size()) shared_.steady = true;
    out_.duration = std::max(out_.duration, record.finish - shared_.origin);
    while (!without_room_.empty()) {
      const auto decoder = decoder_for(out_.requests[without_room_.front()]);
      if (!decoder) break;
      begin_read(record.finish, without_room_.front(), *decoder);
      without_room_.pop_front();
    }
  }

  const Deployment& deployment_;
  const Setup& setup_;
  const SimulationOptions& options_;
  std::uint64_t most_in_flight_;
  double capacity_;
  std::vector<Request> requests_;
  Simulation out_;
  Shared shared_;
  double prefill_factor_;
  std::vector<Decoder> decoders_;
  std::vector<Wire> wires_;
  std::vector<DecoderState> decoder_state_;
  std::priority_queue<double, std::vector<double>, std::greater<>> prefill_free_;  // when each server is free
  std::priority_queue<Timed, std::vector<Timed>, std::greater<>> prefilled_;
  std::deque<std::uint64_t> without_room_;
  std::vector<std::uint64_t> ended_;
  std::vector<Timed> reads_;
  std::uint64_t started_ = 0, in_flight_ = 0, finished_ = 0;
  double let_in_ = 0;  // the last time that somebody left: nobody waiting is let in before
};

Expected<void> check(const Noise& noise) {
  for (const auto& [name, value] :
       {std::pair{"run", noise.run}, {"step", noise.step}, {"prefill", noise.prefill}}) {
    if (!(value >= 0 && value <= 1)) {
      return refuse("noise", name, fmt::format("{}", value), "not a coefficient of variation, 0 to 1");
    }
  }
  return {};
}

}  // namespace

Expected<StepTime> parametric_step_time(const Deployment& d, const Setup& setup) {
  return StepTime::parametric(d.step, setup.kernel, d.model, d.device, d.tp, d.max_num_seqs);
}

Expected<Simulation> simulate(const Deployment& deployment, const Setup& setup, const StepTime& time,
                              const Load& load, const SimulationOptions& options) {
  if (const auto ok = check(deployment); !ok) return std::unexpected(ok.error());
  if (const auto ok = check(options.noise); !ok) return std::unexpected(ok.error());
  if (time.most_batch() < deployment.max_num_seqs) {
    return refuse("step time", "batches", std::to_string(time.most_batch()),
                  fmt::format("max_num_seqs is {}", deployment.max_num_seqs));
  }
  auto requests = make_requests(load, options.seed, options.fault != Fault::gaps_not_rescaled);
  if (!requests) return std::unexpected(requests.error());
  return Run(deployment, setup, time, load, options, *std::move(requests)).run();
}

Expected<Simulation> simulate(const Deployment& deployment, const Setup& setup, const Load& load,
                              const SimulationOptions& options) {
  if (const auto ok = check(deployment); !ok) return std::unexpected(ok.error());
  const auto time = parametric_step_time(deployment, setup);
  if (!time) return std::unexpected(time.error());
  return simulate(deployment, setup, *time, load, options);
}

}  // namespace pageproof::serving
