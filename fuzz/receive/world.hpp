// A decode worker, its transport, its prefills and its device as a world of many requests over a small pool
// of blocks. The world decides nothing: it carries out moves, says whether one can be carried out, and
// watches the rules and the bytes. Bytes move when wire and device move, piece by piece, and never when
// something is posted or launched.
//
// world.cpp: moves. worker.cpp: steps of the model. acts.cpp: what the worker does in them. wire.cpp: READs,
// notices, prefills. execute.cpp: pieces of kernels, and what a decode step reads. watch.cpp: the rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/receive/device.hpp"
#include "fuzz/receive/faults.hpp"
#include "fuzz/receive/happening.hpp"
#include "fuzz/receive/pages.hpp"
#include "fuzz/receive/record.hpp"

namespace pageproof::fuzz_receive {

struct WorldOptions {
  bool side = true;       // conversion on a side stream
  bool deferred = false;  // start_load_kv after the forward pass
  bool bytes = true;
  std::uint32_t slots = 8;
  std::uint32_t blocks = 48;
  std::uint32_t layers = 2;
  std::uint32_t peers = 3;
  rx::Guard without = rx::Guard::none;
  Flaw flaw = Flaw::none;
  bool watches = true;                // false: nothing is reported, the run goes on
  std::optional<rx::Rule> only = {};  // watches this rule alone: of a mutant, the one named for it
  bool bytes_alone = false;           // no rule, only what decode steps read
};

struct Violation {
  std::string name;  // a rule, "bytes", "converter" or "model"
  std::string claim;
  std::string what;  // "request 7 block 3 layer 1"
};

// A READ on its way, or over and not yet seen by the worker.
struct Read {
  enum class State : std::uint8_t { moving, landed, broken };
  std::uint16_t handle = 0;
  std::uint16_t at = 0;         // pieces carried out
  std::uint16_t from_held = 0;  // of these, from pages that the prefill still held
  State state = State::moving;
  std::uint32_t key = 0;  // under which the worker knows the prefill's regions
};
inline constexpr std::uint16_t kReadPieces = 2;

class World {
 public:
  explicit World(const WorldOptions& options, Listener listener = {});

  struct Request {
    rx::Life<int> life{};
    std::uint32_t id = 0;
    bool live = false;
    bool holds = false;
    Prompt prompt;
    std::uint16_t peer = 0;
    std::uint32_t key = 0;  // of the peer's regions, as the handshake told
    std::vector<std::uint16_t> own;
    std::vector<std::uint16_t> shared;
    std::vector<Read> reads;  // not yet seen to end
    // The notice on its way.
    bool sent = false;
    rx::Step notice = rx::Step::tell_prefill;
    std::uint8_t copies = 0;
    // What the worker has to wait for, and whether it has.
    bool zero_seen = false;
    std::optional<Ticket> converted;
    bool conversion_seen = false;
    std::uint16_t steps_unseen = 0;
    std::uint16_t records = 0;
    std::uint16_t appended = 0;  // tokens that decode steps wrote
  };
  struct Block {
    std::vector<rx::Page<int>> layers;
    std::vector<std::uint16_t> slots;  // of the requests tied to it
    Prompt prompt;                     // whose page it holds
    std::uint16_t index = 0;           // which page of it
    bool used = false;
    bool partial = false;  // decode steps write there
  };
  // A prefill, and what the worker knows of it as a remote engine.
  struct Peer {
    bool alive = true;
    std::uint32_t key = 1;  // of its regions
    int outstanding = 0;    // READs from it that the worker has not seen to end
    rx::Engine<int> engine{};
  };

  // False, and nothing done, where the step's place, a guard, the wire or the device does not allow it.
  bool apply(const Record& record);
  // Steps that the worker can take for the slot now, in the order of the table.
  void enabled(std::uint16_t slot, std::vector<rx::Step>& steps) const;
  // A handle that the worker can see to have ended: so, or broken.
  bool can_see(const Request& request, const Read& read, rx::Step step) const;

  const std::optional<Violation>& violation() const { return violation_; }
  const Request& request(std::uint16_t slot) const { return requests_[slot]; }
  const std::vector<Block>& blocks() const { return blocks_; }
  const Peer& peer(std::uint16_t peer) const { return peers_[peer]; }
  const Device& device() const { return device_; }
  const std::optional<Pages>& pages() const { return pages_; }
  const WorldOptions& options() const { return options_; }
  const Tally& tally() const { return tally_; }
  std::uint64_t steps() const { return steps_; }  // of the model
  std::uint64_t pieces() const { return pieces_; }
  std::uint64_t block_lives() const { return block_lives_; }
  std::uint64_t compared_bytes() const { return compared_bytes_; }

 private:
  bool in_force(rx::Guard guard) const { return options_.without != guard; }
  bool arrive(const Record& record);
  rx::Here<int> here(const Request& request) const;
  // Of the model: place and guards hold; with `change` the effect as well.
  bool model(Request& request, rx::Step step, bool change);
  // Place and guards of a step, as far as the worker knows: what the prefill has freed it does not.
  bool may_send(const Request& request, rx::Step step) const;
  void behind(std::uint16_t slot, rx::Step step, const rx::Life<int>& before);
  bool passes(std::uint16_t slot, rx::Step step);  // a step of wire or device, as the model has it

  bool step(const Record& record);
  bool possible(const Request& request, rx::Step step) const;
  bool allocate(Request& request, const Record& record, std::uint16_t slot);
  void act(std::uint16_t slot, rx::Step step, const rx::Life<int>& before, std::uint16_t handle);
  void launch(Request& request, std::uint16_t slot, Kernel::Kind kind, Stream stream, int layer);
  void record_conversion(Request& request, std::uint16_t slot);
  void await_zero(Request& request, std::uint16_t slot);
  void await_conversion(Request& request, std::uint16_t slot);
  void await_steps(Request& request, std::uint16_t slot);
  Stream conversions() const { return options_.side ? Stream::side : Stream::main; }

  bool reachable(const Request& request, const Read& read) const;
  std::pair<std::uint32_t, std::uint32_t> range_of(const Request& request, std::uint16_t handle) const;
  std::span<const std::uint16_t> blocks_of(const Request& request, std::uint16_t handle) const;
  bool piece(const Record& record);
  bool read_breaks(const Record& record);
  bool notice_moves(const Record& record);
  bool peer_changes(const Record& record);

  bool tick(Stream stream);
  void execute(const Kernel& kernel, std::uint32_t from, std::uint32_t to, bool last);
  void compare(const Kernel& kernel, std::uint32_t at);

  void watch(std::uint16_t slot, rx::Step step);
  void watch_block(std::uint16_t slot, std::uint16_t block, bool own);
  void report(std::string name, std::string claim, std::uint32_t request, int block, int layer);
  void tell(Happening happening) const {
    if (listener_) listener_(happening);
  }

  WorldOptions options_;
  Listener listener_;
  rx::Setting<int> setting_;
  std::vector<Request> requests_;
  std::vector<Block> blocks_;
  std::vector<Peer> peers_;
  Device device_;
  std::optional<Pages> pages_;
  std::optional<Violation> violation_;
  Tally tally_;
  std::vector<std::int32_t> ids_;
  std::uint64_t steps_ = 0;
  std::uint64_t pieces_ = 0;
  std::uint64_t block_lives_ = 0;
  std::uint64_t compared_bytes_ = 0;
};

}  // namespace pageproof::fuzz_receive
