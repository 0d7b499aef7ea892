// The states that a search has reached, packed: 60 bytes a state, with the way back to its start.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "model/receive/moves.hpp"

namespace pageproof::receive {

// A state in half a byte a number: no number of a small request leaves it but those that only count how often
// a fault has struck.
using Key = std::array<std::uint64_t, 6>;

inline Key key_of(const System& system) {
  Key key{};
  std::size_t place = 0;
  visit_numbers(system, [&](const int& number) {
    key[place / 16] |= static_cast<std::uint64_t>(std::min(number, 15)) << (place % 16 * 4);
    ++place;
  });
  return key;
}

inline System system_of(const Key& key, std::size_t count) {
  System system;
  system.count = count;
  std::size_t place = 0;
  visit_numbers(system, [&](int& number) {
    number = static_cast<int>(key[place / 16] >> (place % 16 * 4) & 15);
    ++place;
  });
  return system;
}

// States in the order in which they were reached, each once.
class Reached {
 public:
  struct State {
    Key key;
    std::uint32_t from;
    Move by;
  };
  Reached() : table_(1 << 12) {}

  const std::vector<State>& states() const { return states_; }
  void add(const State& state) {
    if (states_.size() * 2 >= table_.size()) grow();
    std::uint32_t& slot = find(state.key);
    if (slot != 0) return;
    states_.push_back(state);
    slot = static_cast<std::uint32_t>(states_.size());
  }

 private:
  std::uint32_t& find(const Key& key) {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : key) hash = (hash ^ word) * 0x9e3779b97f4a7c15 ^ hash >> 29;
    std::size_t at = hash >> 7 & (table_.size() - 1);
    while (table_[at] != 0 && states_[table_[at] - 1].key != key) at = (at + 1) & (table_.size() - 1);
    return table_[at];
  }
  void grow() {
    table_.assign(table_.size() * 4, 0);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      find(states_[i].key) = static_cast<std::uint32_t>(i + 1);
    }
  }

  std::vector<State> states_;
  std::vector<std::uint32_t> table_;  // 1 + place of a state; 0: none
};

}  // namespace pageproof::receive
