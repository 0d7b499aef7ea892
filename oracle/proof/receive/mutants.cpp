#include "oracle/proof/receive/mutants.hpp"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <string_view>

#include "oracle/proof/receive/engines.hpp"

namespace pageproof::proof::receive_proof {

std::vector<std::string> lines_of(const rx::Found& found) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < found.moves.size(); ++i) {
    const rx::Move& move = found.moves[i];
    const rx::Life<int>& life = found.states[i].lives[move.who];
    lines.push_back(fmt::format("{:<40} {} reads {}/{} outstanding {}, layers {}/{} run {}, decode {}",
                                rx::to_string(move), rx::phase_name(life.phase), life.posted, life.reads,
                                life.outstanding, life.launched, found.states[i].given.layers, life.retired,
                                life.decode));
  }
  return lines;
}

namespace {

constexpr std::uint32_t kDeepest = 40;  // steps of a trace

ReceiveMutant tried(std::string_view name, std::string_view care, std::string_view source,
                    const std::function<rx::Searched()>& search) {
  const auto start = std::chrono::steady_clock::now();
  const rx::Searched searched = search();
  ReceiveMutant mutant;
  mutant.name = name;
  mutant.care = care;
  mutant.source = source;
  mutant.caught = searched.found.has_value();
  if (searched.found) mutant.trace = lines_of(*searched.found);
  mutant.states = searched.states;
  mutant.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return mutant;
}

}  // namespace

ReceiveMutant without(rx::Guard guard, rx::Rule rule) {
  const rx::GuardRow& row = rx::row_of(guard);
  return tried(rx::to_string(guard), row.care, row.source,
               [&] { return rx::search(rule, {guard, {}}, rx::starts_for(guard), kDeepest); });
}

ReceiveMutant never(const rx::EndingRow& row, std::uint32_t seed) {
  const rx::Fault fault{rx::Guard::none, {row.never.begin(), row.never.end()}};
  ReceiveMutant mutant =
      tried(row.name, row.care, row.source, [&] { return rx::search_dead_end(row.stuck, fault, kDeepest); });
  const FactRow progress = progress_row(fault, seed);
  mutant.seconds += progress.seconds;
  mutant.caught = mutant.caught && progress.answer == Answer::sat;
  return mutant;
}

}  // namespace pageproof::proof::receive_proof
