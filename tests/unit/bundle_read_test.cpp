// SPDX-License-Identifier: MIT
#include "source/bundle_read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "knowledge/embedded.h"
#include "testing/archives.h"
#include "testing/testing.h"

namespace rocdiag {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ScratchFolder;
using testing::tar_end;
using testing::tar_file;
using testing::tar_header;

Result<Snapshot> load_manifest(const std::string& manifest) {
  return load_bundle_bytes(tar_file("manifest.json", manifest) + tar_end());
}

Error error_of(const Result<Snapshot>& loaded) {
  if (loaded) return {Errc::usage, 0, "it loaded"};
  return loaded.error();
}

TEST(Bundle, ReadsEveryFieldOfTheFormat) {
  const std::string manifest = R"({
    "schema": "rocdiag.bundle/1", "rocdiag": "hand", "captured": "2026-12-01T13:00:00Z", "redacted": true, "future": [{}],
    "identity": {"uid": 1000, "gid": 1000, "user": "user-1", "groups": [{"id": 44, "name": "video"}, {"id": 7}]},
    "uname": {"sysname": "Linux", "release": "6.8.0"}, "env": {"HSA_XNACK": "1"}, "env_complete": true,
    "listed": ["/dev", "/sys/class/drm", "/empty"], "links": {"/sys/class/drm/card0": "../../devices/x"},
    "stat": {"/dev/kfd": {"type": "char", "mode": "0660", "uid": 0, "gid": 992, "rdev": "235:0"},
             "/dev/dri/card0": {"type": "char"}},
    "open": {"/dev/kfd": "EACCES", "/dev/dri/renderD128": "ok", "/dev/gone": "ENOENT"},
    "errors": {"/sys/class/kfd": "ENOENT", "/dev/fb0": "EPERM"}, "truncated": ["/var/log/kern.log"],
    "commands": [{"argv": ["rocminfo"], "env": {"A": "b"}, "exit": 0, "signal": null, "timed_out": false,
                  "duration_ms": 44, "out": "commands/01.out", "err": "commands/01.err"},
                 {"argv": ["hipcc", "--version"], "error": "ENOENT"}],
    "as": {"unit:ollama.service": {"identity": {"uid": 997, "gid": 997}, "open": {"/dev/kfd": "ok"}, "env": {"X": "y"}}}
  })";
  const auto s = load_bundle_bytes(tar_file("manifest.json", manifest) + tar_file("fs/proc/cmdline", "quiet\n") +
                                   tar_file("commands/01.out", "ROCk\n") + tar_end());
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_EQ(s->captured, "2026-12-01T13:00:00Z");
  EXPECT_TRUE(s->redacted);
  EXPECT_EQ(s->identity->groups, (std::vector<Group>{{44, "video"}, {7, ""}}));
  EXPECT_EQ(s->uname->release, "6.8.0");
  EXPECT_TRUE(s->variable("HIP_VISIBLE_DEVICES").is_absent());
  EXPECT_EQ(*s->read("/proc/cmdline"), "quiet\n");
  EXPECT_EQ(s->read("/proc/version").error().code, Errc::not_recorded);
  EXPECT_THAT(*s->list("/dev"), ElementsAre("dri", "fb0", "kfd"));
  EXPECT_THAT(*s->list("/sys/class/drm"), ElementsAre("card0"));
  EXPECT_THAT(*s->list("/empty"), ElementsAre());
  EXPECT_EQ(s->list("/dev/dri").error().code, Errc::not_recorded);
  EXPECT_EQ(*s->link("/sys/class/drm/card0"), "../../devices/x");
  EXPECT_EQ(*s->stat("/dev/kfd"), (FileStat{FileType::char_device, 0660, 0, 992, "235:0"}));
  EXPECT_EQ(s->stat("/dev/dri/card0")->mode, std::nullopt);
  EXPECT_EQ(s->open("/dev/kfd").error().errno_value, EACCES);
  EXPECT_TRUE(s->open("/dev/dri/renderD128"));
  for (const Ask ask : {Ask::read, Ask::list, Ask::link, Ask::stat}) EXPECT_TRUE(s->holds({ask, "/sys/class/kfd", {}}));
  EXPECT_FALSE(s->holds(open_device("/sys/class/kfd")));
  EXPECT_EQ(s->run({"rocminfo"}, {{"A", "b"}})->out, "ROCk\n");
  EXPECT_EQ(s->run({"rocminfo"}, {{"A", "b"}})->err, "");
  EXPECT_EQ(s->run({"hipcc", "--version"}).error().errno_value, ENOENT);
  EXPECT_EQ(s->as.at("unit:ollama.service").identity->uid, 997U);
  EXPECT_TRUE(s->as.at("unit:ollama.service").opens.at("/dev/kfd"));
  EXPECT_THAT(s->truncated, ElementsAre("/var/log/kern.log"));
}

TEST(Bundle, IsAFolderAnArchiveOrAnArchiveOfAFolder) {
  const ScratchFolder scratch;
  scratch.write("b/manifest.json", "{}");
  scratch.write("b/fs/proc/cmdline", "quiet");
  scratch.write("b/NOTE", "not part of it");
  const std::string top = scratch.path().string();
  ASSERT_EQ(testing::run({"tar", "-C", top, "-czf", top + "/whole.tgz", "b"}).exit, 0);
  ASSERT_EQ(testing::run({"tar", "-C", top + "/b", "-czf", top + "/dot.tar.gz", "."}).exit, 0);
  ASSERT_EQ(testing::run({"tar", "-C", top, "--format=pax", "-cf", top + "/plain.tar", "b"}).exit, 0);
  for (const char* name : {"b", "b/", "whole.tgz", "dot.tar.gz", "plain.tar"}) {
    const auto s = load_bundle(top + "/" + name);
    ASSERT_TRUE(s) << name << " " << s.error().message;
    EXPECT_EQ(*s->read("/proc/cmdline"), "quiet") << name;
    EXPECT_EQ(s->files.size(), 1U) << name;
    EXPECT_TRUE(s->listings.empty()) << name;
  }
}

TEST(Bundle, TakesEachListingOfABareTreeForWholeButForScaffolding) {
  const ScratchFolder scratch;
  scratch.write("sys/class/drm/card0/device/vendor", "0x1002\n");
  scratch.write("sys/bus/pci/devices/0000:03:00.0/class", "0x030000\n");
  scratch.write("proc/cmdline", "quiet\n");
  std::filesystem::create_directories(scratch.path() / "dev/dri");
  std::filesystem::create_directory_symlink("../../class/drm", scratch.path() / "sys/bus/pci/devices/link");
  const auto s = load_bundle(scratch.path().string());
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_THAT(*s->list("/sys/class/drm"), ElementsAre("card0"));
  EXPECT_THAT(*s->list("/sys/bus/pci/devices"), ElementsAre("0000:03:00.0", "link"));
  EXPECT_THAT(*s->list("/dev/dri"), ElementsAre());
  EXPECT_EQ(*s->link("/sys/bus/pci/devices/link"), "../../class/drm");
  for (const char* scaffolding : {"/", "/sys", "/sys/class", "/sys/bus", "/sys/bus/pci", "/proc", "/dev"})
    EXPECT_EQ(s->list(scaffolding).error().code, Errc::not_recorded) << scaffolding;
  EXPECT_TRUE(s->identity.is_unobserved());
  EXPECT_TRUE(s->variable("HSA_XNACK").is_unobserved());
}

TEST(Bundle, ReadsTheDemoInsideTheBinary) {
  const auto s = load_bundle_bytes(embedded_files().at("demo.tar.gz"));
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_FALSE(s->captured.empty());
}

TEST(Bundle, TakesFsAloneForABareTree) {
  const auto s = load_bundle_bytes(tar_file("fs/sys/class/drm/version", "1") + tar_end());
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_THAT(*s->list("/sys/class/drm"), ElementsAre("version"));
}

TEST(Bundle, FolderLeadsNowhereElse) {
  const ScratchFolder scratch;
  scratch.write("secret", "outside");
  scratch.write("b/manifest.json", "{}");
  std::filesystem::create_directories(scratch.path() / "b/fs/etc");
  std::filesystem::create_symlink("../../../secret", scratch.path() / "b/fs/etc/passwd");
  std::filesystem::create_directory_symlink("/", scratch.path() / "b/fs/root");
  const auto s = load_bundle((scratch.path() / "b").string());
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_TRUE(s->files.empty());
  EXPECT_EQ(*s->link("/etc/passwd"), "../../../secret");
  EXPECT_EQ(*s->link("/root"), "/");
  std::filesystem::remove(scratch.path() / "b/manifest.json");
  std::filesystem::create_symlink("../secret", scratch.path() / "b/manifest.json");
  EXPECT_THAT(error_of(load_bundle((scratch.path() / "b").string())).message, HasSubstr("not a regular file"));
}

TEST(Bundle, NamesWhatCannotBeRead) {
  const ScratchFolder scratch;
  const Error missing = error_of(load_bundle((scratch.path() / "none.tar.gz").string()));
  EXPECT_EQ(missing.code, Errc::system);
  EXPECT_EQ(missing.errno_value, ENOENT);
  EXPECT_THAT(missing.message, HasSubstr("none.tar.gz: ENOENT"));
  scratch.write("other/readme", "text");
  EXPECT_THAT(error_of(load_bundle((scratch.path() / "other").string())).message, HasSubstr("not a bundle"));
  EXPECT_THAT(error_of(load_bundle((scratch.path() / "other/readme").string())).message,
              HasSubstr("not a whole .tar or .tar.gz"));
  EXPECT_THAT(error_of(load_bundle("/dev/null")).message, HasSubstr("neither a folder nor a regular file"));
  scratch.write("f/manifest.json", "{}");
  std::filesystem::create_directories(scratch.path() / "f/fs");
  ASSERT_EQ(mkfifo((scratch.path() / "f/fs/pipe").c_str(), 0600), 0);
  EXPECT_THAT(error_of(load_bundle((scratch.path() / "f").string())).message, HasSubstr("fs/pipe: neither a file"));
}

TEST(Bundle, KeepsTheErrnoOfAnUnreadableFile) {
  if (geteuid() == 0) GTEST_SKIP() << "root reads everything";
  const ScratchFolder scratch;
  scratch.write("manifest.json", "{}");
  chmod((scratch.path() / "manifest.json").c_str(), 0);
  const Error error = error_of(load_bundle(scratch.path().string()));
  EXPECT_EQ(error.code, Errc::system);
  EXPECT_EQ(error.errno_value, EACCES);
}

TEST(Manifest, NamesTheFieldOfTheWrongType) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {R"([])", "not an object"},
      {R"(7)", "not an object"},
      {R"({"schema": "rocdiag.bundle/2"})", "schema"},
      {R"({"captured": 1})", "captured"},
      {R"({"redacted": "yes"})", "redacted"},
      {R"({"identity": {"uid": "0", "gid": 0}})", "identity.uid"},
      {R"({"identity": {"gid": 0}})", "identity.uid"},
      {R"({"identity": {"uid": -1, "gid": 0}})", "identity.uid"},
      {R"({"identity": {"uid": 4294967296, "gid": 0}})", "identity.uid"},
      {R"({"identity": {"uid": 1e3, "gid": 0}})", "identity.uid"},
      {R"({"identity": 5})", "identity"},
      {R"({"identity": {"uid": 1, "gid": 1, "groups": [5]}})", "identity.groups[0]"},
      {R"({"uname": "Linux"})", "uname"},
      {R"({"uname": {"release": 6}})", "uname.release"},
      {R"({"env": ["A=b"]})", "env"},
      {R"({"env": {"A": 1}})", "env[\"A\"]"},
      {R"({"env_complete": 1})", "env_complete"},
      {R"({"listed": {}})", "listed"},
      {R"({"listed": [""]})", "listed[0]"},
      {R"({"listed": [["/dev"]]})", "listed[0]"},
      {R"({"links": {"/a": null}})", "links[\"/a\"]"},
      {R"({"stat": {"/a": "char"}})", "stat[\"/a\"]"},
      {R"({"stat": {"/a": {"type": "wheel"}}})", "stat[\"/a\"].type"},
      {R"({"stat": {"/a": {"mode": "rw-rw----"}}})", "stat[\"/a\"].mode"},
      {R"({"stat": {"/a": {"mode": 432}}})", "stat[\"/a\"].mode"},
      {R"({"open": {"/a": "denied"}})", "open[\"/a\"]"},
      {R"({"open": {"/a": true}})", "open[\"/a\"]"},
      {R"({"errors": {"/a": "ENOSUCH"}})", "errors[\"/a\"]"},
      {R"({"errors": {"/a": 2}})", "errors[\"/a\"]"},
      {R"({"ask_errors": {"read": []}})", "ask_errors.read"},
      {R"({"names": {"/a": "b"}})", "names[\"/a\"]"},
      {R"({"stored": {"/a": "files/01"}})", "files/01"},
      {R"({"truncated": "x"})", "truncated"},
      {R"({"notes": [1]})", "notes[0]"},
      {R"({"commands": {}})", "commands"},
      {R"({"commands": [{}]})", "commands[0]"},
      {R"({"commands": [{"argv": "rocminfo"}]})", "commands[0].argv"},
      {R"({"commands": [{"argv": ["a"], "exit": "0"}]})", "commands[0].exit"},
      {R"({"commands": [{"argv": ["a"], "exit": 99999999999}]})", "commands[0].exit"},
      {R"({"commands": [{"argv": ["a"], "out": 1}]})", "commands[0].out"},
      {R"({"commands": [{"argv": ["a"], "error": "gone"}]})", "commands[0].error"},
      {R"({"as": []})", "as"},
      {R"({"as": {"x": {"open": []}}})", "as[\"x\"].open"},
      {R"({"a": )", "no valid JSON at byte"},
      {"", "no valid JSON"},
      {"{\"captured\": \"\xff\"}", "no valid JSON"},
  };
  for (const auto& [manifest, part] : wrong) {
    const Error error = error_of(load_manifest(manifest));
    EXPECT_EQ(error.code, Errc::malformed) << manifest;
    EXPECT_THAT(error.message, HasSubstr("manifest.json: ")) << manifest;
    EXPECT_THAT(error.message, HasSubstr(part)) << manifest;
  }
}

TEST(Manifest, IgnoresUnknownFieldsAndTakesNullForMissing) {
  const auto s = load_manifest(R"({"identity": null, "commands": null, "new": {"deep": [[[1]]]}, "links": null})");
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_TRUE(s->identity.is_unobserved());
}

TEST(Manifest, AnswersOutrankErrorsAtTheSamePath) {
  const auto s = load_bundle_bytes(tar_file("manifest.json", R"({"errors": {"/a": "EACCES", "/b": "EIO"},
      "ask_errors": {"read": {"/b": "timed_out"}, "list": {"/c": {"error": "EIO", "message": "the driver said so"}}}})") +
                                   tar_file("fs/a", "content") + tar_end());
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_EQ(*s->read("/a"), "content");
  EXPECT_EQ(s->list("/a").error().errno_value, EACCES);
  EXPECT_EQ(s->read("/b").error().code, Errc::timed_out);
  EXPECT_FALSE(s->holds(list_folder("/b"))) << "ask_errors tells the asks apart, so errors does not speak for the rest";
  EXPECT_EQ(s->list("/c").error(), system_error(EIO, "the driver said so"));
}

}  // namespace
}  // namespace rocdiag
