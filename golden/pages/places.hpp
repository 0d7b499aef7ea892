// Where the listed blocks of a test lie in its two pools, and the ids that a consumer must refuse.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "golden/pages/fixture.hpp"

namespace pageproof::golden {

struct Places {
  Pool standard;
  Pool planes;
  std::vector<std::string> flags;  // of a test that lies so
};

// `blocks` is how many are listed, 1 to 4.
Places dense_places(std::uint64_t blocks);     // row i is block i: how the tensors themselves lie
Places in_order_places(std::uint64_t blocks);  // ascending, from block 1 of the planes on
Places scattered_places(std::uint64_t blocks);
Places high_places(std::uint64_t blocks, std::uint64_t highest_block);

struct BadRequest {
  Operation operation;
  std::string comment;
  std::string flag;
  Request request;
};

// Each has sound ids first, those of the places, and then one that is not.
std::vector<BadRequest> bad_requests(const Places& places);

}  // namespace pageproof::golden
