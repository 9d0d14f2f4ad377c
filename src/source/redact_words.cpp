// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cctype>

#include "readers/text.h"
#include "source/redact_text.h"

namespace rocdiag {
namespace {

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0; }

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// "Dec  1 13:00:00 " at the start of the line: the name of the host follows.
bool is_after_syslog_time(std::string_view before) {
  const std::size_t line = before.find_last_of('\n');
  const std::string_view start = line == std::string_view::npos ? before : before.substr(line + 1);
  return start.size() == 16 && start[3] == ' ' && start[9] == ':' && start[12] == ':' && start[15] == ' ';
}

// "Linux NAME 6.8.0": the output of uname -a.
bool is_in_uname(std::string_view before, std::string_view after) {
  return ends_with(before, "Linux ") && after.size() > 1 && after[0] == ' ' &&
         std::isdigit(static_cast<unsigned char>(after[1])) != 0;
}

bool is_in_account_table(std::string_view before, std::string_view after) {
  const char left = before.empty() ? '\n' : before.back();
  const char right = after.empty() ? '\n' : after.front();
  if (left == '\n') return right == ':';
  return (left == ',' || left == ':') && (right == ',' || right == '\n');
}

bool is_plainly_a_name(std::string_view before, std::string_view after, const TextPlace& place) {
  if (place.is_name && before.empty() && (after.empty() || after == "\n")) return true;
  for (const char* label : {"/home/", "USER=", "LOGNAME=", "USERNAME=", "HOSTNAME=", "@"})
    if (ends_with(before, label)) return true;
  if (after.substr(0, 1) == "@") return true;
  const bool in_brackets = before.size() >= 2 && before.back() == '(' && after.substr(0, 1) == ")" &&
                           std::isdigit(static_cast<unsigned char>(before[before.size() - 2])) != 0;
  const bool is_table = place.path == "/etc/passwd" || place.path == "/etc/group";
  return in_brackets || (is_table && is_in_account_table(before, after)) || is_after_syslog_time(before) ||
         is_in_uname(before, after);
}

constexpr const char* kTechnicalWords = R"(
accel access active adm admin agent alarm amd amdgpu app apps apt arch archlinux audio auth auto backup bar base
bin board boot box build bus busy cache card cards centos chip class client clock cloud cluster code comfy
comfyui compute computer conda config console container core cpu cuda current daemon data debian debug default
demo deploy desktop dev devel developer device devices dist docker dri driver drivers drm elementary endeavouros
engine env err error etc failed false fan fedora file files firmware folder fs game games gaming gentoo gfx git
github gpu gpus group guest head hip home host hsa hub info init input install jax jenkins job kali kernel kfd
lab laptop lib lib64 libs link linux linuxbrew list live llama load local localhost log login machine main
manager manjaro master max media mem memory min miniconda mint mnt mode model models module modules mount name
net network nixos node nodes none not null nvidia ollama open opensuse operator opt oracle package packages path
pc pci pip pop pop-os popos power proc process project public python python3 queue radeon raspberrypi read
release remote render rhel ring rocky rocm root run runner ryzen sbin server service share shared simd site sles
slurm space spark src ssh state stats status steam steamdeck storage store student suse system target temp
tensorflow test tester tmp tools torch total train triton true ubuntu unknown usb user username users usr
vagrant var vega vendor venv version video vm vram work worker workspace workstation write xen
)";

constexpr const char* kSystemAccounts = R"(
adm apache audio avahi backup bin cdrom chrony colord containerd daemon dbus dialout disk dnsmasq docker ftp
fwupd-refresh games gdm geoclue gnats gnome-initial-setup hplip http input irc jenkins kernoops kubelet kvm
landscape libvirt libvirt-qemu lightdm list lp lpadmin lxd mail man messagebus munge mysql netdev news nginx
nm-openvpn nobody nogroup ntp ollama plugdev polkitd pollinate postgres proxy pulse redis render root rpc rtkit
saned scanner sddm slurm speech-dispatcher sshd ssl-cert sssd staff sudo sync sys syslog systemd-network
systemd-resolve systemd-timesync tcpdump tss tty usbmux users uucp uuidd video wheel whoopsie www-data
)";

std::set<std::string> set_of(const char* text) {
  const auto words = split_words(text);
  return {words.begin(), words.end()};
}

}  // namespace

bool is_technical_word(const std::string& word) {
  static const std::set<std::string> words = set_of(kTechnicalWords);
  const bool no_letters = std::none_of(word.begin(), word.end(), [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0;
  });
  return word.size() < 3 || no_letters || words.count(word) > 0;
}

bool is_system_account(const std::string& name) {
  static const std::set<std::string> names = set_of(kSystemAccounts);
  return names.count(name) > 0 || name.rfind("systemd-", 0) == 0 || name.rfind('_', 0) == 0;
}

void WordMap::add(const std::string& word, const std::string& replacement, WordUse use) {
  if (word.empty() || word == replacement) return;
  if (words_.emplace(word, Entry{replacement, use}).second) lengths_.insert(word.size());
}

// The longest word that begins at `at` and ends at a boundary.
const WordMap::Entry* WordMap::match(const std::string& text, std::size_t at, std::size_t& length) const {
  for (const std::size_t size : lengths_) {
    if (size > text.size() - at) continue;
    if (at + size < text.size() && is_word_char(text[at + size]) && is_word_char(text[at + size - 1])) continue;
    const auto it = words_.find(text.substr(at, size));
    if (it == words_.end()) continue;
    length = size;
    return &it->second;
  }
  return nullptr;
}

std::string WordMap::replace(const std::string& text, const TextPlace& place) const {
  if (words_.empty()) return text;
  const std::string_view all = text;
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at > 0 && is_word_char(text[at - 1]) && is_word_char(text[at])) continue;
    std::size_t length = 0;
    const Entry* entry = match(text, at, length);
    if (entry == nullptr) continue;
    if (entry->use == WordUse::as_name && !is_plainly_a_name(all.substr(0, at), all.substr(at + length), place))
      continue;
    out.append(text, copied, at - copied);
    out += entry->replacement;
    copied = at + length;
    at = copied - 1;
  }
  if (copied == 0) return text;
  return out.append(text, copied, std::string::npos);
}

}  // namespace rocdiag
