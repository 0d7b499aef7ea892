// The arithmetic of the planner, and all of it: which row an id is, and where a row begins. Templates over
// the number, so that what the planner computes in 64-bit words is the text that `pageproof prove planner`
// reads. What is written for speed instead, many rows or ids at a time, is tested against it.
#pragma once

namespace pageproof::plan {

// `count` blocks, each given as `parts` descriptors of `bytes` that follow each other.
template <class Number>
struct SeriesOf {
  Number address = Number(0);
  Number stride = Number(0);  // between blocks
  Number bytes = Number(0);   // of a descriptor
  Number count = Number(0);   // blocks
  Number parts = Number(1);   // descriptors a block
};

// Kernel block i of a manager block, and sub-block i of a kernel block. @pre part < parts
template <class Number>
constexpr Number part_id(const Number& block, const Number& part, const Number& parts) {
  return block * parts + part;
}

// The first byte of row `part_id(block, part, parts)` of a series.
template <class Number>
constexpr Number row_address(const SeriesOf<Number>& series, const Number& block, const Number& part) {
  return series.address + block * series.stride + part * series.bytes;
}

// Share number `share` of each block, `bytes` long: of a local block what one source rank fills, of a remote
// block what this rank takes. With several parts to a block there is one share.
template <class Number>
constexpr SeriesOf<Number> series_of_share(const Number& base, const Number& stride, const Number& count,
                                           const Number& parts, const Number& bytes, const Number& share) {
  return {base + share * bytes, stride, bytes, count, parts};
}

// Half 0 or 1 of each block, as a virtual region.
template <class Number>
constexpr Number half_base(const Number& base, const Number& half, const Number& half_bytes) {
  return base + half * half_bytes;
}

// Whole pages of one remote region, one behind the other after `used` bytes of staging memory.
template <class Number>
constexpr SeriesOf<Number> staged_series(const Number& staging_base, const Number& used,
                                         const Number& page_bytes, const Number& pages) {
  return {staging_base + used, page_bytes, page_bytes, pages, Number(1)};
}

// Half `half` of the bytes of a run that begins with this block. (Of a plane the run is one half: number 0.)
template <class Number>
constexpr Number run_half_address(const Number& base, const Number& first_block, const Number& block_bytes,
                                  const Number& half, const Number& half_bytes) {
  return base + first_block * block_bytes + half * half_bytes;
}

}  // namespace pageproof::plan
