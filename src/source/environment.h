// SPDX-License-Identifier: MIT
// The environment of this process: what of it belongs into a snapshot, and what each class of children gets.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rocdiag/question.h"

namespace rocdiag {

// True for variables that can change what a GPU stack does, or tell where we run. Never for one whose name speaks of
// a secret.
bool matters_to_diagnosis(std::string_view name);
// Without the user and password that a URL may carry.
std::string without_credentials(std::string value);

// All of it as it stands, "NAME=value", in order.
std::vector<std::string> whole_environment();
// The variables of `environment` that matter.
std::map<std::string, std::string> diagnosis_variables(const std::vector<std::string>& environment);
// What a child gets: subjects `environment` exactly, helpers LC_ALL=C and no LD_PRELOAD, LD_LIBRARY_PATH or LD_AUDIT;
// then the overlay, in both.
std::vector<std::string> child_environment(const std::vector<std::string>& environment, const Command& command);

}  // namespace rocdiag
