#include "reports/identify/placing.hpp"

#include <algorithm>

namespace pageproof::reports {
namespace {

page::PageFormat with_granule(page::PageFormat format, std::uint64_t elements) {
  for (page::DigitOrder* order : {&format.key, &format.value}) {
    for (page::Digit& digit : *order) {
      for (page::Granularity* granularity : {&digit.low, &digit.high}) {
        if (granularity->kind == page::Granularity::Kind::x) {
          *granularity = {page::Granularity::Kind::number, elements};
        }
      }
    }
  }
  return format;
}

std::string factor(const page::Digit& digit) {
  const auto spelled = [&](const page::Granularity& granularity) {
    switch (granularity.kind) {
      case page::Granularity::Kind::x:
        return std::string("x");
      case page::Granularity::Kind::number:
        return std::to_string(granularity.number);
      case page::Granularity::Kind::whole:
        break;
    }
    constexpr std::string_view kSizes[] = {"H", "N", "2", "D"};
    return std::string(kSizes[static_cast<std::size_t>(digit.axis)]);
  };
  const bool single = digit.low == page::Granularity::one();
  return spelled(digit.high) + (single ? "" : "/" + spelled(digit.low));
}

}  // namespace

Expected<Placing> placing_of(const page::PageFormat& format, const Shape& shape, const Reading& reading) {
  Shape read = shape;
  if (reading.element_bytes != 0) {
    const std::uint64_t row_bytes = shape.head_dim * shape.element_bytes;
    read.element_bytes = reading.element_bytes;
    read.head_dim = row_bytes / reading.element_bytes;
  }
  const page::PageFormat spelled =
      reading.granule_elements == 0 ? format : with_granule(format, reading.granule_elements);
  if (const auto fit = page::fits(spelled, read); !fit) return std::unexpected(fit.error());

  Placing placing;
  placing.atom_bytes = std::min(shape.element_bytes, read.element_bytes);
  placing.slot_bytes = shape.side_bytes();
  const std::uint64_t row_atoms = read.head_dim * read.element_bytes / placing.atom_bytes;
  for (const Side side : {Side::key, Side::value}) {
    if (side == Side::value && spelled.key_only()) continue;
    const auto at = [&](std::uint64_t head, std::uint64_t token, std::uint64_t dim) {
      const page::Place place = page::locate(spelled, read, {0, side, head, token, dim});
      return place.byte + (place.region == Side::value ? placing.slot_bytes : 0);
    };
    SidePlacing& tables = placing.sides[static_cast<std::size_t>(side)];
    tables.present = true;
    const std::uint64_t origin = at(0, 0, 0);
    for (std::uint64_t h = 0; h < read.heads; ++h) tables.head.push_back(at(h, 0, 0));
    for (std::uint64_t t = 0; t < read.tokens; ++t) tables.token.push_back(at(0, t, 0) - origin);
    for (std::uint64_t a = 0; a < row_atoms; ++a) {
      const std::uint64_t byte = a * placing.atom_bytes;
      tables.dim.push_back(at(0, 0, byte / read.element_bytes) - origin + byte % read.element_bytes);
    }
  }
  return placing;
}

std::vector<std::uint32_t> conversion(const Placing& source, const Placing& target) {
  std::vector<std::uint32_t> moved(2 * source.slot_bytes / source.atom_bytes);
  for (const Side side : {Side::key, Side::value}) {
    for (std::uint64_t h = 0; h < source.of(side).head.size(); ++h) {
      for (std::uint64_t t = 0; t < source.of(side).token.size(); ++t) {
        for (std::uint64_t a = 0; a < source.row_atoms(); ++a) {
          moved[source.position(side, h, t, a) / source.atom_bytes] =
              static_cast<std::uint32_t>(target.position(side, h, t, a) / target.atom_bytes);
        }
      }
    }
  }
  return moved;
}

bool same_positions(const Placing& a, const Placing& b, Side side) {
  const SidePlacing& left = a.of(side);
  const SidePlacing& right = b.of(side);
  if (left.present != right.present || a.slot_bytes != b.slot_bytes) return false;
  if (!left.present) return true;
  if (left.head.size() != right.head.size() || left.token.size() != right.token.size()) return false;
  const std::uint64_t atom = std::min(a.atom_bytes, b.atom_bytes);
  const std::uint64_t row_bytes = a.row_atoms() * a.atom_bytes;
  const auto byte_at = [&](const Placing& placing, std::uint64_t h, std::uint64_t t, std::uint64_t byte) {
    return placing.position(side, h, t, byte / placing.atom_bytes) + byte % placing.atom_bytes;
  };
  for (std::uint64_t h = 0; h < left.head.size(); ++h) {
    for (std::uint64_t t = 0; t < left.token.size(); ++t) {
      for (std::uint64_t byte = 0; byte < row_bytes; byte += atom) {
        if (byte_at(a, h, t, byte) != byte_at(b, h, t, byte)) return false;
      }
    }
  }
  return true;
}

bool slots_are_sides(const Placing& placing) {
  for (const Side side : {Side::key, Side::value}) {
    const SidePlacing& at = placing.of(side);
    if (!at.present) continue;
    const std::uint64_t last = at.head.back() + at.token.back() + at.dim.back();
    const std::uint64_t first = at.head.front() + at.token.front() + at.dim.front();
    const bool second_slot = side == Side::value;
    if ((first >= placing.slot_bytes) != second_slot || (last >= placing.slot_bytes) != second_slot) {
      return false;
    }
  }
  return true;
}

std::string bracketed(const page::DigitOrder& order) {
  std::string text;
  for (const page::Digit& digit : order) text += (text.empty() ? "[" : ", ") + factor(digit);
  return text + "]";
}

}  // namespace pageproof::reports
