#include "model/handshake/wire.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/handshake/msgpack_scan.hpp"
#include "model/json/fields.hpp"

namespace pageproof::handshake {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// How bytes stand in the value: as bin of MessagePack, or as base64 text.
enum class BytesAs : std::uint8_t { bin, text };

void required_bytes(JsonFields& fields, const char* key, BytesAs as, const std::string& subject,
                    std::vector<std::byte>& out) {
  const json* found = fields.find(key);
  if (found == nullptr) return fields.fail(key, "", "missing required field");
  if (as == BytesAs::bin && found->is_binary() && !found->get_binary().has_subtype()) {
    for (const std::uint8_t byte : found->get_binary()) out.push_back(static_cast<std::byte>(byte));
    return;
  }
  if (as == BytesAs::bin || !found->is_string()) {
    return fields.fail(key, shown(*found), "expected bytes");
  }
  Expected<std::vector<std::byte>> decoded =
      from_base64(found->get_ref<const std::string&>(), subject, fields.path_of(key));
  if (!decoded) return fields.fail(decoded.error());
  out = *std::move(decoded);
}

void required_pair(JsonFields& fields, const char* key, std::pair<std::uint64_t, std::uint64_t>& out) {
  std::vector<std::uint64_t> both;
  fields.required(key, both);
  if (both.size() != 2) return fields.fail(key, fmt::format("{} entries", both.size()), "expected 2 entries");
  out = {both[0], both[1]};
}

// The fields that S0's dataclass lacks; it would ignore them as unknown keys.
void read_newer_fields(JsonFields& fields, AgentMetadata& m) {
  fields.nullable("region_num_blocks", m.region_num_blocks);
  fields.nullable("region_group_ids", m.region_group_ids);
  fields.nullable("region_names", m.region_names);
  fields.nullable("region_mem_types", m.region_mem_types);
  fields.optional("dcp_size", m.dcp_size);
  fields.optional("pcp_size", m.pcp_size);
  fields.optional("region_members", m.region_members);
  fields.nullable(kPageFormatsKey, m.region_page_formats);
}

json binary(std::span<const std::byte> bytes) {
  json::binary_t out;
  for (const std::byte byte : bytes) out.push_back(std::to_integer<std::uint8_t>(byte));
  return json(std::move(out));
}

template <class T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

// All keys in the order of the dataclass; `bytes` says how the blob is written.
ordered_json fields_of(const AgentMetadata& m, Behaviour behaviour, ordered_json agent_metadata) {
  ordered_json out = {{"engine_id", m.engine_id},
                      {"agent_metadata", std::move(agent_metadata)},
                      {"kv_caches_base_addr", m.kv_caches_base_addr},
                      {"device_id", m.device_id},
                      {"num_blocks", m.num_blocks},
                      {"block_lens", m.block_lens}};
  if (m.block_strides) out["block_strides"] = *m.block_strides;
  out["kv_cache_layout"] = m.kv_cache_layout;
  out["block_size"] = m.block_size;
  out["ssm_sizes"] = {m.ssm_sizes.first, m.ssm_sizes.second};
  out["attn_backend_name"] = m.attn_backend_name;
  out["physical_blocks_per_logical_kv_block"] = m.physical_blocks_per_logical_kv_block;
  if (behaviour != Behaviour::s0) {
    out["region_num_blocks"] = or_null(m.region_num_blocks);
    out["region_group_ids"] = or_null(m.region_group_ids);
    out["region_names"] = or_null(m.region_names);
    out["region_mem_types"] = or_null(m.region_mem_types);
    out["dcp_size"] = m.dcp_size;
    out["pcp_size"] = m.pcp_size;
    out["region_members"] = m.region_members;
  }
  if (m.region_page_formats) out[kPageFormatsKey] = *m.region_page_formats;
  return out;
}

std::vector<std::byte> msgpack(const ordered_json& value) {
  const std::vector<std::uint8_t> bytes = ordered_json::to_msgpack(value);
  std::vector<std::byte> out;
  out.reserve(bytes.size());
  for (const std::uint8_t byte : bytes) out.push_back(static_cast<std::byte>(byte));
  return out;
}

Expected<HandshakePayload> read_payload(const json& value, BytesAs as, const std::string& subject) {
  JsonFields fields(value, "$", subject);
  HandshakePayload payload;
  fields.required("compatibility_hash", payload.compatibility_hash);
  required_bytes(fields, "agent_metadata_bytes", as, subject, payload.agent_metadata_bytes);
  if (fields.error()) return std::unexpected(*fields.error());
  return payload;
}

Expected<AgentMetadata> read_metadata(const json& value, BytesAs as, Behaviour behaviour,
                                      const std::string& subject) {
  JsonFields fields(value, "$", subject);
  AgentMetadata m;
  fields.required("engine_id", m.engine_id);
  required_bytes(fields, "agent_metadata", as, subject, m.agent_metadata);
  fields.required("kv_caches_base_addr", m.kv_caches_base_addr);
  fields.required("device_id", m.device_id);
  fields.required("num_blocks", m.num_blocks);
  fields.required("block_lens", m.block_lens);
  if (behaviour != Behaviour::s0) fields.required("block_strides", m.block_strides.emplace());
  fields.required("kv_cache_layout", m.kv_cache_layout);
  fields.required("block_size", m.block_size);
  required_pair(fields, "ssm_sizes", m.ssm_sizes);
  fields.required("attn_backend_name", m.attn_backend_name);
  fields.required("physical_blocks_per_logical_kv_block", m.physical_blocks_per_logical_kv_block);
  if (behaviour != Behaviour::s0) read_newer_fields(fields, m);
  if (fields.error()) return std::unexpected(*fields.error());
  return m;
}
}  // namespace

Expected<json> parse_msgpack(std::span<const std::byte> bytes, const std::string& subject) {
  if (const Expected<void> ok = scan_msgpack(bytes, subject); !ok) return std::unexpected(ok.error());
  const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
  json value = json::from_msgpack(first, first + bytes.size(), true, false);
  if (value.is_discarded()) return std::unexpected(Error{subject, "$", "", "not MessagePack"});
  return value;
}

Expected<HandshakePayload> payload_from_json(const json& value, const std::string& subject) {
  return read_payload(value, BytesAs::text, subject);
}

Expected<AgentMetadata> metadata_from_json(const json& value, Behaviour behaviour,
                                           const std::string& subject) {
  return read_metadata(value, BytesAs::text, behaviour, subject);
}

Expected<HandshakePayload> decode_payload(std::span<const std::byte> bytes, const std::string& subject) {
  const Expected<json> value = parse_msgpack(bytes, subject);
  if (!value) return std::unexpected(value.error());
  return read_payload(*value, BytesAs::bin, subject);
}

Expected<AgentMetadata> decode_metadata(std::span<const std::byte> bytes, Behaviour behaviour,
                                        const std::string& subject) {
  const Expected<json> value = parse_msgpack(bytes, subject);
  if (!value) return std::unexpected(value.error());
  return read_metadata(*value, BytesAs::bin, behaviour, subject);
}

std::vector<std::byte> encode(const HandshakePayload& payload) {
  return msgpack({{"compatibility_hash", payload.compatibility_hash},
                  {"agent_metadata_bytes", binary(payload.agent_metadata_bytes)}});
}

std::vector<std::byte> encode(const AgentMetadata& metadata, Behaviour behaviour) {
  return msgpack(fields_of(metadata, behaviour, binary(metadata.agent_metadata)));
}

ordered_json to_json(const HandshakePayload& payload) {
  return {{"compatibility_hash", payload.compatibility_hash},
          {"agent_metadata_bytes", base64(payload.agent_metadata_bytes)}};
}

ordered_json to_json(const AgentMetadata& metadata, Behaviour behaviour) {
  return fields_of(metadata, behaviour, base64(metadata.agent_metadata));
}

}  // namespace pageproof::handshake
