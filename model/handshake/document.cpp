#include "model/handshake/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "model/handshake/msgpack_scan.hpp"
#include "model/handshake/wire.hpp"
#include "model/json/strict_json.hpp"
#include "model/region/engine_json.hpp"

namespace pageproof::handshake {
namespace {

using nlohmann::json;

bool is_json(std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes) {
    const auto c = static_cast<char>(byte);
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return c == '{';
  }
  return false;
}

// Text that is no JSON object would be read as MessagePack's numbers, byte after byte.
bool is_text(std::span<const std::byte> bytes) {
  const auto first = bytes.empty() ? std::uint8_t{0} : std::to_integer<std::uint8_t>(bytes.front());
  constexpr std::uint8_t byte_order_mark = 0xef;
  return (first >= ' ' && first <= '~') || first == '\n' || first == '\r' || first == '\t' ||
         first == byte_order_mark;
}

enum class Kind : std::uint8_t { engine, payload, metadata };

Expected<Kind> kind_of(const json& value, const std::string& subject) {
  if (value.is_object()) {
    if (value.contains("compatibility_hash")) return Kind::payload;
    if (value.contains("kv_caches_base_addr") || value.contains("agent_metadata")) return Kind::metadata;
    if (value.contains("backend")) return Kind::engine;
  }
  return std::unexpected(
      Error{subject, "$", "",
            "neither an engine description (backend), a payload (compatibility_hash) nor metadata "
            "(kv_caches_base_addr)"});
}

template <class T>
Expected<Document> as_document(Expected<T> value) {
  if (!value) return std::unexpected(value.error());
  return Document(*std::move(value));
}

Expected<Document> read_json(std::span<const std::byte> bytes, region::Behaviour behaviour,
                             const std::string& subject) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Expected<json> value =
      parse_strict_json(text, {.subject = subject, .field = "", .deepest = kDeepestNesting});
  if (!value) return std::unexpected(value.error());
  const Expected<Kind> kind = kind_of(*value, subject);
  if (!kind) return std::unexpected(kind.error());
  if (*kind == Kind::engine) return as_document(region::engine_from_json(*value, subject));
  if (*kind == Kind::payload) return as_document(payload_from_json(*value, subject));
  return as_document(metadata_from_json(*value, behaviour, subject));
}

Expected<Document> read_msgpack(std::span<const std::byte> bytes, region::Behaviour behaviour,
                                const std::string& subject) {
  const Expected<json> value = parse_msgpack(bytes, subject);
  if (!value) return std::unexpected(value.error());
  const Expected<Kind> kind = kind_of(*value, subject);
  if (!kind) return std::unexpected(kind.error());
  if (*kind == Kind::payload) return as_document(decode_payload(bytes, subject));
  if (*kind == Kind::metadata) return as_document(decode_metadata(bytes, behaviour, subject));
  return std::unexpected(Error{subject, "$", "", "an engine description is JSON, not MessagePack"});
}

}  // namespace

Expected<Document> read_document(std::span<const std::byte> bytes, region::Behaviour behaviour,
                                 const std::string& subject) {
  if (bytes.size() > kLargestDocument) {
    return std::unexpected(Error{subject, "size", std::to_string(bytes.size()),
                                 fmt::format("above the bound of {} bytes", kLargestDocument)});
  }
  if (is_json(bytes)) return read_json(bytes, behaviour, subject);
  if (is_text(bytes)) {
    return std::unexpected(Error{subject, "$", std::string(1, static_cast<char>(bytes.front())),
                                 "the file begins with this: neither a JSON object nor a MessagePack map"});
  }
  return read_msgpack(bytes, behaviour, subject);
}

Expected<Document> read_document_file(const std::string& path, region::Behaviour behaviour) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::unexpected(Error{path, "", "", "cannot be opened"});
  std::string text;
  char buffer[65536];
  while (in.read(buffer, sizeof buffer) || in.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kLargestDocument) break;
  }
  if (in.bad()) return std::unexpected(Error{path, "", "", "cannot be read"});
  return read_document(std::as_bytes(std::span(text)), behaviour, path);
}

Expected<EngineSide> side_of_capture(const AgentMetadata& metadata, const std::optional<std::string>& hash,
                                     const CaptureAssumptions& assumed, const std::string& subject) {
  const auto refuse = [&](const char* field, std::string value, std::string problem) {
    return std::unexpected(Error{subject, field, std::move(value), std::move(problem)});
  };
  Expected<std::vector<region::Region>> regions = regions_of(metadata, subject);
  if (!regions) return std::unexpected(regions.error());
  const Expected<region::Layout> layout = region::parse_layout(metadata.kv_cache_layout, subject);
  if (!layout) return refuse("$.kv_cache_layout", metadata.kv_cache_layout, layout.error().problem);
  const std::uint64_t per_logical = metadata.physical_blocks_per_logical_kv_block;
  if (metadata.block_size == 0 || metadata.block_size > 1 << 20) {
    return refuse("$.block_size", std::to_string(metadata.block_size), "not within 1 to 2^20");
  }
  if (per_logical == 0 || per_logical > 1 << 20 || metadata.num_blocks % per_logical != 0) {
    return refuse("$.physical_blocks_per_logical_kv_block", std::to_string(per_logical),
                  fmt::format("does not divide num_blocks {}", metadata.num_blocks));
  }

  EngineSide side;
  side.layout = *layout;
  side.metadata = metadata;
  side.hash = hash.value_or("");
  region::Engine& engine = side.engine;
  engine.engine_id = metadata.engine_id;
  const auto named =
      std::ranges::find(region::backends(), metadata.attn_backend_name, &region::BackendFacts::hash_name);
  if (named == region::backends().end()) {
    return refuse("$.attn_backend_name", metadata.attn_backend_name, "no backend of this name is known");
  }
  engine.backend = named->backend;
  engine.platform = named->platform;
  std::set<std::string> layers;
  for (const region::Region& region : *regions) layers.insert(region.name);
  engine.model.layers = std::max<std::uint64_t>(1, layers.size());
  engine.model.kv_heads = assumed.kv_heads;
  engine.tp_size = assumed.tp_size;
  engine.dcp_size = metadata.dcp_size;
  engine.pcp_size = metadata.pcp_size;
  engine.kernel_block_size = metadata.block_size;
  engine.block_size = metadata.block_size * per_logical;
  engine.num_blocks = metadata.num_blocks / per_logical;
  engine.device_id = metadata.device_id;
  if (metadata.region_page_formats && !metadata.region_page_formats->empty()) {
    engine.page_format = metadata.region_page_formats->front();
    const Expected<bool> known = region::has_two_slots(engine.page_format, subject);
    if (!known) return refuse("$.region_page_formats[0]", engine.page_format, known.error().problem);
  }
  // S0 sends no strides; its checks are then the ones to run.
  engine.behaviour = metadata.block_strides ? region::Behaviour::s2 : region::Behaviour::s0;
  side.registration.regions = *std::move(regions);
  return side;
}

}  // namespace pageproof::handshake
