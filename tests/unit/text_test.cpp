// SPDX-License-Identifier: MIT
#include "readers/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rocdiag {
namespace {

using ::testing::ElementsAre;

TEST(Text, TrimsBlanksLineEndsAndNulPadding) {
  EXPECT_EQ(trim(std::string_view(" 0x1002\n\0\0\0", 11)), "0x1002");
  EXPECT_EQ(trim(" \r\n"), "");
}

TEST(Text, SplitsLinesOfBothKindsAndKeepsEmptyOnes) {
  EXPECT_THAT(split_lines("a\r\n\nb"), ElementsAre("a", "", "b"));
  EXPECT_THAT(split_lines("a\n"), ElementsAre("a"));
}

TEST(Text, NumbersAreWholeOrNothing) {
  EXPECT_EQ(parse_decimal("18446744073709551615\n"), 18446744073709551615ULL);
  EXPECT_FALSE(parse_decimal("18446744073709551616"));
  EXPECT_FALSE(parse_decimal("-1"));
  EXPECT_FALSE(parse_decimal("12 GB"));
  EXPECT_FALSE(parse_decimal(""));
  EXPECT_EQ(parse_hex("0x1002\n"), 0x1002U);
  EXPECT_FALSE(parse_hex("0x"));
  EXPECT_EQ(parse_int("-1\n"), -1);
  EXPECT_EQ(parse_double("16.0"), 16.0);
  EXPECT_FALSE(parse_double("1e9"));
  EXPECT_FALSE(parse_double("nan"));
}

TEST(Text, PropertiesSkipWhatIsNoPair) {
  const auto p = parse_properties("simd_count 80\nname\nx y z\ngfx_target_version 100301\n");
  EXPECT_EQ(p.size(), 2U);
  EXPECT_EQ(p.at("gfx_target_version"), 100301U);
}

TEST(Text, PrintableLetsNoControlCharacterThrough) {
  EXPECT_EQ(printable("a\x1b[31mred\x07\n"), "a?[31mred??");
  EXPECT_EQ(printable("caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_EQ(printable("\xff\xc0\xaf"), "???");
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a?b");  // right-to-left override
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "?31m");  // C1 control sequence introducer
  EXPECT_EQ(printable("abcdef", 3), "abc…");
}

}  // namespace
}  // namespace rocdiag
