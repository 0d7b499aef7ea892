#include "reports/silent/section9.hpp"

#include <fmt/format.h>

#include <vector>

#include "model/handshake/today.hpp"

namespace pageproof::silent {
namespace {

using region::Backend;
using region::Engine;
using region::Layout;

// A party of the table: Qwen3-8B's shape with two layers, 16-token blocks.
struct Party {
  Backend backend = Backend::rocm_aiter_fa;
  bool shuffle = false;
  std::uint64_t tp_size = 1;
  std::uint64_t kv_heads = 8;
  bool permute = false;
  bool unchecked = false;
};

Engine engine_of(const Party& party, bool decode) {
  Engine engine;
  engine.engine_id = decode ? "decode" : "prefill";
  engine.num_blocks = decode ? kDecodeBlocks : kPrefillBlocks;
  engine.model.layers = 2;
  engine.model.kv_heads = party.kv_heads;
  engine.backend = party.backend;
  engine.platform = region::facts_of(party.backend).platform;
  engine.shuffle = party.shuffle;
  engine.tp_size = party.tp_size;
  engine.enable_permute_local_kv = party.permute;
  engine.enforce_handshake_compat = !party.unchecked;
  return engine;
}

Described pair(const char* name, const Party& prefill, Layout prefill_layout, const Party& decode,
               Layout decode_layout, Fate fate, const char* at = "", bool leaves_permute = false) {
  return {name, engine_of(decode, true), decode_layout, engine_of(prefill, false), prefill_layout, fate,
          at,   leaves_permute};
}

std::vector<Described> table() {
  constexpr Layout kPages = Layout::lbhnc;
  constexpr Layout kPlanes = Layout::lhbnc;
  const Party standard;
  const Party shuffled{.shuffle = true};
  const Party permuting{.shuffle = true, .permute = true};
  const Party standard_of_two{.kv_heads = 2};
  const Party shuffled_of_two{.shuffle = true, .kv_heads = 2};
  const Party shuffled_tp2{.shuffle = true, .tp_size = 2};
  const Party unified{.backend = Backend::rocm_aiter_unified_attn};
  const Party unchecked{.unchecked = true};
  const Party cuda{.backend = Backend::flash_attn};
  return {
      pair("standard LBHNC -> shuffled LBHNC", standard, kPages, shuffled, kPages, Fate::wrong),
      pair("shuffled LBHNC -> standard LBHNC", shuffled, kPages, standard, kPages, Fate::wrong),
      pair("standard LBHNC -> shuffled LHBNC", standard, kPages, shuffled, kPlanes, Fate::rejected,
           "check 10 RuntimeError"),
      pair("standard LBHNC -> shuffled LHBNC, permute", standard, kPages, permuting, kPlanes, Fate::rejected,
           "check 14 AssertionError", true),
      pair("standard LHBNC -> shuffled LHBNC, 8 heads", standard, kPlanes, shuffled, kPlanes, Fate::rejected,
           "check 14 AssertionError"),
      pair("standard LHBNC -> shuffled LHBNC, 2 heads", standard_of_two, kPlanes, shuffled_of_two, kPlanes,
           Fate::wrong),
      pair("shuffled LHBNC -> shuffled LHBNC", shuffled, kPlanes, shuffled, kPlanes, Fate::right),
      pair("shuffled LBHNC -> shuffled LBHNC, more decode ranks", shuffled, kPages, shuffled_tp2, kPages,
           Fate::wrong),
      pair("shuffled LBHNC -> shuffled LBHNC, more prefill ranks", shuffled_tp2, kPages, shuffled, kPages,
           Fate::wrong),
      pair("shuffled LHBNC -> shuffled LHBNC, more decode ranks", shuffled, kPlanes, shuffled_tp2, kPlanes,
           Fate::rejected, "check 12 RuntimeError"),
      pair("AITER unified -> AITER FA", unified, kPages, standard, kPages, Fate::rejected,
           "hash RuntimeError"),
      pair("AITER unified -> AITER FA, hash check off", unified, kPages, unchecked, kPages, Fate::right),
      pair("CUDA FLASH_ATTN -> AITER FA standard LBHNC", cuda, kPages, standard, kPages, Fate::right),
      pair("CUDA FLASH_ATTN -> AITER FA shuffled LBHNC", cuda, kPages, shuffled, kPages, Fate::wrong),
  };
}

std::string told(Fate fate, const std::string& at, bool leaves_permute) {
  if (fate != Fate::rejected) return std::string(to_string(fate));
  return fmt::format("rejected at {}{}", at, leaves_permute ? ", permute flag left on" : "");
}

}  // namespace

std::span<const Described> described_pairs() {
  static const std::vector<Described> all = table();
  return all;
}

Expected<Judged> judged_today(const Engine& decode, Layout decode_layout, const Engine& prefill,
                              Layout prefill_layout) {
  const Expected<Candidate> local = candidate_of(decode, decode_layout);
  if (!local) return std::unexpected(local.error());
  const Expected<Candidate> remote = candidate_of(prefill, prefill_layout);
  if (!remote) return std::unexpected(remote.error());
  const handshake::Attempt attempt = handshake::meet_today(local->side, remote->side);
  Judged out;
  if (!attempt.accepted()) {
    out.at = fmt::format("{} {}", attempt.rejection->at, to_string(attempt.rejection->exception));
    out.leaves_permute = attempt.worker.permute;
    return out;
  }
  Steps steps;
  steps.permutes = attempt.worker.permute;
  steps.repacks = attempt.worker.repack;
  out.bytes = judge_bytes(*local, *remote, remote->side.metadata, steps);
  out.fate = out.bytes.fate;
  return out;
}

std::string to_string(const Judged& judged) {
  return told(judged.fate, judged.at, judged.leaves_permute);
}

std::string said_of(const Described& pair) {
  return told(pair.fate, pair.at, pair.leaves_permute);
}

}  // namespace pageproof::silent
