#include "golden/handshake/given.hpp"

#include "model/handshake/wire.hpp"

namespace pageproof::golden {
namespace {

using handshake::Outcome;
using handshake::Reason;
using region::Engine;
using region::Layout;

// Qwen3-8B as it is by default: 36 layers, 8 KV heads, D = 128, bf16, 16-token blocks.
Engine prefill(Layout layout = Layout::lbhnc) {
  Engine engine;
  engine.engine_id = "prefill";
  engine.announces_page_format = true;
  if (layout != Layout::lbhnc) engine.environment_layout = layout;
  return engine;
}

Engine decoder(bool shuffled, Layout layout) {
  Engine engine = prefill(layout);
  engine.engine_id = "decode";
  engine.shuffle = shuffled;
  engine.convert_page_format = shuffled;
  return engine;
}

Engine with_shuffle(Engine engine) {
  engine.shuffle = true;
  return engine;
}

Documents of(const Engine& local, const Engine& remote) {
  return {short_description(local), short_description(remote)};
}

// A capture of what a prefill of today sends: no tag.
Documents against_capture(const Engine& local, Engine remote) {
  remote.announces_page_format = false;
  remote.model.layers = 1;
  Engine mine = local;
  mine.model.layers = 1;
  const auto side = handshake::side_of(remote);
  if (!side) return {};
  return {short_description(mine), handshake::to_json(side->payload())};
}

}  // namespace

std::vector<Given> given_pairs() {
  Engine half = decoder(true, Layout::lhbnc);
  Engine half_prefill = prefill();
  half.dtype = half_prefill.dtype = region::Dtype::float16;
  half.block_size = half.kernel_block_size = half_prefill.block_size = half_prefill.kernel_block_size = 32;
  half.model.kv_heads = half_prefill.model.kv_heads = 5;
  half.model.query_heads = half_prefill.model.query_heads = 20;
  half.model.layers = half_prefill.model.layers = 2;
  Engine two_heads = decoder(true, Layout::lhbnc);
  Engine two_heads_prefill = prefill(Layout::lhbnc);
  two_heads.model.kv_heads = two_heads_prefill.model.kv_heads = 2;
  two_heads.model.layers = two_heads_prefill.model.layers = 2;
  Engine ranks = with_shuffle(decoder(false, Layout::lbhnc));
  ranks.tp_size = 2;
  ranks.model.layers = 2;
  Engine one_rank = with_shuffle(prefill());
  one_rank.model.layers = 2;
  return {
      {"Qwen3-8B, bf16, 16-token blocks: standard LBHNC into shuffled LHBNC",
       {"Accepted"},
       of(decoder(true, Layout::lhbnc), prefill()),
       Outcome::convert,
       Reason::none,
       false},
      {"an odd head count, fp16, 32-token blocks",
       {"Accepted", "TornHead"},
       of(half, half_prefill),
       Outcome::convert,
       Reason::none,
       false},
      {"standard into standard",
       {"Matching"},
       of(decoder(false, Layout::lbhnc), prefill()),
       Outcome::match,
       Reason::none,
       true},
      {"shuffled into shuffled, both LHBNC",
       {"Matching"},
       of(decoder(true, Layout::lhbnc), with_shuffle(prefill(Layout::lhbnc))),
       Outcome::match,
       Reason::none,
       true},
      {"a prefill of today, without a tag, and a decoder with standard pages",
       {"Matching", "TagAbsent", "Captured"},
       against_capture(decoder(false, Layout::lbhnc), prefill()),
       Outcome::match,
       Reason::none,
       true},
      {"a prefill of today, without a tag, and a decoder with shuffled pages at LBHNC",
       {"TagAbsent", "Captured", "AcceptedToday"},
       against_capture(decoder(true, Layout::lbhnc), prefill()),
       Outcome::rejected,
       Reason::tag_missing,
       true},
      {"standard into shuffled, both LBHNC",
       {"AcceptedToday"},
       of(decoder(true, Layout::lbhnc), prefill()),
       Outcome::rejected,
       Reason::local_layout,
       true},
      {"the reverse direction: shuffled into standard",
       {"Reverse", "AcceptedToday"},
       of(decoder(false, Layout::lbhnc), with_shuffle(prefill())),
       Outcome::rejected,
       Reason::remote_not_standard,
       true},
      {"two KV heads, both LHBNC: standard and shuffled register identical regions",
       {"AcceptedToday"},
       of(two_heads, two_heads_prefill),
       Outcome::rejected,
       Reason::remote_layout,
       true},
      {"equal shuffled pages at LBHNC, unequal TP",
       {"Matching", "AcceptedToday"},
       of(ranks, one_rank),
       Outcome::rejected,
       Reason::slots_across_ranks,
       true},
  };
}

const std::map<std::string, Note>& handshake_notes() {
  static const std::map<std::string, Note> notes{
      {"Accepted",
       {"BASIC", "standard pages that are converted after the read",
        "a connector that rejects it never converts"}},
      {"AcceptedToday",
       {"WRONG_FORMAT", "today's checks accept the pair, and it reads wrong bytes",
        "a connector without the negotiation serves garbage without a word"}},
      {"Captured",
       {"BASIC", "a document is a captured payload, not a description",
        "options are not on the wire: a decoder's own are its defaults"}},
      {"FirstReason",
       {"INPUT_CHECK", "the reason is the first that fails, and others fail too: see failing",
        "a connector that checks in another order names another reason"}},
      {"Matching",
       {"BASIC", "the page formats are equal, or the prefill sends no tag to a standard decoder",
        "a connector that asks the conversion's rules here loses pairs that work today"}},
      {"Reverse",
       {"WRONG_FORMAT", "shuffled pages read by a decoder with standard ones",
        "the conversion has one direction"}},
      {"SoleReason",
       {"INPUT_CHECK", "every other rule holds: without this one the pair would be accepted",
        "a connector that leaves the rule out accepts the pair"}},
      {"TagAbsent",
       {"EDGE_CASE", "the prefill's metadata has no region_page_formats",
        "absence is not standard: it is rejected wherever the decoder's pages are not standard"}},
      {"TornHead",
       {"EDGE_CASE", "an odd head count: the byte half cuts the middle head",
        "a connector that takes halves for whole heads converts garbage"}},
  };
  return notes;
}

}  // namespace pageproof::golden
