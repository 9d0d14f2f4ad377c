// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/testing.h"
#include "worker/frames.h"

namespace rocdiag {
namespace {

testing::Ran worker(const std::string& input) { return testing::run({testing::binary(), "worker", "read"}, {}, input); }

TEST(ReadWorker, AnswersInOrderWithContentOrErrno) {
  const testing::ScratchFolder scratch;
  const std::string file = scratch.write("file", "content");
  const auto ran = worker(to_frame(FileQuestion{Ask::read, file}) + to_frame(FileQuestion{Ask::read, file + ".no"}) +
                          to_frame(FileQuestion{Ask::open, "/dev/null"}) + to_frame(FileQuestion{Ask::open, file}));
  EXPECT_EQ(ran.exit, 0);
  EXPECT_EQ(ran.out, to_frame(FileAnswer{0, FileContent{"content", false}}) +
                         to_frame(FileAnswer{1, system_error(ENOENT)}) + to_frame(FileAnswer{2, FileContent{}}) +
                         to_frame(FileAnswer{3, Error{Errc::refused, 0, "not a character device"}}));
}

TEST(ReadWorker, RefusesCutAndGarbledQuestions) {
  const std::string good = to_frame(FileQuestion{Ask::read, "/proc/version"});
  for (const std::string& input : {good.substr(0, good.size() - 1), good + "x", std::string("not a frame"),
                                   std::string(100, '\0'), good + std::string("\x02\0\0\0x/", 6)}) {
    const auto ran = worker(input);
    EXPECT_EQ(ran.exit, 64);
    EXPECT_EQ(ran.out, "");
  }
  EXPECT_EQ(worker("").exit, 0);
}

}  // namespace
}  // namespace rocdiag
