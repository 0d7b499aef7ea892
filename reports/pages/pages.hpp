// The page tensors of a safetensors file: which there are, and that their shapes say one and the same thing.
//
//   standard   [B, H, N, 2D]         k_plane   [B, H, D/x, N, x]         v_plane   [B, H, N/x, D, x]
//
// Every refusal names the file, the tensor's field and the value found.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "golden/container/safetensors.hpp"
#include "model/page/plain/error.hpp"
#include "model/page/plain/shape.hpp"

namespace pageproof::reports {

inline constexpr const char* kStandard = "standard";
inline constexpr const char* kKeyPlane = "k_plane";
inline constexpr const char* kValuePlane = "v_plane";
inline constexpr const char* kSlotMapping = "slot_mapping";

// What unlisted blocks and skipped slots hold, unless the file's metadata says otherwise.
inline constexpr std::byte kUnwritten{0xA5};
inline constexpr const char* kUnwrittenKey = "unwritten_byte";

// A pool of pages: its shape and how many blocks it has.
struct Pool {
  Shape shape;
  std::uint64_t blocks = 0;
  golden::Dtype dtype = golden::Dtype::u8;

  std::uint64_t side_bytes() const { return blocks * shape.side_bytes(); }
  std::uint64_t page_bytes() const { return blocks * shape.page_bytes(); }
  friend bool operator==(const Pool&, const Pool&) = default;
};

// "BF16 B=5 H=3 N=16 D=128 e=2 (x=8)"
std::string to_string(const Pool& pool);

struct StandardPages {
  Pool pool;
  std::span<const std::byte> pages;
};
// Refuses: no `standard` (or the tensor `name`), a type that is not 1 or 2 bytes, a rank that is not 4, an
// axis of size 0, an odd last axis, D or N that is no multiple of x.
Expected<StandardPages> standard_pages(const golden::SafetensorsFile& file, const char* name = kStandard);

struct PlanePages {
  Pool pool;
  std::span<const std::byte> keys;
  std::span<const std::byte> values;
};
// Refuses: a missing plane, ranks that are not 5, a last axis that is not x, planes that differ from each
// other in type, B, H, N or D.
Expected<PlanePages> plane_pages(const golden::SafetensorsFile& file);

// The same for planes whose axes are [B, H, N, D] both, whatever order their bytes are in.
Expected<PlanePages> plane_rows(const golden::SafetensorsFile& file);

// The planes belong to the pages: same type, B, H, N and D. Refused with the first that differs.
Expected<void> same_pool(const std::string& subject, const Pool& standard, const Pool& planes);

// The tensors of a pool, ready to be written.
golden::Tensor standard_tensor(const Pool& pool, std::span<const std::byte> pages);
golden::Tensor key_tensor(const Pool& pool, std::span<const std::byte> keys);
golden::Tensor value_tensor(const Pool& pool, std::span<const std::byte> values);

}  // namespace pageproof::reports
