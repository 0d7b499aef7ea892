#include "model/handshake/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pageproof::handshake {
namespace {

using region::Engine;
using region::Layout;

constexpr const char* kUnknown = "not known";
constexpr const char* kMixed = "mixed";
constexpr std::uint64_t kOther = 1000;  // a name that no rule knows

Term term(std::string name, std::uint64_t value) {
  return {std::move(name), value, std::to_string(value)};
}

Term unknown(std::string name) {
  return {std::move(name), 0, kUnknown};
}

Term tag_term(std::string name, const std::string& tag) {
  const std::uint64_t number = tag.empty()                ? kTagAbsent
                               : tag == region::kStandard ? kTagStandard
                               : tag == region::kShuffled ? kTagShuffled
                                                          : kOther;
  return {std::move(name), number, tag.empty() ? "none" : tag};
}

Term layout_term(std::string name, const std::string& layout) {
  const Expected<Layout> parsed = region::parse_layout(layout, "");
  return {std::move(name), parsed ? static_cast<std::uint64_t>(*parsed) + 1 : kOther, layout};
}

std::string cache_type(const Engine& engine) {
  return engine.cache_dtype == "auto" ? to_string(engine.dtype) : engine.cache_dtype;
}

Term dtype_term(std::string name, const Engine& engine) {
  const std::string type = cache_type(engine);
  constexpr std::array types = {"bfloat16",   "float16",      "float32",  "fp8",  "fp8_e4m3",
                                "fp8_e4m3fn", "fp8_e4m3fnuz", "fp8_e5m2", "int8", "uint8"};
  const auto at = std::ranges::find(types, type);
  return {std::move(name), static_cast<std::uint64_t>(at - types.begin()) + 1, type};
}

// The common block_len of all regions; 0 where they differ.
Term block_len_term(std::string name, const std::vector<std::uint64_t>& lens) {
  if (lens.empty()) return term(std::move(name), 0);
  if (std::ranges::adjacent_find(lens, std::ranges::not_equal_to{}) != lens.end())
    return {std::move(name), 0, kMixed};
  return term(std::move(name), lens.front());
}

// Of the engine that the shape is taken from; the wire tells none of it.
void shape_terms(SideFacts<Term>& side, const std::string& who, const Engine& engine, std::uint64_t tp_size,
                 std::uint64_t tokens) {
  Engine of_rank = engine;
  of_rank.tp_size = std::max<std::uint64_t>(1, tp_size);
  const std::uint64_t heads = region::kv_heads_of_rank(of_rank);
  side.dtype = dtype_term(who + "dtype", engine);
  side.heads = term(who + "heads", heads);
  side.dims = term(who + "dims", engine.model.head_dim);
  __extension__ using Wide = unsigned __int128;
  const Wide bytes = Wide{heads} * tokens * engine.model.head_dim * region::element_bytes_of(engine);
  side.side_bytes = bytes < (Wide{1} << 62) ? term(who + "side_bytes", static_cast<std::uint64_t>(bytes))
                                            : unknown(who + "side_bytes");
}

SideFacts<Term> local_facts(const EngineSide& local) {
  const Engine& engine = local.engine;
  SideFacts<Term> side;
  side.tag = tag_term("local.tag", region::page_format_of(engine));
  side.layout = layout_term("local.layout", to_string(local.layout));
  side.tokens = term("local.tokens", engine.kernel_block_size);
  side.blocks_per_logical = term("local.blocks_per_logical", region::blocks_per_logical_block(engine));
  side.tp = term("local.tp", engine.tp_size);
  side.context_parallel = term("local.context_parallel", engine.dcp_size * engine.pcp_size);
  side.block_len = block_len_term("local.block_len", local.metadata.block_lens);
  side.regions = term("local.regions", local.registration.regions.size());
  shape_terms(side, "local.", engine, engine.tp_size, engine.kernel_block_size);
  return side;
}

SideFacts<Term> remote_facts(const EngineSide& local, const AgentMetadata& remote,
                             const RemoteKnowledge& known) {
  SideFacts<Term> side;
  side.tag = tag_term("remote.tag", tag_of(remote));
  side.layout = layout_term("remote.layout", remote.kv_cache_layout);
  side.tokens = term("remote.tokens", remote.block_size);
  side.blocks_per_logical = term("remote.blocks_per_logical", remote.physical_blocks_per_logical_kv_block);
  side.tp = term("remote.tp", known.tp_size);
  std::uint64_t context = 0;
  const bool wraps = __builtin_mul_overflow(remote.dcp_size, remote.pcp_size, &context);
  side.context_parallel =
      wraps ? unknown("remote.context_parallel") : term("remote.context_parallel", context);
  side.block_len = block_len_term("remote.block_len", remote.block_lens);
  side.regions = term("remote.regions", remote.kv_caches_base_addr.size());
  if (known.engine) {
    shape_terms(side, "remote.", *known.engine, known.tp_size, remote.block_size);
  } else if (known.hash_matched) {
    shape_terms(side, "remote.", local.engine, known.tp_size, remote.block_size);
  } else {
    side.dtype = unknown("remote.dtype");
    side.heads = unknown("remote.heads");
    side.dims = unknown("remote.dims");
    side.side_bytes = unknown("remote.side_bytes");
  }
  return side;
}

bool names_agree(const EngineSide& local, const AgentMetadata& remote) {
  if (!remote.region_names) return true;
  const auto& regions = local.registration.regions;
  for (std::size_t i = 0; i < regions.size() && i / 2 < remote.region_names->size(); ++i) {
    if (regions[i].name != (*remote.region_names)[i / 2]) return false;
  }
  return true;
}

Told said(bool value, std::string text, std::string local = "", std::string remote = "") {
  return {value, std::move(text), std::move(local), std::move(remote)};
}

SideFacts<std::uint64_t> numbers(const SideFacts<Term>& side) {
  return {side.tag.value,   side.layout.value,     side.tokens.value,           side.blocks_per_logical.value,
          side.dtype.value, side.tp.value,         side.context_parallel.value, side.heads.value,
          side.dims.value,  side.side_bytes.value, side.block_len.value,        side.regions.value};
}

bool would_permute(const EngineSide& local, const AgentMetadata& remote) {
  return local.engine.enable_permute_local_kv && local.layout == Layout::lbnhc &&
         remote.kv_cache_layout == to_string(Layout::lbhnc);
}

}  // namespace

std::string tag_of(const AgentMetadata& metadata) {
  if (!metadata.region_page_formats || metadata.region_page_formats->empty()) return "";
  const auto& tags = *metadata.region_page_formats;
  const bool one = std::ranges::adjacent_find(tags, std::ranges::not_equal_to{}) == tags.end();
  return one ? tags.front() : kMixed;
}

ToldFacts told_facts(const EngineSide& local, const AgentMetadata& remote, const RemoteKnowledge& known) {
  const Engine& engine = local.engine;
  const std::string platform = to_string(engine.platform);
  const std::string groups = std::to_string(engine.model.groups) + " groups";
  ToldFacts facts;
  facts.local = local_facts(local);
  facts.remote = remote_facts(local, remote, known);
  facts.enabled = said(engine.convert_page_format, "the decoder converts page formats",
                       engine.convert_page_format ? "enabled" : "disabled", facts.remote.tag.shown);
  facts.rocm = said(engine.platform == region::Platform::rocm, "the decoder runs on ROCm", platform);
  facts.gluon = said(engine.kernel_path == region::KernelPath::gluon, "the decoder is configured for gluon",
                     to_string(engine.kernel_path));
  facts.latent = said(engine.model.latent, "the model is MLA", engine.model.latent ? "MLA" : "K and V");
  facts.hybrid = said(hma_required(engine), "the model has several KV-cache groups", groups);
  facts.pull = said(engine.transfer_mode == region::TransferMode::pull, "the decoder pulls",
                    to_string(engine.transfer_mode));
  facts.device_memory = said(engine.memory == region::MemoryType::vram, "the decoder receives into VRAM",
                             to_string(engine.memory));
  facts.names_agree = said(names_agree(local, remote), "the regions name the same layers", engine.model.name,
                           known.engine ? known.engine->model.name : kUnknown);
  const bool two_slots = region::has_two_slots(region::page_format_of(engine), "").value_or(false);
  facts.two_slots = said(two_slots, "a page has two slots", facts.local.tag.shown, facts.remote.tag.shown);
  facts.permutes = said(would_permute(local, remote), "the decoder permutes", facts.local.layout.shown,
                        facts.remote.layout.shown);
  return facts;
}

Facts facts_of(const EngineSide& local, const AgentMetadata& remote, const RemoteKnowledge& known) {
  const ToldFacts told = told_facts(local, remote, known);
  return {numbers(told.local),      numbers(told.remote),   told.enabled.value,   told.rocm.value,
          told.gluon.value,         told.latent.value,      told.hybrid.value,    told.pull.value,
          told.device_memory.value, told.names_agree.value, told.two_slots.value, told.permutes.value};
}

}  // namespace pageproof::handshake
