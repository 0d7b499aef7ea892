// Shapes that no page can have, and how errors and failures read.
#include <gtest/gtest.h>

#include "model/page/plain/failure.hpp"
#include "model/page/plain/shape.hpp"

namespace pageproof {
namespace {

TEST(Shape, sizes) {
  constexpr Shape shape{8, 16, 128, 2};
  EXPECT_EQ(shape.granule_elements(), 8u);
  EXPECT_EQ(shape.side_bytes(), 32768u);
  EXPECT_EQ(shape.page_bytes(), 65536u);
  EXPECT_EQ(to_string(shape), "H=8 N=16 D=128 e=2");
}

TEST(Shape, refuses_with_the_field) {
  struct Bad {
    Shape shape;
    const char* field;
  };
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 60;
  for (const Bad& bad :
       {Bad{{0, 16, 64, 2}, "heads"}, Bad{{1, 0, 64, 2}, "tokens"}, Bad{{1, 12, 64, 2}, "tokens"},
        Bad{{1, 8, 64, 1}, "tokens"}, Bad{{1, 16, 0, 2}, "head_dim"}, Bad{{1, 16, 63, 2}, "head_dim"},
        Bad{{1, 16, 72, 1}, "head_dim"}, Bad{{1, 16, 64, 0}, "element_bytes"},
        Bad{{1, 16, 64, 4}, "element_bytes"}, Bad{{kHuge, 16, 64, 2}, "heads"},
        Bad{{kHuge, kHuge, kHuge, 2}, "heads"}, Bad{{std::uint64_t{1} << 37, 16, 64, 1}, "heads"}}) {
    const auto fits = checked(bad.shape, "here");
    ASSERT_FALSE(fits.has_value()) << to_string(bad.shape);
    EXPECT_EQ(fits.error().field, bad.field) << to_string(bad.shape);
    EXPECT_EQ(fits.error().subject, "here");
  }
  EXPECT_TRUE(checked(Shape{1, 8, 8, 2}, "").has_value());
}

TEST(Error, is_one_line_whatever_it_holds) {
  const std::string line = to_string(Error{"a\nb", "field", std::string(1000, 'v') + "\n", "\x7f\t"});
  EXPECT_EQ(line.find_first_of("\n\t\x7f"), std::string::npos);
  EXPECT_LT(line.size(), 300u);
  EXPECT_TRUE(line.starts_with("a\\x0ab: field: vvv"));
  EXPECT_EQ(to_string(Error{"file", "", "", "problem"}), "file: problem");
}

TEST(Failure, reads_as_documented) {
  const Failure failure{"halves.first_half_is_k",      "byte o < S of a standard page belongs to side K",
                        "H=1 N=16 D=128 e=2   head=0", "second half",
                        "first half (256 < 4096)",     "pageproof x"};
  EXPECT_EQ(to_string(failure),
            "REFUTED   halves.first_half_is_k\n"
            "Claim     byte o < S of a standard page belongs to side K\n"
            "Example   H=1 N=16 D=128 e=2   head=0\n"
            "Expected  second half          Got  first half (256 < 4096)\n"
            "Replay    pageproof x\n");
}

}  // namespace
}  // namespace pageproof
