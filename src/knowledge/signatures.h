// SPDX-License-Identifier: MIT
// Known lines of logs and what they point at: the records of data/signatures/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rocdiag {

enum class Strength {
  decisive,  // names the cause by itself, subject to `only_if` and `scope`
  symptom,   // a consequence: an earlier or more specific line names the cause, or the state of the machine does
  context,   // a fact, never a finding by itself
};

// Which device the PCI address in the line must be before the line says anything about a GPU.
enum class AddressScope {
  none,      // any: the driver of AMD's GPUs alone prints the line, or it names no device
  gpu,       // the GPU or another function of its slot
  gpu_path,  // the GPU, another function of the card, or a bridge above it
};

struct Signature {
  std::string id;
  std::string regex;  // RE2 syntax over bytes, matched anywhere in a line without its log prefix
  std::string example;
  std::string meaning;
  std::string finding;            // an id of the catalogue, or "ok": no problem by itself
  std::vector<std::string> also;  // other candidate causes
  Strength strength = Strength::context;
  std::string only_if;        // in words, for the author of a rule: further evidence that must be there
  std::string harmless_when;  // in words: the line is normal then
  AddressScope scope = AddressScope::none;
  std::string kernels;  // the kernels that print it, ">=6.12 (medium)"; empty: any
  std::string source;
};

// Of the kernel log, as compiled in. They are tested, so a fault in them is a defect of ours and throws.
const std::vector<Signature>& kernel_signatures();

// The records of one file of data/signatures/. Throws std::runtime_error naming `path` for one that is not as its
// schema promises or whose id stands twice.
std::vector<Signature> read_signatures(const std::string& path, std::string_view content);

}  // namespace rocdiag
