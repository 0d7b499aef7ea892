#include "golden/pages/run_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "golden/pages/blocks.hpp"
#include "golden/pages/fixture_json.hpp"
#include "golden/pages/sha256.hpp"
#include "oracle/offset/writer.hpp"

namespace pageproof::golden {
namespace {

class Runner {
 public:
  Runner(const Group& group, const Test& test, const SafetensorsFile& file, const Convert& converter)
      : group_(group), shape_(group.shape), test_(test), file_(file), converter_(converter) {}

  std::vector<Failure> run() && {
    standard_ = pool_of(test_.standard, test_.standard_pool, shape_.page_bytes());
    if (test_.landing) landing_ = planes_of(*test_.landing);
    if (test_.operation == Operation::land) {
      check_landing();
    } else if (test_.request) {
      check_refusal();
    } else {
      check_conversion();
    }
    if (test_.operation == Operation::find) check_found();
    return std::move(failures_);
  }

 private:
  // Rows of a stored tensor, put in their pool; both digests are checked on the way.
  Bytes pool_of(const Stored& stored, const Pool& pool, std::uint64_t block_bytes) {
    const std::span<const std::byte> rows = file_.find(stored.tensor)->data;
    Bytes bytes = in_pool(rows, pool, block_bytes);
    digest("fixtures.tensor_sha256", stored, stored.sha256, rows);
    digest("fixtures.pool_sha256", stored, stored.pool_sha256, bytes);
    return bytes;
  }

  void digest(const char* name, const Stored& stored, const std::string& expected,
              std::span<const std::byte> bytes) {
    const std::string got = sha256_hex(bytes);
    if (got == expected) return;
    fail(name, "the data is what its digest says", fmt::format("tensor {} of {}", stored.tensor, group_.file),
         expected, got);
  }

  PlaneBytes planes_of(const StoredPlanes& stored) {
    return {pool_of(stored.key, test_.planes_pool, shape_.side_bytes()),
            pool_of(stored.value, test_.planes_pool, shape_.side_bytes())};
  }

  PlaneBytes rows(const PlaneBytes& pools) const {
    const BlockIds& ids = test_.planes_pool.block_ids;
    return {rows_of(pools.key, ids, shape_.side_bytes()), rows_of(pools.value, ids, shape_.side_bytes())};
  }

  PlaneBytes planes_before() const {
    if (test_.landing) return landing_;
    const Bytes plane = sentinel_pool(test_.planes_pool.num_blocks, shape_.side_bytes());
    return {plane, plane};
  }

  Expected<void> convert(const Request& ids, PlaneBytes& planes) const {
    ConvertRequest request{.shape = shape_,
                           .in_place = test_.operation == Operation::convert_in_place,
                           .standard = standard_,
                           .standard_block_ids = ids.standard_block_ids,
                           .standard_num_blocks = test_.standard_pool.num_blocks,
                           .k_plane = planes.key,
                           .v_plane = planes.value,
                           .block_ids = ids.block_ids,
                           .num_blocks = test_.planes_pool.num_blocks};
    if (request.in_place) {
      request.standard = {};
      request.standard_block_ids = {};
      request.standard_num_blocks = 0;
    }
    return converter_(request);
  }

  void check_landing() {
    const std::uint64_t half = shape_.side_bytes();
    const PlaneBytes landed = rows(landing_);
    const Bytes pages = rows_of(standard_, test_.standard_pool.block_ids, 2 * half);
    for (std::size_t byte = 0; byte < pages.size(); ++byte) {
      const std::uint64_t block = byte / (2 * half);
      const std::uint64_t in_page = byte % (2 * half);
      const Bytes& plane = in_page < half ? landed.key : landed.value;
      const std::byte got = plane[block * half + in_page % half];
      if (got == pages[byte]) continue;
      fail("fixtures.land", "page byte p lands at byte p of the K-plane block, or p - S of the V-plane block",
           fmt::format("block={} page byte {}", test_.planes_pool.block_ids[block], in_page),
           hex({&pages[byte], 1}), hex({&got, 1}));
      return;
    }
  }

  void check_refusal() {
    const PlaneBytes before = planes_before();
    PlaneBytes planes = before;
    const char* claim = "a bad request is refused and nothing is written";
    if (convert(*test_.request, planes)) {
      fail("fixtures.refuses", claim, std::string(to_string(test_.operation)), "refused", "accepted");
    }
    if (planes != before) {
      fail("fixtures.refuses", claim, changed_byte(before, planes), "unchanged", "written");
    }
  }

  void check_conversion() {
    const PlaneBytes expected = planes_of(*test_.expected);
    PlaneBytes planes = planes_before();
    const std::string name = fmt::format("fixtures.{}", to_string(test_.operation));
    const Request ids{test_.standard_pool.block_ids, test_.planes_pool.block_ids};
    if (const auto done = convert(ids, planes); !done) {
      fail(name, "the converter accepts the request", "", "accepted", to_string(done.error()));
      return;
    }
    const PlaneBytes right = rows(expected);
    const PlaneBytes got = rows(planes);
    if (const auto difference = first_difference(shape_, ids.block_ids, right, got)) {
      fail(name, "the converted blocks equal the oracle's",
           fmt::format("{}   {} bytes differ", pageproof::to_string(difference->first), difference->bytes),
           element(right, difference->first), element(got, difference->first));
    } else if (planes != expected) {
      fail(name, "bytes outside the listed blocks stay", changed_byte(expected, planes), hex({&kSentinel, 1}),
           "another byte");
    }
  }

  void check_found() {
    const auto difference = first_difference(shape_, test_.planes_pool.block_ids,
                                             rows(planes_of(*test_.expected)), rows(planes_of(*test_.found)));
    const auto text = [](const Difference& d) {
      return fmt::format("{}, {} bytes", to_string(d.first), d.bytes);
    };
    const std::string got = difference ? text(*difference) : "no difference";
    if (got == text(*test_.difference)) return;
    fail("fixtures.difference", "the first difference and the count are the recorded ones", "",
         text(*test_.difference), got);
  }

  // The first byte that differs between pools, by block.
  std::string changed_byte(const PlaneBytes& before, const PlaneBytes& after) const {
    for (const auto& [side, old_plane, plane] : {std::tuple(Side::key, &before.key, &after.key),
                                                 std::tuple(Side::value, &before.value, &after.value)}) {
      const auto [old_byte, byte] = std::ranges::mismatch(*old_plane, *plane);
      if (byte == plane->end()) continue;
      const auto at = static_cast<std::uint64_t>(byte - plane->begin());
      return fmt::format("block={} side={} byte {} of the block", at / shape_.side_bytes(), to_string(side),
                         at % shape_.side_bytes());
    }
    return "";
  }

  std::string element(const PlaneBytes& rows, Coordinate c) const {
    const BlockIds& ids = test_.planes_pool.block_ids;
    c.block =
        static_cast<std::uint64_t>(std::ranges::find(ids, static_cast<std::int64_t>(c.block)) - ids.begin());
    const Bytes& plane = c.side == Side::key ? rows.key : rows.value;
    return hex(std::span(plane).subspan(oracle::shuffled_byte(shape_, c), shape_.element_bytes));
  }

  static std::string hex(std::span<const std::byte> little_endian) {
    std::string text = "0x";
    for (std::size_t i = little_endian.size(); i-- > 0;) {
      text += fmt::format("{:02x}", std::to_integer<unsigned>(little_endian[i]));
    }
    return text;
  }

  void fail(std::string name, std::string claim, const std::string& example, std::string expected,
            std::string got) {
    failures_.push_back({std::move(name), std::move(claim),
                         fmt::format("{} tcId={} ({})   {}   {}", kSuiteFile, test_.tc_id, test_.comment,
                                     pageproof::to_string(shape_), example),
                         std::move(expected), std::move(got), ""});
  }

  const Group& group_;
  const Shape& shape_;
  const Test& test_;
  const SafetensorsFile& file_;
  const Convert& converter_;
  Bytes standard_;
  PlaneBytes landing_;
  std::vector<Failure> failures_;
};

}  // namespace

std::vector<Failure> run_test(const Group& group, const Test& test, const SafetensorsFile& file,
                              const Convert& converter) {
  return Runner(group, test, file, converter).run();
}

}  // namespace pageproof::golden
