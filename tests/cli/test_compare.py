"""`compare` of committed result files and of edited copies, `run --repeat`.

No row checks times or verdicts of runs on this machine: they depend on its load.
"""
import functools
import json
import os
import re
import shutil
import signal
import subprocess

from command import (
    PROGRAM, ROOT, environment, expect, json_file, json_of, need, new_file, new_path, pmpp, read_text,
    refused)
import rows

RESULTS = os.path.join(ROOT, "docs", "results")
H100 = os.path.join(RESULTS, "nvidia-h100", "run-cuda.json")
H200 = os.path.join(RESULTS, "nvidia-h200", "compare", "run-cuda.json")
H200_OPENCL = os.path.join(RESULTS, "nvidia-h200", "compare", "run-opencl.json")
CARDS = [os.path.join(RESULTS, "nvidia-h200", name) for name in
         ("families-cuda.json", "again-cuda.json")]
RANKS = [os.path.join(RESULTS, "nvidia-h200", "fleet", "two-ranks.rank%d.json" % rank)
         for rank in (0, 1)]
BOTH = os.path.join(RESULTS, "nvidia-h200", "families-parity.json")
POCL = os.path.join(RESULTS, "devices", "pocl-epyc.json")
TIMED = ("SAME", "FAST", "SLOW", "AMBG")


def edited(path, change, name="edited.json"):
    """A copy of a file after change(document)."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    change(document)
    return new_file(name, json.dumps(document))


def primary(row):
    timing = row.get("timing")
    return timing[timing["primary"]] if timing else None


def scale(factor, only=lambda row: True):
    def change(document):
        for row in document["results"]:
            samples = primary(row)
            if not samples or not only(row):
                continue
            for key in ("min", "q1", "median", "q3"):
                samples[key] *= factor
            for key in ("ns", "ci95"):
                if samples.get(key):
                    samples[key] = [value * factor for value in samples[key]]
    return change


def set_driver(document):
    for device in document["devices"]:
        for view in device["views"].values():
            view["driver"] = "999.99"


def set_device(document):
    device = document["devices"][0]
    old, new = device["key"], "name:another CPU"
    device.update(key=new, name="another CPU", uuid=None, pci=None)
    for view in device["views"].values():
        view["name"] = "another CPU"
    for row in document["results"]:
        if row["device"] == old:
            row["device"] = new


def without_throttling(document):
    for row in document["results"]:
        if row.get("timing"):
            row["timing"]["flags"] = []


# ---- What is compared ----------------------------------------------------------------------------

# (name, files, the first line[, more_than]). All rows that the first two sides have timed join.
# There are more than `more_than` such rows.
JOINS = [
    ("H100 and H200", lambda: [H100, H200],
     "compare by device: NVIDIA H100 80GB HBM3 (base), NVIDIA H200"),
    ("CUDA and OpenCL", lambda: [H200, H200_OPENCL], "compare by backend: cuda (base), opencl"),
    ("two backends in one file", lambda: [BOTH], "compare by backend: opencl (base), cuda"),
    ("two cards of one model", lambda: CARDS,
     "compare by device: NVIDIA H200 (53ed329a) (base), NVIDIA H200 (e69a0151)"),
    ("two ranks of a fleet", lambda: RANKS,
     "compare by device: NVIDIA H200 (7bd5aba8) (base), NVIDIA H200 (dbcbf8e6)", 11),
    ("another driver", lambda: [H200, edited(H200, set_driver)],
     "compare by driver: 580.159.04, CUDA 13.0 (base), 999.99"),
    ("another driver, a device with neither UUID nor PCI address",
     lambda: [POCL, edited(POCL, set_driver)], re.compile(r"compare by driver: .*\(base\), 999\.99$")),
    ("PoCL and another CPU", lambda: [POCL, edited(POCL, set_device)],
     "compare by device: pthread-skylake-avx512-AMD EPYC (PoCL) (base), another CPU (PoCL)"),
    ("a file and its copy", lambda: [H200, edited(H200, lambda document: None)],
     "compare by run: run-cuda.json (base), edited.json"),
    ("three devices", lambda: [H100, H200, edited(H200, set_device)],
     "compare by device: NVIDIA H100 80GB HBM3 (base), NVIDIA H200, another CPU"),
]


def identity(row):
    return json.dumps([row[key] for key in ("family", "variant", "dtype", "op", "data", "problem",
                                            "macros")], sort_keys=True)


def timed_rows(path, backend=None):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    return {identity(row) for row in document["results"] if row["status"] == "ok" and
            primary(row) and backend in (None, row["backend"])}


def joins(make_files, first_line, more_than=100):
    files = make_files()
    result = expect(0, "compare", *files, "--color=no")
    answer, line = [line for line in result.stdout.splitlines()
                    if re.match("(new|B) is |compare by ", line)][:2]
    rows.check(re.match(r"\w+ is (as fast as \w+|[\d.]+ x (faster|slower)( than A)?): geometric mean of "
                        r"\d+ rows that both have; [\d.]+ to [\d.]+$", answer), answer)
    if isinstance(first_line, str):
        rows.equal(line, first_line, "the first line")
    else:
        rows.check(first_line.match(line), "the first line is " + line)
    document = json_of(expect(0, "compare", *files, "--json"))
    sides = ([timed_rows(path) for path in files] if len(files) > 1 else
             [timed_rows(files[0], backend) for backend in ("opencl", "cuda")])
    both = len(sides[0] & sides[1])
    rows.check(both > more_than, "only %d rows are timed on both sides" % both)
    verdicts = [row["cells"][1].get("verdict") for row in document["rows"]]
    rows.equal(sum(verdict in TIMED for verdict in verdicts), both, "judged rows")
    rows.equal("  AMBG ambiguous: " in result.stdout, "AMBG" in verdicts, "what AMBG means")
    rows.equal(result.stdout.count("with --repeat"), int("AMBG" in verdicts or "% intervals of" in result.stdout),
               "what to do")
    counts = document["counts"][0]
    for word in TIMED + ("MISSING", "NOCOMP"):
        rows.equal(counts[word.lower()], verdicts.count(word), word)
    rows.check(counts["mean_ratio"] > 0.5, "mean ratio %r" % counts["mean_ratio"])
    for row in document["rows"]:
        rows.equal(len(row["cells"]), len(document["sides"]), "cells")


def no_times():
    """A side without times has no floor of noise."""
    files = [os.path.join(RESULTS, "nvidia-h200", "fleet", "three-ranks.rank%d.json" % rank)
             for rank in (0, 1)]
    lines = expect(0, "compare", *files, "--color=no").stdout.splitlines()
    rows.equal(lines[0], "nothing was compared: no row has comparable times on two sides")
    rows.check(lines[2].endswith(", 1 file, 0 timed rows"), lines[2])
    rows.check("12 timed rows; floor of noise " in lines[3], lines[3])


def copies_are_the_same():
    """A file and its copy: no row is FAST or SLOW."""
    result = json_of(expect(0, "compare", H200, edited(H200, lambda document: None),
                            "--fail-on=missing", "--json"))
    counts = result["counts"][0]
    rows.equal((counts["fast"], counts["slow"], counts["missing"], counts["nocomp"]), (0, 0, 0, 0))
    rows.check(counts["same"] > 100, "%d rows are SAME" % counts["same"])


def same_run():
    """One run on two sides is not a comparison: a warning names both files."""
    copy = edited(H200, lambda document: None, "copy.json")
    message = expect(0, "compare", H200, copy).stderr
    for part in ("warning", H200, copy, "the same run"):
        rows.check(part in message, "the warning lacks %s: %s" % (part, message))
    other = edited(H200, lambda document: document["run"].update(id="0" * 32), "other.json")
    rows.equal(expect(0, "compare", H200, other).stderr, "", "stderr of two runs")
    rows.equal(expect(0, "compare", H100, H200).stderr, "", "stderr of two devices")


# ---- Changes -------------------------------------------------------------------------------------

def steady(row):
    """The samples are not far wider than the floor of noise, so an edit decides the verdict."""
    return (primary(row) or {}).get("half_width", 1) < 0.004


def planted():
    """5 % slower is SLOW, 1 % slower is SAME. The exit status follows --fail-on."""
    base = edited(H200, without_throttling)
    steady_rows = {identity(row) for row in json_file(base)["results"] if steady(row)}
    rows.check(len(steady_rows) > 80, "only %d steady rows" % len(steady_rows))
    for factor, verdict, code in ((1.05, "SLOW", 4), (1.01, "SAME", 0), (1 / 1.05, "FAST", 0)):
        new = edited(base, scale(factor, steady))
        expect(0, "compare", base, new)
        document = json_of(expect(code, "compare", base, new, "--fail-on=slow", "--json"))
        judged = [row["cells"][1] for row in document["rows"] if identity(row) in steady_rows]
        for cell in judged:
            rows.equal(cell["verdict"], verdict, "x %.3f, ratio %r" % (factor, cell["ratio"]))
            rows.check(abs(cell["ratio"] - factor) < 1e-6, "ratio %r" % cell["ratio"])
        rows.equal(len(judged), len(steady_rows), "judged rows")
    expect(0, "compare", base, edited(base, scale(1.05, steady)), "--fail-on=slow",
           "--tolerance=0.2")


def lost():
    """A row that failed, or is missing, causes exit 4 with --fail-on=missing only."""
    def fail_first(document):
        row = next(row for row in document["results"] if primary(row))
        row.update(status="failed", reason="planted", timing=None)

    def drop_first(document):
        document["results"].remove(next(row for row in document["results"] if primary(row)))

    for change, verdict in ((fail_first, "NOCOMP"), (drop_first, "MISSING")):
        new = edited(H200, change)
        expect(0, "compare", H200, new, "--fail-on=slow")
        document = json_of(expect(4, "compare", H200, new, "--fail-on=missing", "--json"))
        rows.equal(document["counts"][0][verdict.lower()], 1, verdict)
        expect(0, "compare", new, H200, "--fail-on=missing")  # an additional row is not a loss


def nothing_judged():
    """If no row can be compared, --fail-on is an error; with --by=math the rows are compared."""
    def other_math(document):
        for row in document["results"]:
            if row.get("build"):
                row["build"]["math"] = "fast"

    new = edited(H200, other_math)
    expect(0, "compare", H200, new)
    for what in ("slow", "missing"):
        result = expect(1, "compare", H200, new, "--fail-on=" + what)
        rows.check("no row could be compared" in result.stderr, result.stderr)
    document = json_of(expect(0, "compare", H200, new, "--by=math", "--fail-on=missing", "--json"))
    rows.check(all(row["math"] is None for row in document["rows"]), "math of a row")


def unknown_fields():
    """Fields of a newer version, at every level, change nothing."""
    def change(document):
        document["later"] = {"x": [1, {}]}
        for entry in document["results"] + document["devices"]:
            entry["later"] = "x"
            if entry.get("timing"):
                entry["timing"]["later"] = [1, 2]

    want = json_of(expect(0, "compare", H100, H200, "--json"))
    got = json_of(expect(0, "compare", H100, edited(H200, change, "run-cuda.json"), "--json"))
    for document in (want, got):
        del document["tool"]
        for side in document["sides"]:
            del side["files"]
    rows.equal(got, want, "the comparison")


# ---- Outputs -------------------------------------------------------------------------------------

def outputs():
    folder = os.path.dirname(new_path("x"))
    paths = [os.path.join(folder, name) for name in ("c.json", "c.csv", "c.md")]
    result = expect(0, "compare", H100, H200, "--json=" + paths[0], "--csv=" + paths[1],
                    "--md=" + paths[2], "--color=no")
    rows.check(result.stdout.startswith("new is "), result.stdout[:100])
    document = json_file(paths[0])
    rows.equal(document["schema"], "pmpp-compare/1")
    rows.equal(sorted(os.listdir(folder)), ["c.csv", "c.json", "c.md"], "files")
    for path in paths[1:]:
        text = read_text(path)
        for word in ("SAME", "registers", "matmul"):
            rows.check(word in text, "%s lacks %s" % (path, word))
    for option in ("--json", "--csv", "--md"):
        result = expect(0, "compare", H100, H200, option)
        rows.check(not result.stdout.startswith("new is "), "two documents on stdout")
        rows.check(result.stderr.startswith("new is "), "no table on stderr")
    rows.equal(expect(0, "compare", H100, H200, "-q").stdout, "", "stdout with -q")


def other_options():
    document = json_of(expect(0, "compare", H200, H200_OPENCL, "--by=run,backend", "--json"))
    rows.equal(document["by"], ["backend", "run"])


# ---- Usage ---------------------------------------------------------------------------------------

def bad_file(text, name="bad.json"):
    return new_file(name, text)


USAGE = [
    ("no file", lambda: ["compare"], ["compare", "BASE.json"]),
    ("one file of one device", lambda: ["compare", H100], ["one device and one backend"]),
    ("an unknown field", lambda: ["compare", H100, H200, "--by=colour"],
     ["--by=colour", "device, backend, driver"]),
    ("an empty field", lambda: ["compare", H100, H200, "--by="], ["empty"]),
    ("fields that do not differ", lambda: ["compare", H100, H200, "--by=backend"],
     ["same backend", "another --by"]),
    ("an option of runs", lambda: ["compare", H100, H200, "--size=64"], ["--size", "compare"]),
    ("repetitions", lambda: ["compare", H100, H200, "--repeat=3"], ["--repeat", "compare"]),
    ("an unknown --fail-on", lambda: ["compare", H100, H200, "--fail-on=fast"],
     ["--fail-on=fast", "slow", "missing"]),
    ("a tolerance that is no number", lambda: ["compare", H100, H200, "--tolerance=x"],
     ["--tolerance=x"]),
    ("a missing file", lambda: ["compare", H100, "/nonexistent/x.json"], ["/nonexistent/x.json"]),
    ("a folder", lambda: ["compare", H100, RESULTS], [RESULTS]),
    ("another schema", lambda: ["compare", H100, edited(
        H200, lambda document: document.update(schema="pmpp-history/1"))],
     ["pmpp-history/1", "pmpp-result/1"]),
    ("an explanation",
     lambda: ["compare", H100, os.path.join(RESULTS, "nvidia-h200", "explain-all.json")],
     ["explain-all.json", "two files of `explain --json`", "files of `run --json`"]),
    ("a family", lambda: ["compare", H100, "matmul"], ["matmul is a family", "run matmul --json"]),
    ("a variant", lambda: ["compare", "matmul/tiled16"], ["matmul/tiled16 is a family or a variant"]),
    ("a shipped device", lambda: ["compare", H100, "h200"], ["h200", "--with=h200"]),
    ("a newer schema", lambda: ["compare", H100, edited(
        H200, lambda document: document.update(schema="pmpp-result/2"))], ["pmpp-result/2"]),
    ("no JSON", lambda: ["compare", H100, bad_file(b"\x7fELF")], ["bad.json"]),
    ("an empty file", lambda: ["compare", H100, bad_file(b"")], ["bad.json"]),
    ("a file without rows", lambda: ["compare", H100, edited(
        H200, lambda document: document.update(results=[]))], ["edited.json", "no results"]),
    ("more than 64 sides", lambda: ["compare", *[POCL] * 65], ["65 sides", "at most 64"]),
    ("an output in a folder that does not exist",
     lambda: ["compare", H100, H200, "--json=/nonexistent/c.json"], ["/nonexistent/c.json"]),
    ("--bitwise, which is for runs", lambda: ["compare", H100, H200, "--bitwise"], ["--bitwise"]),
    ("two outputs on stdout", lambda: ["compare", H100, H200, "--json", "--csv"], ["stdout"]),
    ("--repeat in one process",
     lambda: ["run", "vecadd", "--size=64", "--repeat=3", "--no-isolate"],
     ["--repeat", "--no-isolate"]),
    ("--repeat=0", lambda: ["run", "vecadd", "--size=64", "--repeat=0"], ["--repeat=0"]),
]


def progress():
    """The progress line has the place of a task and the time left, over all runs of --repeat."""
    need("cuda-emu")
    text = expect(0, "run", "vecadd/fine", "vecadd/coarse2", "vecadd/vector4", "--backend=cuda-emu", "--size=64",
                  "--max-samples=3", "--min-time=0", "--repeat=2", "--no-roofs", "--progress=yes").stderr
    places = [(int(place), int(total), left) for place, total, left in
              re.findall(r"(\d+) of (\d+)(, about [\d.]+ (?:s|min|h) left)?: run \d+ of \d+: ", text)]
    total = places[-1][1]
    rows.equal(places[-1][0], total, "the last task")
    rows.equal(sorted({place for place, _, _ in places}), list(range(1, total + 1)), "places")
    rows.check(all(left for place, _, left in places if place > 3), text[:2000])


def usage(make_arguments, parts):
    result = refused(1, parts, *make_arguments())
    rows.equal(len(result.stderr.strip().splitlines()), 1, "lines on stderr")


def replaced_input():
    """An output that is also an input, under any name, is refused; the input stays."""
    base = edited(H100, lambda document: None, "base.json")
    link = os.path.join(os.path.dirname(base), "link.json")
    os.symlink("base.json", link)
    with open(base, "rb") as file:
        before = file.read()
    for option in ("--json=", "--csv=", "--md="):
        for path in (base, link):
            refused(1, [path, "would be replaced"], "compare", base, H200, option + path)
    with open(base, "rb") as file:
        rows.check(file.read() == before, "the input was changed")


def hostile_rows():
    """Rows that name no device, no math and no family compare without a crash."""
    def change(document):
        document["devices"] = []
        for row in document["results"]:
            row.update(device="", family="", variant="\x1b[31m", backend="")

    path = edited(H200, change)
    for by in ([], ["--by=device"], ["--by=driver,host,label"], ["--by=run,math,macros"]):
        for files in ([path, H200], [H200, path], [path, path], [path]):
            result = pmpp("compare", *files, *by, "--json")
            rows.check(result.returncode in (0, 1), "exit %d: %s" % (result.returncode,
                                                                     result.stderr[-300:]))
            rows.check("\x1b[31m" not in result.stderr, "an escape sequence on stderr")


# ---- Runs of this machine ------------------------------------------------------------------------

REPEATED = ["run", "vecadd", "--backend=opencl", "--size=4096", "--repeat", "3",
            "--max-samples=10"]
# A repetition on a CPU is 4 short runs (docs/comparing.md).
RUNS = 12


def cache_of(path):
    return {"XDG_CACHE_HOME": os.path.join(os.path.dirname(path), "cache")}


@functools.lru_cache(maxsize=None)
def measure_roofs():
    """Measures the roofs of the OpenCL devices once, into the cache of the suite."""
    pmpp("run", "vecadd/fine", "--backend=opencl", "--size=64", "--max-samples=2", "--min-samples=2")


def new_run():
    """A path for a result file, beside a cache of its own. The cache has copies of the measured
    roofs, because no row tests them. The program follows no links there."""
    path = new_path("r.json")
    cache = os.path.join(cache_of(path)["XDG_CACHE_HOME"], "pmpp")
    os.makedirs(cache)
    measure_roofs()
    shared = os.path.join(
        environment().get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "pmpp")
    for name in ("probes", "roofs"):
        if os.path.isdir(os.path.join(shared, name)):
            shutil.copytree(os.path.join(shared, name), os.path.join(cache, name),
                            ignore=shutil.ignore_patterns(".*"))  # files that another test writes
    return path


def repeated():
    need("opencl")
    path = new_run()
    expect(0, *REPEATED, "--json=" + path, env=cache_of(path))
    results = [row for row in json_file(path)["results"] if row["status"] == "ok"]
    rows.check(results, "no row is ok")
    for row in results:
        runs = row["repetitions"]["runs"]
        medians = sorted(run[run["primary"]]["median"] for run in runs)
        rows.equal(len(runs), RUNS, "runs of " + row["variant"])
        if len({run["primary"] for run in runs}) == 1:
            rows.equal(primary(row)["median"], medians[(RUNS - 1) // 2],
                       "the middle run of " + row["variant"])
        low, high = row["repetitions"]["ci95"]
        rows.check(low < high, "interval [%r, %r]" % (low, high))
    document = json_of(expect(0, "compare", path, edited(path, set_driver), "--json",
                              env=cache_of(path)))
    for row in document["rows"]:
        rows.check(row["cells"][0]["runs"] in range(1, RUNS + 1), "runs of " + row["variant"])


def start_repeated(path, *options, env=None):
    """Starts the process; returns it when its second run has begun. The test fails if the process
    ends earlier."""
    process = subprocess.Popen(
        [PROGRAM, *REPEATED, *options, "--json=" + path, "--progress=yes"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env=environment(**cache_of(path), **(env or {})))
    text = b""
    while b"run 2 of %d" % RUNS not in text:
        block = os.read(process.stderr.fileno(), 4096)
        rows.check(block, "the second run does not begin: %r" % text[-300:])
        text += block
    return process


def attempts(*options):
    """Starts jobs, each with longer runs: a machine under load may send a signal too late, after the
    end of the job. Yields the file, the environment with the store, and the process."""
    for samples in (10, 1000, 100000):
        path = new_run()
        env = {"PMPP_STORE": path + ".db"}
        yield path, env, start_repeated(path, "--min-samples=%d" % samples,
                                        "--max-samples=%d" % samples, *options, env=env)


def runs_of(row):
    return len(row["repetitions"]["runs"]) if row.get("repetitions") else 1


def interrupted():
    """SIGINT in run 2 or later: the rows of all runs so far are in the file."""
    need("opencl")
    for path, _, process in attempts():
        process.send_signal(signal.SIGINT)
        process.communicate()
        rows.check(process.returncode in (0, 130), "exit status %d" % process.returncode)
        ok = [row for row in json_file(path)["results"] if row["status"] == "ok"]
        rows.check(len(ok) >= 5, "%d rows of run 1 are kept" % len(ok))
        least = min(runs_of(row) for row in ok)
        rows.equal(json_file(path)["run"].get("interrupted", False), process.returncode == 130, "interrupted")
        if process.returncode == 130 and least < RUNS:
            text = expect(0, "compare", path, H100).stdout
            rows.check("; interrupted: rows are missing" in text, text[:600])
            return
        rows.equal(least, RUNS, "runs")
    raise rows.Failure("no job was interrupted before its last run was complete")


def killed():
    """SIGKILL after the first run: its rows are in the store and in the file."""
    need("opencl")
    for path, env, process in attempts("--save"):
        process.kill()
        process.communicate()
        if process.returncode != 0:
            break
    rows.equal(process.returncode, -signal.SIGKILL, "exit status")
    expect(0, "store", "export", path + ".export", env=env)
    stored = json_file(path + ".export")["documents"]
    rows.equal(len(stored), 1, "stored runs")
    for document in (stored[0], json_file(path)):
        ok = [row for row in document["results"] if row["status"] == "ok"]
        rows.check(len(ok) >= 5, "%d rows of run 1 are kept" % len(ok))
        rows.check(all(row["derived"]["step"] for row in ok[1:]), "a row without a step")
    rows.equal(stored[0]["run"]["id"], json_file(path)["run"]["id"], "run")


def saved_repetitions():
    """After all runs the store has the rows of the file, each once."""
    need("opencl")
    path = new_run()
    env = dict(cache_of(path), PMPP_STORE=path + ".db")
    expect(0, *REPEATED, "--save", "--json=" + path, env=env)
    expect(0, "store", "export", path + ".export", env=env)
    rows.equal(json_file(path + ".export")["documents"], [json_file(path)], "the stored documents")


def worker_of(pid):
    """The worker process, or None if there is none at this moment."""
    with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as file:
        children = [int(child) for child in file.read().split()]
    for child in children:
        try:
            with open("/proc/%d/comm" % child, encoding="utf-8") as file:
                if file.read().strip() != "pmpp-guard":
                    return child
        except FileNotFoundError:
            pass
    return None


def crash():
    """SIGKILL of the worker after run 1: one row is crashed and names the run; the others are ok. A
    machine under load may kill the worker when all of its tasks are complete: then there is no
    crashed row, and the next attempt has longer runs."""
    need("opencl")
    for path, _, process in attempts():
        worker = worker_of(process.pid)
        if worker:
            os.kill(worker, signal.SIGKILL)
        process.communicate()
        results = json_file(path)["results"]
        crashed = [row for row in results if row["status"] == "crashed"]
        rows.check(len(crashed) <= 1, "%d crashed rows" % len(crashed))
        rows.equal(process.returncode, 5 if crashed else 0, "exit status")
        for row in results:
            if row["status"] == "ok":
                rows.equal(runs_of(row), RUNS, "runs of " + row["variant"])
        if crashed:
            rows.check(re.match("run ([2-9]|1[012]) of %d: " % RUNS, crashed[0]["reason"]), crashed[0]["reason"])
            return
    raise rows.Failure("no worker was killed before its tasks were complete")


def set_own_kernel(document):
    for row in document["results"]:
        if row["family"] == "matmul":
            row["own_kernel"] = True


def your_kernel():
    """Kernels of the user are compared with the project's of another run, and marked."""
    files = [H200, edited(H200, set_own_kernel)]
    result = expect(0, "compare", *files, "--color=no")
    rows.check(re.search(r"^tiled16 +\S+ .?s[~!]* +\S+ .?s[~!]*= ", result.stdout, re.M), result.stdout[:2000])
    rows.check("  = your kernel: a kernel of yours" in result.stdout, result.stdout[-2000:])
    document = json_of(expect(0, "compare", *files, "--json"))
    own = [[cell.get("own_kernel") for cell in row["cells"]] for row in document["rows"]
           if row["family"] == "matmul"]
    rows.equal([marks for marks in own if marks != [None, True]], [], "marks")


for case in JOINS:
    rows.row("joins: " + case[0], joins, *case[1:])
rows.row("a side without times", no_times)
rows.row("a copy is the same", copies_are_the_same)
rows.row("one run on two sides", same_run)
rows.row("planted changes", planted)
rows.row("lost rows", lost)
rows.row("no comparable row", nothing_judged)
rows.row("unknown fields", unknown_fields)
rows.row("outputs", outputs)
rows.row("progress", progress)
rows.row("other options", other_options)
for case in USAGE:
    (rows.long_row if "64 sides" in case[0] else rows.row)("refused: " + case[0], usage, *case[1:])
rows.row("an output that is an input", replaced_input)
rows.row("hostile rows", hostile_rows)
rows.long_row("--repeat", repeated)
rows.long_row("--repeat, interrupted in run 2", interrupted)
rows.long_row("--repeat, killed in run 2", killed)
rows.long_row("--repeat with --save", saved_repetitions)
rows.long_row("--repeat, a crash in run 2", crash)
rows.row("your kernel", your_kernel)
rows.finish()
