"""Tests of other vendors' OpenCL: missing parts are skipped by name, and no test passes with the
wrong ICD loader or without an implementation.

usage: test_implementations.py SOURCE_ROOT TEST_CONFORMANCE
"""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import rows

ROOT, CONFORMANCE = sys.argv[1:3]
STARTER = os.path.join(ROOT, "tests", "support", "implementations.py")
CHANGED = ("PMPP_VENDORS", "PMPP_REQUIRE", "PMPP_TEST_LOADER", "PMPP_TEST_IMPLEMENTATIONS",
           "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "LD_LIBRARY_PATH")
# Programs that vendors.sh calls and that do not install packages.
PLAIN = ["sh", "dirname", "mkdir", "rm", "cp", "mktemp", "cat"]


def run(*command, **variables):
    """(exit code, stdout). Of CHANGED, the environment has only the given variables."""
    env = {k: v for k, v in os.environ.items() if k not in CHANGED}
    result = subprocess.run(command, capture_output=True, text=True, check=False,
                            env={**env, **variables})
    return result.returncode, result.stdout


def start(loader, names, *command, **variables):
    return run(sys.executable, STARTER, loader, names, *command, **variables)


def not_asked():
    code, text = start("any", "intel", "/bin/false")
    rows.equal(code, 77, text)
    rows.check("skipped: intel: PMPP_VENDORS is not set; sh tools/test.sh --vendors" in text, text)


def required():
    for loader, names, word in (("any", "intel", "intel"), ("any", "rusticl", "rusticl"),
                                ("khronos", "pocl", "khronos-loader"), ("ocl-icd", "pocl", "ocl-icd")):
        code, text = start(loader, names, "/bin/false", PMPP_REQUIRE="cuda," + word)
        rows.equal(code, 1, text)
        rows.check("PMPP_REQUIRE requires %s" % word in text, text)


def not_installed():
    with tempfile.TemporaryDirectory() as folder:
        code, text = start("khronos", "pocl,intel", "/bin/false", PMPP_VENDORS=folder)
    rows.equal(code, 77, text)
    for name in ("pocl", "intel", "khronos-loader"):
        rows.check("skipped: %s: not installed (no %s" % (name, folder) in text, name + ": " + text)


def visible():
    """The program has the chosen implementations and the chosen loader, and no others."""
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "icd"))
        os.mkdir(os.path.join(folder, "khronos"))
        for name in ("pocl", "rusticl", "intel"):
            with open(os.path.join(folder, "icd", name + ".icd"), "w", encoding="utf-8") as file:
                file.write(name + ".so\n")
        code, text = start("khronos", "pocl,intel", "/bin/sh", "-c",
                           'cat "$OCL_ICD_VENDORS"/*; echo $LD_LIBRARY_PATH; echo $PMPP_TEST_LOADER '
                           '$PMPP_TEST_IMPLEMENTATIONS "($OCL_ICD_FILENAMES)"',
                           PMPP_VENDORS=folder, OCL_ICD_FILENAMES="other.so", XDG_CACHE_HOME=folder)
    rows.equal(code, 0, text)
    rows.equal(text.splitlines(), ["intel.so", "pocl.so", os.path.join(folder, "khronos"),
                                   "khronos pocl,intel ()"])


def wrong(row, variables):
    """A test program fails if its environment names something else."""
    code, text = run(CONFORMANCE, "fake", **variables)
    rows.equal(code, 1, text)
    rows.check("[  FAILED  ] " + row in text, text)
    rows.check(" 1 failed, " in text, text)


def nothing_to_install():
    """vendors.sh reports the missing parts on a machine that cannot install them."""
    with tempfile.TemporaryDirectory() as folder:
        programs = os.path.join(folder, "bin")
        os.mkdir(programs)
        for name in PLAIN:
            os.symlink(shutil.which(name), os.path.join(programs, name))
        target = os.path.join(folder, "a folder")
        result = subprocess.run(["sh", os.path.join(ROOT, "tools", "vendors.sh"), target],
                                capture_output=True, text=True, check=False,
                                env={"PATH": programs, "HOME": folder})
        rows.equal(result.returncode, 0, result.stderr)
        rows.equal(result.stdout, target + "\n", "stdout")
        rows.check("no Intel OpenCL for CPUs" in result.stderr, result.stderr)
        rows.check("no Khronos ICD loader" in result.stderr, result.stderr)
        rows.check(not os.path.exists(os.path.join(target, "icd", "intel.icd")), "an ICD file")
        rows.equal([name for name in os.listdir(target) if name != "icd"], [], "parts of a folder")


rows.row("PMPP_VENDORS is not set", not_asked)
rows.row("names in PMPP_REQUIRE", required)
rows.row("missing implementations are named", not_installed)
rows.row("only the chosen implementations are visible", visible)
rows.row("another ICD loader", wrong, "the ICD loader is other", {"PMPP_TEST_LOADER": "other"})
rows.row("an implementation without a device", wrong, "intel has a device",
         {"PMPP_TEST_IMPLEMENTATIONS": "intel", "OCL_ICD_VENDORS": "/nonexistent"})
rows.row("nothing can be installed", nothing_to_install)
rows.finish()
