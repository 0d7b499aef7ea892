#include "tests/cli/files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "golden/container/safetensors.hpp"
#include "oracle/offset/writer.hpp"
#include "tests/model/laws.hpp"

namespace pageproof::cli_tests {

std::string raw_file(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string file(sizeof length, '\0');
  std::memcpy(file.data(), &length, sizeof length);
  return file + header + data;
}

std::string tensors_file(const std::vector<TensorBytes>& tensors, std::size_t pad,
                         const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header;
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::string data;
  for (const TensorBytes& tensor : tensors) {
    header[tensor.name] = {{"dtype", tensor.dtype},
                           {"shape", tensor.shape},
                           {"data_offsets", {data.size(), data.size() + tensor.data.size()}}};
    data += tensor.data;
  }
  std::string text = header.dump();
  text.append((16 - (8 + text.size()) % 16) % 16 + pad, ' ');
  return raw_file(text, data);
}

TensorBytes Pool::standard_tensor() const {
  return {"standard", dtype, {blocks, shape.heads, shape.tokens, 2 * shape.head_dim}, standard};
}
TensorBytes Pool::key_tensor() const {
  const std::uint64_t x = shape.granule_elements();
  return {"k_plane", dtype, {blocks, shape.heads, shape.head_dim / x, shape.tokens, x}, keys};
}
TensorBytes Pool::value_tensor() const {
  const std::uint64_t x = shape.granule_elements();
  return {"v_plane", dtype, {blocks, shape.heads, shape.tokens / x, shape.head_dim, x}, values};
}

Pool random_pool(const Shape& shape, std::uint64_t blocks, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Pool pool{shape, blocks, shape.element_bytes == 1 ? "I8" : "BF16", {}, {}, {}};
  pool.standard.resize(blocks * shape.page_bytes());
  std::ranges::generate(pool.standard, [&] { return static_cast<char>(random()); });
  pool.keys.resize(blocks * shape.side_bytes());
  pool.values.resize(blocks * shape.side_bytes());
  for (std::uint64_t block = 0; block < blocks; ++block) {
    laws::each_coordinate(
        shape,
        [&](const Coordinate& c) {
          std::string& plane = c.side == Side::key ? pool.keys : pool.values;
          std::memcpy(&plane[oracle::shuffled_byte(shape, c)],
                      &pool.standard[oracle::standard_byte(shape, c)], shape.element_bytes);
        },
        block);
  }
  return pool;
}

TensorBytes slots_tensor(const std::vector<std::int64_t>& slots) {
  std::string data(slots.size() * sizeof(std::int64_t), '\0');
  std::memcpy(data.data(), slots.data(), data.size());
  return {"slot_mapping", "I64", {slots.size()}, data};
}

std::string tensor_of(const std::filesystem::path& path, const std::string& name) {
  const auto file = golden::SafetensorsFile::open(path);
  if (!file) {
    ADD_FAILURE() << to_string(file.error());
    return {};
  }
  const golden::Tensor* tensor = file->find(name);
  if (tensor == nullptr) return {};
  return {reinterpret_cast<const char*>(tensor->data.data()), tensor->data.size()};
}

}  // namespace pageproof::cli_tests
