// SPDX-License-Identifier: MIT
#include "knowledge/signatures.h"

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "knowledge/embedded.h"

namespace rocdiag {
namespace {

using nlohmann::json;

constexpr const char* kKernelFile = "signatures/kernel.json";

Strength strength_from(const std::string& name) {
  if (name == "decisive") return Strength::decisive;
  if (name == "symptom") return Strength::symptom;
  if (name == "context") return Strength::context;
  throw std::runtime_error("unknown strength " + name);
}

AddressScope scope_from(const std::string& name) {
  if (name == "none") return AddressScope::none;
  if (name == "gpu") return AddressScope::gpu;
  if (name == "gpu-path") return AddressScope::gpu_path;
  throw std::runtime_error("unknown scope " + name);
}

Signature signature_from(const json& record) {
  Signature signature;
  signature.id = record.at("id");
  signature.regex = record.at("regex");
  signature.example = record.at("example");
  signature.meaning = record.at("meaning");
  signature.finding = record.at("finding");
  signature.also = record.value("also", signature.also);
  signature.strength = strength_from(record.at("strength"));
  signature.only_if = record.value("only_if", "");
  signature.harmless_when = record.value("harmless_when", "");
  signature.scope = scope_from(record.value("scope", "none"));
  signature.kernels = record.value("kernels", "");
  signature.source = record.at("source");
  return signature;
}

}  // namespace

const std::vector<Signature>& kernel_signatures() {
  static const std::vector<Signature> signatures = read_signatures(kKernelFile, embedded_files().at(kKernelFile));
  return signatures;
}

std::vector<Signature> read_signatures(const std::string& path, std::string_view content) {
  try {
    const json file = json::parse(content);
    if (file.at("schema") != "rocdiag.signatures/1") throw std::runtime_error("unknown schema");
    std::vector<Signature> signatures;
    std::set<std::string> ids;
    for (const json& record : file.at("signatures")) {
      signatures.push_back(signature_from(record));
      if (!ids.insert(signatures.back().id).second)
        throw std::runtime_error("signature " + signatures.back().id + " stands twice");
    }
    return signatures;
  } catch (const std::exception& e) {
    throw std::runtime_error(path + ": " + e.what());
  }
}

}  // namespace rocdiag
