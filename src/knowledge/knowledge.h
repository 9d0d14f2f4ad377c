// SPDX-License-Identifier: MIT
// Typed access to the tables in data/. Facts about GPUs and the words of findings live there, not in code.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rocdiag/finding.h"
#include "rocdiag/result.h"

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

// How to speak of a finding; {names} are filled from the draft.
struct FindingText {
  std::string id;
  Layer layer = Layer::pci;
  Severity severity = Severity::error;
  std::string meaning;  // one line, for lists
  std::string title, detail, why;
  std::vector<std::string> check;     // commands to see it by hand
  std::vector<std::string> explains;  // ids or patterns that are symptoms of this one
  std::vector<std::string> after;     // with one of these as a cause, this one bites only next
  std::map<std::string, std::string> variant_details, variant_titles;  // by the draft's variant
  struct RemedyText {
    std::string variant;  // only for drafts of this variant; empty: for every draft without remedies of its own variant
    Remedy remedy;
  };
  std::vector<RemedyText> remedies;
  std::vector<std::string> links;
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
