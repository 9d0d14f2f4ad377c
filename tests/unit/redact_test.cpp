// SPDX-License-Identifier: MIT
#include "source/redact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "source/bundle_read.h"
#include "source/bundle_write.h"
#include "testing/archives.h"
#include "testing/testing.h"

namespace rocdiag {
namespace {

using testing::first_difference;
using ::testing::HasSubstr;
using ::testing::Not;

const RedactionHints kHints{"Tuxbook", RedactNames::yes};

// One text, redacted as a file of a machine whose user is annika.
std::string redacted(const std::string& text, const std::string& path = "/var/log/kern.log") {
  Snapshot s;
  s.identity = Observed<Identity>::of({1000, 1000, "annika", {}});
  s.files.insert_or_assign(path, text);
  redact(s, kHints);
  return *s.read(path);
}

std::string redacted_output(const std::vector<std::string>& argv, const std::string& out) {
  Snapshot s;
  CommandOutcome outcome;
  outcome.exit = 0;
  outcome.out = out;
  s.commands.push_back({argv, {}, outcome});
  redact(s, kHints);
  return s.commands.at(0).outcome->out;
}

const std::vector<std::string> kPlanted{"annika",
                                        "bertram",
                                        "Tuxbook",
                                        "tuxbook",
                                        "PF3SERIAL99",
                                        "16af8a1b2c3d4e5f",
                                        "1634677039069744735",
                                        "3c:7c:3f:aa:bb:cc",
                                        "10.11.12.13",
                                        "fe80::3e7c:3fff:feaa:bbcc",
                                        "annika@example.org",
                                        "hunter2secret",
                                        "ghp_0123456789abcdefABCD",
                                        "correct horse",
                                        "MIIEvQIBADANBg"};

// All of it in one line of text, as a careless log might have it.
std::string planted_text() {
  return "annika bertram on Tuxbook (tuxbook.lan) serial: PF3SERIAL99 unique 0x16af8a1b2c3d4e5f GPU-16af8a1b2c3d4e5f "
         "1634677039069744735 3c:7c:3f:aa:bb:cc 10.11.12.13 fe80::3e7c:3fff:feaa:bbcc annika@example.org "
         "DB_PASSWORD=hunter2secret ghp_0123456789abcdefABCD\n"
         "password: correct horse\n-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----\n";
}

// One line, for what has no lines: paths, names, keys.
std::string planted_name() {
  return "annika-bertram_Tuxbook-PF3SERIAL99-16af8a1b2c3d4e5f 1634677039069744735 3c:7c:3f:aa:bb:cc 10.11.12.13 "
         "fe80::3e7c:3fff:feaa:bbcc annika@example.org token=hunter2secret ghp_0123456789abcdefABCD";
}

Snapshot planted_everywhere() {
  const std::string text = planted_text(), name = planted_name();
  Snapshot s;
  s.identity = Observed<Identity>::of({1000, 1000, "annika", {{1000, "annika"}, {44, "video"}, {1001, name}}});
  s.uname = Observed<Uname>::of({"Linux", "6.8.0-annika", "#1 bertram@Tuxbook", "x86_64"});
  s.env = {{"HOME", "/home/annika"}, {"HF_TOKEN", "correct horse"}, {"LD_LIBRARY_PATH", "/home/bertram/lib:" + name}};
  s.files = {
      {"/etc/passwd",
       std::string("root:x:0:0:root:/root:/bin/sh\nbertram:x:1001:1001:Bert Ram:/home/bertram:/bin/sh\n")},
      {"/etc/group", std::string("video:x:44:annika,bertram\nannika:x:1000:\n")},
      {"/etc/hostname", std::string("Tuxbook\n")},
      {"/sys/class/dmi/id/product_serial", std::string("PF3SERIAL99\n")},
      {"/sys/class/drm/card0/device/unique_id", std::string("16af8a1b2c3d4e5f\n")},
      {"/sys/class/kfd/kfd/topology/nodes/1/properties", std::string("simd_count 80\nunique_id 1634677039069744735\n")},
      {"/proc/7/environ", std::string("A_SECRET=hunter2secret\0USER=annika\0", 35)},
      {"/proc/7/cmdline", std::string("tool\0--api-key\0hunter2secret\0", 29)},
      {"/home/annika/log of " + name, text},
      {"/refused", system_error(EIO, "annika on Tuxbook")}};
  s.listings.insert_or_assign("/home/" + name, std::vector<std::string>{"annika", "bertram.txt", name});
  s.links.insert_or_assign("/l/" + name, "/home/annika/" + name);
  s.stats.insert_or_assign("/s/" + name, FileStat{FileType::char_device, 0660, 0, 992, "235:0"});
  s.opens.insert_or_assign("/o/" + name, system_error(EACCES, "for annika"));
  CommandOutcome outcome;
  outcome.exit = 1;
  outcome.out = text;
  outcome.err = text;
  s.commands.push_back(
      {{"tool", "--token", "hunter2secret", name, text}, {{"MY_API_KEY", "correct horse"}, {"X", text}}, outcome});
  s.commands.push_back({{"other", name}, {}, Error{Errc::refused, 0, name}});
  s.truncated = {"/home/annika/log of " + name};
  s.notes = {text};
  s.as["unit:" + name] = {Observed<Identity>::of({1001, 1001, "bertram", {{1001, "bertram"}}}),
                          {{"/x/" + name, system_error(EPERM, name)}},
                          {{"B_TOKEN", "correct horse"}, {"Y", text}}};
  return s;
}

TEST(Redaction, LeavesNothingPlantedInAnyPlaceOfABundle) {
  const testing::ScratchFolder scratch;
  const std::string path = (scratch.path() / "b.tar.gz").string();
  Snapshot s = planted_everywhere();
  ASSERT_TRUE(save_bundle(s, path));
  const std::string before = testing::gunzip(testing::read_whole(path));
  for (const std::string& secret : kPlanted) EXPECT_THAT(before, HasSubstr(secret)) << "the test plants nothing";
  redact(s, kHints);
  const Status saved = save_bundle(s, path);
  ASSERT_TRUE(saved) << saved.error().message;
  const std::string after = testing::gunzip(testing::read_whole(path));
  for (const std::string& secret : kPlanted) EXPECT_EQ(after.find(secret), std::string::npos) << secret;
  EXPECT_EQ(after.find("Bert Ram"), std::string::npos);
  EXPECT_TRUE(load_bundle(path)->redacted);
}

TEST(Redaction, TwiceIsTheSameAsOnce) {
  Snapshot once = planted_everywhere();
  redact(once, kHints);
  Snapshot twice = once;
  redact(twice, kHints);
  EXPECT_EQ(first_difference(once, twice), "");
}

TEST(Redaction, TwiceIsTheSameAsOnceForEveryRecordedMachine) {
  const auto shared = testing::shared_folder();
  if (!shared) GTEST_SKIP() << "no shared folder";
  for (const auto& set : std::filesystem::directory_iterator(*shared / "cases")) {
    if (!std::filesystem::exists(set.path() / "bundle/manifest.json")) continue;
    auto once = load_bundle((set.path() / "bundle").string());
    ASSERT_TRUE(once) << once.error().message;
    redact(once.value(), {});
    Snapshot twice = *once;
    redact(twice, {});
    EXPECT_EQ(first_difference(*once, twice), "") << set.path();
  }
}

TEST(Redaction, GivesOneThingOnePseudonymWhereverItStands) {
  Snapshot s = planted_everywhere();
  redact(s, kHints);
  EXPECT_EQ(s.identity->user, "user-1");
  EXPECT_EQ(s.env.at("HOME"), "/home/user-1");
  EXPECT_EQ(s.as.begin()->second.identity->user, "user-2");
  EXPECT_EQ(*s.read("/etc/group"), "video:x:44:user-1,user-2\nuser-1:x:1000:\n");
  EXPECT_EQ(*s.read("/etc/passwd"), "root:x:0:0:root:/root:/bin/sh\nuser-2:x:1001:1001::/home/user-2:/bin/sh\n");
  EXPECT_EQ(*s.read("/etc/hostname"), "host-1\n");
  const std::string unique = *s.read("/sys/class/drm/card0/device/unique_id");
  EXPECT_THAT(unique, ::testing::MatchesRegex("serial-[0-9]+\n"));
  EXPECT_EQ(*s.read("/sys/class/kfd/kfd/topology/nodes/1/properties"), "simd_count 80\nunique_id " + unique)
      << "decimal in KFD, hexadecimal in amdgpu, and the same GPU";
  EXPECT_THAT(s.notes.at(0), HasSubstr("GPU-" + unique.substr(0, unique.size() - 1) + " "));
  EXPECT_EQ(*s.read("/proc/7/environ"), std::string("A_SECRET=REDACTED\0USER=user-1\0", 30));
  EXPECT_EQ(*s.read("/proc/7/cmdline"), std::string("tool\0--api-key\0REDACTED\0", 24));
  const auto& listing = s.listings.begin()->second;
  EXPECT_TRUE(std::is_sorted(listing->begin(), listing->end()));
}

TEST(Redaction, NumbersOnFromPseudonymsThatAreThereAlready) {
  EXPECT_EQ(redacted("user-7 and annika, host-2 and Tuxbook, 192.0.2.9 and 10.0.0.1"),
            "user-7 and user-8, host-2 and host-3, 192.0.2.9 and 192.0.2.10");
}

TEST(Redaction, LeavesTheReasonAsItIs) {
  for (const std::string line : {
           "Unable to open /dev/kfd read-write: Permission denied (EACCES)",
           "crw-rw---- 1 root render 235, 0 Dec  1 12:00 /dev/kfd",
           "uid=0(root) gid=0(root) groups=0(root),44(video),992(render)",
           "amdgpu 0000:03:00.0: amdgpu: SMU driver if version = 0x0000000d, smu fw version = 0x003a5a00 (58.90.0)",
           "pci 0000:00:01.1: bridge window [mem 0xfcc00000-0xfcdfffff 64bit pref]",
           "[drm:amdgpu_device_init [amdgpu]] *ERROR* hw_init of IP block <psp> failed -22",
           "kfd kfd: amdgpu: skipped device 1002:6985, PCI rejects atomics 730<0",
           "HSA_STATUS_ERROR_OUT_OF_RESOURCES: The runtime failed to allocate the necessary resources.",
           "torch 2.5.1+rocm6.2 and hip 6.2.41133-dd7f95766",
           "libamdhip64.so.6.2.60202 => not found; librocm_smi64.so.7.0.1.2",
           "rocm-core 6.2.2.60202-116~22.04 amd64",
           "NVIDIA 1.2.3.4-5 nvidia-cublas-cu12==12.4.5.8",
           "driver version 30.10.1.0, BIOS version: 1.2.3.4, VBIOS 016.002.000.007",
           "gfx1100 gfx90a:sramecc+:xnack- amdgcn-amd-amdhsa--gfx942",
           "undefined symbol: _ZN3c105ErrorC2E, std::bad_alloc, c10::Error, at::native::add, a::b",
           "listening on 127.0.0.1:11434 and 0.0.0.0:11434 and [::1]:80, mask 255.255.255.0",
           "ether 00:00:00:00:00:00 brd ff:ff:ff:ff:ff:ff",
           "12:34:56 up 3 days; 2026-12-01T12:34:56Z; 24-12-01-10-30-55",
           "lspci: +-01.1-[01-03]----00.0-[02-03]----00.0-[03]--+-00.0",
           "BOS token        = 128000 '<|begin_of_text|>'; max_tokens: 4096, --max-tokens 512, 33.1 tokens per second",
           "SyntaxError: unexpected token: '}' while the parser authenticated",
           "auth: failed (permission denied), token: missing, password: not set, cookie: none",
           "author: AMD linux driver team; tokenizer=llama; TOKENIZERS_PARALLELISM=false",
           "iwlwifi 0000:02:00.0: WFPM_AUTH_KEY_0: 0x90",
           "systemd-udev-load-credentials comm=\"systemd\" started user@1000.service",
           "Uuid: GPU-XX  Serial Number: N/A  unique_id 0  serial: None",
           "usb 1-1: New USB device strings: Mfr=1, Product=2, SerialNumber=3",
           "Serial: 8250/16550 driver, 32 ports, IRQ sharing enabled",
           "PKCS#7 signature not signed with a trusted key",
           "git@github.com:ROCm/ROCm.git",
       })
    EXPECT_EQ(redacted(line), line);
}

TEST(Redaction, HidesSecretsInEveryCommonForm) {
  const std::vector<std::pair<std::string, std::string>> forms{
      {"HF_TOKEN=abc", "HF_TOKEN=REDACTED"},
      {"export hf_token='a b'; x", "export hf_token='REDACTED'; x"},
      {"A_TOKEN=x B_SECRET=y C=z", "A_TOKEN=REDACTED B_SECRET=REDACTED C=z"},
      {"  db_password: correct horse", "  db_password: REDACTED"},
      {"{\"apiKey\": \"abc\", \"n\": 1}", "{\"apiKey\": \"REDACTED\", \"n\": 1}"},
      {"found AWS_ACCESS_KEY_ID: abc in it", "found AWS_ACCESS_KEY_ID: REDACTED in it"},
      {"login with token: s3cr3tvalue now", "login with token: REDACTED now"},
      {"curl --token abc --password=def x", "curl --token REDACTED --password=REDACTED x"},
      {"https://annika:pw@example.org/x", "https://REDACTED@example.org/x"},
      {"redis://:pw@10.0.0.1:6379", "redis://REDACTED@192.0.2.1:6379"},
      {"Authorization: Bearer abc.def123456", "Authorization: REDACTED"},
      {"curl -H 'X: Bearer abcdef123456'", "curl -H 'X: Bearer REDACTED'"},
      {"Cookie: a=b; c=d", "Cookie: REDACTED"},
      {"key sk-abcdefghijklmnop1234.", "key REDACTED."},
      {"glpat-abcdefghijkl1234 xoxb-12345678-abc AKIAABCDEFGHIJKL hf_abcdefghijklmnop",
       "REDACTED REDACTED REDACTED REDACTED"},
      {"github_pat_abcdefghijklmnop12", "REDACTED"},
      {"PASSWORD=\xff\xfe"
       "bytes rest",
       "PASSWORD=REDACTED rest"},
      {"a\n-----BEGIN RSA PRIVATE KEY-----\nabc\n", "a\n[private key REDACTED]"},
  };
  for (const auto& [text, wanted] : forms) EXPECT_EQ(redacted(text), wanted);
}

TEST(Redaction, HidesSecretsEvenWhereNamesMayStay) {
  Snapshot s = planted_everywhere();
  redact(s, {"Tuxbook", RedactNames::no});
  EXPECT_EQ(s.identity->user, "annika");
  EXPECT_EQ(*s.read("/etc/hostname"), "Tuxbook\n");
  EXPECT_EQ(s.env.at("HF_TOKEN"), "REDACTED");
  EXPECT_THAT(s.notes.at(0), HasSubstr("10.11.12.13"));
  EXPECT_THAT(s.notes.at(0), Not(HasSubstr("hunter2secret")));
  EXPECT_FALSE(s.redacted);
}

TEST(Redaction, ReplacesAddresses) {
  EXPECT_EQ(redacted("inet 10.1.2.3/24 brd 10.1.2.255, from 10.1.2.3. [10.1.2.3]:80"),
            "inet 192.0.2.1/24 brd 192.0.2.2, from 192.0.2.1. [192.0.2.1]:80");
  EXPECT_EQ(redacted("fe80::1: no route; FE80:0:0:0:0:0:0:1 addr:2a00:1:2::3/64 ::ffff:10.1.2.3"),
            "2001:db8::1: no route; 2001:db8::1 addr:2001:db8::2/64 ::ffff:192.0.2.1");
  EXPECT_EQ(redacted("HWaddr AA:BB:CC:DD:EE:0F, aa-bb-cc-dd-ee-0f"), "HWaddr 02:00:00:00:00:01, 02:00:00:00:00:01");
  EXPECT_EQ(redacted("mail a.b+c@mail.example.org."), "mail mail-1@example.invalid.");
}

TEST(Redaction, KeepsVersionsInListsOfPackages) {
  EXPECT_EQ(redacted_output({"dpkg-query", "-W"}, "libfoo 1.2.3.4\n"), "libfoo 1.2.3.4\n");
  EXPECT_EQ(redacted_output({"/usr/bin/python3", "-m", "pip", "list"}, "nvidia-nccl 2.20.5.1\n"),
            "nvidia-nccl 2.20.5.1\n");
  EXPECT_EQ(redacted_output({"ip", "addr"}, "inet 1.2.3.4\n"), "inet 192.0.2.1\n");
}

TEST(Redaction, ReplacesATechnicalWordOnlyWhereItIsAName) {
  Snapshot s;
  s.identity = Observed<Identity>::of({1000, 1000, "dev", {{1000, "dev"}, {992, "render"}}});
  s.env = {{"USER", "dev"}, {"HOME", "/home/dev"}};
  s.files = {{"/dev/dri/x", std::string("/dev/kfd: dev 3, uid=1000(dev) in /home/dev/dev; dev@ubuntu:~$ ls /dev\n")},
             {"/etc/group", std::string("render:x:992:dev\ndev:x:1000:\ndevel:x:5:\n")}};
  redact(s, {"ubuntu", RedactNames::yes});
  EXPECT_EQ(s.identity->user, "user-1");
  EXPECT_EQ(s.identity->groups.at(1).name, "render");
  EXPECT_EQ(s.env.at("USER"), "user-1");
  EXPECT_EQ(*s.read("/dev/dri/x"), "/dev/kfd: dev 3, uid=1000(user-1) in /home/user-1/dev; user-1@host-1:~$ ls /dev\n");
  EXPECT_EQ(*s.read("/etc/group"), "render:x:992:user-1\nuser-1:x:1000:\ndevel:x:5:\n");
  EXPECT_EQ(redacted("Ubuntu and ubuntu 24.04"), "Ubuntu and ubuntu 24.04");
}

TEST(Redaction, KeepsSystemAccounts) {
  Snapshot s;
  s.identity = Observed<Identity>::of({0, 0, "root", {{0, "root"}}});
  s.env = {{"HOME", "/root"}, {"USER", "root"}};
  s.files = {{"/etc/passwd", std::string("ollama:x:997:997::/usr/share/ollama:/bin/false\nnobody:x:65534:65534::/:/x\n"
                                         "labdaemon:x:500:500::/:/x\n")},
             {"/etc/group", std::string("render:x:992:ollama,labdaemon\n")}};
  s.as["unit:ollama.service"].identity = Observed<Identity>::of({997, 997, "ollama", {}});
  Snapshot before = s;
  redact(s, {});
  before.redacted = true;
  EXPECT_EQ(first_difference(before, s), "");
}

TEST(Redaction, LeavesBinaryContentAlone) {
  std::string config(256, '\0');
  config.replace(0, 4, "\x02\x10\xbf\x73");
  config.replace(100, 14, "10.0.0.1 user\x01");
  EXPECT_EQ(redacted(config, "/sys/bus/pci/devices/0000:03:00.0/config"), config);
  EXPECT_EQ(redacted(std::string("SN-12345678\0\0", 13), "/sys/x/serial_number"), "serial-1\n");
  EXPECT_EQ(redacted("ABCDEF\n", "/sys/class/dmi/id/board_serial"), "serial-1\n");
  EXPECT_EQ(redacted("Default string\n", "/sys/class/dmi/id/board_serial"), "Default string\n");
}

TEST(Redaction, TakesNoLongerForOneEndlessLine) {
  const auto start = std::chrono::steady_clock::now();
  for (const char* unit :
       {"a=", "token=1.,", "1.2.3.4 ", "a: ", "x:\"", "fe80::1:", "annika@", "/home/dev ", "serial="}) {
    std::string line;
    while (line.size() < (256U << 10U)) line += unit;
    const std::string out = redacted(line + "annika annika");
    EXPECT_EQ(out.find("annika annika"), std::string::npos) << unit;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_LT(seconds, ROCDIAG_SANITIZED == 0 ? 40 : 100);
}

TEST(Redaction, CutsALongLineBetweenWords) {
  std::string line = "first";
  for (int i = 0; i < 3000; ++i) line += " 10.1.2.3,annika;TOKEN=abc";
  const std::string out = redacted(line);
  EXPECT_EQ(out.find("annika"), std::string::npos);
  EXPECT_EQ(out.find("10."), std::string::npos);
  EXPECT_EQ(out.find("abc"), std::string::npos);
}

TEST(Redaction, FindsNamesInHomesAndInTheOutputOfId) {
  EXPECT_EQ(redacted("/home/zoe/venv of zoe; uid=1005(quentin) by quentin_2 and quentins"),
            "/home/user-2/venv of user-2; uid=1005(user-3) by user-3_2 and quentins");
  EXPECT_EQ(redacted("Tuxbook.lan tuxbook TUXBOOKS"), "host-1.lan host-1 TUXBOOKS");
}

}  // namespace
}  // namespace rocdiag
