"""tools/ncu_compare.py on made-up tables of ncu, with a program in place of ncu.

usage: test_ncu_compare.py SOURCE_ROOT
"""
import contextlib
import io
import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import rows

sys.path.insert(0, os.path.join(sys.argv[1], "tools"))
sys.dont_write_bytecode = True
import ncu_compare as ncu

HEAD = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream",
        "Block Size", "Grid Size", "Device", "CC"]
LOADS = ncu.GLOBAL % ("requests", "ld")
LOAD_SECTORS = ncu.GLOBAL % ("sectors", "ld")
PREDICATED = "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"


def line(fields):
    return ",".join('"%s"' % field for field in fields) + "\n"


def table(launches, names=ncu.METRICS):
    """ncu's raw page of launches (kernel, {metric: text}). Metrics that are not given are 0."""
    text = "==PROF== Connected to process 7 (/x/pmpp-run)\n==PROF== Profiling\n"
    text += line(HEAD + list(names)) + line([""] * len(HEAD) + ["request"] * len(names))
    for index, (kernel, values) in enumerate(launches):
        text += line([index, 7, "pmpp-run", "127.0.0.1", kernel, 1, 7, "(256, 1, 1)", "(4, 2, 1)",
                      0, "9.0"] + [values.get(name, "0") for name in names])
    return text + "==PROF== Disconnected from process 7\n\nbye\n"


def access(space, kind, requests, per_request):
    shared = space == "shared"
    return {"space": space, "kind": kind, "requests": requests,
            "sectors_per_request": None if shared else per_request,
            "wavefronts_per_request": per_request if shared else None}


def entry(family="coalesce", variant="odd", index=1, count=1, accesses=None):
    return {"family": family, "variant": variant, "problem": {"n": 9, "width": 3},
            "choices": "u8 skewed", "no_trace": None, "estimated": False,
            "simt_efficiency": 0.5, "branches": [{"divergent": 2}, {"divergent": 3}],
            "accesses": [access("global", "load", 2048, 4.0)] if accesses is None else accesses,
            "launch": {"kernel": "k", "grid": [4, 2, 1], "block": [256, 1, 1], "index": index,
                       "count": count}}


EQUAL = {LOADS: "2,048", LOAD_SECTORS: "8,192", PREDICATED: "16.00",
         "smsp__thread_inst_executed_per_inst_executed.ratio": "16.00",
         "smsp__sass_branch_targets_threads_divergent.sum": "5"}


def compared(launch, values, code=None, variant="coalesce/odd", kernel="k"):
    """code: the counts of the machine code."""
    found = ncu.compare_variant(variant, [launch], ncu.parse_table(table([(kernel, values)])),
                                lambda *_: code and [code])
    return {row["metric"]: row for row in found}


# ---- The table ------------------------------------------------------------------------------

def parses():
    launches = ncu.parse_table(table([("k(const float *, float *)", {LOADS: "1,234,567"}),
                                      ("k2", {LOADS: "n/a", PREDICATED: "31.75"})]))
    rows.equal([launch["kernel"] for launch in launches], ["k", "k2"], "kernels")
    rows.equal((launches[0]["grid"], launches[0]["block"]), ([4, 2, 1], [256, 1, 1]), "extents")
    rows.equal(launches[0]["metrics"][LOADS], 1234567.0, "a number with separators")
    rows.equal(launches[1]["metrics"][LOADS], None, "n/a")
    rows.equal(launches[1]["metrics"][PREDICATED], 31.75, "a ratio")
    rows.equal(set(launches[0]["metrics"]), set(ncu.METRICS), "metrics")


def parses_nothing():
    rows.equal(ncu.parse_table(""), [], "no text")
    rows.equal(ncu.parse_table("==ERROR== The application returned an error code (3).\n"), [],
               "messages only")
    rows.equal(ncu.parse_table(table([])), [], "no launch")


def names_unknown_metrics():
    text = "==ERROR== Failed to find metric %s.\n==PROF== metric %s\n" % (LOADS, PREDICATED)
    rows.equal(ncu.unknown_metrics(text, list(ncu.METRICS)), [LOADS], "unknown")


# ---- Verdicts -------------------------------------------------------------------------------

def verdicts():
    for trace, counted, ratio, deviation, verdict in (
            (100, 100.0, False, 0.0, "equal"), (100, 101.0, False, 1.0, "within 2 %"),
            (100, 98.0, False, -2.0, "within 2 %"), (100, 103.0, False, 3.0, "differs"),
            (100, 97.0, False, -3.0, "differs"), (0, 5.0, False, None, "differs"),
            (32 * 0.97125, 31.08, True, 0.0, "equal"), (32, 31.98, True, -0.0625, "within 2 %"),
            (8, None, False, None, "unknown")):
        got = ncu.judge(trace, counted, ratio)
        rows.equal(got[1], verdict, "verdict of %s and %s" % (trace, counted))
        rows.check((got[0] is None) == (deviation is None) and
                   abs((got[0] or 0) - (deviation or 0)) < 1e-9,
                   "deviation of %s and %s: %s" % (trace, counted, got[0]))


def equal_rows():
    found = compared(entry(), EQUAL)
    rows.equal({name: row["verdict"] for name, row in found.items()},
               {"global load requests": "equal", "global load sectors": "equal",
                "threads an instruction": "equal", "threads predicated on": "equal",
                "divergent branches": "equal"}, "rows (zero on both sides has none)")
    rows.equal(found["global load sectors"]["trace"], 8192, "sectors")
    rows.check(not any(map(ncu.is_wrong, found.values())), "equal rows are wrong")


def sums():
    third = 10 / 3
    launch = entry(accesses=[access("global", "load", 3, third), access("global", "load", 2, 4.0),
                             access("global", "atomic", 7, 2.0), access("shared", "load", 5, 8.0),
                             access("shared", "store", 6, 1.0),
                             access("shared", "atomic", 9, third)])
    found = compared(launch, {ncu.GLOBAL % ("requests", "atom"): "3",
                              ncu.GLOBAL % ("requests", "red"): "4", ncu.SHARED % "ld": "40"})
    rows.equal({name: row["trace"] for name, row in found.items()},
               {"global load requests": 5, "global load sectors": 18, "global atomic requests": 7,
                "global atomic sectors": 14, "shared load wavefronts": 40,
                "shared store wavefronts": 6, "shared atomic wavefronts": 30,
                "threads an instruction": 16.0, "threads predicated on": 16.0,
                "divergent branches": 5}, "trace")
    rows.equal(found["global atomic requests"]["verdict"], "equal", "atom and red together")
    rows.equal(found["shared load wavefronts"]["verdict"], "equal", "wavefronts")


def must_be_equal():
    off = dict(EQUAL, **{LOAD_SECTORS: "8,193", PREDICATED: "9.00"})
    for variant, wrong in (("coalesce/odd", True), ("transpose/padded", True),
                           ("matmul/tiled32", True), ("matmul/naive-uncoalesced", True),
                           ("matmul/corner-turned", True), ("matmul/coarse2", False),
                           ("vecadd/fine", False)):
        found = compared(entry(), off, variant=variant)
        rows.equal(found["global load sectors"]["verdict"], "within 2 %", "verdict")
        rows.equal(ncu.is_wrong(found["global load sectors"]), wrong, variant)
        rows.check(not ncu.is_wrong(found["threads predicated on"]), "threads must not be equal")
    missing = compared(entry(), dict(EQUAL, **{LOADS: "n/a"}))["global load requests"]
    rows.check(ncu.is_wrong(missing), "an unknown counter is reported as equal")


def reasons():
    """The machine code explains a difference if its count is within 2 % of that of ncu."""
    off = dict(EQUAL, **{PREDICATED: "9.00", LOADS: "1,024", ncu.SHARED % "ld": "50",
                         "smsp__sass_branch_targets_threads_divergent.sum": "0"})
    code = {"instructions": 10, "threads": 160, "threads on": 90, "global load requests": 1023,
            "LDG.E.128": 1023, "shared load wavefronts": 40, "LDS": 30, "LDS.64": 5}
    found = compared(entry(), off, code, "vecadd/odd")
    for name, reason in (("threads predicated on", "machine code: 9"),
                         ("divergent branches", "machine code: 0 (no BRA)"),
                         ("global load requests", "machine code: 1023 (LDG.E.128 1023)"),
                         ("shared load wavefronts",
                          "unexplained; machine code: 40 (LDS 30, LDS.64 5)"),
                         ("global load sectors", None)):
        rows.equal(found[name]["reason"], reason, "reason of " + name)
        rows.equal(ncu.is_unexplained(found[name]), (reason or "").startswith("unexplained"), name)
    rows.equal(compared(entry(), off)["divergent branches"]["reason"], "unexplained",
               "without the machine code")
    rows.equal(ncu.closing(list(found.values()), {}),
               ["2 equal, 4 differs; 1 unexplained; 0 that must be equal and are not; 0 not "
                "counted"], "the last line")


def refuses(launches, text):
    try:
        ncu.compare_variant("coalesce/odd", launches, ncu.parse_table(text), lambda *_: None)
    except ncu.Failure:
        return
    raise rows.Failure("no failure")


def other_launches():
    refuses([entry()], table([("other", EQUAL)]))
    refuses([entry(index=1, count=2), entry(index=2, count=2)], table([("k", EQUAL)]))


# ---- All of it, with a program in ncu's place -------------------------------------------------

NCU = '''#!{python}
import json, sys
arguments = sys.argv[1:]
with open({folder!r} + "/calls", "a") as calls:
    calls.write(json.dumps(arguments) + "\\n")
if "--version" in arguments:
    print("made up")
    sys.exit(0)
log = arguments[arguments.index("--log-file") + 1]
metrics = arguments[arguments.index("--metrics") + 1].split(",")
with open(log, "w") as out:
    if {unknown!r} in metrics:
        out.write("==ERROR== Failed to find metric {unknown}\\n")
        sys.exit(1)
    out.write({table!r})
'''
LIST = '''#!{python}
print({text!r})
'''


def program(folder, name, source, **values):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as out:
        out.write(source.format(python=sys.executable, folder=folder, **values))
    os.chmod(path, 0o755)
    return path


def run(folder, *arguments):
    """(exit status, comparison.json)"""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        status = ncu.main(["--results=" + folder, "--trace=" + os.path.join(folder, "given.json")]
                          + list(arguments))
    path = os.path.join(folder, "comparison.json")
    if not os.path.exists(path):
        return status, None
    with open(path, encoding="utf-8") as file:
        return status, json.load(file)


def prepare(folder, entries, values, unknown=""):
    with open(os.path.join(folder, "given.json"), "w", encoding="utf-8") as out:
        json.dump({"explanations": entries}, out)
    names = [name for name in ncu.METRICS if name != unknown]
    families = [{"name": "coalesce", "dtypes": ["u8"], "ops": ["sum", "max"],
                 "data": ["uniform", "skewed"]}]
    return ["--ncu=" + program(folder, "ncu-stub", NCU, unknown=unknown,
                               table=table([("k", values)], names)),
            "--pmpp-run=" + program(folder, "run-stub", LIST,
                                    text=json.dumps({"families": families}))]


def whole():
    untraced = dict(entry(variant="cpu"), no_trace="needs a CPU")
    with tempfile.TemporaryDirectory() as folder:
        programs = prepare(folder, [entry(), untraced], EQUAL)
        status, document = run(folder, *programs)
        rows.equal((status, document["failed"], len(document["rows"])), (0, {}, 5), "all equal")
        rows.equal(document["versions"]["ncu"], "made up", "version")
        with open(os.path.join(folder, "calls"), encoding="utf-8") as calls:
            asked = json.loads(calls.readline())
        rows.equal(asked[-5:], ["--no-isolate", "--quiet", "--size=n=9,width=3",
                                "--data=skewed", "coalesce/odd"], "the run")
        rows.check("regex:^(k)$" in asked, "no filter of kernels")
        rows.equal(asked[asked.index("--launch-count") + 1], "1", "launches")
        os.remove(os.path.join(folder, "ncu-stub"))
        status, again = run(folder, "--reuse", *programs)
        rows.equal((status, again["versions"]), (0, document["versions"]), "from ncu's tables")
        os.rename(os.path.join(folder, "ncu"), os.path.join(folder, "tables"))
        status, again = run(folder, "--reuse", *programs)
        rows.equal((status, again), (0, document), "from comparison.json")
        shutil.rmtree(os.path.join(folder, "ncu"))
        os.rename(os.path.join(folder, "tables"), os.path.join(folder, "ncu"))
        os.remove(os.path.join(folder, "comparison.json"))
        status, again = run(folder, "--reuse", *programs)
        rows.equal((status, again["versions"]["ncu"]), (0, ""), "from no more than ncu's tables")
        os.remove(os.path.join(folder, "comparison.json"))
        rows.equal(run(folder, *programs, "vecadd"), (2, None), "nothing to compare")


def whole_that_differs():
    with tempfile.TemporaryDirectory() as folder:
        programs = prepare(folder, [entry()], dict(EQUAL, **{LOADS: "2,047"}))
        status, document = run(folder, *programs)
        rows.equal((status, document["failed"]), (1, {}), "one request less")
    with tempfile.TemporaryDirectory() as folder:
        status, document = run(folder, *prepare(folder, [entry(variant="two", count=2),
                                                         entry(variant="two", index=2, count=2)],
                                                EQUAL))
        rows.equal((status, list(document["failed"])), (1, ["coalesce/two"]), "a launch less")


def whole_with_unknown_metric():
    unknown = "sm__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts.sum"
    with tempfile.TemporaryDirectory() as folder:
        status, document = run(folder, *prepare(folder, [entry()], EQUAL, unknown))
        rows.equal((status, document["failed"]), (0, {}), "without a metric")
        launch = document["counted"]["coalesce/odd"][0]
        rows.equal(launch["metrics"].get(unknown), None, "its value")


for function in (parses, parses_nothing, names_unknown_metrics, verdicts, equal_rows, sums,
                 must_be_equal, reasons, other_launches, whole, whole_that_differs,
                 whole_with_unknown_metric):
    rows.row(function.__name__.replace("_", " "), function)
rows.finish()
