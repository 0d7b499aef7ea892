// Safetensors files for tests, put together byte by byte so that they can be wrong in any way, and pools of
// pages whose planes the oracle computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "model/page/plain/shape.hpp"

namespace pageproof::cli_tests {

// 8 bytes of length, the header as it is given, the data.
std::string raw_file(const std::string& header, const std::string& data);

struct TensorBytes {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::string data;
};
// `pad` spaces end the header: they decide at which address the tensors lie.
std::string tensors_file(const std::vector<TensorBytes>& tensors, std::size_t pad = 0,
                         const std::map<std::string, std::string>& metadata = {});

// Random pages and the planes that the oracle makes of them.
struct Pool {
  Shape shape;
  std::uint64_t blocks = 0;
  std::string dtype;
  std::string standard, keys, values;

  TensorBytes standard_tensor() const;
  TensorBytes key_tensor() const;
  TensorBytes value_tensor() const;
  std::vector<TensorBytes> tensors() const { return {standard_tensor(), key_tensor(), value_tensor()}; }
};
Pool random_pool(const Shape& shape, std::uint64_t blocks, std::uint64_t seed = 1);

TensorBytes slots_tensor(const std::vector<std::int64_t>& slots);

// The bytes of a tensor of a file that the program wrote; empty where it has none.
std::string tensor_of(const std::filesystem::path& path, const std::string& name);

}  // namespace pageproof::cli_tests
