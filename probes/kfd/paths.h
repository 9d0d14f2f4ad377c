// SPDX-License-Identifier: MIT
// Where the kfd probe looks: asked in questions.cpp, found again in gather.cpp and accounts.cpp.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>

namespace rocdiag::kfd {

inline const std::string kDevice = "/dev/kfd";
inline const std::string kRenderPrefix = "/dev/dri/renderD";
inline const std::string kClass = "/sys/class/kfd/kfd";
inline const std::string kNodes = kClass + "/topology/nodes";
// Two paths of one attribute. Answers are kept by path, so the number read first and the number read last need one
// each to be told apart.
inline const std::string kGenerationBefore = kClass + "/topology/generation_id";
inline const std::string kGenerationAfter = "/sys/devices/virtual/kfd/kfd/topology/generation_id";

inline const std::string kGroupFile = "/etc/group";
inline const std::string kPasswdFile = "/etc/passwd";
inline const std::string kUnitFolder = "/etc/systemd/system";

// In the order in which udev prefers them: a file hides those of the same name further down.
inline const std::array<std::string, 4> kUdevFolders{"/etc/udev/rules.d", "/run/udev/rules.d", "/usr/lib/udev/rules.d",
                                                     "/lib/udev/rules.d"};

// Parts of the names of services that compute on a GPU.
inline const std::array<std::string, 11> kServiceNames{"ollama",     "llama",   "vllm",           "lemonade",
                                                       "comfyui",    "localai", "tabby",          "koboldcpp",
                                                       "open-webui", "jupyter", "text-generation"};

inline std::string unit_pattern(const std::string& name) { return fmt::format("{}/*{}*.service", kUnitFolder, name); }

}  // namespace rocdiag::kfd
