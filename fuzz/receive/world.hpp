// A decode worker, its transport and its device as a world of many requests over a small pool of blocks. The
// world decides nothing: it carries out records (who takes which step, with which blocks), says whether one
// can be carried out, and watches the rules and the bytes. So a run is its records, and any part of them is a
// run too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/receive/pages.hpp"
#include "model/receive/block_steps.hpp"
#include "model/receive/names.hpp"

namespace pageproof::fuzz_receive {

namespace rx = pageproof::receive;

// One step of one request. `arrival`: a new request with this life comes to the slot.
struct Record {
  std::uint32_t request = 0;
  std::uint16_t slot = 0;
  bool arrival = false;
  rx::Step step = rx::Step::forward;
  std::uint16_t handle = 0;                // of read_ends and read_fails: which outstanding one
  std::vector<std::uint16_t> own = {};     // allocate: blocks to fill
  std::vector<std::uint16_t> shared = {};  // allocate: blocks that are here already
  std::optional<rx::Life<int>> life = {};  // arrival
};

struct WorldOptions {
  bool side = true;       // conversion on a side stream
  bool deferred = false;  // start_load_kv after the forward pass
  bool bytes = true;
  std::uint32_t slots = 8;
  std::uint32_t blocks = 48;
  std::uint32_t layers = 2;
  std::uint32_t engines = 2;      // remote ones; a slot's requests all go to the same
  int engine_state = rx::kReady;  // of each, at the start
  rx::Guard without = rx::Guard::none;
  std::optional<rx::Rule> only = {};  // watches this rule alone: of a mutant, the one named for it
  bool converts_a_copy = false;       // the kernels convert a copy of the pool that nobody reads
  bool bytes_alone = false;           // no rule, only what decode steps read
};

struct Violation {
  std::string name;  // a rule, or "bytes"
  std::string claim;
  std::string what;  // "request 7 block 3 layer 1"
};

class World {
 public:
  explicit World(const WorldOptions& options);

  struct Request {
    rx::Life<int> life{};
    std::uint32_t id = 0;
    bool live = false;
    std::vector<std::uint16_t> own;
    std::vector<std::uint16_t> shared;
    std::vector<std::uint16_t> salts_shared;  // [shared][layer] flat: of whoever filled the block
    std::vector<std::uint16_t> outstanding;   // handles
    bool holds = false;
  };
  struct Block {
    std::vector<rx::Page<int>> layers;
    std::vector<std::uint16_t> slots;  // of the requests tied to it
    std::vector<std::uint16_t> salts;  // a layer
    bool landed = false;               // bytes stay as they land: a matching pair's
    bool partial = false;              // the last of its request: decode steps write there
    bool appended = false;             // one has
  };

  // False, and nothing done, where the step's place or a guard does not allow it.
  bool apply(const Record& record);
  // Steps that the slot can take now, in the order of the table.
  void enabled(std::uint16_t slot, std::vector<rx::Step>& steps) const;

  const std::optional<Violation>& violation() const { return violation_; }
  const Request& request(std::uint16_t slot) const { return requests_[slot]; }
  const std::vector<Block>& blocks() const { return blocks_; }
  const rx::Engine<int>& engine_of(std::uint16_t slot) const { return engines_[slot % engines_.size()]; }
  const WorldOptions& options() const { return options_; }
  std::uint64_t block_lives() const { return block_lives_; }
  std::uint64_t compared_bytes() const { return compared_bytes_; }

 private:
  rx::Here<int> here(std::uint16_t slot) const;
  bool settled(const Request& request) const;
  bool allocate(Request& request, const Record& record, std::uint16_t slot);
  void move_bytes(rx::Step step, const Request& request, const rx::Life<int>& before, std::uint16_t handle);
  void compare(const Request& request);
  void watch(std::uint16_t slot, rx::Step step);
  void watch_block(std::uint16_t slot, std::uint16_t block, bool own);
  void report(std::string name, std::string claim, const Request& request, int block, int layer);

  WorldOptions options_;
  rx::Setting<int> setting_;
  std::vector<rx::Engine<int>> engines_;
  std::vector<Request> requests_;
  std::vector<Block> blocks_;
  std::optional<Pages> pages_;
  std::optional<Violation> violation_;
  std::vector<std::int32_t> ids_;
  std::uint64_t block_lives_ = 0;
  std::uint64_t compared_bytes_ = 0;
};

}  // namespace pageproof::fuzz_receive
