// The simulated device: streams of kernels, each carried out in pieces, one after the other within a stream
// and in no order between streams. An event is a place in a stream: it has completed when every kernel in
// front of it has run.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>

namespace pageproof::fuzz_receive {

enum class Stream : std::uint8_t { main, side, zero };
inline constexpr int kStreams = 3;
inline constexpr std::uint32_t kMostBlocks = 16;  // of a request

// Blocks as they were passed at the launch: the kernel keeps its list, whatever happens to the request.
struct Kernel {
  enum class Kind : std::uint8_t { zero, convert, compute, decode };
  Kind kind = Kind::zero;
  std::uint16_t slot = 0;
  std::uint32_t request = 0;
  std::uint16_t layer = 0;     // convert
  std::uint16_t appended = 0;  // compute, decode: tokens that decode steps wrote before
  std::uint16_t at = 0;        // pieces carried out
  std::uint16_t own = 0;       // how many of `blocks` the request fills; the others are its prefix
  std::uint16_t count = 0;
  std::array<std::uint16_t, kMostBlocks> blocks = {};

  void add(std::span<const std::uint16_t> more) {
    for (const std::uint16_t block : more) blocks[count++] = block;
  }
  std::span<const std::uint16_t> all() const { return {blocks.data(), count}; }
};

// Where an event stands in a stream.
struct Ticket {
  Stream stream = Stream::main;
  std::uint64_t behind = 0;  // kernels
};

class Device {
 public:
  void launch(Stream stream, const Kernel& kernel) {
    of(stream).kernels.push_back(kernel);
    ++of(stream).launched;
  }
  Ticket record(Stream stream) const { return {stream, of(stream).launched}; }
  bool completed(const Ticket& ticket) const { return of(ticket.stream).ran >= ticket.behind; }
  bool idle(Stream stream) const { return of(stream).kernels.empty(); }
  Kernel& head(Stream stream) { return of(stream).kernels.front(); }
  void retire(Stream stream) {
    of(stream).kernels.pop_front();
    ++of(stream).ran;
  }

 private:
  struct Queue {
    std::deque<Kernel> kernels;
    std::uint64_t launched = 0;
    std::uint64_t ran = 0;
  };
  Queue& of(Stream stream) { return queues_[static_cast<std::size_t>(stream)]; }
  const Queue& of(Stream stream) const { return queues_[static_cast<std::size_t>(stream)]; }

  std::array<Queue, kStreams> queues_;
};

}  // namespace pageproof::fuzz_receive
