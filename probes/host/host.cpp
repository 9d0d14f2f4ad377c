// SPDX-License-Identifier: MIT
// Which machine is this, and who asks? Needs no privilege.
//   /etc/os-release: PRETTY_NAME="Ubuntu 24.04.1 LTS"
#include "probes/host/host.h"

#include "readers/os_release.h"
#include "readers/text.h"

namespace rocdiag {
namespace {

constexpr const char* kOsRelease = "/etc/os-release";
constexpr const char* kKernelRelease = "/proc/sys/kernel/osrelease";

Observed<std::string> assignment(const Snapshot& snapshot, const std::string& name) {
  const Where where{kOsRelease, 0};
  const auto content = snapshot.read(kOsRelease);
  if (!content) return from_error<std::string>(content.error(), where);
  const auto values = read_os_release(*content);
  const auto it = values.find(name);
  if (it == values.end()) return Observed<std::string>::absent(where);
  return Observed<std::string>::of(printable(it->second), where);
}

Observed<std::string> kernel_release(const Snapshot& snapshot) {
  if (snapshot.uname && !snapshot.uname->release.empty())
    return Observed<std::string>::of(printable(snapshot.uname->release), {"uname", 0});
  return observe<std::string>(snapshot.read(kKernelRelease), {kKernelRelease, 0},
                              [](const std::string& text) { return std::optional(printable(trim(text))); });
}

}  // namespace

std::vector<Question> host_questions(const Facts&) { return {read_file(kOsRelease), read_file(kKernelRelease)}; }

void gather_host(const Snapshot& snapshot, Facts& facts) {
  HostFacts& host = facts.host;
  host.os_name = assignment(snapshot, "PRETTY_NAME");
  host.os_id = assignment(snapshot, "ID");
  host.os_version = assignment(snapshot, "VERSION_ID");
  host.kernel_release = kernel_release(snapshot);
  if (snapshot.uname && !snapshot.uname->machine.empty())
    host.machine = Observed<std::string>::of(printable(snapshot.uname->machine), {"uname", 0});
  if (snapshot.identity)
    host.uid = Observed<std::uint32_t>::of(snapshot.identity->uid, {"identity", 0});
  else
    host.uid = Observed<std::uint32_t>::unobserved(snapshot.identity.reason());
  if (host.kernel_release)  // "5.15.153.1-microsoft-standard-WSL2"; WSL 1: "4.4.0-19041-Microsoft"
    host.wsl =
        Observed<bool>::of(host.kernel_release->find("icrosoft") != std::string::npos, host.kernel_release.where());
  else
    host.wsl = Observed<bool>::unobserved("kernel release not recorded");
}

}  // namespace rocdiag
