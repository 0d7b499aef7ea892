// A prefill/decode deployment as a queueing model sees it: P prefill servers with one queue, a router, a link
// into each decoder, and decoders that look up only between steps. Source: simulation spec §1 F3 to F6, §5.5,
// §6.
#pragma once

#include <cstdint>
#include <optional>

#include "model/serving/model_shape.hpp"
#include "model/serving/setup.hpp"
#include "model/serving/step_time.hpp"

namespace pageproof::serving {

enum class LinkUse : std::uint8_t {
  fair,    // reads in flight share the bandwidth evenly; posting does not use it
  serial,  // one read after another, in order
};

// Into one decoder; each of its ranks has its own.
struct Link {
  double bytes_per_second = 25e9;
  double read_seconds = 50e-6;       // of a read whatever its size
  double descriptor_seconds = 2e-6;  // to post one: 2 to 4 µs on cuda_ipc and PCIe, about 0.1 µs on rc_x
  LinkUse use = LinkUse::fair;
  bool merged = false;           // count descriptors after NIXL joined neighbours
  std::uint32_t run_blocks = 1;  // consecutive block ids, on average
};

enum class Capacity : std::uint8_t {
  queued,   // a request whose prompt and output do not fit waits before its transfer
  refused,  // the run ends with an error
};

inline constexpr std::uint32_t kMostServers = 1024;

struct Deployment {
  ModelShape model;
  Device device;
  std::uint32_t tp = 1;          // of a decoder
  std::uint32_t prefill_tp = 0;  // 0: as the decoder
  std::uint32_t prefill_servers = 1;
  std::uint32_t decoders = 1;
  double prefill_flops_per_second = 0;  // a GPU; 0: the device's
  double handover_seconds = 0;          // router and schedulers between the end of a prefill and its read
  Link link = {};
  std::uint32_t block_tokens = 16;
  std::uint32_t max_num_seqs = 256;
  StepParameters step = {};
  MemoryUse memory = {};
  std::optional<double> kv_capacity_tokens = std::nullopt;  // of a decoder; nothing: from memory
  Capacity capacity = Capacity::queued;
  std::uint32_t scheduler_steps = 0;  // steps that a request waits beyond the boundary at which it is ready:
                                      // 1 with asynchronous scheduling
};

// Of a request's read on one rank.
struct ReadCost {
  std::uint64_t blocks = 0;
  std::uint64_t descriptors = 0;
  double bytes = 0;  // whole blocks
  double post_seconds = 0;
  double wire_seconds = 0;  // alone on the link
};
ReadCost read_cost(const Deployment& deployment, Descriptors descriptors, std::uint32_t input_tokens);

// FLOPs over their rate, times the setup's factor.
double prefill_seconds(const Deployment& deployment, const Setup& setup, double tokens, double cached);

double capacity_tokens(const Deployment& deployment);

// Refused: a number of ranks that the heads do not allow, a count of 0 or above its limit, a rate that is not
// positive.
Expected<void> check(const Deployment& deployment);

}  // namespace pageproof::serving
