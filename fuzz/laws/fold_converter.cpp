#include <fmt/format.h>

#include <cstring>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "fuzz/laws/converter.hpp"
#include "model/page/rearrange.hpp"
#include "oracle/offset/fp8.hpp"

namespace pageproof::fuzz {
namespace {

constexpr std::uint64_t kFirst[] = {0};
constexpr std::size_t kMapsKept = 1024;

// Making a map costs far more than applying it; random cases of one run repeat their shapes.
const Expected<page::Rearrangement>& map_between(const char* from, const char* to, const Shape& shape) {
  using Key =
      std::tuple<std::string, std::string, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;
  thread_local std::map<Key, Expected<page::Rearrangement>> maps;
  const Key key{from, to, shape.heads, shape.tokens, shape.head_dim, shape.element_bytes};
  const auto found = maps.find(key);
  if (found != maps.end()) return found->second;
  if (maps.size() == kMapsKept) maps.clear();
  return maps.emplace(key, page::rearrangement(**page::find_format(from), **page::find_format(to), shape))
      .first->second;
}

Expected<void> ids_fit(const std::vector<std::int64_t>& ids, const Pool& pool, const char* field,
                       bool distinct) {
  std::set<std::int64_t> seen;
  for (const std::int64_t id : ids) {
    if (id < 0 || static_cast<std::uint64_t>(id) >= pool.num_blocks) {
      return std::unexpected(
          Error{"job", field, std::to_string(id), fmt::format("not a block id below {}", pool.num_blocks)});
    }
    if (distinct && !seen.insert(id).second) {
      return std::unexpected(Error{"job", field, std::to_string(id), "listed twice"});
    }
  }
  return {};
}

std::span<std::byte> block_of(const Pool& pool, std::size_t layer, std::int64_t id, std::uint64_t bytes) {
  return {pool.layers[layer] + static_cast<std::uint64_t>(id) * pool.block_stride, bytes};
}

enum class Way { out_of_place, in_place, inverse, inverse_in_place };

void rewrite(const ConvertJob& job, std::initializer_list<std::span<std::byte>> written) {
  if (!job.rewrite) return;
  for (const std::span<std::byte> run : written) {
    for (std::byte& code : run) {
      code = static_cast<std::byte>(oracle::e4m3_to_e4m3fnuz(static_cast<std::uint8_t>(code)));
    }
  }
}

Expected<void> convert(const ConvertJob& job, Way way) {
  const bool inverse = way == Way::inverse || way == Way::inverse_in_place;
  const bool in_place = way == Way::in_place || way == Way::inverse_in_place;
  for (const Pool* pool : {&job.key, &job.value}) {
    if (const auto fit = ids_fit(job.to, *pool, "to", !inverse || in_place); !fit) return fit;
  }
  if (!in_place) {
    if (const auto fit = ids_fit(job.from, job.standard, "from", inverse); !fit) return fit;
  }
  const char* pages = job.tokens_first ? "standard-nhd" : "standard";
  const auto& map = inverse ? map_between("aiter-shuffled", pages, job.shape)
                            : map_between(pages, "aiter-shuffled", job.shape);
  if (!map) return std::unexpected(map.error());
  const std::uint64_t side = job.shape.side_bytes();
  std::vector<std::byte> staged(2 * side);
  for (std::size_t layer = 0; layer < job.key.layers.size(); ++layer) {
    for (std::size_t i = 0; i < job.to.size(); ++i) {
      const std::span<std::byte> key = block_of(job.key, layer, job.to[i], side);
      const std::span<std::byte> value = block_of(job.value, layer, job.to[i], side);
      if (way == Way::in_place) {
        std::memcpy(staged.data(), key.data(), side);
        std::memcpy(staged.data() + side, value.data(), side);
        page::apply(*map, kFirst, {staged, {}}, {key, value});
        rewrite(job, {key, value});
        continue;
      }
      if (way == Way::inverse_in_place) {
        page::apply(*map, kFirst, {key, value}, {staged, {}});
        rewrite(job, {staged});
        std::memcpy(key.data(), staged.data(), side);
        std::memcpy(value.data(), staged.data() + side, side);
        continue;
      }
      const std::span<std::byte> page = block_of(job.standard, layer, job.from[i], 2 * side);
      if (inverse) {
        page::apply(*map, kFirst, {key, value}, {page, {}});
        rewrite(job, {page});
      } else {
        page::apply(*map, kFirst, {page, {}}, {key, value});
        rewrite(job, {key, value});
      }
    }
  }
  return {};
}

}  // namespace

Converter fold_converter() {
  return {"fold", [](const ConvertJob& job) { return convert(job, Way::out_of_place); },
          [](const ConvertJob& job) { return convert(job, Way::in_place); },
          [](const ConvertJob& job) { return convert(job, Way::inverse); },
          [](const ConvertJob& job) { return convert(job, Way::inverse_in_place); }};
}

}  // namespace pageproof::fuzz
