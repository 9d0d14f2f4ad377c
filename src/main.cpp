// SPDX-License-Identifier: MIT
#include "cli/cli.h"

int main(int argc, char** argv) { return rocdiag::run_cli(argc, argv); }
