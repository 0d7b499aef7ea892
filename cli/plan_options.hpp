// What `pageproof plan` is asked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.hpp"

namespace pageproof::cli {

struct PlanOptions {
  std::string local;                 // the decoder
  std::vector<std::string> remotes;  // the prefill: one file, or one for each source rank
  std::string local_blocks;          // "0,1;4-6": a list a transfer group; "none": an empty one
  std::string remote_blocks;
  std::string strategy = "auto";  // or halves, staged, run-halves, whole, slots
  std::string staging;            // "BASE:BYTES"; empty: none
  bool all_rows = false;          // whole lists, not the request's rows alone
  bool csv = false;
  bool tuples = false;
  bool json = false;
  std::string check;  // a plan made elsewhere; nothing else is asked then

  std::uint64_t local_tp = 1;  // of captures, which do not tell
  std::uint64_t local_rank = 0;
  std::uint64_t remote_tp = 1;
  std::uint64_t kv_heads = 8;

  double descriptor_us = 2;
  double read_us = 50;
  double link_gb = 25;
  double convert_gb = 4200;

  friend bool operator==(const PlanOptions&, const PlanOptions&) = default;
};
Result plan(const PlanOptions& options);

}  // namespace pageproof::cli
