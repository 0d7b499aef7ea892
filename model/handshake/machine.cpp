#include "model/handshake/machine.hpp"

#include <array>

namespace pageproof::handshake {

std::string_view to_string(Mark mark) {
  constexpr std::array<std::string_view, 12> names = {
      "the topology entry of the engine id: its sizes win on every later attempt",
      "the TP mapping",
      "a loaded NIXL agent",
      "the recorded block count, groups and memory types: check 15 compares with them ever after",
      "the base addresses of the rank",
      "the permute flag, of the worker and for all its remotes, never cleared",
      "the CPU_ATTN repack flag, of the worker and for all its remotes, never cleared",
      "a local descriptor list in the remote's block size",
      "local descriptor lists split over source ranks",
      "the descriptor list of the rank",
      "the engine's ranks are ready",
      "the acceptance of this remote engine",
  };
  return names[static_cast<std::size_t>(mark)];
}

}  // namespace pageproof::handshake
