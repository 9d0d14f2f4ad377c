// SPDX-License-Identifier: MIT
#include "report/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rocdiag {
namespace {

using ::testing::ElementsAre;

TEST(Layout, CountsCharactersNotBytes) {
  EXPECT_EQ(columns("✓ ×"), 3U);
  EXPECT_EQ(pad("✓", 3), "✓  ");
  EXPECT_EQ(pad("abcd", 3), "abcd");
}

TEST(Layout, WrapsAtWordsAndKeepsALongWordWhole) {
  EXPECT_THAT(wrap("a bb ccc", 4), ElementsAre("a bb", "ccc"));
  EXPECT_THAT(wrap("/a/very/long/path x", 5), ElementsAre("/a/very/long/path", "x"));
  EXPECT_TRUE(wrap("", 5).empty());
}

TEST(Layout, AsciiHasASignForEverySign) { EXPECT_EQ(to_ascii("✓✗!–? · × …"), "+x!-? | x ..."); }

}  // namespace
}  // namespace rocdiag
