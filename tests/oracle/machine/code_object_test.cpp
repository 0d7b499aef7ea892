// Files that are no code objects, or broken ones: an error that names the field, whatever the bytes.
#include "oracle/machine/code_object.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "kernels/convert/code_objects.hpp"

namespace pageproof::machine::tests {
namespace {

std::vector<std::byte> shipped() {
  const auto objects = convert::code_objects();
  return objects.empty() ? std::vector<std::byte>{}
                         : std::vector(objects[0].elf.begin(), objects[0].elf.end());
}

TEST(MachineCodeObject, the_shipped_one_is_read) {
  const std::vector<std::byte> elf = shipped();
  if (elf.empty()) GTEST_SKIP() << "this build embeds no code object";
  const auto object = read_code_object(elf, "shipped");
  ASSERT_TRUE(object) << to_string(object.error());
  EXPECT_EQ(object->target, convert::code_objects()[0].target);
  EXPECT_EQ(object->kernels.size(), 36u);
  for (const Kernel& kernel : object->kernels) {
    EXPECT_TRUE(kernel.name.starts_with("pageproof_")) << kernel.name;
    EXPECT_EQ(kernel.scratch_bytes, 0u);
    EXPECT_GT(kernel.code.size(), 1000u);
    EXPECT_GE(kernel.vector_registers, kernel.first_accumulator);
  }
}

TEST(MachineCodeObject, no_prefix_of_it_is_one) {
  const std::vector<std::byte> elf = shipped();
  for (std::size_t size = 0; size < elf.size(); size += 1 + elf.size() / 500) {
    EXPECT_FALSE(read_code_object(std::span(elf).first(size), "cut")) << size;
  }
}

TEST(MachineCodeObject, damaged_bytes_give_an_error_or_an_object) {
  const std::vector<std::byte> elf = shipped();
  std::mt19937_64 random(1);
  int refused = 0;
  for (int round = 0; round < 2000 && !elf.empty(); ++round) {
    std::vector<std::byte> damaged = elf;
    // In the headers, the metadata and the tables, mostly.
    const std::size_t most = round % 2 == 0 ? 512 : damaged.size();
    for (int i = 0; i < 4; ++i) damaged[random() % most] = static_cast<std::byte>(random());
    const auto object = read_code_object(damaged, "damaged");
    if (!object) {
      ++refused;
      EXPECT_FALSE(object.error().field.empty());
    }
  }
  EXPECT_TRUE(elf.empty() || refused > 100) << refused;
}

TEST(MachineCodeObject, other_files_are_refused_by_the_field_that_says_so) {
  const auto field = [](std::vector<std::byte> bytes) {
    return read_code_object(bytes, "file").error().field;
  };
  EXPECT_EQ(field({}), "ELF header");
  EXPECT_EQ(field(std::vector(64, std::byte{0})), "ELF header");
  std::vector<std::byte> elf = shipped();
  if (elf.empty()) return;
  elf[48] = std::byte{0x2f};  // gfx906
  EXPECT_EQ(field(elf), "e_flags");
}

}  // namespace
}  // namespace pageproof::machine::tests
