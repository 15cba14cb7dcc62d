"""What the short form of the tests leaves out, and when tools/test.sh uses it.

usage: test_short_form.py SOURCE_ROOT LONG_ROWS

LONG_ROWS: the program of tests/support/long_rows.c.
"""
import os
import shutil
import subprocess
import sys
import tempfile

SUPPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")
sys.path.insert(0, SUPPORT)
import rows

ROOT, LONG_ROWS = sys.argv[1:3]
# The same rows as those of long_rows.c.
SCRIPT = """
import sys
sys.path.insert(0, %r)
import rows
rows.row("first", int)
rows.long_row("slow", int)
rows.row("last", int)
rows.finish()
""" % SUPPORT
PROGRAMS = {"C": [LONG_ROWS], "Python": [sys.executable, "-c", SCRIPT]}


def last_lines(language, arguments=(), **variables):
    """The lines about the form and the counts."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PMPP_TEST_")}
    result = subprocess.run([*PROGRAMS[language], *arguments], capture_output=True, text=True,
                            check=True, env={**env, **variables})
    return [line for line in result.stdout.splitlines()
            if line.startswith("short form") or line.endswith("skipped")]


def long_rows(language):
    rows.equal(last_lines(language), ["3 passed, 0 failed, 0 skipped"], "full form")
    rows.equal(last_lines(language, PMPP_TEST_SHORT="1"),
               ["short form: 2 of 3 rows", "2 passed, 0 failed, 0 skipped"], "short form")


def pattern():
    """A pattern selects long rows too."""
    short = {"PMPP_TEST_SHORT": "1"}
    expected = ["1 passed, 0 failed, 0 skipped"]
    rows.equal(last_lines("C", ["slow"], **short), expected, "C")
    rows.equal(last_lines("Python", PMPP_TEST_ROWS="slow", **short), expected, "Python")


# ---- tools/test.sh -----------------------------------------------------------------------------

# Writes its arguments to a file. `meson test` writes an empty log.
MESON = """#!/bin/sh
[ "$1" != --version ] || exec echo 1.0.0
case "$*" in *--list*) exit 0 ;; esac
[ "$1" != test ] || : >"$PMPP_BUILD/meson-logs/testlog.json"
echo "${PMPP_TEST_SHORT:+short }$*" | sed "s,$PMPP_BUILD,BUILD,g" >>"$PMPP_BUILD/calls"
"""
# Everything is installed.
INSTALLED = ("cc", "c++", "ninja", "pkg-config", "mpirun.openmpi", "mpirun.mpich", "tidy", "chromium")


def calls(*arguments):
    """The lines that the calls of `meson` write."""
    with tempfile.TemporaryDirectory() as folder:
        build, programs, tools = (os.path.join(folder, name) for name in ("build", "bin", "tools"))
        os.makedirs(os.path.join(build, "meson-logs"))
        os.mkdir(programs)
        shutil.copytree(os.path.join(ROOT, "tools"), tools)
        texts = {os.path.join(programs, name): "#!/bin/sh\n" for name in INSTALLED}
        texts[os.path.join(programs, "meson")] = MESON
        for name in ("vendors", "compilers"):
            texts[os.path.join(tools, name + ".sh")] = (
                "echo %s >>\"$PMPP_BUILD/calls\"\n" % name)
        texts[os.path.join(build, "build.ninja")] = "test_support\n"
        for path, text in texts.items():
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(path, 0o755)
        env = {"PATH": programs + ":" + os.environ["PATH"], "PMPP_BUILD": build,
               "OCL_ICD_VENDORS": "x"}
        result = subprocess.run(["sh", os.path.join(tools, "test.sh"), *arguments], env=env,
                                capture_output=True, text=True, check=False)
        rows.check("failed" in result.stdout, result.stderr)  # no test: one failed row
        with open(os.path.join(build, "calls"), encoding="utf-8") as file:
            return file.read().splitlines()


TEST = "test -C BUILD --no-rebuild --quiet --num-processes %d" % (len(os.sched_getaffinity(0)) + 1)


def script():
    """Without arguments, with --host and with --short the form is short; a named test, a suite and --all are in full form."""
    rows.equal(calls(), ["short %s --no-suite long" % TEST], "no arguments")
    rows.equal(calls("--vendors"), ["vendors", "short %s --no-suite long" % TEST], "--vendors")
    rows.equal(calls("watch"), [TEST + " watch"], "a test")
    rows.equal(calls("--suite", "unit"), [TEST + " --suite unit"], "a suite")
    rows.equal(calls("--short", "--suite", "unit"), ["short %s --suite unit" % TEST], "the rows of a suite")
    rows.equal(calls("--all"), ["compilers", "vendors", TEST], "--all")
    rows.equal(calls("--host"), ["compilers", "vendors", "short %s --suite host" % TEST], "--host")


rows.row("C: rows that are marked as long", long_rows, "C")
rows.row("Python: rows that are marked as long", long_rows, "Python")
rows.row("a pattern", pattern)
rows.row("tools/test.sh", script)
rows.finish()
