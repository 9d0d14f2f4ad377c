#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""House rules that no compiler checks. Exit 1 and a line FILE:LINE: RULE for each breach; --self-test tests the rules."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODE = (".cpp", ".h")
MAX_LINES = 400
LONGER = {}  # path: reason

# A call, not a declaration or a member: what stands before the name ends an expression.
CALLS = ("open", "openat", "fopen", "popen", "system", "getenv", "setenv", "dlopen", "opendir", "fork", "vfork", "execv",
         "execve", "execvp", "posix_spawn", "readlink", "stat", "lstat", "read", "write", "socket", "connect", "ioctl",
         "unlink", "rename", "mkdir", "kill")
NAMES = "|".join(CALLS)
IO = re.compile(rf"(?:^|[=(,;!&|{{}}?]|\breturn)\s*(?:std::)?(?:{NAMES})\s*\(|(?<!\w)::(?:{NAMES})\s*\(|std::(?:filesystem|[io]?fstream)\b")
MAY_TOUCH_THE_MACHINE = ("src/source/", "src/worker/", "tests/")


def strip_comment(line):
    return re.sub(r"//.*", "", re.sub(r'"(?:[^"\\]|\\.)*"', '""', line))


def breaches(path, text):
    lines = text.splitlines()
    if path.endswith(CODE):
        if not lines or "SPDX-License-Identifier: MIT" not in lines[0]:
            yield 1, "the first line names no licence"
        if len(lines) > MAX_LINES and path not in LONGER:
            yield MAX_LINES, f"over {MAX_LINES} lines: split it, or name it in LONGER with a reason"
        if path.startswith(("include/", "src/", "probes/")):
            for n, line in enumerate(lines, 1):
                if not path.startswith(MAY_TOUCH_THE_MACHINE) and IO.search(strip_comment(line)):
                    yield n, "only src/source/ and src/worker/ touch the machine"
                if not path.startswith("src/cli/") and "CLI/CLI.hpp" in line:
                    yield n, "CLI11 lives in src/cli/ only"
    for n, line in enumerate(lines, 1):
        if re.search(r"(?<![\w.])/work/", line) and not path.startswith(".ci/"):
            yield n, "names a path of somebody's machine"
        if line.rstrip() != line and not path.endswith(".md"):
            yield n, "blanks at the end of the line"
        if re.search(r"\bTODO\b(?!\(#\d+\))", line) and not path.startswith(".ci/"):
            yield n, "a TODO names its issue: TODO(#12)"


def self_test():
    must = ["  int fd = open(path);", "if (getenv(\"X\") == nullptr)", "return std::getenv(\"A\");", "std::ifstream in(p);",
            "std::filesystem::exists(p);", "  fopen(a, b);", "x = ::open(p, 0);", "if (!stat(p, &s))"]
    must_not = ["Status open(const std::string& path) const;", "snapshot.open(path)", "// open(path)", "  reopen(x);",
                "source->read(x)", "Result<FileStat> Snapshot::stat(const std::string& path)", 'log("open(x)")',
                "observe(snapshot.read(path), where)"]
    wrong = [l for l in must if not IO.search(strip_comment(l))] + [l for l in must_not if IO.search(strip_comment(l))]
    for line in wrong:
        print("self-test:", line)
    found = [rule for _, rule in breaches("src/rules/x.cpp", "int a;\n" + "x\n" * 400 + "TODO later \n/work/main\n")]
    if len(found) != 5:
        wrong.append("breaches")
        print("self-test: breaches found", found)
    return 1 if wrong else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.decode()
    bad = 0
    for path in filter(None, files.split("\0")):
        data = (ROOT / path).read_bytes() if (ROOT / path).is_file() else b""
        if b"\0" in data:
            if not path.startswith(("tests/machines/", "tests/tickets/")):
                bad += 1
                print(f"{path}:1: a binary file")
            continue
        if path.startswith(("data/", "tests/machines/", "tests/tickets/")):
            continue
        for line, rule in breaches(path, data.decode(errors="replace")):
            bad += 1
            print(f"{path}:{line}: {rule}")
    print(f"house checks: {bad} breaches")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
