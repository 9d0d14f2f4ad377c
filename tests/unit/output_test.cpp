// SPDX-License-Identifier: MIT
#include "source/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "testing/testing.h"

namespace rocdiag {
namespace {

using testing::ScratchFolder;
namespace fs = std::filesystem;

TEST(Output, ReplacesAFileWithItsMode) {
  const ScratchFolder scratch;
  const fs::path path = scratch.write("report.json", "old");
  ASSERT_TRUE(write_file_atomically(path.string(), "new", 0600));
  EXPECT_EQ(testing::read_whole(path), "new");
  struct stat status {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
}

TEST(Output, WritesToARelativePath) {
  const ScratchFolder scratch;
  const fs::path before = fs::current_path();
  fs::current_path(scratch.path());
  const Status status = write_file_atomically("report.txt", "text", 0644);
  fs::current_path(before);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(testing::read_whole(scratch.path() / "report.txt"), "text");
}

TEST(Output, RefusesWhatIsNoRegularFile) {
  const ScratchFolder scratch;
  fs::create_directory(scratch.path() / "folder");
  ASSERT_EQ(mkfifo((scratch.path() / "pipe").c_str(), 0600), 0);
  for (const char* name : {"folder", "pipe"})
    EXPECT_EQ(write_file_atomically((scratch.path() / name).string(), "x", 0600).error().code, Errc::usage) << name;
  EXPECT_EQ(write_file_atomically("/dev/stdout", "x", 0600).error().code, Errc::usage);
  EXPECT_TRUE(fs::is_fifo(scratch.path() / "pipe"));
  EXPECT_FALSE(write_file_atomically((scratch.path() / "folder/").string(), "x", 0600));
}

}  // namespace
}  // namespace rocdiag
