#include "golden/pages/group_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "golden/pages/faults.hpp"
#include "golden/pages/fill.hpp"
#include "golden/pages/places.hpp"
#include "golden/pages/sha256.hpp"
#include "oracle/offset/writer.hpp"

namespace pageproof::golden {
namespace {

// The rows of the listed blocks under one fill, and the names under which they are stored.
struct Content {
  Fill fill;
  std::string prefix;  // "index0"
  Bytes standard;
  PlaneBytes landing;
  PlaneBytes expected;
};

class Builder {
 public:
  explicit Builder(const GroupPlan& plan) : plan_(plan), shape_(plan.shape) {
    const std::string type = [&] {
      std::string lower(name(plan.dtype));
      std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
      return lower;
    }();
    out_.group = {.source_name = "oracle/offset",
                  .source_version = "1.0.0",
                  .shape = shape_,
                  .dtype = plan.dtype,
                  .file = fmt::format("pages_v1/{}_H{}_N{}_D{}.safetensors", type, shape_.heads,
                                      shape_.tokens, shape_.head_dim),
                  .tests = {}};
  }

  BuiltGroup build() && {
    if (plan_.index) {
      for (const Fill& fill : index_fills(shape_, plan_.blocks)) add_index_tests(content(fill));
    }
    if (plan_.bits) add_bits_tests(content({"bits", 0}));
    return std::move(out_);
  }

 private:
  // The oracle on real pools; rows are what it leaves in the listed blocks.
  PlaneBytes run(auto oracle_function, std::span<const std::byte> standard, const Places& places) const {
    const Bytes pool = in_pool(standard, places.standard, shape_.page_bytes());
    const Bytes plane = sentinel_pool(places.planes.num_blocks, shape_.side_bytes());
    PlaneBytes planes{plane, plane};
    oracle_function(shape_, pool, unsigned_ids(places.standard.block_ids),
                    unsigned_ids(places.planes.block_ids), oracle::Planes{planes.key, planes.value});
    return planes;
  }

  Content content(const Fill& fill) {
    const Places rows = dense_places(plan_.blocks);
    Content c{.fill = fill, .prefix = fill.kind, .standard = {}, .landing = {}, .expected = {}};
    if (fill.kind == "index") c.prefix += std::to_string(fill.shift);
    c.standard = fill_pages(fill, shape_, plan_.blocks);
    c.landing = run(oracle::land, c.standard, rows);
    c.expected = run(oracle::gather_and_rewrite, c.standard, rows);
    const auto [B, H, N, D, x] =
        std::array{plan_.blocks, shape_.heads, shape_.tokens, shape_.head_dim, shape_.granule_elements()};
    add_tensor(c.prefix + ".standard", {B, H, N, 2 * D}, c.standard);
    add_shuffled(c.prefix, c.expected);
    if (fill.shift == 0) {
      add_tensor(c.prefix + ".k_landing", {B, H * N * D}, c.landing.key);
      add_tensor(c.prefix + ".v_landing", {B, H * N * D}, c.landing.value);
    }
    return c;
  }

  void add_shuffled(const std::string& prefix, const PlaneBytes& planes) {
    const auto [B, H, N, D, x] =
        std::array{plan_.blocks, shape_.heads, shape_.tokens, shape_.head_dim, shape_.granule_elements()};
    add_tensor(prefix + ".k_plane", {B, H, D / x, N, x}, planes.key);
    add_tensor(prefix + ".v_plane", {B, H, N / x, D, x}, planes.value);
  }

  void add_tensor(std::string tensor, std::vector<std::uint64_t> sizes, const Bytes& data) {
    out_.tensors.push_back({std::move(tensor), std::move(sizes), data});
  }

  Test& add_test(const Content& c, const Places& places, Operation operation, std::string comment,
                 std::vector<std::string> flags) {
    Test test;
    test.comment = std::move(comment);
    test.flags = std::move(flags);
    test.flags.insert(test.flags.end(), places.flags.begin(), places.flags.end());
    if (shape_.heads == 1) test.flags.push_back("OneHead");
    if (shape_.heads == 2) test.flags.push_back("AmbiguousShape");
    if (shape_.heads > 1 && shape_.heads % 2 == 1) test.flags.push_back("TornHead");
    if (shape_.element_bytes == 1) test.flags.push_back("OneByteElements");
    test.operation = operation;
    test.fill = c.fill;
    test.standard_pool = places.standard;
    test.standard = {c.prefix + ".standard", sha256_hex(c.standard),
                     sha256_hex(in_pool(c.standard, places.standard, shape_.page_bytes()))};
    test.planes_pool = places.planes;
    out_.group.tests.push_back(std::move(test));
    return out_.group.tests.back();
  }

  StoredPlanes stored(const std::string& prefix, const char* what, const PlaneBytes& rows,
                      const PlaneBytes& pool) const {
    return {{fmt::format("{}.k_{}", prefix, what), sha256_hex(rows.key), sha256_hex(pool.key)},
            {fmt::format("{}.v_{}", prefix, what), sha256_hex(rows.value), sha256_hex(pool.value)}};
  }
  StoredPlanes landing(const Content& c, const Places& places) const {
    return stored(c.prefix, "landing", c.landing, run(oracle::land, c.standard, places));
  }
  StoredPlanes expected(const Content& c, const Places& places) const {
    return stored(c.prefix, "plane", c.expected, run(oracle::gather_and_rewrite, c.standard, places));
  }

  void add_convert(const Content& c, const Places& places, std::string comment,
                   std::vector<std::string> flags) {
    flags.insert(flags.begin(), "OutOfPlace");
    Test& test = add_test(c, places, Operation::convert, std::move(comment), std::move(flags));
    test.expected = expected(c, places);
  }
  void add_in_place(const Content& c, const Places& places, std::string comment,
                    std::vector<std::string> flags) {
    flags.insert(flags.begin(), "InPlace");
    Test& test = add_test(c, places, Operation::convert_in_place, std::move(comment), std::move(flags));
    test.landing = landing(c, places);
    test.expected = expected(c, places);
  }

  void add_index_tests(const Content& c) {
    if (c.fill.shift != 0) {
      add_convert(c, scattered(), fmt::format("the index, shifted right by {}", c.fill.shift), {"HighIndex"});
      return;
    }
    add_convert(c, in_order_places(plan_.blocks), "blocks in order", {});
    add_convert(c, scattered(), "blocks scattered over both pools", {});
    if (plan_.high_block != 0) {
      add_convert(c, high_places(plan_.blocks, plan_.high_block), "blocks of a large pool", {});
    }
    Test& land =
        add_test(c, scattered(), Operation::land, "the byte halves as the READ leaves them", {"Landing"});
    land.landing = landing(c, scattered());
    add_in_place(c, scattered(), "from the landing into the same bytes", {});
    if (plan_.faults) add_faults(c);
    if (plan_.faults) add_requests(c);
  }

  void add_bits_tests(const Content& c) {
    std::vector<std::string> flags;
    if (holds_every_bit_pattern(c.standard, shape_.element_bytes)) flags.push_back("EveryBitPattern");
    add_convert(c, scattered(), "bit patterns, blocks scattered over both pools", flags);
    add_in_place(c, scattered(), "bit patterns, from the landing into the same bytes", flags);
  }

  void add_faults(const Content& c) {
    const FaultInput input{shape_, plan_.blocks, c.standard, c.landing, c.expected};
    const Places places = scattered();
    for (const Fault& fault : faults()) {
      const PlaneBytes found = fault.planes(input);
      const auto difference = first_difference(shape_, places.planes.block_ids, c.expected, found);
      if (!difference) continue;
      const std::string prefix = c.prefix + "." + fault.flag;
      add_shuffled(prefix, found);
      Test& test = add_test(c, places, Operation::find, fault.comment, {fault.flag});
      const PlaneBytes pool{in_pool(found.key, places.planes, shape_.side_bytes()),
                            in_pool(found.value, places.planes, shape_.side_bytes())};
      test.expected = expected(c, places);
      test.found = stored(prefix, "plane", found, pool);
      test.difference = difference;
      test.valid = false;
    }
  }

  void add_requests(const Content& c) {
    const Places places = scattered();
    for (BadRequest& bad : bad_requests(places)) {
      Test& test = add_test(c, places, bad.operation, std::move(bad.comment), {std::move(bad.flag)});
      if (bad.operation == Operation::convert_in_place) test.landing = landing(c, places);
      test.request = std::move(bad.request);
      test.valid = false;
    }
  }

  Places scattered() const { return scattered_places(plan_.blocks); }

  const GroupPlan& plan_;
  Shape shape_;
  BuiltGroup out_;
};

}  // namespace

BuiltGroup build_group(const GroupPlan& plan) {
  return Builder(plan).build();
}

}  // namespace pageproof::golden
