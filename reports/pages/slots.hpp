// Which slots of the planes were written: those of slot_mapping, or all where a file has none. The others
// must hold the unwritten byte.
//
//   slot = block · N + token        a negative slot_mapping entry: the writer skipped that token
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reports/pages/pages.hpp"

namespace pageproof::reports {

struct Slots {
  std::vector<bool> written;  // by slot, blocks · N of them
  std::uint64_t written_count = 0;
  std::byte unwritten = kUnwritten;
  bool mapped = false;  // the file has a slot_mapping

  bool all_of_block(std::uint64_t block, std::uint64_t tokens) const;
};

// Refuses: a slot_mapping that is not I64 [T], a slot beyond the pool, a slot listed twice; an unwritten_byte
// in the metadata that is no byte such as 0xA5.
Expected<Slots> slots_of(const golden::SafetensorsFile& file, const Pool& pool);

}  // namespace pageproof::reports
