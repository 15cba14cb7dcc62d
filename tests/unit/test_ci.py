"""docs/ci.md, docs/testing.md and .github/workflows/ci.yml against the scripts and the tests that they name.

usage: test_ci.py SOURCE_ROOT
"""
import collections
import csv
import os
import re
import sys
import textwrap

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import rows

try:
    import yaml
except ImportError:
    yaml = None

ROOT = sys.argv[1]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


WORKFLOW, PAGE, TESTING = ".github/workflows/ci.yml", "docs/ci.md", "docs/testing.md"


def readme_commands():
    """The workflow runs the commands of the README."""
    readme, workflow = read("README.md"), read(WORKFLOW)
    for command in ("tools/run.sh matmul", "tools/test.sh"):
        rows.check("    sh %s " % command in readme, "README.md lacks " + command)
        rows.check("run: sh %s" % command in workflow, "the workflow lacks " + command)
    rows.check("pmpp-run verify all" in readme and "run: sh tools/run.sh verify all" in workflow,
               "verify all")


def scripts():
    """Each script that is named exists."""
    for path in (WORKFLOW, PAGE, TESTING):
        names = set(re.findall(r"(?<![\w/])(?:pmpp/)?((?:tools|\.ci)/[\w.-]+)", read(path)))
        rows.check(len(names) > 2, "%s: %s" % (path, names))
        for name in names:
            rows.check(os.path.exists(os.path.join(ROOT, name)), "%s: no file %s" % (path, name))


def required():
    """A test uses each name in PMPP_REQUIRE. A misspelt name would require nothing."""
    known = {"mpi", "ocl-icd", "khronos-loader", "tidy", "chromium"}
    known |= set(re.findall(r"'([\w-]+)'", re.search(r"foreach kind : \[(.*?)\]",
                                                     read("tests/meson.build"))[1]))
    known |= set(re.findall(r'\{"([\w-]+)", \.backend', read("tests/support/engine.c")))
    known |= set(re.findall(r"XX\(\w+, \w+, \"([\w-]+)\"", read("host/gpu/backends.h")))
    rows.check({"intel", "rusticl", "opencl", "cuda-emu"} <= known, known)
    for path in (WORKFLOW, PAGE, TESTING, ".ci/run", "tools/test.sh"):
        for names in re.findall(r"PMPP_REQUIRE(?:: |=|:-)([a-z][\w,-]*)", read(path)):
            rows.check(set(names.split(",")) <= known, "%s: %s" % (path, names))


def versions():
    version = re.search(r"^intel_version=(\S+)$", read("tools/vendors.sh"), re.MULTILINE).group(1)
    for part in ("OpenCL for CPUs %s |" % version, "| Intel %s |" % version):
        rows.check(part in read(PAGE), "docs/ci.md lacks " + part)


def sizes():
    """The size of Intel's packages is the same in all texts."""
    for path in (PAGE, "tools/vendors.sh", "tools/test.sh"):
        found = [size for size in re.findall(r"(\d{3}) MB", read(path)) if size != "276"]
        rows.check(found and set(found) == {"870"}, "%s: %s MB" % (path, found))


def engine_counts():
    """The counts of the page are those of the committed files."""
    lines = re.findall(r"^\|.*\(results/(\S+\.csv)\)\) \| (\d+) \| (\d+) \|", read(PAGE), re.M)
    rows.check(len(lines) >= 4, "%d lines with a file" % len(lines))
    for path, passed, skipped in lines:
        counts = collections.Counter()
        for row in csv.DictReader(read("docs/results/" + path).splitlines()):
            counts[row["status"]] += int(row["checks"])
        rows.equal(counts, {"ok": int(passed), "skipped": int(skipped)}, path)


def time_limits():
    """Each test has a time limit of 10 minutes or more. Meson's default, 30 s, is too short for a busy machine."""
    texts = re.split(r"^ *test\(", read("tests/meson.build"), flags=re.MULTILINE)[1:]
    rows.check(len(texts) > 50, "%d tests" % len(texts))
    for text in texts:
        limit = re.search(r"timeout: (\d+)", re.split(r"\n(?! *\S)|\n\w", text)[0])
        rows.check(limit and int(limit[1]) >= 600, "no time limit: " + text.split(",")[0])


# ---- Files for GitHub and GitLab ---------------------------------------------------------------

def parsed(text):
    """The document of a YAML text. YAML 1.1 reads the key `on` as true."""
    if not yaml:
        raise rows.Skip("the Python module yaml is not installed")
    document = yaml.safe_load(text)
    return {"on" if key is True else key: value for key, value in document.items()}


def block(heading):
    """The indented text of a section of the page."""
    section = read(PAGE).split("\n### %s\n" % heading)[1].split("\n#")[0]
    lines = [line for line in section.split("\n") if not line or line.startswith("    ")]
    return textwrap.dedent("\n".join(lines)).strip() + "\n"


def check_workflow(document):
    """The workflow has the keys that GitHub requires and the keys of every workflow here."""
    for key in ("name", "on", "permissions", "jobs"):
        rows.check(document.get(key), "no key %s" % key)
    rows.equal({"push", "pull_request"} - set(document["on"]), set(), "missing events")
    for name, job in document["jobs"].items():
        rows.check(job.get("runs-on") and job.get("timeout-minutes"), name)
        for step in job["steps"]:
            rows.equal(len({"uses", "run"} & set(step)), 1, "uses or run of %s" % step)


def workflow():
    check_workflow(parsed(read(WORKFLOW)))


def check_verifies(commands):
    """The commands verify kernels on each kind of engine."""
    found = [line for text in commands for line in text.split("\n") if " verify " in line]
    for option in ("--backend=opencl", "--backend=cuda-emu", "--engine=oclgrind"):
        rows.equal(len([line for line in found if option in line]), 1, "commands with " + option)


def github():
    """The page has a complete file. Its cache is the default folder of tools/vendors.sh, and is
    discarded if the script changes. The build installs PoCL before OCL_ICD_VENDORS is set."""
    document = parsed(block("GitHub"))
    check_workflow(document)
    steps = [step for job in document["jobs"].values() for step in job["steps"]]
    cached = [step["with"] for step in steps if step.get("uses", "").startswith("actions/cache@")]
    rows.equal([entry["path"] for entry in cached], ["~/.cache/pmpp-vendors"], "cache")
    rows.check("hashFiles('pmpp/tools/vendors.sh')" in cached[0]["key"], cached[0]["key"])
    rows.check("$HOME/.cache}/pmpp-vendors" in read("tools/vendors.sh"), "default folder")
    commands = [step["run"] for step in steps if "run" in step]
    vendors = next(i for i, text in enumerate(commands) if "OCL_ICD_VENDORS" in text)
    rows.check(any("tools/run.sh" in text for text in commands[:vendors]), "no build before")
    rows.check("`.github/workflows/kernels.yml`" in read(PAGE), "no name of the file")
    check_verifies(commands)
    first = next(i for i, step in enumerate(steps) if " verify " in step.get("run", ""))
    for step in steps[first + 1:]:
        rows.check(step.get("if", "").startswith("always()"), "may not run: %s" % step)
    # Only with this shell, a pipe has the exit status of `verify`.
    for job in document["jobs"].values():
        rows.equal(job["defaults"]["run"]["shell"], "bash", "shell")


def gitlab():
    document = parsed(block("GitLab"))
    for job in document.values():
        rows.check(job["image"] and job["script"], job)
        rows.equal({type(line) for line in job["before_script"] + job["script"]}, {str}, "commands")
        check_verifies(job["script"])
        rows.equal([job["script"][0], job["script"][-1]], ["status=0", "exit $status"], "status")
        for line in job["script"][1:-1]:
            rows.check(line.endswith(" || status=$?"), "the job ends early: " + line)
        rows.check("oclgrind" in " ".join(job["before_script"]), "no Oclgrind")
    rows.check("`.gitlab-ci.yml`" in read(PAGE), "no name of the file")


def wrong_workflows():
    """Workflows without events, or with an empty step, are refused."""
    for change in (lambda d: d.pop("on"), lambda d: d["jobs"]["kernels"].pop("runs-on"),
                   lambda d: d["jobs"]["kernels"]["steps"][0].pop("uses")):
        document = parsed(block("GitHub"))
        change(document)
        try:
            check_workflow(document)
        except rows.Failure:
            continue
        raise rows.Failure("a wrong workflow is accepted")


rows.row("the README's commands", readme_commands)
rows.row("scripts", scripts)
rows.row("names in PMPP_REQUIRE", required)
rows.row("version of Intel's OpenCL", versions)
rows.row("size of Intel's packages", sizes)
rows.row("docs/ci.md: counts of engines", engine_counts)
rows.row("time limits of the tests", time_limits)
rows.row("the workflow is YAML with all keys", workflow)
rows.row("docs/ci.md: the file for GitHub", github)
rows.row("docs/ci.md: the file for GitLab", gitlab)
rows.row("a wrong workflow is refused", wrong_workflows)
rows.finish()
