// Pages that this project did not make: the shuffle writer that vLLM ships for AITER wrote them on a GPU. The
// oracle must agree with every byte of them, and the converter must give their planes from their standard
// pages.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "oracle/offset/writer.hpp"
#include "reports/pages/compare.hpp"
#include "reports/pages/pages.hpp"
#include "reports/pages/slots.hpp"
#include "reports/verify/check.hpp"
#include "reports/verify/production.hpp"

namespace pageproof::reports {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOracleClaim =
    "planes written by the shuffle writer on a GPU hold what the oracle says, byte for byte";
constexpr const char* kConverterClaim =
    "the converter makes those planes from their standard pages, out of place and in place";

struct PeerFile {
  golden::SafetensorsFile file;
  StandardPages standard;
  PlanePages planes;
  Slots slots;
};

Expected<PeerFile> open_peer(const fs::path& path) {
  auto file = golden::SafetensorsFile::open(path);
  if (!file) return std::unexpected(file.error());
  auto standard = standard_pages(*file);
  if (!standard) return std::unexpected(standard.error());
  auto planes = plane_pages(*file);
  if (!planes) return std::unexpected(planes.error());
  if (const auto same = same_pool(path.string(), standard->pool, planes->pool); !same) {
    return std::unexpected(same.error());
  }
  auto slots = slots_of(*file, standard->pool);
  if (!slots) return std::unexpected(slots.error());
  return PeerFile{*std::move(file), *standard, *planes, *std::move(slots)};
}

// What the oracle expects of the file's planes, and what they hold.
std::optional<Failure> oracle_differs(const fs::path& path, const PeerFile& peer) {
  constexpr const char* kName = "peer_pages.oracle";
  const Pool& pool = peer.standard.pool;
  const auto map = oracle_map(pool.shape, path.string());
  if (!map)
    return Failure{kName, kOracleClaim, path.string(), "a page below 2^32 elements", to_string(map.error()),
                   ""};
  const Comparison comparison =
      compare({pool, peer.standard.pages, peer.planes.keys, peer.planes.values}, peer.slots, *map);
  if (!comparison.first) return std::nullopt;
  return Failure{kName,
                 kOracleClaim,
                 fmt::format("{} {}   {}", path.filename().string(), to_string(pool.shape),
                             to_string(comparison.first->coordinate)),
                 fmt::format("0x{:02X}", static_cast<unsigned>(comparison.first->expected)),
                 fmt::format("0x{:02X}", static_cast<unsigned>(comparison.first->got)),
                 fmt::format("pageproof check {}", path.string())};
}

// The converter's planes of a file against the planes in it, byte for byte.
std::optional<Failure> converter_differs(const fs::path& path, const PeerFile& peer, bool in_place) {
  const Pool& pool = peer.standard.pool;
  std::vector<std::byte> keys(pool.side_bytes(), kUnwritten);
  std::vector<std::byte> values(pool.side_bytes(), kUnwritten);
  std::vector<std::byte> pages(peer.standard.pages.begin(), peer.standard.pages.end());
  std::vector<std::int64_t> ids(pool.blocks);
  std::iota(ids.begin(), ids.end(), std::int64_t{0});
  golden::ConvertRequest request;
  request.shape = pool.shape;
  request.in_place = in_place;
  request.k_plane = keys;
  request.v_plane = values;
  request.block_ids = ids;
  request.num_blocks = pool.blocks;
  if (in_place) {
    const std::vector<std::uint64_t> blocks(ids.begin(), ids.end());
    oracle::land(pool.shape, pages, blocks, blocks, {keys, values});
  } else {
    request.standard = pages;
    request.standard_block_ids = ids;
    request.standard_num_blocks = pool.blocks;
  }
  constexpr const char* kName = "peer_pages.converter";
  if (const auto converted = production_converter()(request); !converted) {
    return Failure{
        kName, kConverterClaim, path.filename().string(), "converted pages", to_string(converted.error()),
        ""};
  }
  for (const auto& [plane, made, theirs] : {std::tuple{kKeyPlane, std::span(keys), peer.planes.keys},
                                            std::tuple{kValuePlane, std::span(values), peer.planes.values}}) {
    const auto [ours, other] = std::ranges::mismatch(made, theirs);
    if (ours == made.end()) continue;
    return Failure{kName,
                   kConverterClaim,
                   fmt::format("{} {}   {} byte {}", path.filename().string(), to_string(pool.shape), plane,
                               ours - made.begin()),
                   fmt::format("0x{:02X}", static_cast<unsigned>(*other)),
                   fmt::format("0x{:02X}", static_cast<unsigned>(*ours)),
                   fmt::format("pageproof check {}", path.string())};
  }
  return std::nullopt;
}

bool in_converter_scope(const Shape& shape) {
  return (shape.tokens == 16 || shape.tokens == 32) &&
         (shape.head_dim == 64 || shape.head_dim == 128 || shape.head_dim == 256);
}

// Opens every safetensors file of a folder and tries `judge` on it; its failures count, and its cases.
CheckResult each_file(const fs::path& folder, const char* name, const char* claim,
                      const std::function<void(const fs::path&, const PeerFile&, CheckResult&)>& judge) {
  CheckResult result;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const fs::path& path : files) {
    const Expected<PeerFile> peer = open_peer(path);
    if (peer) {
      judge(path, *peer, result);
    } else {
      result.failures.push_back(
          {name, claim, path.string(), "a file of peer pages", to_string(peer.error()), ""});
    }
  }
  return result;
}

void judge_oracle(const fs::path& path, const PeerFile& peer, CheckResult& result) {
  ++result.cases;
  const auto failure = oracle_differs(path, peer);
  if (failure) result.failures.push_back(*failure);
}

void judge_converter(const fs::path& path, const PeerFile& peer, CheckResult& result) {
  const bool every_slot = peer.slots.written_count == peer.slots.written.size();
  if (!every_slot || !in_converter_scope(peer.standard.pool.shape)) return;
  for (const bool in_place : {false, true}) {
    ++result.cases;
    if (const auto failure = converter_differs(path, peer, in_place)) result.failures.push_back(*failure);
  }
}

CheckResult committed_oracle(const CheckOptions& options) {
  return each_file(options.fixtures / "foreign", "peer_pages.oracle", kOracleClaim, judge_oracle);
}

CheckResult committed_converter(const CheckOptions& options) {
  return each_file(options.fixtures / "foreign", "peer_pages.converter", kConverterClaim, judge_converter);
}

CheckResult shared(const CheckOptions& options) {
  const fs::path folder = options.shared / "peer_pages";
  std::error_code unreadable;
  if (!fs::is_directory(folder, unreadable))
    return {.cases = 0, .failures = {}, .skipped = "no further peer pages here"};
  return each_file(folder, "peer_pages.shared", kOracleClaim,
                   [](const fs::path& path, const PeerFile& peer, CheckResult& result) {
                     judge_oracle(path, peer, result);
                     judge_converter(path, peer, result);
                   });
}

const Registered kOracle({.name = "peer_pages.oracle", .claim = kOracleClaim, .run = committed_oracle});
const Registered kConverter({.name = "peer_pages.converter",
                             .claim = kConverterClaim,
                             .run = committed_converter});
const Registered kShared({.name = "peer_pages.shared",
                          .claim = "the same of further peer pages, in a folder beside the source tree",
                          .run = shared});

}  // namespace
}  // namespace pageproof::reports
