// A plan made elsewhere, such as one dumped from a connector, as one JSON object:
//
//   {"local":  {"memory": [[base, bytes, device], ...], "rows": [[address, bytes, device], ...]},
//    "remote": {"memory": ...,                          "list": [[address, bytes, device], ...], "ids":
//    [...]}, "bytes": 2048, "request": {"as": "halves", "local_blocks": [[5, 1]], "remote_blocks": [[0, 3]],
//                "local_regions":  [{"base": ..., "block_len": ..., "block_stride": ..., "num_blocks": ...}],
//                "remote_regions": [...], "slice": {"sources": 2, "slot": 1}}}
//
// Rows pair by position; in place of `rows` stand the list that prep_xfer_dlist got and the ids that
// make_prepped_xfer got. `bytes` and `request` may be left out: then less is checked. `as` is whole, slots,
// halves or run-halves; a region may also have group, replicated and device (else that of the first row);
// block ids are kernel blocks, local ones sub-blocks where slice.ratio is above 1.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/plan/check.hpp"
#include "kernels/plan/wanted.hpp"
#include "model/page/plain/error.hpp"

namespace pageproof::reports {

struct PlanFile {
  struct Half {
    std::vector<plan::MemoryRange> memory;
    std::vector<plan::Descriptor> rows;
  };
  Half local;
  Half remote;
  std::optional<std::uint64_t> bytes;
  plan::BlockGroups local_blocks;
  std::optional<plan::Moves> wanted;

  std::optional<plan::Violation> check() const;
};

inline constexpr std::size_t kLargestPlanFile = std::size_t{64} << 20;  // bytes

// Refused, with the path of the field: what is no strict JSON, unknown or missing keys, wrong types, ids
// beyond their list, regions that cannot be, and what wanted_moves() refuses.
Expected<PlanFile> read_plan_file(std::string_view text, const std::string& subject);
Expected<PlanFile> read_plan_file_at(const std::string& path);

}  // namespace pageproof::reports
