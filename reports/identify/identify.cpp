#include "reports/identify/identify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "reports/identify/search.hpp"

namespace pageproof::reports {
namespace {

Expected<void> checked_ids(const DumpedPages& pool, std::uint64_t blocks, const std::string& subject) {
  if (pool.block_ids.empty()) return {};
  if (pool.block_ids.size() != blocks) {
    return std::unexpected(Error{subject, "block_ids", std::to_string(pool.block_ids.size()),
                                 fmt::format("not one id for each of the {} blocks", blocks)});
  }
  std::unordered_set<std::uint64_t> seen;
  for (const std::uint64_t id : pool.block_ids) {
    if (!seen.insert(id).second) {
      return std::unexpected(Error{subject, "block_ids", std::to_string(id), "stands twice"});
    }
  }
  return {};
}

Expected<void> checked_pool(const DumpedPages& pool, const Shape& shape, const std::string& subject) {
  if (pool.two_tensors && pool.first.size() != pool.second.size()) {
    return std::unexpected(Error{subject, "v_plane", fmt::format("{} B", pool.second.size()),
                                 fmt::format("not as long as k_plane, which has {} B", pool.first.size())});
  }
  if (pool.bytes() == 0 || pool.bytes() % shape.page_bytes() != 0) {
    return std::unexpected(Error{
        subject, "pages", fmt::format("{} B", pool.bytes()),
        fmt::format("not a positive multiple of a page of {}, {} B", to_string(shape), shape.page_bytes())});
  }
  return checked_ids(pool, pool.bytes() / shape.page_bytes(), subject);
}

// The value that every one of these runs holds throughout.
std::optional<std::uint16_t> one_value(std::span<const Uniform> runs) {
  const bool one = std::ranges::all_of(
      runs, [&](const Uniform& run) { return run.uniform && run.value == runs.front().value; });
  return one ? std::optional(runs.front().value) : std::nullopt;
}

std::array<std::optional<std::uint16_t>, 2> constant_sides(const Scene& scene) {
  if (!scene.file->two_tensors || one_value(scene.reference_slots)) return {};
  const std::span<const Uniform> slots = scene.file_slots;
  return {one_value(slots.first(scene.file_blocks)), one_value(slots.last(scene.file_blocks))};
}

}  // namespace

Expected<Identification> identify(const DumpedPages& dump, const KnownPages& known,
                                  const IdentifyOptions& options, const std::string& subject,
                                  const std::string& reference_subject) {
  DumpedPages file = dump;
  KnownPages reference = known;
  const Shape& shape = reference.shape;
  if (shape.page_bytes() >= std::uint64_t{1} << 31) {
    return std::unexpected(
        Error{reference_subject, "shape", to_string(shape), "a page has 2^31 bytes or more"});
  }
  if (const auto fit = page::fits(*reference.format, shape); !fit) return std::unexpected(fit.error());
  if (reference.format->key_only()) {
    return std::unexpected(
        Error{reference_subject, "format", reference.format->tag, "holds K only; a reference has K and V"});
  }
  for (const auto& [pool, name] :
       {std::pair{&reference.pool, &reference_subject}, std::pair{&file, &subject}}) {
    if (const auto good = checked_pool(*pool, shape, *name); !good) return std::unexpected(good.error());
  }
  // The ids of one are no names of the other's blocks: then both go by position, in words too.
  if (file.block_ids.empty() || reference.pool.block_ids.empty()) {
    file.block_ids.clear();
    reference.pool.block_ids.clear();
  }
  Scene scene = make_scene(file, reference, std::max(options.threads, 1u));
  if (scene.pairs.empty()) {
    return std::unexpected(Error{subject, "block_ids", fmt::format("{} blocks", scene.file_blocks),
                                 fmt::format("none of them is in {}", reference_subject)});
  }
  if (!options.diligence.all_blocks) scene.pairs.resize(1);

  Identification result;
  result.shape = shape;
  result.file_blocks = scene.file_blocks;
  result.reference_blocks = scene.reference_blocks;
  result.compared_blocks = scene.pairs.size();
  result.two_tensors = file.two_tensors;
  result.data_can_tell = !std::ranges::all_of(scene.file_slots, &Uniform::uniform);
  result.constant_side = constant_sides(scene);
  result.expected = options.expected;
  result.reference_format = reference.format;
  result.file = file;
  result.reference = reference.pool;
  search(scene, options, result);
  return result;
}

bool Identification::as_wanted() const {
  return std::ranges::any_of(answers, [&](const Answer& answer) {
    const Candidate& candidate = candidates[answer.candidate];
    return candidate.plain() && (expected == nullptr || candidate.format->tag == expected->tag);
  });
}

std::optional<OutOfPlace> first_out_of_place(const Identification& found, std::size_t index) {
  const Candidate& candidate = found.candidates[index];
  std::optional<Mismatch> first;
  for (const Finding& finding : candidate.found) {
    if (!finding.count.first) continue;
    if (!first || finding.count.first->file_block < first->file_block) first = finding.count.first;
  }
  if (!first) return std::nullopt;
  const Shape& shape = found.shape;
  const std::uint64_t position = first->reference_byte % shape.page_bytes();
  const bool page = found.reference_format->regions == page::Regions::page;
  const page::Place place = page ? page::Place{Side::key, position}
                                 : page::Place{position < shape.side_bytes() ? Side::key : Side::value,
                                               position % shape.side_bytes()};
  OutOfPlace out;
  out.coordinate = page::coordinate_at(*found.reference_format, shape, place);
  out.coordinate.block =
      found.reference.block_id(first->reference_block + first->reference_byte / shape.page_bytes());
  out.byte_of_element = position % shape.element_bytes;
  const std::uint64_t slot_bytes = candidate.placing.slot_bytes;
  const std::uint64_t blocks = found.file.bytes() / (2 * slot_bytes);
  out.tensor = candidate.arrangement == Arrangement::two_tensors ? first->slot : 0;
  const std::byte* base = (out.tensor == 0 ? found.file.first : found.file.second).data();
  out.file_byte = static_cast<std::uint64_t>(slot_start(found.file, candidate.arrangement, blocks, slot_bytes,
                                                        first->file_block, first->slot) -
                                             base) +
                  first->file_byte;
  out.expected = first->expected;
  out.got = first->got;
  return out;
}

}  // namespace pageproof::reports
