#include "model/region/engine_json.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "model/json/fields.hpp"
#include "model/json/strict_json.hpp"

namespace pageproof::region {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kDeepest = 4;

// Enumerators by the name that to_string gives them.
template <class Enum, std::size_t Count>
void named(JsonFields& fields, const char* key, Enum& out, const std::array<Enum, Count>& all) {
  std::string name = to_string(out);
  fields.optional(key, name);
  std::string known;
  for (const Enum one : all) {
    if (to_string(one) == name) {
      out = one;
      return;
    }
    known += (known.empty() ? "" : ", ") + to_string(one);
  }
  fields.fail(key, name, "not one of " + known);
}

void layout(JsonFields& fields, const char* key, std::optional<Layout>& out) {
  std::optional<std::string> name;
  fields.nullable(key, name);
  if (!name) return;
  const Expected<Layout> parsed = parse_layout(*name, "");
  if (!parsed) return fields.fail(key, *name, parsed.error().problem);
  out = *parsed;
}

void read_model(JsonFields& fields, Model& model) {
  fields.optional("name", model.name);
  fields.optional("layers", model.layers);
  fields.optional("kv_heads", model.kv_heads);
  fields.optional("query_heads", model.query_heads);
  fields.optional("head_dim", model.head_dim);
  fields.optional("latent", model.latent);
  fields.optional("mamba", model.mamba);
  fields.optional("groups", model.groups);
  fields.optional("draft_kv_heads", model.draft_kv_heads);
}

void read_speculative(JsonFields& fields, Speculative& speculative) {
  fields.required("method", speculative.method);
  fields.required("model", speculative.model);
  fields.nullable("revision", speculative.revision);
  fields.nullable("code_revision", speculative.code_revision);
  fields.optional("parallel_drafting", speculative.parallel_drafting);
  fields.optional("kv_cache_dtype", speculative.kv_cache_dtype);
  fields.nullable("auxiliary_layer_ids", speculative.auxiliary_layer_ids);
}

template <class Value>
void nested(JsonFields& fields, const char* key, const std::string& subject, Value& value,
            void (*read)(JsonFields&, Value&)) {
  const json* found = fields.find(key);
  if (found == nullptr) return;
  JsonFields inner(*found, fields.path_of(key), subject);
  read(inner, value);
  inner.refuse_unknown_keys();
  if (inner.error()) fields.fail(*inner.error());
}

void read_sizes(JsonFields& fields, Engine& engine) {
  fields.optional("tp_size", engine.tp_size);
  fields.optional("tp_rank", engine.tp_rank);
  fields.optional("dcp_size", engine.dcp_size);
  fields.optional("pcp_size", engine.pcp_size);
  fields.optional("block_size", engine.block_size);
  engine.kernel_block_size = engine.block_size;
  fields.optional("kernel_block_size", engine.kernel_block_size);
  fields.optional("num_blocks", engine.num_blocks);
  fields.optional("padded_page_bytes", engine.padded_page_bytes);
  fields.optional("compute_units", engine.compute_units);
  fields.optional("max_batch", engine.max_batch);
  fields.optional("base_address", engine.base_address);
  fields.optional("device_id", engine.device_id);
}

void read_options(JsonFields& fields, Engine& engine) {
  fields.optional("shuffle", engine.shuffle);
  fields.optional("page_format", engine.page_format);
  fields.optional("announces_page_format", engine.announces_page_format);
  layout(fields, "configured_layout", engine.configured_layout);
  layout(fields, "environment_layout", engine.environment_layout);
  fields.optional("hma", engine.hma);
  fields.optional("prefix_caching", engine.prefix_caching);
  fields.optional("enforce_handshake_compat", engine.enforce_handshake_compat);
  fields.optional("enable_permute_local_kv", engine.enable_permute_local_kv);
  fields.optional("convert_page_format", engine.convert_page_format);
}

void read_enumerations(JsonFields& fields, Engine& engine) {
  named(fields, "behaviour", engine.behaviour, std::array{Behaviour::s0, Behaviour::s2});
  named(fields, "dtype", engine.dtype, std::array{Dtype::bfloat16, Dtype::float16, Dtype::float32});
  named(fields, "platform", engine.platform, std::array{Platform::cuda, Platform::rocm, Platform::cpu});
  named(fields, "kernel_path", engine.kernel_path,
        std::array{KernelPath::asm_kernel, KernelPath::ll4mi, KernelPath::gluon});
  named(fields, "transfer_mode", engine.transfer_mode, std::array{TransferMode::pull, TransferMode::push});
  named(fields, "memory", engine.memory, std::array{MemoryType::vram, MemoryType::dram});
}

}  // namespace

Expected<Engine> engine_from_json(const json& value, const std::string& subject) {
  JsonFields fields(value, "$", subject);
  Engine engine;
  std::string backend;
  fields.required("backend", backend);
  if (!fields.error()) {
    const Expected<Backend> parsed = parse_backend(backend, subject);
    if (parsed) {
      engine.backend = *parsed;
      engine.platform = facts_of(*parsed).platform;
    } else {
      fields.fail(parsed.error());
    }
  }
  fields.optional("engine_id", engine.engine_id);
  fields.optional("vllm_version", engine.vllm_version);
  fields.optional("connector_version", engine.connector_version);
  fields.optional("cache_dtype", engine.cache_dtype);
  nested(fields, "model", subject, engine.model, read_model);
  if (const json* found = fields.find("speculative"); found != nullptr && !found->is_null()) {
    nested(fields, "speculative", subject, engine.speculative.emplace(), read_speculative);
  }
  read_enumerations(fields, engine);
  read_sizes(fields, engine);
  read_options(fields, engine);
  fields.refuse_unknown_keys();
  if (fields.error()) return std::unexpected(*fields.error());
  return checked(engine, subject);
}

Expected<Engine> read_engine(std::string_view text, const std::string& subject) {
  const Expected<json> parsed =
      parse_strict_json(text, {.subject = subject, .field = "", .deepest = kDeepest});
  if (!parsed) return std::unexpected(parsed.error());
  return engine_from_json(*parsed, subject);
}

ordered_json to_json(const Engine& e) {
  const auto layout_or_null = [](const std::optional<Layout>& layout) -> ordered_json {
    if (!layout) return nullptr;
    return to_string(*layout);
  };
  ordered_json speculative;
  if (e.speculative) {
    const Speculative& s = *e.speculative;
    const auto or_null = [](const auto& value) { return value ? ordered_json(*value) : ordered_json(); };
    speculative = {{"method", s.method},
                   {"model", s.model},
                   {"revision", or_null(s.revision)},
                   {"code_revision", or_null(s.code_revision)},
                   {"parallel_drafting", s.parallel_drafting},
                   {"kv_cache_dtype", s.kv_cache_dtype},
                   {"auxiliary_layer_ids", or_null(s.auxiliary_layer_ids)}};
  }
  return {
      {"engine_id", e.engine_id},
      {"vllm_version", e.vllm_version},
      {"connector_version", e.connector_version},
      {"behaviour", to_string(e.behaviour)},
      {"model",
       {{"name", e.model.name},
        {"layers", e.model.layers},
        {"kv_heads", e.model.kv_heads},
        {"query_heads", e.model.query_heads},
        {"head_dim", e.model.head_dim},
        {"latent", e.model.latent},
        {"mamba", e.model.mamba},
        {"groups", e.model.groups},
        {"draft_kv_heads", e.model.draft_kv_heads}}},
      {"dtype", to_string(e.dtype)},
      {"cache_dtype", e.cache_dtype},
      {"speculative", speculative},
      {"tp_size", e.tp_size},
      {"tp_rank", e.tp_rank},
      {"dcp_size", e.dcp_size},
      {"pcp_size", e.pcp_size},
      {"block_size", e.block_size},
      {"kernel_block_size", e.kernel_block_size},
      {"num_blocks", e.num_blocks},
      {"backend", to_string(e.backend)},
      {"platform", to_string(e.platform)},
      {"kernel_path", to_string(e.kernel_path)},
      {"shuffle", e.shuffle},
      {"page_format", e.page_format},
      {"announces_page_format", e.announces_page_format},
      {"configured_layout", layout_or_null(e.configured_layout)},
      {"environment_layout", layout_or_null(e.environment_layout)},
      {"padded_page_bytes", e.padded_page_bytes},
      {"hma", e.hma},
      {"prefix_caching", e.prefix_caching},
      {"transfer_mode", to_string(e.transfer_mode)},
      {"memory", to_string(e.memory)},
      {"enforce_handshake_compat", e.enforce_handshake_compat},
      {"enable_permute_local_kv", e.enable_permute_local_kv},
      {"convert_page_format", e.convert_page_format},
      {"compute_units", e.compute_units},
      {"max_batch", e.max_batch},
      {"base_address", e.base_address},
      {"device_id", e.device_id},
  };
}

}  // namespace pageproof::region
