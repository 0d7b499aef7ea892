#include "golden/plans/expect.hpp"

#include <algorithm>
#include <iterator>

#include "golden/pages/sha256.hpp"
#include "model/region/descriptor.hpp"

namespace pageproof::golden::plans {
namespace {

using region::Descriptor;

// The whole lists that ids count in.
struct Lists {
  std::vector<Descriptor> local;
  std::vector<Descriptor> remote;
};

std::vector<region::Region> regions_of(const Registered& side) {
  std::vector<region::Region> regions;
  for (const Region& r : side.regions) {
    region::Region one;
    one.base = r.base;
    one.block_len = r.block_len;
    one.block_stride = r.block_stride;
    one.num_blocks = r.num_blocks;
    one.group = r.group;
    one.latent = r.replicated;
    regions.push_back(one);
  }
  return regions;
}

struct Blocks {
  region::BlockGroups local;  // sub-blocks
  region::BlockGroups remote;
};

Blocks blocks_of(const Test& test, std::uint64_t ratio) {
  Blocks blocks;
  for (std::size_t g = 0; g < test.local_blocks.size(); ++g) {
    auto remote = region::kernel_block_ids(test.remote_blocks[g], test.remote_per_logical);
    auto local = region::sub_block_ids(region::kernel_block_ids(test.local_blocks[g], test.local_per_logical),
                                       ratio, remote.size());
    remote.erase(remote.begin(), remote.end() - static_cast<std::ptrdiff_t>(local.size()));
    blocks.local.push_back(std::move(local));
    blocks.remote.push_back(std::move(remote));
  }
  return blocks;
}

Row row_of(const Descriptor& d) {
  return {d.address, d.bytes, d.device};
}

// populate's strided runs, as (run, dense) of each row.
std::vector<std::pair<std::size_t, bool>> runs_of(const std::vector<Descriptor>& rows) {
  std::vector<std::pair<std::size_t, bool>> runs;
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t end = first + 1;
    std::uint64_t stride = 0;
    while (end < rows.size() && rows[end].bytes == rows[first].bytes &&
           rows[end].address > rows[end - 1].address) {
      const std::uint64_t distance = rows[end].address - rows[end - 1].address;
      if (end > first + 1 && distance != stride) break;
      stride = distance;
      ++end;
    }
    runs.insert(runs.end(), end - first, {first, stride == rows[first].bytes});
    first = end;
  }
  return runs;
}

// makeXferReq: neighbours in both lists go out as one inside dense runs.
std::vector<Row> posted_of(const Lists& lists, const Source& source) {
  const auto local = runs_of(lists.local), remote = runs_of(lists.remote);
  const auto joined = [](const auto& runs, std::uint64_t before, std::uint64_t id) {
    return id == before + 1 && runs[id] == runs[before] && runs[id].second;
  };
  std::vector<Row> posted;
  for (std::size_t i = 0; i < source.local_ids.size(); ++i) {
    const bool joins = i != 0 && joined(local, source.local_ids[i - 1], source.local_ids[i]) &&
                       joined(remote, source.remote_ids[i - 1], source.remote_ids[i]);
    if (!joins) posted.push_back({i, 0, 0});
    ++posted.back()[1];
    posted.back()[2] += lists.local[source.local_ids[i]].bytes;
  }
  return posted;
}

// Region for region, with the share of this source.
Lists shares(const std::vector<region::Region>& local, const std::vector<region::Region>& remote,
             const Test& test, const Source& source) {
  Lists lists;
  region::RemoteSlice slice{.ratio = source.slice.ratio,
                            .rank_offset_factor = source.slice.rank_offset_factor,
                            .sources = source.slice.sources};
  for (std::size_t i = 0; i < local.size(); ++i) {
    slice.replicated = local[i].latent;
    for (std::uint64_t b = 0; b < local[i].num_blocks; ++b) {
      for (std::uint64_t j = 0; j < slice.ratio; ++j) {
        lists.local.push_back(
            region::share_of(region::local_descriptor(local[i], b, j, slice.ratio, test.local.device),
                             source.slice.slot, slice));
      }
    }
    for (std::uint64_t b = 0; b < remote[i].num_blocks; ++b)
      lists.remote.push_back(region::remote_descriptor(local[i], remote[i], b, slice, source.side.device));
  }
  return lists;
}

struct Run {
  std::size_t first = 0;
  std::size_t count = 0;
};

std::vector<Run> runs_of(const Ids& local, const Ids& remote) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < local.size(); ++i) {
    const bool follows = i != 0 && local[i] == local[i - 1] + 1 && remote[i] == remote[i - 1] + 1;
    if (!follows) runs.push_back({i, 0});
    ++runs.back().count;
  }
  return runs;
}

// Lists that are made for the request; their ids are 0, 1, 2, ... on the local side.
Lists staged(const Test& test, const Source& source, const Blocks& blocks, Source& out) {
  Lists lists;
  std::uint64_t at = test.staging.base, first = 0;
  for (const Region& pages : source.side.regions) {
    for (std::uint64_t b = 0; b < pages.num_blocks; ++b)
      lists.remote.push_back({pages.base + b * pages.block_stride, pages.block_len, source.side.device});
    for (const std::uint64_t block : blocks.remote.front()) {
      out.local_ids.push_back(lists.local.size());
      out.remote_ids.push_back(first + block);
      lists.local.push_back({at, pages.block_len, test.local.device});
      at += pages.block_len;
    }
    first += pages.num_blocks;
  }
  return lists;
}

Lists run_halves(const Test& test, const Source& source, const Blocks& blocks, Source& out) {
  Lists lists;
  const Ids &to = blocks.local.front(), &from = blocks.remote.front();
  for (std::size_t layer = 0; layer < source.side.regions.size(); ++layer) {
    const Region& pages = source.side.regions[layer];
    for (const Run& run : runs_of(to, from)) {
      const std::uint64_t half = run.count * pages.block_len / 2;
      for (const std::uint64_t side : {0, 1}) {
        const Region& plane = test.local.regions[2 * layer + side];
        out.local_ids.push_back(lists.local.size());
        out.remote_ids.push_back(lists.local.size());
        lists.local.push_back({plane.base + to[run.first] * plane.block_stride, half, test.local.device});
        lists.remote.push_back(
            {pages.base + from[run.first] * pages.block_stride + side * half, half, source.side.device});
      }
    }
  }
  return lists;
}

}  // namespace

void fill_expected(Test& test) {
  for (Source& source : test.sources) {
    const Blocks blocks = blocks_of(test, source.slice.ratio);
    const Source given = source;
    Lists lists;
    if (test.strategy == "staged") {
      lists = staged(test, given, blocks, source);
    } else if (test.strategy == "run-halves") {
      lists = run_halves(test, given, blocks, source);
    } else {
      auto local = regions_of(test.local), remote = regions_of(source.side);
      if (test.strategy == "slots") local = region::virtual_halves(local);
      if (test.strategy != "whole") remote = region::virtual_halves(remote);
      source.local_ids = region::descriptor_ids(blocks.local, region::id_space_of(local, source.slice.ratio));
      source.remote_ids = region::descriptor_ids(blocks.remote, region::id_space_of(remote));
      lists = shares(local, remote, test, source);
    }
    for (const std::uint64_t id : source.local_ids) source.local_rows.push_back(row_of(lists.local[id]));
    for (const std::uint64_t id : source.remote_ids) source.remote_rows.push_back(row_of(lists.remote[id]));
    source.posted = posted_of(lists, source);
  }
}

namespace {

std::string digest_of(const std::map<std::uint64_t, std::byte>& written) {
  std::vector<std::byte> bytes;
  bytes.reserve(written.size());
  std::ranges::transform(written, std::back_inserter(bytes), [](const auto& entry) { return entry.second; });
  return sha256_hex(bytes);
}

}  // namespace

std::string digest_of_rows(const Test& test) {
  std::map<std::uint64_t, std::byte> written;
  for (const Source& source : test.sources) {
    for (std::size_t i = 0; i < source.local_rows.size(); ++i) {
      for (std::uint64_t byte = 0; byte < source.local_rows[i][1]; ++byte) {
        written[source.local_rows[i][0] + byte] =
            std::byte{content_of(source.rank, source.remote_rows[i][0] + byte)};
      }
    }
  }
  return digest_of(written);
}

}  // namespace pageproof::golden::plans
