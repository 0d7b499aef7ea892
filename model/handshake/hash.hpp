// The compatibility hash: sha256 over the JSON of a few facts about an engine, compared before anything else
// is decoded. What it does not cover decides what can go wrong after it matched: no layout, no block size, no
// parallel size, no page format, and the backend only by a name that two backends share. Source: connector
// spec §1.4.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "model/region/engine.hpp"

namespace pageproof::handshake {

// Does the first backend's name belong to the factors? As it is: yes. Once page formats are negotiated it
// need not be (the RFC's second decision).
enum class BackendInHash : std::uint8_t { yes, no };

// The factors by name. S0 has cross_layers_blocks besides.
nlohmann::json hash_factors(const region::Engine& engine, BackendInHash backend = BackendInHash::yes);

// json.dumps(factors, sort_keys=True) of Python: separators ", " and ": ", all but printable ASCII escaped.
// @pre built of null, booleans, whole numbers, strings, arrays and objects, 16 levels deep at most
std::string python_json(const nlohmann::json& value);

std::string sha256_hex(std::string_view bytes);
std::string compatibility_hash(const nlohmann::json& factors);  // 64 lower-case hex digits

// A factor that two engines do not share, as JSON text; "(absent)" where one side has no such factor.
struct FactorDifference {
  std::string name;
  std::string local;
  std::string remote;

  friend bool operator==(const FactorDifference&, const FactorDifference&) = default;
};
std::vector<FactorDifference> differences(const nlohmann::json& local, const nlohmann::json& remote);

}  // namespace pageproof::handshake
