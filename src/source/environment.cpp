// SPDX-License-Identifier: MIT
#include "source/environment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace rocdiag {
namespace {

constexpr std::array<std::string_view, 49> kPrefixes{
    // the driver's user side, the runtimes, the compilers
    "HSA_", "HSAKMT_", "ROCR_", "ROC_", "ROCM_", "HIP_", "HIPCC_", "HCC_", "AMD_", "AMDGPU_", "GPU_", "CUDA_",
    // libraries
    "MIOPEN_", "MIGRAPHX_", "ORT_", "ROCBLAS_", "ROCFFT_", "HIPBLASLT_", "TENSILE_", "NCCL_", "RCCL_", "UCX_",
    "OMPI_MCA_", "GLOO_", "OCL_", "ROCP_", "ROCPROFILER_", "ROCTRACER_",
    // frameworks and applications
    "PYTORCH_", "TORCH_", "TORCHINDUCTOR_", "TRITON_", "FLASH_ATTENTION_", "VLLM_", "BNB_", "TF_", "XLA_", "JAX_",
    "OLLAMA_", "GGML_", "LLAMA_",
    // where we run
    "CONDA_", "XDG_", "SLURM_", "WSL_", "APPTAINER_", "SINGULARITY_", "PBS_", "FLATPAK_"};

constexpr std::array<std::string_view, 52> kNames{
    "HOME", "USER", "LOGNAME", "SUDO_USER", "SUDO_UID", "SUDO_GID", "PATH", "LANG", "LC_ALL", "SHELL", "TMPDIR",
    // who loads what from where
    "LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT", "LD_BIND_NOW", "LLVM_PATH", "DEVICE_LIB_PATH", "CMAKE_PREFIX_PATH",
    "CMAKE_HIP_ARCHITECTURES", "PYTHONPATH", "PYTHONHOME", "PYTHONNOUSERSITE", "PYTHONUSERBASE", "VIRTUAL_ENV",
    "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_TORCH_BACKEND",
    // masks and frameworks outside the prefixes
    "OMP_DEFAULT_DEVICE", "OMP_TARGET_OFFLOAD", "OMP_NUM_THREADS", "RAY_EXPERIMENTAL_NOSET_ROCR_VISIBLE_DEVICES",
    "RAY_EXPERIMENTAL_NOSET_HIP_VISIBLE_DEVICES", "ZE_AFFINITY_MASK", "MESA_VK_DEVICE_SELECT", "VK_ICD_FILENAMES",
    "VK_DRIVER_FILES", "DRI_PRIME", "HF_HOME", "MASTER_ADDR", "WORLD_SIZE", "RANK", "LOCAL_RANK",
    // where we run
    "container", "KUBERNETES_SERVICE_HOST", "INVOCATION_ID", "SSH_CONNECTION", "DISTROBOX_ENTER_PATH", "TOOLBOX_PATH",
    "SNAP", "SNAP_NAME"};

constexpr std::array<std::string_view, 8> kSecrets{"TOKEN", "SECRET", "PASSWORD", "PASSWD",
                                                   "KEY",   "AUTH",   "COOKIE",   "CREDENTIAL"};

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

std::string_view name_of_entry(std::string_view entry) { return entry.substr(0, entry.find('=')); }

bool is_kept_from_helpers(std::string_view name) {
  return name == "LD_PRELOAD" || name == "LD_LIBRARY_PATH" || name == "LD_AUDIT" || name == "LC_ALL" ||
         name == "LANGUAGE";
}

}  // namespace

bool matters_to_diagnosis(std::string_view name) {
  const std::string capitals = upper(name);
  for (const std::string_view secret : kSecrets)
    if (capitals.find(secret) != std::string::npos) return false;
  if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) return true;
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.substr(0, prefix.size()) == prefix; });
}

std::string without_credentials(std::string value) {
  constexpr std::string_view kScheme = "://";
  for (std::size_t at = value.find(kScheme); at != std::string::npos; at = value.find(kScheme, at)) {
    at += kScheme.size();
    const std::size_t end = std::min(value.find_first_of("/ \t\n", at), value.size());
    const std::size_t sign = value.rfind('@', end);
    if (sign != std::string::npos && sign >= at && sign < end) value.erase(at, sign + 1 - at);
  }
  return value;
}

std::vector<std::string> whole_environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return entries;
}

std::map<std::string, std::string> diagnosis_variables(const std::vector<std::string>& environment) {
  std::map<std::string, std::string> variables;
  for (const std::string& entry : environment) {
    const std::size_t sign = entry.find('=');
    if (sign == std::string::npos || !matters_to_diagnosis(name_of_entry(entry))) continue;
    variables.emplace(entry.substr(0, sign),
                      without_credentials(entry.substr(sign + 1)));  // the first counts, as for getenv
  }
  return variables;
}

std::vector<std::string> child_environment(const std::vector<std::string>& environment, const Command& command) {
  std::vector<std::string> entries;
  const bool helper = command.child == ChildClass::helper;
  for (const std::string& entry : environment) {
    const std::string name(name_of_entry(entry));
    if (helper && is_kept_from_helpers(name)) continue;
    if (command.env.count(name) == 0) entries.push_back(entry);
  }
  if (helper && command.env.count("LC_ALL") == 0) entries.emplace_back("LC_ALL=C");
  for (const auto& [name, value] : command.env) entries.push_back(fmt::format("{}={}", name, value));
  return entries;
}

}  // namespace rocdiag
