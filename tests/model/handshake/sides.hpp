// Engines of the tests, as parties to a handshake.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "model/handshake/side.hpp"
#include "model/handshake/today.hpp"

namespace pageproof::handshake {

using region::Backend;
using region::Engine;
using region::Layout;

// A small engine with this id: 2 layers, 8 KV heads, D = 128, bf16, 16-token blocks, ROCM_AITER_FA.
inline Engine engine_named(const std::string& id, const std::function<void(Engine&)>& change = {}) {
  Engine engine;
  engine.engine_id = id;
  engine.model.layers = 2;
  if (change) change(engine);
  const auto ok = region::checked(engine, id);
  EXPECT_TRUE(ok.has_value()) << to_string(ok.error());
  return engine;
}

inline EngineSide side(const Engine& engine, Layout layout = Layout::lbhnc) {
  const auto made = side_with_layout(engine, layout);
  EXPECT_TRUE(made.has_value()) << to_string(made.error());
  return *made;
}

inline EngineSide prefill(Layout layout = Layout::lbhnc, const std::function<void(Engine&)>& change = {}) {
  return side(engine_named("prefill", change), layout);
}
inline EngineSide decode(Layout layout = Layout::lbhnc, const std::function<void(Engine&)>& change = {}) {
  return side(engine_named("decode", change), layout);
}

inline void shuffled(Engine& engine) {
  engine.shuffle = true;
}

// "accepted", or where and how it was rejected: "check 10 RuntimeError".
inline std::string verdict(const Attempt& attempt) {
  if (attempt.accepted()) return "accepted";
  return attempt.rejection->at + " " + to_string(attempt.rejection->exception);
}

}  // namespace pageproof::handshake
