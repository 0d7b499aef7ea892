#include "reports/plan/plan_file.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <iterator>

#include "model/json/fields.hpp"
#include "model/json/strict_json.hpp"

namespace pageproof::reports {
namespace {

using nlohmann::json;
using plan::Descriptor;

constexpr std::size_t kDeepest = 6;

// A list of triples of whole numbers.
std::vector<std::array<std::uint64_t, 3>> triples(JsonFields& fields, const char* key) {
  std::vector<std::array<std::uint64_t, 3>> list;
  const json* found = fields.find(key);
  if (found == nullptr) return list;
  if (!found->is_array()) {
    fields.fail(key, shown(*found), "not a list");
    return list;
  }
  for (const json& entry : *found) {
    const bool whole = entry.is_array() && entry.size() == 3 && entry[0].is_number_unsigned() &&
                       entry[1].is_number_unsigned() && entry[2].is_number_unsigned();
    if (!whole) {
      fields.fail(fmt::format("{}[{}]", key, list.size()).c_str(), shown(entry),
                  "not three whole numbers below 2^64");
      return list;
    }
    list.push_back(
        {entry[0].get<std::uint64_t>(), entry[1].get<std::uint64_t>(), entry[2].get<std::uint64_t>()});
  }
  return list;
}

std::vector<Descriptor> descriptors(JsonFields& fields, const char* key) {
  std::vector<Descriptor> rows;
  for (const auto& [address, bytes, device] : triples(fields, key)) rows.push_back({address, bytes, device});
  return rows;
}

// The object under a key; an empty one, and a fault, where there is none.
const json& object_of(JsonFields& fields, const char* key) {
  static const json empty = json::object();
  const json* found = fields.find(key);
  if (found == nullptr) {
    fields.fail(key, "", "missing required field");
    return empty;
  }
  if (!found->is_object()) {
    fields.fail(key, shown(*found), "not an object");
    return empty;
  }
  return *found;
}

// Finishes an inner object: its first fault becomes the outer one's.
void close(JsonFields& outer, JsonFields& inner) {
  inner.refuse_unknown_keys();
  if (inner.error()) outer.fail(*inner.error());
}

PlanFile::Half half_of(JsonFields& outer, const char* side, const std::string& subject) {
  JsonFields fields(object_of(outer, side), outer.path_of(side), subject);
  PlanFile::Half half;
  if (fields.find("memory") == nullptr) fields.fail("memory", "", "missing required field");
  for (const auto& [base, bytes, device] : triples(fields, "memory"))
    half.memory.push_back({base, bytes, device});
  const bool listed = fields.find("list") != nullptr;
  if (listed == (fields.find("rows") != nullptr)) {
    fields.fail("rows", "", "either rows, or a list and ids");
  } else if (!listed) {
    half.rows = descriptors(fields, "rows");
  } else {
    const std::vector<Descriptor> list = descriptors(fields, "list");
    std::vector<std::uint64_t> ids;
    fields.required("ids", ids);
    for (std::size_t i = 0; i < ids.size() && !fields.error(); ++i) {
      if (ids[i] < list.size()) {
        half.rows.push_back(list[ids[i]]);
      } else {
        fields.fail(fmt::format("ids[{}]", i).c_str(), std::to_string(ids[i]),
                    fmt::format("the list has {} rows", list.size()));
      }
    }
  }
  close(outer, fields);
  return half;
}

plan::Side side_of(JsonFields& outer, const char* key, const std::vector<Descriptor>& rows,
                   const std::string& subject) {
  plan::Side side;
  side.device = rows.empty() ? 0 : rows.front().device;
  std::optional<std::uint64_t> device;
  const json* found = outer.find(key);
  if (found == nullptr || !found->is_array()) {
    outer.fail(key, found == nullptr ? "" : shown(*found),
               found == nullptr ? "missing required field" : "not a list");
    return side;
  }
  for (const json& entry : *found) {
    const std::string path = fmt::format("{}[{}]", outer.path_of(key), side.regions.size());
    if (!entry.is_object()) {
      outer.fail(Error{subject, path, shown(entry), "not an object"});
      return side;
    }
    JsonFields fields(entry, path, subject);
    plan::Region region;
    fields.required("base", region.base);
    fields.required("block_len", region.block_len);
    region.block_stride = region.block_len;
    fields.optional("block_stride", region.block_stride);
    fields.required("num_blocks", region.num_blocks);
    fields.optional("group", region.group);
    fields.optional("replicated", region.replicated);
    std::optional<std::uint64_t> own;
    fields.nullable("device", own);
    if (own != device && !side.regions.empty())
      fields.fail("device", own ? std::to_string(*own) : "absent", "not that of the regions before it");
    device = own;
    close(outer, fields);
    side.regions.push_back(std::move(region));
  }
  side.device = device.value_or(side.device);
  return side;
}

plan::BlockGroups groups_of(JsonFields& fields, const char* key) {
  plan::BlockGroups groups;
  const json* found = fields.find(key);
  const auto whole = [](const json& id) { return id.is_number_unsigned(); };
  if (found == nullptr || !found->is_array()) {
    fields.fail(key, found == nullptr ? "" : shown(*found), "not a list of lists of block ids");
    return groups;
  }
  for (const json& group : *found) {
    if (!group.is_array() || !std::all_of(group.begin(), group.end(), whole)) {
      fields.fail(key, shown(group), "not a list of block ids");
      return groups;
    }
    groups.push_back(group.get<plan::BlockIds>());
  }
  return groups;
}

plan::Slice slice_of(JsonFields& outer, const std::string& subject) {
  plan::Slice slice;
  if (outer.find("slice") == nullptr) return slice;
  JsonFields fields(object_of(outer, "slice"), outer.path_of("slice"), subject);
  fields.optional("ratio", slice.ratio);
  fields.optional("sources", slice.sources);
  fields.optional("slot", slice.slot);
  fields.optional("shares", slice.shares);
  fields.optional("rank_offset_factor", slice.rank_offset_factor);
  close(outer, fields);
  return slice;
}

void read_request(JsonFields& outer, PlanFile& file, const std::string& subject) {
  JsonFields fields(object_of(outer, "request"), outer.path_of("request"), subject);
  std::string as;
  fields.required("as", as);
  const plan::Side local = side_of(fields, "local_regions", file.local.rows, subject);
  const plan::Side remote = side_of(fields, "remote_regions", file.remote.rows, subject);
  file.local_blocks = groups_of(fields, "local_blocks");
  const plan::PairedBlocks blocks{file.local_blocks, groups_of(fields, "remote_blocks")};
  const plan::Slice slice = slice_of(fields, subject);
  fields.refuse_unknown_keys();
  if (!fields.error()) {
    Expected<plan::Moves> moves;
    if (as == "run-halves" && slice != plan::Slice{}) {
      fields.fail("slice", as, "halves are of whole pages: a slice has no part in them");
    } else if (as == "run-halves") {
      moves = plan::wanted_run_moves(local, remote, blocks);
    } else if (as == "whole" || as == "slots" || as == "halves") {
      const plan::Split split = as == "whole"   ? plan::Split::none
                                : as == "slots" ? plan::Split::slots
                                                : plan::Split::halves;
      moves = plan::wanted_moves(local, remote, split, slice, blocks);
    } else {
      fields.fail("as", as, "not one of whole, slots, halves, run-halves");
    }
    if (!moves) {
      const Error& why = moves.error();
      fields.fail(Error{subject, fmt::format("{} {} {}", outer.path_of("request"), why.subject, why.field),
                        why.value, why.problem});
    } else {
      file.wanted = *std::move(moves);
    }
  }
  if (fields.error()) outer.fail(*fields.error());
}

}  // namespace

std::optional<plan::Violation> PlanFile::check() const {
  plan::CheckInput input{.local_memory = local.memory,
                         .remote_memory = remote.memory,
                         .local = local.rows,
                         .remote = remote.rows,
                         .bytes = bytes,
                         .local_blocks = &local_blocks};
  if (wanted) input.wanted = plan::Wanted{wanted->local, wanted->remote};
  return plan::check(input);
}

Expected<PlanFile> read_plan_file(std::string_view text, const std::string& subject) {
  const Expected<json> value =
      parse_strict_json(text, {.subject = subject, .field = "", .deepest = kDeepest});
  if (!value) return std::unexpected(value.error());
  if (!value->is_object()) return std::unexpected(Error{subject, "$", shown(*value), "not an object"});
  JsonFields fields(*value, "$", subject);
  PlanFile file;
  file.local = half_of(fields, "local", subject);
  file.remote = half_of(fields, "remote", subject);
  fields.nullable("bytes", file.bytes);
  if (fields.find("request") != nullptr) read_request(fields, file, subject);
  fields.refuse_unknown_keys();
  if (fields.error()) return std::unexpected(*fields.error());
  return file;
}

// In pieces: a pipe does not tell its size.
Expected<PlanFile> read_plan_file_at(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::unexpected(Error{path, "", "", "cannot be read"});
  std::string text;
  std::array<char, 65536> piece;
  while (in.read(piece.data(), piece.size()) || in.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() <= kLargestPlanFile) continue;
    return std::unexpected(Error{path, "size", fmt::format("{} or more", text.size()),
                                 fmt::format("above {} bytes", kLargestPlanFile)});
  }
  if (in.bad()) return std::unexpected(Error{path, "", "", "cannot be read"});
  return read_plan_file(text, path);
}

}  // namespace pageproof::reports
