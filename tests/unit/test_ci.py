"""docs/ci.md and .github/workflows/ci.yml against the scripts and the tests that they name.

usage: test_ci.py SOURCE_ROOT
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import rows

ROOT = sys.argv[1]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


WORKFLOW, PAGE = ".github/workflows/ci.yml", "docs/ci.md"


def readme_commands():
    """The workflow runs the README's commands for everyone."""
    readme, workflow = read("README.md"), read(WORKFLOW)
    for command in ("tools/run.sh matmul", "tools/test.sh"):
        rows.check("    sh %s " % command in readme, "README.md lacks " + command)
        rows.check("run: sh %s" % command in workflow, "the workflow lacks " + command)
    rows.check("pmpp-run verify all" in readme and "run: sh tools/run.sh verify all" in workflow,
               "verify all")


def scripts():
    """Each script that is named exists."""
    for path in (WORKFLOW, PAGE):
        names = set(re.findall(r"(?<![\w/])(?:pmpp/)?((?:tools|\.ci)/[\w.-]+)", read(path)))
        rows.check(len(names) > 2, "%s: %s" % (path, names))
        for name in names:
            rows.check(os.path.exists(os.path.join(ROOT, name)), "%s: no file %s" % (path, name))


def required():
    """Each name in PMPP_REQUIRE is one that a test knows: a mistake would require nothing."""
    known = {"mpi", "ocl-icd", "khronos-loader", "gnuplot", "tidy", "chromium"}
    known |= set(re.findall(r"\.word = \"([\w-]+)\"", read("tests/support/engine.c")))
    known |= set(re.findall(r"XX\(\w+, \w+, \"([\w-]+)\"", read("host/gpu/backends.h")))
    rows.check({"intel", "rusticl", "opencl", "cuda-emu"} <= known, known)
    for path in (WORKFLOW, PAGE, ".ci/run", "tools/test.sh"):
        for names in re.findall(r"PMPP_REQUIRE(?:: |=|:-)([a-z][\w,-]*)", read(path)):
            rows.check(set(names.split(",")) <= known, "%s: %s" % (path, names))


def versions():
    version = re.search(r"^intel_version=(\S+)$", read("tools/vendors.sh"), re.MULTILINE).group(1)
    for part in ("OpenCL for CPUs %s |" % version, "| Intel %s |" % version):
        rows.check(part in read(PAGE), "docs/ci.md lacks " + part)


rows.row("the README's commands", readme_commands)
rows.row("scripts", scripts)
rows.row("names in PMPP_REQUIRE", required)
rows.row("version of Intel's OpenCL", versions)
rows.finish()
