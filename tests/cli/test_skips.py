"""The branches of tests for a missing tool: the tool is hidden, and the test skips its rows with a reason.

A machine of the developers has most tools, so these branches would run nowhere else. Each row starts a test in
an environment without a tool and selects one of the test's rows.
"""
import contextlib
from functools import partial
import fnmatch
import os
import subprocess
import sys
import tempfile

from command import FOLDER, PROGRAM, ROOT
import rows

TESTS, BUILD = os.path.join(ROOT, "tests"), os.path.dirname(os.path.abspath(PROGRAM))
CLI = (os.path.abspath(PROGRAM), ROOT)
COMMANDS = os.path.join(FOLDER, "commands")
OTHER_MPI = {"mpirun": "#!/bin/sh\necho 'mpirun of another MPI'\n"}

# Test, its arguments, one of its rows; what is hidden: patterns of commands, Python modules ("import NAME"); the
# reason of the skip.
HIDDEN = [
    ("cli/test_access_models.py", CLI, "resources: gfx90a", ["clang*"], "amdgcn: "),
    ("cli/test_ci_page.py", CLI, "Oclgrind: *", ["oclgrind"], "oclgrind: not installed"),
    ("cli/test_commands.py", CLI, "documents against docs/schema", ["import jsonschema"],
     "the Python module jsonschema is not installed"),
    ("cli/test_explained.py", CLI, "Chromium*", ["chromium*", "google-chrome"], "no Chromium is installed"),
    ("cli/test_fleet.py", CLI, "SIGKILL of a rank: Open MPI", ["mpirun*"], "mpi: no mpirun of Open MPI"),
    ("cli/test_fleet.py", CLI, "SIGKILL of a rank: MPICH", ["mpirun*"], "mpi: no mpirun of MPICH"),
    ("cli/test_manual.py", CLI, "man --warnings", ["man"], "man is not installed"),
    ("cli/test_manual.py", CLI, "man page*", ["groff"], "groff is not installed"),
    ("cli/test_manual.py", CLI, "syntax of the completion: zsh", ["zsh"], "zsh is not installed"),
    ("cli/test_manual.py", CLI, "interactive bash", ["bash"], "bash is not installed"),
    ("cli/test_manual.py", CLI, "bash: names of the tables", ["bash"], "bash is not installed"),
    ("cli/test_oclgrind.py", CLI, "a missing barrier", ["oclgrind"], "oclgrind: not installed"),
    ("cli/test_planted.py", CLI, "opencl-emu: *", ["clang*"], "opencl-emu: no clang"),
    ("cli/test_planted.py", CLI, "Oclgrind: *", ["oclgrind"], "oclgrind: not installed"),
    ("cli/test_planted.py", CLI, "orders of blocks", ["clang*"], "opencl-emu: no clang"),
    ("cli/test_planted.py", CLI, "many bytes", ["clang*"], "opencl-emu: no clang"),
    ("cli/test_report.py", CLI, "tidy", ["tidy"], "tidy: not installed"),
    ("cli/test_report.py", CLI, "Chromium*", ["chromium*", "google-chrome"], "chromium: not installed"),
    ("cli/test_results_page.py", CLI, "tidy", ["tidy"], "tidy: not installed"),
    ("cli/test_results_page.py", CLI, "Chromium*", ["chromium*", "google-chrome"], "chromium: not installed"),
    ("emulator/builtins/test_builtins.py", (ROOT, BUILD), "special values", ["clang*"], "no clang"),
    ("kernels/test_offline.py", (ROOT, BUILD, "spirv"), "*", ["clang*", "llvm-spirv*"], "spirv: "),
    ("kernels/test_offline.py", (ROOT, BUILD, "amdgcn"), "*", ["clang*"], "amdgcn: "),
    ("kernels/test_offline.py", (ROOT, BUILD, "ocloc"), "*", ["ocloc*"], "ocloc: "),
    ("unit/test_ci.py", (ROOT, ), "the workflow is YAML*", ["import yaml"],
     "the Python module yaml is not installed"),
]


def link_commands():
    """A folder with every command of PATH, the first one of each name."""
    os.mkdir(COMMANDS)
    for place in os.environ["PATH"].split(os.pathsep):
        for name in os.listdir(place) if os.path.isdir(place) else ():
            path = os.path.join(COMMANDS, name)
            if not os.path.lexists(path):
                os.symlink(os.path.join(place, name), path)


@contextlib.contextmanager
def without(hidden, others):
    """The variables of an environment without commands and Python modules. others: {command: its text}, in
    the place of hidden ones."""
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        gone = [name for name in os.listdir(COMMANDS) if any(fnmatch.fnmatch(name, p) for p in hidden)]
        for name in gone:
            os.rename(os.path.join(COMMANDS, name), os.path.join(folder, name))
        modules = os.path.join(folder, "modules")
        os.mkdir(modules)
        for name in hidden:
            if name.startswith("import "):
                with open(os.path.join(modules, name.split()[1] + ".py"), "w", encoding="utf-8") as file:
                    file.write("raise ImportError('hidden')\n")
        for name, text in others.items():
            with open(os.path.join(COMMANDS, name), "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(os.path.join(COMMANDS, name), 0o755)
        yield {"PATH": COMMANDS, "PYTHONPATH": modules}
        for name in others:
            os.remove(os.path.join(COMMANDS, name))
        for name in gone:
            os.rename(os.path.join(folder, name), os.path.join(COMMANDS, name))


def skips(command, row, reason, hidden=(), others={}, **variables):
    """The row of a test is skipped, with the reason."""
    with without(hidden, others) as changes:
        env = {**os.environ, **changes, **variables, "PMPP_TEST_ROWS": row}
        for name in ("PMPP_REQUIRE", "PMPP_VENDORS", "PMPP_COMPILERS", "CLANG", "OCL_ICD_FILENAMES"):
            env.pop(name, None)
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    said = done.stdout[-3000:] + done.stderr[-1000:]
    rows.equal(done.returncode, 77, said)
    rows.check("skipped: " + reason in done.stdout, said)


def script(path):
    return [sys.executable, os.path.join(TESTS, path)]


link_commands()
for path_, arguments_, row_, hidden_, reason_ in HIDDEN:
    rows.row("%s: %s without %s" % (path_, row_, " ".join(hidden_)), skips, [*script(path_), *arguments_],
             row_, reason_, hidden_)
rows.row("cli/test_fleet.py with another MPI", skips, [*script("cli/test_fleet.py"), *CLI],
         "SIGKILL of a rank: MPICH", "mpi: no mpirun of MPICH", ["mpirun*"], OTHER_MPI)
for name_ in ("kernels", "conformance", "random", "mutants"):
    rows.row("test_%s without OpenCL" % name_, partial(skips, OCL_ICD_VENDORS="/nonexistent"),
             [os.path.join(BUILD, "tests", "test_" + name_), "opencl"], "*", "opencl: ")
rows.row("implementations.py without vendors' OpenCL", skips,
         [*script("support/implementations.py"), "any", "intel", "/bin/true"], "*",
         "intel: PMPP_VENDORS is not set")
rows.finish()
