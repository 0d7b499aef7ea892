#include "reports/silent/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/region/layout.hpp"
#include "reports/silent/kinds.hpp"

namespace pageproof::silent {
namespace {

using handshake::BackendInHash;
using handshake::EngineSide;
using region::Backend;
using region::Engine;

// Ids in order of first appearance.
class Ids {
 public:
  std::uint32_t of(const std::string& key) {
    return ids_.try_emplace(key, static_cast<std::uint32_t>(ids_.size())).first->second;
  }

 private:
  std::map<std::string, std::uint32_t> ids_;
};

// What is shared by the engines of one side of a model.
struct SideIds {
  Ids bytes;
  Ids checks;
  Ids rules;
  std::map<std::string, Expected<std::shared_ptr<const Cache>>> caches;
};

std::string bytes_key(const EngineSide& side, const region::LayerView& view) {
  const Engine& engine = side.engine;
  std::string key = fmt::format(
      "{}/{}/{}/{}/{}/{}/{}/{}/{}/{}", view.latent ? "latent" : view.page_format, engine.tp_size,
      engine.block_size, engine.kernel_block_size, view.spec.head_slots, view.spec.content_bytes,
      region::element_bytes_of(engine), view.strides.block, view.strides.head, view.strides.token);
  for (const region::Region& region : side.registration.regions) {
    key += fmt::format("|{}+{}/{}x{}g{}", region.base - engine.base_address, region.block_len,
                       region.block_stride, region.num_blocks, region.group);
  }
  return key;
}

Expected<std::shared_ptr<const Cache>> shared_cache(const Engine& engine, region::Layout layout) {
  Expected<Cache> cache = cache_of(engine, layout);
  if (!cache) return std::unexpected(cache.error());
  return std::make_shared<const Cache>(*std::move(cache));
}

// Why an engine is none, without the sizes of the one at hand.
std::string why(const Error& error) {
  if (error.field == "$.kernel_block_size")
    return "kernel blocks smaller than manager blocks need a dense page";
  return error.problem.substr(0, error.problem.find(':'));
}

Expected<Candidate> candidate(const Engine& engine, region::Layout layout, SideIds& ids) {
  const Expected<Engine> ok = region::checked(engine, engine.engine_id);
  if (!ok) return std::unexpected(ok.error());
  if (region::hma_required(engine) && !is_block_compact(layout)) {
    return std::unexpected(Error{engine.engine_id, "layout", to_string(layout),
                                 "layers of several groups keep block-compact layouts only"});
  }
  Expected<EngineSide> side = handshake::side_with_layout(engine, layout);
  if (!side) return std::unexpected(side.error());
  const Expected<std::vector<region::LayerView>> views = region::allocate(engine, layout);
  const std::string key = bytes_key(*side, views->front());
  auto known = ids.caches.find(key);
  if (known == ids.caches.end()) known = ids.caches.emplace(key, shared_cache(engine, layout)).first;
  if (!known->second) return std::unexpected(known->second.error());
  EngineSide permuting = *side;
  permuting.engine.enable_permute_local_kv = true;
  return Candidate{.side = *std::move(side),
                   .permuting = std::move(permuting),
                   .cache = *known->second,
                   .bytes = ids.bytes.of(key)};
}

void identify(Candidate& one, SideIds& ids, Ids& hashes) {
  const Engine& engine = one.engine();
  std::string key = fmt::format("{}/{}", one.bytes, to_string(one.side.layout));
  one.checks = ids.checks.of(key);
  const bool path_matters = engine.kernel_path == region::KernelPath::gluon;
  key += fmt::format("/{}/{}/{}/{}/{}/{}", region::page_format_of(engine), to_string(engine.dtype),
                     engine.cache_dtype, engine.platform == region::Platform::rocm, path_matters,
                     engine.backend == Backend::cpu_attn);
  one.rules = ids.rules.of(key);
  one.hash = hashes.of(one.side.hash);
  one.open_hash =
      hashes.of(handshake::compatibility_hash(handshake::hash_factors(engine, BackendInHash::no)));
}

void add_side(const ModelShape& shape, std::uint64_t head_dim, bool decode, Ids& hashes, ModelSpace& out) {
  SideIds ids;
  std::vector<Candidate>& side = decode ? out.decode : out.prefill;
  for (const Kind& kind : kinds()) {
    if (kind.latent != shape.latent) continue;
    Engine engine = engine_of(shape, kind, head_dim);
    engine.engine_id = decode ? "decode" : "prefill";
    engine.num_blocks = decode ? kDecodeBlocks : kPrefillBlocks;
    for (const Blocks& blocks : kind.blocks) {
      engine.block_size = blocks.manager;
      engine.kernel_block_size = blocks.kernel;
      for (const CacheType& type : shape.types) {
        if (type.quantised && !kind.quantised) continue;
        engine.dtype = type.dtype;
        engine.cache_dtype = type.cache_dtype;
        for (const std::uint64_t tp_size : shape.tp_sizes) {
          engine.tp_size = tp_size;
          for (const region::Layout layout : region::kLayouts) {
            Expected<Candidate> one = candidate(engine, layout, ids);
            if (!one) {
              if (decode) ++out.left_out[why(one.error())];
              continue;
            }
            identify(*one, ids, hashes);
            side.push_back(*std::move(one));
          }
        }
      }
    }
  }
}

std::vector<std::uint64_t> scattered(std::uint64_t first, std::uint64_t count, std::uint64_t step,
                                     std::uint64_t pool) {
  std::vector<std::uint64_t> ids;
  for (std::uint64_t i = first; i < first + count; ++i) ids.push_back((i * step + 3) % pool);
  return ids;
}

}  // namespace

Expected<Candidate> candidate_of(const Engine& engine, region::Layout layout) {
  SideIds ids;
  return candidate(engine, layout, ids);
}

std::size_t models_of(Extent extent) {
  return shapes(extent).size();
}

ModelSpace model_space(Extent extent, std::size_t model) {
  const ModelShape shape = shapes(extent)[model];
  const std::uint64_t head_dim = extent == Extent::quick ? kQuickHeadDim : kHeadDim;
  ModelSpace out;
  out.name = shape.name;
  Ids hashes;
  add_side(shape, head_dim, true, hashes, out);
  add_side(shape, head_dim, false, hashes, out);
  out.model = out.decode.front().engine().model;
  return out;
}

Request request_of(const Engine& local, const Engine& remote) {
  const std::uint64_t tokens = 2 * std::max(local.block_size, remote.block_size);
  const std::uint64_t here = tokens / local.block_size;
  const std::uint64_t there = tokens / remote.block_size;
  Request request;
  for (std::uint64_t group = 0; group < local.model.groups; ++group) {
    request.local.push_back(scattered(group * here, here, 7, local.num_blocks));
    request.remote.push_back(scattered(group * there, there, 5, remote.num_blocks));
  }
  return request;
}

}  // namespace pageproof::silent
