// SPDX-License-Identifier: MIT
// docs/adr/0001-linking.md: a user's LD_LIBRARY_PATH reaches the programs under test, and never rocdiag itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "source/local.h"
#include "testing/testing.h"
#include "worker/frames.h"

namespace rocdiag {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Linking : public ::testing::Test {
 protected:
  void SetUp() override {
    before_ = getenv("LD_LIBRARY_PATH") == nullptr ? "" : getenv("LD_LIBRARY_PATH");
    if (ROCDIAG_SANITIZED) GTEST_SKIP() << "the sanitizers' own libraries need the system's libstdc++";
    for (const char* name :
         {"libstdc++.so.6", "libgcc_s.so.1", "libarchive.so.13", "libfmt.so.9", "libre2.so.9", "libz.so.1"})
      broken_.write(name, "not a library\n");
    setenv("LD_LIBRARY_PATH", broken_.path().c_str(), 1);
  }
  void TearDown() override {
    if (before_.empty())
      unsetenv("LD_LIBRARY_PATH");
    else
      setenv("LD_LIBRARY_PATH", before_.c_str(), 1);
  }
  testing::ScratchFolder broken_;

 private:
  std::string before_;
};

TEST_F(Linking, BrokenLibrariesInTheUsersPathDoNotStopRocdiag) {
  const auto ran =
      testing::run({testing::binary(), "worker", "read"}, {}, to_frame(FileQuestion{Ask::open, "/dev/null"}));
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out, to_frame(FileAnswer{0, FileContent{}}));
}

TEST_F(Linking, SubjectsSeeTheUsersPathAndHelpersDoNot) {
  LocalOptions options;
  options.worker = {testing::binary(), "worker", "read"};
  LocalSource source(options);
  Snapshot snapshot = source.begin();
  Command helper;
  helper.argv = {"env"};
  Command subject = helper;
  subject.child = ChildClass::subject;
  subject.env = {{"MARK", "subject"}};
  const std::string slow_file = "/proc/" + std::to_string(getpid()) + "/stat";
  source.answer({run_command(helper), run_command(subject), read_file(slow_file)},
                std::chrono::steady_clock::now() + std::chrono::seconds(10), snapshot);
  const std::string line = "LD_LIBRARY_PATH=" + broken_.path().string() + "\n";
  EXPECT_THAT(snapshot.run({"env"}, {{"MARK", "subject"}})->out, HasSubstr(line));
  EXPECT_THAT(snapshot.run({"env"})->out, Not(HasSubstr("LD_LIBRARY_PATH")));
  EXPECT_THAT(snapshot.run({"env"})->out, HasSubstr("LC_ALL=C\n"));
  EXPECT_EQ(snapshot.variable("LD_LIBRARY_PATH").optional(), broken_.path().string());
  EXPECT_TRUE(snapshot.read(slow_file)) << "the reading worker runs under the user's path";
}

}  // namespace
}  // namespace rocdiag
