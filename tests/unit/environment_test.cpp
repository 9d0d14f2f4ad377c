// SPDX-License-Identifier: MIT
#include "source/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "testing/testing.h"

namespace rocdiag {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

const std::vector<std::string> kUser{"PATH=/home/u/bin:/usr/bin",  "LC_ALL=de_DE.UTF-8", "LD_PRELOAD=/x.so",
                                     "LD_LIBRARY_PATH=/conda/lib", "HSA_ENABLE_SDMA=0",  "no sign"};

TEST(Environment, TakesWhatCanChangeAGpuStackAndNothingPrivate) {
  const auto taken = diagnosis_variables({"HSA_OVERRIDE_GFX_VERSION=10.3.0", "EDITOR=vi", "container=podman",
                                          "SLURM_JOB_ID=7", "HISTFILE=/home/u/.history", "SUDO_USER=u"});
  EXPECT_THAT(taken, ElementsAre(Pair("HSA_OVERRIDE_GFX_VERSION", "10.3.0"), Pair("SLURM_JOB_ID", "7"),
                                 Pair("SUDO_USER", "u"), Pair("container", "podman")));
}

TEST(Environment, NeverTakesAVariableWhoseNameSpeaksOfASecret) {
  for (const char* name : {"OLLAMA_API_KEY", "HF_TOKEN", "VLLM_API_KEY", "CONDA_TOKEN", "XDG_SESSION_COOKIE",
                           "SLURM_JWT_TOKEN", "TORCH_password", "AMD_Secret", "JAX_CREDENTIALS", "OLLAMA_AUTH"})
    EXPECT_FALSE(matters_to_diagnosis(name)) << name;
}

TEST(Environment, AUrlKeepsItsHostAndLosesItsPassword) {
  EXPECT_EQ(without_credentials("https://user:pass@host/simple"), "https://host/simple");
  EXPECT_EQ(without_credentials("https://t0k3n@a/ http://u:p@b"), "https://a/ http://b");
  EXPECT_EQ(without_credentials("https://host/a@b"), "https://host/a@b");
  EXPECT_EQ(without_credentials("/opt/rocm@1"), "/opt/rocm@1");
  EXPECT_EQ(without_credentials("https://"), "https://");
  EXPECT_THAT(diagnosis_variables({"PIP_INDEX_URL=https://u:p@host/"}),
              ElementsAre(Pair("PIP_INDEX_URL", "https://host/")));
}

TEST(Environment, ASubjectGetsTheUsersExactly) {
  Command command;
  command.child = ChildClass::subject;
  EXPECT_EQ(child_environment(kUser, command), kUser);
  command.env = {{"HSA_ENABLE_SDMA", "1"}};
  EXPECT_THAT(child_environment(kUser, command),
              ElementsAre("PATH=/home/u/bin:/usr/bin", "LC_ALL=de_DE.UTF-8", "LD_PRELOAD=/x.so",
                          "LD_LIBRARY_PATH=/conda/lib", "no sign", "HSA_ENABLE_SDMA=1"));
}

TEST(Environment, AHelperSpeaksEnglishAndLoadsNothingOfTheUsers) {
  Command command;
  EXPECT_THAT(child_environment(kUser, command),
              ElementsAre("PATH=/home/u/bin:/usr/bin", "HSA_ENABLE_SDMA=0", "no sign", "LC_ALL=C"));
  command.env = {{"LC_ALL", "C.UTF-8"}, {"LD_LIBRARY_PATH", "/opt/rocm/lib"}};
  EXPECT_THAT(child_environment(kUser, command),
              ElementsAre("PATH=/home/u/bin:/usr/bin", "HSA_ENABLE_SDMA=0", "no sign", "LC_ALL=C.UTF-8",
                          "LD_LIBRARY_PATH=/opt/rocm/lib"));
}

TEST(Environment, KnowsEveryVariableOfTheKnowledgeBase) {
  const auto shared = testing::shared_folder();
  if (!shared) GTEST_SKIP() << "../shared is missing";
  const auto tables = nlohmann::json::parse(testing::read_whole(*shared / "knowledge/environment.json"));
  for (const auto& variable : tables.at("variables")) {
    std::string names = variable.at("name");
    names = names.substr(0, names.find(" ("));  // "ROCR_VISIBLE_DEVICES (Slurm/Ray)"
    for (std::size_t start = 0; start < names.size();) {
      const std::size_t end = std::min(names.find(" / ", start), names.size());
      const std::string name = names.substr(start, end - start);
      start = end + 3;
      if (name == "DISPLAY") continue;
      EXPECT_TRUE(matters_to_diagnosis(name)) << name;
    }
  }
}

}  // namespace
}  // namespace rocdiag
