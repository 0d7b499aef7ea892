// What may still touch a request's blocks, kept short: on one stream, or in one thread, who waits for the
// later use waits for the earlier one.
#include <algorithm>

#include "reports/receive/checker.hpp"

namespace pageproof::receive_log {

void Checker::add_use(Request& request, Use used) {
  std::vector<Use>& uses = request.uses;
  std::ranges::sort(used.blocks);
  if (used.blocks.empty()) {
    std::erase_if(uses, [&](const Use& earlier) { return earlier.chain == used.chain; });
  } else if (!uses.empty() && uses.back().chain == used.chain && uses.back().blocks == used.blocks) {
    uses.pop_back();
  }
  uses.push_back(std::move(used));
}

// Of blocks that are the request's no more. The others stay, whoever has waited: another thread has not.
void Checker::forget(Request& request, const std::vector<std::uint64_t>& blocks) {
  std::vector<Use> kept;
  std::map<Order::Chain, std::size_t> newest;  // of kept
  for (auto used = request.uses.rbegin(); used != request.uses.rend(); ++used) {
    const bool all = used->blocks.empty();
    std::erase_if(used->blocks, [&](std::uint64_t id) { return std::ranges::binary_search(blocks, id); });
    if (!all && used->blocks.empty()) continue;
    const auto [place, first] = newest.try_emplace(used->chain, kept.size());
    if (!first && !all && std::ranges::includes(kept[place->second].blocks, used->blocks)) continue;
    place->second = kept.size();
    kept.push_back(std::move(*used));
  }
  std::ranges::reverse(kept);
  request.uses = std::move(kept);
}

}  // namespace pageproof::receive_log
