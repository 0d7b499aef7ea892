#include "reports/identify/moves.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace pageproof::reports {
namespace {

// Do the atoms of every unit of that size move together?
bool moves_whole(std::span<const Move> atoms, std::uint64_t atom_bytes, std::uint64_t unit_bytes) {
  const std::uint64_t group = unit_bytes / atom_bytes;
  if (atoms.size() % group != 0) return false;
  for (std::size_t i = 0; i < atoms.size(); i += group) {
    if (atoms[i].file % unit_bytes != 0) return false;
    for (std::size_t k = 1; k < group; ++k) {
      const std::uint64_t step = k * atom_bytes;
      if (atoms[i + k].file != atoms[i].file + step || atoms[i + k].reference != atoms[i].reference + step) {
        return false;
      }
    }
  }
  return true;
}

// Bytes of the word that are not zero.
std::uint64_t bytes_set(std::uint64_t word) {
  word |= (word & 0x7f7f7f7f7f7f7f7f) + 0x7f7f7f7f7f7f7f7f;
  return ((word >> 7 & 0x0101010101010101) * 0x0101010101010101) >> 56;
}

Mismatch mismatch_in(const Move& move, std::size_t unit, const std::byte* file_slot,
                     const std::byte* reference, Mismatch where) {
  std::size_t i = 0;
  while (i + 1 < unit && file_slot[move.file + i] == reference[move.reference + i]) ++i;
  where.file_byte = move.file + i;
  where.reference_byte = move.reference + i;
  where.expected = static_cast<std::uint8_t>(reference[move.reference + i]);
  where.got = static_cast<std::uint8_t>(file_slot[move.file + i]);
  return where;
}

// A unit is kWords words.
template <class Word, std::size_t kWords = 1>
void compare_units(const MoveList& list, const std::byte* file_slot, const std::byte* reference,
                   const Mismatch& where, Count& count) {
  std::uint64_t wrong = 0;
  for (const Move& move : list.moves) {
    std::array<Word, kWords> got, expected;
    std::memcpy(got.data(), file_slot + move.file, sizeof(got));
    std::memcpy(expected.data(), reference + move.reference, sizeof(expected));
    if (got == expected) continue;
    if (wrong == 0 && !count.first) {
      count.first = mismatch_in(move, sizeof(got), file_slot, reference, where);
    }
    for (std::size_t i = 0; i < kWords; ++i) {
      wrong += bytes_set(static_cast<std::uint64_t>(got[i] ^ expected[i]));
    }
  }
  count.in_place -= wrong;
}

}  // namespace

MoveList moves_from(std::span<const std::uint32_t> reference_byte_of_atom, std::uint64_t atom_bytes) {
  std::vector<Move> atoms;
  for (std::size_t i = 0; i < reference_byte_of_atom.size(); ++i) {
    if (reference_byte_of_atom[i] == kNothing) continue;
    atoms.push_back({static_cast<std::uint32_t>(i * atom_bytes), reference_byte_of_atom[i]});
  }
  for (std::uint64_t unit = kGranuleBytes; unit > atom_bytes; unit /= 2) {
    if (!moves_whole(atoms, atom_bytes, unit)) continue;
    MoveList list{unit, {}};
    for (std::size_t i = 0; i < atoms.size(); i += unit / atom_bytes) list.moves.push_back(atoms[i]);
    return list;
  }
  return {atom_bytes, std::move(atoms)};
}

std::vector<SlotMoves> moves_of(const Placing& file, const Placing& reference, const Grouping& grouping,
                                Side side) {
  const std::uint64_t atom = std::min(file.atom_bytes, reference.atom_bytes);
  const std::uint64_t slot_atoms = file.slot_bytes / atom;
  const std::uint64_t row_bytes = file.row_atoms() * file.atom_bytes;
  const std::uint64_t reference_page = 2 * reference.slot_bytes;
  std::vector<SlotMoves> moves(grouping.file_blocks());
  for (std::uint64_t block = 0; block < moves.size(); ++block) {
    std::array<std::vector<std::uint32_t>, 2> source;
    source.fill(std::vector<std::uint32_t>(slot_atoms, kNothing));
    for (std::uint64_t h = 0; h < file.of(side).head.size(); ++h) {
      for (std::uint64_t t = 0; t < grouping.file_tokens; ++t) {
        const std::uint64_t token = block * grouping.file_tokens + t;  // in the group
        const std::uint64_t reference_block = token / grouping.reference_tokens;
        const std::uint64_t reference_token = token % grouping.reference_tokens;
        for (std::uint64_t byte = 0; byte < row_bytes; byte += atom) {
          const std::uint64_t at = file.position(side, h, t, byte / file.atom_bytes) + byte % file.atom_bytes;
          const std::uint64_t from =
              reference.position(side, h, reference_token, byte / reference.atom_bytes) +
              byte % reference.atom_bytes;
          source[at / file.slot_bytes][at % file.slot_bytes / atom] =
              static_cast<std::uint32_t>(reference_block * reference_page + from);
        }
      }
    }
    for (std::size_t slot = 0; slot < 2; ++slot) moves[block][slot] = moves_from(source[slot], atom);
  }
  return moves;
}

void Count::add(const Count& other) {
  tested += other.tested;
  in_place += other.in_place;
  const auto order = [](const Mismatch& m) { return std::tuple(m.file_block, m.slot, m.file_byte); };
  if (other.first && (!first || order(*other.first) < order(*first))) first = other.first;
}

void compare(const MoveList& list, const std::byte* file_slot, const std::byte* reference,
             const Mismatch& where, Count& count) {
  count.tested += list.bytes();
  count.in_place += list.bytes();
  switch (list.unit_bytes) {
    case 1:
      return compare_units<std::uint8_t>(list, file_slot, reference, where, count);
    case 2:
      return compare_units<std::uint16_t>(list, file_slot, reference, where, count);
    case 4:
      return compare_units<std::uint32_t>(list, file_slot, reference, where, count);
    case 8:
      return compare_units<std::uint64_t>(list, file_slot, reference, where, count);
    default:
      return compare_units<std::uint64_t, 2>(list, file_slot, reference, where, count);
  }
}

}  // namespace pageproof::reports
