#include "golden/pages/validate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "golden/pages/fixture_json.hpp"

namespace pageproof::golden {
namespace {

using Sizes = std::vector<std::uint64_t>;

// Stops at the first thing wrong; later calls do nothing.
class Validator {
 public:
  Validator(const Group& group, const Test& test, const SafetensorsFile& file, const std::string& subject)
      : shape_(group.shape), dtype_(group.dtype), test_(test), file_(file), subject_(subject) {}

  Expected<void> run() {
    members();
    pool("standard", test_.standard_pool, shape_.page_bytes());
    pool("planes", test_.planes_pool, shape_.side_bytes());
    if (test_.standard_pool.block_ids.size() != test_.planes_pool.block_ids.size()) {
      refuse("planes.block_ids", fmt::format("{} ids", test_.planes_pool.block_ids.size()),
             fmt::format("standard.block_ids has {}", test_.standard_pool.block_ids.size()));
    }
    tensors();
    if (!error_.problem.empty()) return std::unexpected(error_);
    return {};
  }

 private:
  void refuse(const std::string& field, std::string value, std::string problem) {
    if (!error_.problem.empty()) return;
    error_ = {subject_, fmt::format("tcId {}: {}", test_.tc_id, field), std::move(value), std::move(problem)};
  }

  void member(const char* field, bool present, bool wanted) {
    if (present == wanted) return;
    refuse(field, "",
           fmt::format("{} for the operation {}", wanted ? "missing" : "out of place",
                       to_string(test_.operation)));
  }

  void members() {
    const bool find = test_.operation == Operation::find;
    const bool land = test_.operation == Operation::land;
    const bool refused = test_.request.has_value();
    member("landing", test_.landing.has_value(), land || test_.operation == Operation::convert_in_place);
    member("expected", test_.expected.has_value(), !land && !refused);
    member("found", test_.found.has_value(), find);
    member("difference", test_.difference.has_value(), find);
    if (find || land) member("request", refused, false);
    if (test_.valid != !(find || refused)) {
      refuse("result", test_.valid ? "valid" : "invalid",
             "a request to refuse, or planes to find fault with, is invalid");
    }
    if (refused && test_.operation == Operation::convert &&
        test_.request->standard_block_ids.size() != test_.request->block_ids.size()) {
      refuse("request.standard_block_ids", fmt::format("{} ids", test_.request->standard_block_ids.size()),
             fmt::format("block_ids has {}", test_.request->block_ids.size()));
    }
  }

  void pool(const char* name, const Pool& pool, std::uint64_t block_bytes) {
    const std::string field = fmt::format("{}.block_ids", name);
    if (pool.num_blocks == 0 || pool.num_blocks > kLargestPoolBytes / block_bytes) {
      refuse(
          fmt::format("{}.num_blocks", name), std::to_string(pool.num_blocks),
          fmt::format("not from 1 to {} blocks of {} bytes", kLargestPoolBytes / block_bytes, block_bytes));
    }
    if (pool.block_ids.empty()) refuse(field, "[]", "no blocks");
    for (const std::int64_t id : pool.block_ids) {
      if (id >= 0 && static_cast<std::uint64_t>(id) < pool.num_blocks) continue;
      refuse(field, std::to_string(id), fmt::format("not below num_blocks = {}", pool.num_blocks));
    }
    BlockIds sorted = pool.block_ids;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
      refuse(field, std::to_string(*twice), "listed twice");
    }
  }

  void tensor(const std::string& name, const Sizes& sizes) {
    const Tensor* found = file_.find(name);
    if (found == nullptr) return refuse("tensor", name, fmt::format("not in {}", file_.path().string()));
    if (found->dtype != dtype_) {
      refuse("dtype of " + name, std::string(pageproof::golden::name(found->dtype)),
             fmt::format("the group's is {}", pageproof::golden::name(dtype_)));
    }
    if (found->shape != sizes) {
      refuse("shape of " + name, fmt::format("{}", found->shape), fmt::format("should be {}", sizes));
    }
  }

  void tensors() {
    const std::uint64_t B = test_.planes_pool.block_ids.size();
    const auto& [H, N, D, e] = shape_;
    const std::uint64_t x = shape_.granule_elements();
    tensor(test_.standard.tensor, {B, H, N, 2 * D});
    for (const auto* planes : {&test_.expected, &test_.found}) {
      if (!*planes) continue;
      tensor((*planes)->key.tensor, {B, H, D / x, N, x});
      tensor((*planes)->value.tensor, {B, H, N / x, D, x});
    }
    if (!test_.landing) return;
    tensor(test_.landing->key.tensor, {B, H * N * D});
    tensor(test_.landing->value.tensor, {B, H * N * D});
  }

  const Shape& shape_;
  Dtype dtype_;
  const Test& test_;
  const SafetensorsFile& file_;
  const std::string& subject_;
  Error error_;
};

}  // namespace

Expected<void> validate_group(const Group& group, const std::string& subject) {
  return validate_source(group.shape, group.dtype, group.file, subject);
}

Expected<void> validate_source(const Shape& shape, Dtype dtype, const std::string& name,
                               const std::string& subject) {
  if (const auto good = checked(shape, subject); !good) return std::unexpected(good.error());
  if (bits(dtype) != 8 * shape.element_bytes) {
    return std::unexpected(Error{subject, "shape.dtype", std::string(golden::name(dtype)),
                                 fmt::format("element_bytes is {}", shape.element_bytes)});
  }
  const std::filesystem::path file = name;
  const bool inside = file.is_relative() && std::ranges::find(file, "..") == file.end();
  if (!inside || file.empty()) {
    return std::unexpected(Error{subject, "file", name, "not a file inside the fixtures' folder"});
  }
  return {};
}

Expected<void> validate_test(const Group& group, const Test& test, const SafetensorsFile& file,
                             const std::string& subject) {
  return Validator(group, test, file, subject).run();
}

}  // namespace pageproof::golden
