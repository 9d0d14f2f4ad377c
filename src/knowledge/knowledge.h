// SPDX-License-Identifier: MIT
// Typed access to the tables in data/. Facts about GPUs and the words of findings live there, not in code.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/finding_text.h"

namespace rocdiag {

// What the tables know of a PCI device id of AMD's.
struct GpuModel {
  std::string asic;                                        // "navy_flounder"
  std::string name;                                        // marketing name for the revision, else the name of pci.ids
  std::string gfx;                                         // "gfx1031"
  std::string generation;                                  // "gcn1" … "rdna4", "cdna3"
  bool integrated = false;                                 // an APU: its memory is the system's
  bool kfd_supported = false;                              // some kernel's KFD takes it
  bool needs_atomics = false;                              // KFD refuses it without PCIe atomics …
  std::optional<std::uint64_t> atomics_optional_from_mec;  // … unless its MEC firmware is at least this version
};

class Knowledge {
 public:
  // The tables compiled in. They are tested, so a fault in them is a defect of ours and throws.
  static const Knowledge& embedded();

  // By device id "1002:73df" and, where seen, revision "c1".
  std::optional<GpuModel> gpu(const std::string& device_id, const std::optional<std::string>& revision) const;
  // By graphics core version "11.0.1".
  std::optional<std::string> gfx_of_gc(const std::string& gc_version) const;
  const FindingText* finding(std::string_view id) const;  // nullptr: unknown id
  const std::vector<FindingText>& findings() const { return findings_; }
  std::string version() const { return version_; }  // the date of the tables

 private:
  struct Device {
    GpuModel model;
    std::map<std::string, std::string> names_by_revision;
  };
  std::map<std::string, Device> devices_;  // by "1002:73df"
  std::map<std::string, std::string> gc_to_gfx_;
  std::vector<FindingText> findings_;
  std::string version_;

  friend Knowledge load_knowledge(const std::map<std::string, std::string_view>& files);
};

// From the files of data/ by their path there ("gpus.json", "findings/pci.json"). Throws std::runtime_error.
Knowledge load_knowledge(const std::map<std::string, std::string_view>& files);

}  // namespace rocdiag
