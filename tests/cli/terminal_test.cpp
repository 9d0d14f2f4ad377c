// SPDX-License-Identifier: MIT
// What a person sees on a terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "readers/text.h"
#include "report/layout.h"
#include "testing/testing.h"

namespace rocdiag::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Ran demo(std::map<std::string, std::string> env, int width = 80) {
  env.insert({{"TERM", "xterm"}, {"LC_ALL", "C.UTF-8"}, {"NO_COLOR", ""}});
  return run_on_terminal({binary(), "check", "--demo"}, env, width);
}

class TerminalOutput : public ::testing::Test {
 protected:
  void SetUp() override {
    if (demo({}).exit == -1) GTEST_SKIP() << "there are no pseudo terminals here";
  }
};

TEST_F(TerminalOutput, HasColourAndSigns) {
  const Ran ran = demo({});
  EXPECT_EQ(ran.exit, 1);
  EXPECT_THAT(ran.out, HasSubstr("\x1b[31m✗\x1b[0m This account"));
}

TEST_F(TerminalOutput, HasNoColourWhereItIsNotWanted) {
  EXPECT_THAT(demo({{"NO_COLOR", "1"}}).out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(demo({{"TERM", "dumb"}}).out, Not(HasSubstr("\x1b")));
}

TEST_F(TerminalOutput, IsAsciiWithoutUtf8) {
  const Ran ran = demo({{"LC_ALL", "C"}, {"NO_COLOR", "1"}});
  for (const char c : ran.out) ASSERT_LT(static_cast<unsigned char>(c), 0x80);
  EXPECT_THAT(ran.out, HasSubstr("x This account"));
}

TEST_F(TerminalOutput, FollowsTheWidth) {
  for (const int width : {60, 100, 140})
    for (const std::string& line : split_lines(demo({{"NO_COLOR", "1"}}, width).out))
      EXPECT_LE(columns(line), static_cast<std::size_t>(width)) << line;
}

}  // namespace
}  // namespace rocdiag::testing
