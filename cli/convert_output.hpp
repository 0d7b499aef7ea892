// The file that `convert` writes: the converted pages, what goes with them, and what the metadata says.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "reports/pages/stored.hpp"

namespace pageproof::cli {

// Blocks that were not converted hold the unwritten byte throughout.
void fill_unlisted(std::span<std::byte> region, std::uint64_t block_bytes,
                   std::span<const std::uint64_t> block_ids);

// Writes `converted` to options.output: with the input's block_ids where it has one for each block, with the
// source tensors where --keep-source asks for them (and the slots that say which blocks were converted), with
// the input's metadata where it is still true. Answers with the input's tensors that are left out.
Expected<std::vector<std::string>> write_converted(const ConvertOptions& options,
                                                   const golden::SafetensorsFile& input,
                                                   const reports::StoredPages& source,
                                                   const reports::StoredPages& converted,
                                                   std::span<const std::uint64_t> block_ids);

}  // namespace pageproof::cli
