// In which format are these pages? Given a dump and the same pages in a known format: every catalogue format
// that maps the one onto the other, K and V judged apart and together; where none does, the accident that
// explains the dump, or the closest format, its share of bytes in place and the first byte out of place.
//
//   const Expected<Identification> found = identify(pool, {standard_pool, *find_format("standard"), shape});
//   if (found) fmt::print("{}", to_text(*found));
//
// What is claimed was counted on all bytes of all blocks that both dumps have. Where several answers hold
// they are all given, with the reason why they cannot be told apart.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "reports/identify/candidate.hpp"

namespace pageproof::reports {

// For the mutants of the suite: what an identification must not leave out.
struct Diligence {
  bool all_blocks = true;      // else block 0 alone
  bool both_sides = true;      // else K alone, taken for both
  bool all_candidates = true;  // else the first that holds
};

struct IdentifyOptions {
  const page::PageFormat* expected = nullptr;  // "K is right" is said against this format
  std::span<const page::PageFormat> formats = page::catalogue();
  std::uint32_t threads = 2;
  Diligence diligence = {};
};

enum class Verdict : std::uint8_t {
  identified,    // one order of the catalogue, on both sides
  ambiguous,     // several: equal for this shape, or for this data
  sides_differ,  // K and V each have one, but no format has both
  accident,      // no format; an accident explains every byte that it writes
  unexplained,   // nothing does
};

// Why a further answer cannot be told from the first.
enum class Likeness : std::uint8_t {
  first,       // it is the first
  same_order,  // another name of the same order
  same_place,  // other orders that put every element at the same byte for this shape
  same_data,   // other places that hold equal bytes in this data
};

struct Answer {
  std::size_t candidate = 0;  // its index
  Likeness likeness = Likeness::first;
};

struct Identification {
  Verdict verdict = Verdict::unexplained;
  Shape shape;
  std::uint64_t file_blocks = 0;  // of the reference's shape
  std::uint64_t reference_blocks = 0;
  std::uint64_t compared_blocks = 0;
  bool two_tensors = false;
  bool data_can_tell = true;  // some block holds more than one value
  // Two tensors: the one element that a whole side of the dump holds, never written or cleared, where the
  // reference has more than one.
  std::array<std::optional<std::uint16_t>, 2> constant_side;
  std::vector<Candidate> candidates;
  std::vector<NotApplicable> not_applicable;
  std::vector<Answer> answers;                      // hold on both sides: formats first, then accidents
  std::array<std::vector<Answer>, 2> side_answers;  // hold on K, on V
  std::array<std::optional<std::size_t>, 2> closest_of_side;  // where nothing holds on that side
  std::optional<std::size_t> closest;                         // where nothing holds on both
  const page::PageFormat* expected = nullptr;
  page::Regions reference_regions = page::Regions::page;
  const page::PageFormat* reference_format = nullptr;
  DumpedPages file;  // for block ids; the bytes are the caller's
  DumpedPages reference;

  // Is the dump in a catalogue format, and in the expected one where one was named?
  bool as_wanted() const;
};

// Refused: a file that holds no whole number of pages of the reference's shape, or no block of the reference;
// block ids that are not one a block, or not distinct (where only one has ids, both go by position); a page
// of 2^31 bytes or more; a reference format without V. `subject` names the file in an error,
// `reference_subject` the reference.
Expected<Identification> identify(const DumpedPages& file, const KnownPages& reference,
                                  const IdentifyOptions& options = {}, const std::string& subject = "file",
                                  const std::string& reference_subject = "reference");

// The element whose byte is out of place, with its block id.
struct OutOfPlace {
  Coordinate coordinate;
  std::uint64_t byte_of_element = 0;
  std::size_t tensor = 0;       // of the dump: 0 its first, 1 its second
  std::uint64_t file_byte = 0;  // in that tensor
  std::uint8_t expected = 0;
  std::uint8_t got = 0;
};
std::optional<OutOfPlace> first_out_of_place(const Identification& found, std::size_t candidate);

// Indices of the candidates: those that hold first, then by the share of bytes in place.
std::vector<std::size_t> by_share(const Identification& found);

std::string to_sentence(const Identification& found);  // the verdict
std::string to_text(const Identification& found);      // the verdict, then the table of candidates
nlohmann::ordered_json to_json(const Identification& found);

}  // namespace pageproof::reports
