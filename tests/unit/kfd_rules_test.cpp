// SPDX-License-Identifier: MIT
// Devices, topology, services and the view of the kfd layer; what holds for every rule of the domain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/pattern.h"
#include "testing/kfd_machine.h"

namespace rocdiag {
namespace {

using namespace testing::kfd;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(KfdAccess, AServiceOutsideTheGroupIsAFindingOfItsOwn) {
  const Finding finding = only_finding(with_service({44, 984}));
  EXPECT_EQ(finding.key(), "kfd.permission@unit:ollama.service");
  EXPECT_EQ(finding.severity, Severity::warning);
  EXPECT_EQ(finding.title, "The account of ollama.service may not open /dev/kfd");
  EXPECT_THAT(finding.remedies[0].commands,
              ElementsAre("sudo usermod -aG render ollama", "sudo systemctl restart ollama.service"));
}

TEST(KfdAccess, AServiceThatGetsInIsNoFinding) {
  EXPECT_THAT(keys(with_service({44, 992})), IsEmpty());
  Facts everyone = with_service({44});
  everyone.kfd.kfd.mode = seen(0666U);
  EXPECT_THAT(keys(everyone), IsEmpty());
  Facts unknown = with_service({44});
  unknown.kfd.services[0].groups = Observed<Gids>::unobserved("not in /etc/passwd");
  EXPECT_THAT(keys(unknown), IsEmpty());
  Facts missing = with_service({44});
  missing.kfd.kfd = DeviceNode{};
  missing.kfd.kfd.path = "/dev/kfd";
  EXPECT_THAT(keys(missing), IsEmpty());
}

TEST(KfdAccess, WorksWithSudoIsAboutAccess) {
  const Finding finding = only_finding(through_sudo({27, 1000}));
  EXPECT_EQ(finding.key(), "kfd.permission@sudo");
  EXPECT_EQ(finding.severity, Severity::warning);
  EXPECT_EQ(finding.confidence, Confidence::possible);
}

TEST(KfdAccess, ACallerOfSudoWhoGetsInIsNoFinding) {
  EXPECT_THAT(keys(through_sudo({27, 992})), IsEmpty());
  Facts other = through_sudo({27, 1000});  // sudo -u somebody
  other.kfd.account.uid = seen(1002U);
  EXPECT_THAT(keys(other), IsEmpty());
}

TEST(KfdDevice, MissingWithoutKfdInTheKernelIsTheKernels) {
  Facts facts = healthy();
  facts.kfd.kfd.open = facts.kfd.kfd.type = Observed<std::string>::absent();
  facts.kfd.driver_present = Observed<bool>::absent({"/sys/class/kfd/kfd", 0});
  facts.kfd.nodes.clear();
  facts.kfd.node_ids = Observed<std::vector<int>>::absent();
  EXPECT_THAT(keys(facts), ElementsAre("kfd.missing"));
  EXPECT_EQ(view(facts).summary, "/dev/kfd does not exist");
  Facts no_gpu = facts;
  no_gpu.pci.gpus.clear();
  EXPECT_THAT(keys(no_gpu), IsEmpty());
  Facts vfio = facts;
  vfio.pci.gpus[0].driver = text("vfio-pci");
  EXPECT_THAT(keys(vfio), IsEmpty());
  Facts unseen = facts;
  unseen.kfd.driver_present = Observed<bool>::unobserved("not recorded");
  EXPECT_THAT(keys(unseen), IsEmpty());
}

TEST(KfdDevice, MissingWithKfdInTheKernelIsNotTheKernels) {
  Facts facts = healthy();  // not passed into a container, or udev
  facts.kfd.kfd.open = facts.kfd.kfd.type = Observed<std::string>::absent();
  EXPECT_THAT(keys(facts), IsEmpty());
}

TEST(KfdDevice, EinvalMeansAWedgedKfd) {
  Facts facts = healthy();
  facts.kfd.kfd.open = text("EINVAL");
  const Finding finding = only_finding(facts);
  EXPECT_EQ(finding.id, "kfd.wedged-after-rebind");
  EXPECT_EQ(finding.confidence, Confidence::likely);
  EXPECT_THAT(finding.remedies[0].needs, ElementsAre("root", "reboot"));
}

struct ErrnoRow {
  const char* name;
  const char* summary;
  Names findings;
};

class KfdErrno : public ::testing::TestWithParam<ErrnoRow> {};

TEST_P(KfdErrno, HasItsOwnViewAndOnlyItsOwnFinding) {
  Facts facts = healthy();
  facts.kfd.kfd.open = text(GetParam().name);
  EXPECT_EQ(keys(facts), GetParam().findings);
  EXPECT_EQ(view(facts).status, LayerStatus::fail);
  EXPECT_EQ(view(facts).summary, GetParam().summary);
}

INSTANTIATE_TEST_SUITE_P(
    Open, KfdErrno,
    ::testing::Values(ErrnoRow{"EPERM", "/dev/kfd: operation not permitted", {}},
                      ErrnoRow{"EINVAL", "/dev/kfd: invalid argument", {"kfd.wedged-after-rebind"}},
                      ErrnoRow{"ENOMEM", "/dev/kfd: cannot allocate memory: KFD has no usable GPU", {}},
                      ErrnoRow{"EBUSY", "/dev/kfd: device or resource busy", {}},
                      ErrnoRow{"ENODEV", "/dev/kfd: no such device", {}},
                      ErrnoRow{"EACCES", "/dev/kfd: permission denied", {}}),  // its owner and mode would allow it
    [](const auto& row) { return std::string(row.param.name); });

TEST(KfdDevice, NoAnswerInTimeIsUnknownAndNoFault) {
  Facts late = healthy();
  late.kfd.kfd.open = Observed<std::string>::unobserved("no answer in time");
  EXPECT_THAT(keys(late), IsEmpty());
  EXPECT_EQ(view(late).status, LayerStatus::unknown);
  EXPECT_EQ(view(late).summary, "whether /dev/kfd opens is not known: no answer in time");
}

TEST(KfdRender, AGpuWithoutARenderNodeIsNamed) {
  Facts facts = healthy();
  facts.pci.gpus[0].drm_nodes = seen(Names{"card1"});
  EXPECT_THAT(keys(facts), ElementsAre("kfd.render-missing@0000:03:00.0"));
  facts.pci.gpus[0].drm_nodes = Observed<Names>::unobserved("not recorded");
  EXPECT_THAT(keys(facts), IsEmpty());
  facts.pci.gpus[0].drm_nodes = seen(Names{});
  facts.pci.gpus[0].driver = Observed<std::string>::absent();
  EXPECT_THAT(keys(facts), IsEmpty());
}

TEST(KfdTopologyRules, CpuNodesOnlyBesideADrivenGpuIsAFinding) {
  Facts facts = cpu_nodes_only();
  facts.kfd.kfd.open = text("ENOMEM");
  const Finding finding = only_finding(facts);
  EXPECT_EQ(finding.id, "kfd.no-gpu-node");
  EXPECT_EQ(finding.remedies[0].kind, "look");
  EXPECT_THAT(keys(cpu_nodes_only()), ElementsAre("kfd.no-gpu-node"));
  EXPECT_EQ(view(cpu_nodes_only()).summary, "/dev/kfd opens, and KFD lists no GPU");
}

TEST(KfdTopologyRules, CpuNodesOnlyIsRightWhereNoGpuCouldBeTaken) {
  Facts no_gpu = cpu_nodes_only();
  no_gpu.pci.gpus.clear();
  EXPECT_THAT(keys(no_gpu), IsEmpty());
  Facts unbound = cpu_nodes_only();
  unbound.pci.gpus[0].driver = Observed<std::string>::absent();
  EXPECT_THAT(keys(unbound), IsEmpty());
  Facts too_old = cpu_nodes_only();  // Tahiti: no kernel's KFD takes it
  too_old.pci.gpus[0].device_id = text("1002:6798");
  EXPECT_THAT(keys(too_old), IsEmpty());
}

TEST(KfdTopologyRules, NodesThatWereNotReadAreNotTakenForCpus) {
  Facts hidden = cpu_nodes_only();
  hidden.kfd.nodes[1].hidden = true;
  EXPECT_THAT(keys(hidden), IsEmpty());
  Facts unread = cpu_nodes_only();
  unread.kfd.nodes[1].properties = Observed<std::map<std::string, std::uint64_t>>::unobserved("EIO");
  EXPECT_THAT(keys(unread), IsEmpty());
  EXPECT_EQ(view(unread).status, LayerStatus::unknown);
  Facts unlisted = cpu_nodes_only();
  unlisted.kfd.node_ids = Observed<std::vector<int>>::unobserved("not recorded");
  unlisted.kfd.nodes.clear();
  EXPECT_THAT(keys(unlisted), IsEmpty());
}

TEST(KfdTopologyRules, ATopologyThatChangedWhileReadCarriesNothing) {
  Facts facts = cpu_nodes_only();
  facts.kfd.generation_after = seen<std::uint64_t>(3);
  EXPECT_THAT(keys(facts), IsEmpty());
  EXPECT_EQ(view(facts).status, LayerStatus::unknown);
  EXPECT_THAT(view(facts).summary, HasSubstr("changed while it was read"));
  Facts unplugged = healthy();
  unplugged.pci.gpus.clear();
  unplugged.kfd.generation_after = seen<std::uint64_t>(3);
  EXPECT_THAT(keys(unplugged), IsEmpty());
}

TEST(KfdTopologyRules, AGpuBesideOthersThatKfdLeftOut) {
  Facts facts = healthy();
  facts.pci.gpus.push_back(pci_gpu("0000:04:00.0", "1002:73df", {"card2", "renderD129"}));
  EXPECT_THAT(keys(facts), ElementsAre("kfd.gpu-left-out@0000:04:00.0"));
  EXPECT_EQ(only_finding(facts).severity, Severity::warning);
  Facts hidden = facts;
  hidden.kfd.nodes.push_back(KfdNode{});
  hidden.kfd.nodes.back().hidden = true;
  EXPECT_THAT(keys(hidden), IsEmpty());
  Facts elsewhere = facts;
  elsewhere.kfd.nodes[1].address = Observed<std::string>::absent();
  EXPECT_THAT(keys(elsewhere), IsEmpty());
  Facts too_old = facts;
  too_old.pci.gpus[1].device_id = text("1002:6798");
  EXPECT_THAT(keys(too_old), IsEmpty());
}

TEST(KfdTopologyRules, PartitionsShareTheSlotOfTheirGpu) {
  Facts facts = healthy();
  facts.kfd.nodes.push_back(kfd_node(2, 80, "0000:03:00.1", 128));
  EXPECT_THAT(keys(facts), IsEmpty());
}

TEST(KfdTopologyRules, ANodeOfAGpuThatLeftTheBusIsStale) {
  Facts facts = healthy();
  facts.kfd.nodes.push_back(kfd_node(2, 80, "0000:64:00.0", 128));
  facts.kfd.nodes.push_back(kfd_node(3, 80, "0000:64:00.1", 128));
  EXPECT_THAT(keys(facts), ElementsAre("kfd.stale-after-unplug@0000:64:00.0"));
  Facts part = facts;
  part.pci.functions = Observed<int>::unobserved("not recorded");
  EXPECT_THAT(keys(part), IsEmpty());
  Facts nowhere = facts;
  nowhere.kfd.nodes.pop_back();
  nowhere.kfd.nodes.back().address = Observed<std::string>::absent();
  EXPECT_THAT(keys(nowhere), IsEmpty());
}

TEST(KfdTopologyRules, WithoutADomainBusAndDeviceDecide) {
  Facts facts = healthy();
  facts.pci.gpus[0].address = "0001:03:00.0";
  EXPECT_THAT(keys(facts), ElementsAre("kfd.gpu-left-out@0001:03:00.0", "kfd.stale-after-unplug@0000:03:00.0"));
  facts.kfd.nodes[1].properties = seen(std::map<std::string, std::uint64_t>{{"simd_count", 80}});
  EXPECT_THAT(keys(facts), IsEmpty());
}

TEST(KfdView, SaysWhatIsHiddenByTheDeviceCgroup) {
  Facts facts = healthy();
  facts.kfd.nodes.push_back(KfdNode{});
  facts.kfd.nodes.back().hidden = true;
  EXPECT_EQ(view(facts).status, LayerStatus::pass);
  EXPECT_EQ(view(facts).summary, "/dev/kfd, renderD128 open; 1 of 2 GPUs is hidden by a device cgroup");
  facts.kfd.nodes.erase(facts.kfd.nodes.begin() + 1);
  EXPECT_EQ(view(facts).status, LayerStatus::fail);
  EXPECT_EQ(view(facts).summary, "1 GPU in KFD, all hidden by a device cgroup");
}

TEST(KfdView, PassesOnlyWhenEveryRenderNodeOpens) {
  Facts refused = healthy();
  refused.kfd.render_nodes[0].open = text("EACCES");
  EXPECT_EQ(view(refused).status, LayerStatus::fail);
  EXPECT_EQ(view(refused).summary, "/dev/dri/renderD128: permission denied");
  Facts untried = healthy();
  untried.kfd.render_nodes[0].open = Observed<std::string>::unobserved("not recorded");
  EXPECT_EQ(view(untried).status, LayerStatus::unknown);
  Facts unnamed = healthy();
  unnamed.kfd.nodes[1].render_minor = Observed<int>::absent();
  EXPECT_EQ(view(unnamed).status, LayerStatus::unknown);
}

TEST(KfdView, AnUnseenTopologyIsNoPass) {
  Facts facts = healthy();
  facts.kfd.nodes.clear();
  facts.kfd.node_ids = Observed<std::vector<int>>::unobserved("not recorded");
  EXPECT_EQ(view(facts).status, LayerStatus::unknown);
  facts.kfd.node_ids = Observed<std::vector<int>>::absent();
  EXPECT_EQ(view(facts).status, LayerStatus::fail);
}

TEST(KfdRules, UnderWslNothingAboutKfdIsAFault) {
  for (Facts& facts : broken_machines()) {
    facts.host.wsl = seen(true);
    EXPECT_THAT(keys(facts), IsEmpty());
    EXPECT_EQ(view(facts).status, LayerStatus::skipped);
  }
}

std::string all_words(const Finding& finding) {
  std::string all = finding.title + finding.detail;
  for (const Remedy& remedy : finding.remedies) {
    all += remedy.summary + remedy.risk;
    for (const std::string& command : remedy.commands) all += command;
    for (const std::string& command : remedy.undo) all += command;
  }
  return all;
}

void expect_told_whole(const Draft& draft) {
  SCOPED_TRACE(draft.id + " " + draft.variant);
  const FindingText* words = Knowledge::embedded().finding(draft.id);
  ASSERT_NE(words, nullptr);
  const Finding finding = compose(draft, *words);
  EXPECT_FALSE(finding.evidence.empty());
  EXPECT_FALSE(finding.remedies.empty());
  EXPECT_THAT(all_words(finding), Not(HasSubstr("{")));
}

TEST(KfdRules, NoFindingExplainsAwayWhatLiesBelowIt) {
  const Knowledge& knowledge = Knowledge::embedded();
  for (const Rule& rule : kfd_rules())
    for (const std::string_view id : rule.ids)
      for (const std::string& pattern : knowledge.finding(id)->explains)
        for (const char* below : {"pci.no-gpu", "pci.device-lost", "kernel.amdgpu-not-loaded"})
          EXPECT_FALSE(text_matches(pattern, below)) << id << " explains " << pattern;
}

TEST(KfdRules, EveryFindingHasEvidenceAndWordsWithoutGaps) {
  for (const Facts& facts : broken_machines()) {
    const auto drafts = judged(facts);
    EXPECT_FALSE(drafts.empty());
    for (const Draft& draft : drafts) expect_told_whole(draft);
  }
}

}  // namespace
}  // namespace rocdiag
