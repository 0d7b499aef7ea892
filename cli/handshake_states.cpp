// `pageproof handshake states`: the handshake as a graph of states, today's order and the RFC's.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "reports/structure/words.hpp"

namespace pageproof::cli {
namespace {

using structure::Handshake;
using structure::Order;

std::vector<Handshake> chosen(const std::string& order) {
  std::vector<Handshake> all;
  const bool every = order == "all";
  if (every || order == "today-s0")
    all.push_back(structure::handshake_of(Order::today, region::Behaviour::s0));
  if (every || order == "today") all.push_back(structure::handshake_of(Order::today, region::Behaviour::s2));
  if (every || order == "rfc") all.push_back(structure::handshake_of(Order::proposed, region::Behaviour::s2));
  return all;
}

}  // namespace

Result handshake_states(const HandshakeStatesOptions& options) {
  const std::vector<Handshake> handshakes = chosen(options.order);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Handshake& handshake : handshakes) json.push_back(structure::to_json(handshake));
  Report report{.holds = true, .text = "", .json = one_document({{"handshakes", json}})};
  report.text = options.dot ? structure::to_dot(handshakes.back()) : structure::to_text(handshakes);
  return report;
}

}  // namespace pageproof::cli
