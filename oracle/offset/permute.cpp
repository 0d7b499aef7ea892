#include "oracle/offset/permute.hpp"

#include <cstring>

namespace pageproof::oracle {

void copy_contiguous(const View& view, std::uint64_t element_bytes, std::span<const std::byte> source,
                     std::span<std::byte> destination) {
  std::uint64_t written = 0;
  for (std::uint64_t i = 0; i < view.sizes[0]; ++i) {
    for (std::uint64_t j = 0; j < view.sizes[1]; ++j) {
      for (std::uint64_t k = 0; k < view.sizes[2]; ++k) {
        for (std::uint64_t l = 0; l < view.sizes[3]; ++l) {
          const std::uint64_t element = view.start + i * view.strides[0] + j * view.strides[1] +
                                        k * view.strides[2] + l * view.strides[3];
          std::memcpy(&destination[written], &source[element * element_bytes], element_bytes);
          written += element_bytes;
        }
      }
    }
  }
}

}  // namespace pageproof::oracle
