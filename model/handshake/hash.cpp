#include "model/handshake/hash.hpp"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <array>
#include <cassert>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>

namespace pageproof::handshake {
namespace {

using nlohmann::json;

[[maybe_unused]] constexpr int kDeepest = 16;

// The next code point of valid UTF-8; advances `at`.
std::uint32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t lead = byte(at++);
  if (lead < 0x80) return lead;
  const std::size_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  std::uint32_t code = lead & (0x3fu >> more);
  for (std::size_t i = 0; i < more && at < text.size(); ++i) code = code << 6 | (byte(at++) & 0x3fu);
  return code;
}

// Python's ensure_ascii: everything outside space to ~ is escaped, beyond 16 bits as a surrogate pair.
std::string python_string(std::string_view text) {
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::uint32_t code = next_code_point(text, at);
    const std::string_view named = "\"\\\n\r\t\b\f";
    if (const auto index = named.find(static_cast<char>(code));
        code < 0x80 && index != std::string_view::npos) {
      out += {'\\', "\"\\nrtbf"[index]};
    } else if (code >= 0x20 && code <= 0x7e) {
      out += static_cast<char>(code);
    } else if (code > 0xffff) {
      const std::uint32_t rest = code - 0x10000;
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
    } else {
      out += fmt::format("\\u{:04x}", code);
    }
  }
  return out + '"';
}

std::string written(const json& value, int depth) {
  assert(depth <= kDeepest && !value.is_number_float() && !value.is_binary());
  if (value.is_string()) return python_string(value.get_ref<const std::string&>());
  if (!value.is_structured()) return value.dump();
  std::string out;
  for (const auto& [key, element] : value.items()) {
    if (!out.empty()) out += ", ";
    if (value.is_object()) out += python_string(key) + ": ";
    out += written(element, depth + 1);
  }
  return value.is_object() ? "{" + out + "}" : "[" + out + "]";
}

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

}  // namespace

json hash_factors(const region::Engine& engine, BackendInHash backend) {
  json factors = {
      {"vllm_version", engine.vllm_version},
      {"nixl_connector_version", engine.connector_version},
      {"model", engine.model.name},
      {"dtype", "torch." + to_string(engine.dtype)},
      {"num_kv_heads", engine.model.kv_heads},
      {"head_size", engine.model.head_dim},
      {"num_hidden_layers", engine.model.layers},
      {"cache_dtype", engine.cache_dtype},
      {"is_hma_enabled", engine.hma},
      {"speculative_config", nullptr},
      {"transfer_mode", to_string(engine.transfer_mode)},
  };
  if (backend == BackendInHash::yes)
    factors["attn_backend_name"] = region::facts_of(engine.backend).hash_name;
  if (engine.behaviour == region::Behaviour::s0) factors["cross_layers_blocks"] = false;
  if (engine.speculative) {
    const region::Speculative& s = *engine.speculative;
    factors["speculative_config"] = {{"method", s.method},
                                     {"model", s.model},
                                     {"revision", or_null(s.revision)},
                                     {"code_revision", or_null(s.code_revision)},
                                     {"parallel_drafting", s.parallel_drafting},
                                     {"kv_cache_dtype", s.kv_cache_dtype},
                                     {"auxiliary_layer_ids", or_null(s.auxiliary_layer_ids)}};
  }
  return factors;
}

std::string python_json(const json& value) {
  return written(value, 0);
}

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  std::string hex;
  for (const unsigned char byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

std::string compatibility_hash(const json& factors) {
  return sha256_hex(python_json(factors));
}

std::vector<FactorDifference> differences(const json& local, const json& remote) {
  std::set<std::string> names;
  for (const json* side : {&local, &remote}) {
    for (const auto& [name, value] : side->items()) names.insert(name);
  }
  const auto text = [](const json& factors, const std::string& name) {
    return factors.contains(name) ? python_json(factors.at(name)) : std::string("(absent)");
  };
  std::vector<FactorDifference> out;
  for (const std::string& name : names) {
    FactorDifference difference{name, text(local, name), text(remote, name)};
    if (difference.local != difference.remote) out.push_back(std::move(difference));
  }
  return out;
}

}  // namespace pageproof::handshake
