#!/usr/bin/env python3
"""Compares the limiting resource of `pmpp-run run` with the most utilised unit according to NVIDIA
Nsight Compute (ncu).

usage: ncu_limits.py [--pmpp-run=PATH] [--ncu=PATH] [--results=FOLDER] [--run=FILE] [--reuse]
                     [FAMILY[/VARIANT]...]

Each timed variant runs once under ncu with the same problem: ncu counts the first launches of
`pmpp-run verify`. In a run of several launches the time of a launch is its weight.

FOLDER receives run.json, ncu/FAMILY-VARIANT.csv (the output of ncu), limits.txt and limits.json.
--run reads a result file instead of a new measurement. --reuse reads the tables of ncu in FOLDER.
With both options no GPU is needed.

If no unit is used for half of the time, the answer of ncu is `latency`. L1 and shared memory are
one data pipe, so `l1` and `shared` are one answer here. pmpp-run does not use the figures of ncu.

Exit status: 0 if nine of ten answers agree and pmpp's answer is `latency` for no more rows than
ncu's; else 1; 2 if there is nothing to compare, or ncu has no permission to read the counters.
"""
import argparse
import json
import os
import sys

import ncu_compare as ncu

HALF = 50.0  # percent
AGREEMENT = 0.9
TIME = "gpu__time_duration.sum"
PERCENT = ".avg.pct_of_peak_sustained_elapsed"

# (answer, metrics). The use of a unit is the largest of its metrics. lts__throughput is not used:
# it also counts queues that are full because memory is slow.
UNITS = (
    ("memory", ("dram__throughput",)),
    ("l2", ("lts__t_sectors",)),
    ("l1, shared", ("l1tex__data_pipe_lsu_wavefronts",)),
    ("compute", ("sm__pipe_fma_cycles_active", "sm__pipe_alu_cycles_active",
                 "sm__pipe_fp64_cycles_active", "sm__inst_executed_pipe_fp16",
                 "sm__inst_executed_pipe_xu")),
    ("tensor", ("sm__pipe_tensor_cycles_active",)),
)
METRICS = (TIME,) + tuple(name + PERCENT for _, names in UNITS for name in names)
# Words of pmpp-run for answers that have another name here.
SAME = {"l1": "l1, shared", "shared": "l1, shared", "launch": "latency", None: "unknown"}
ANSWERS = tuple(unit for unit, _ in UNITS) + ("latency", "cache", "unknown")


# ---- Counters of ncu ------------------------------------------------------------------------

def use_of(launches):
    """{answer: percent} of a run: mean over the launches, weighted by their times."""
    weights = [launch["metrics"].get(TIME) for launch in launches]
    if None in weights or not sum(weights):
        raise ncu.Failure("ncu has no time of a launch")
    use = {}
    for unit, names in UNITS:
        figures = []
        for name in names:
            values = [launch["metrics"].get(name + PERCENT) for launch in launches]
            if None not in values:
                figures.append(sum(w * v for w, v in zip(weights, values)) / sum(weights))
        if figures:
            use[unit] = max(figures)
    if "memory" not in use:
        raise ncu.Failure("ncu does not know %s" % UNITS[0][1][0])
    return use


def answer_of(use):
    unit = max(use, key=use.get)
    return unit if use[unit] >= HALF else "latency"


# ---- Comparison -----------------------------------------------------------------------------

def ours(row):
    limit = row["derived"]["limited_by"]
    return SAME.get(limit, limit)


def compare(row, table):
    launches = steps_of(row)
    if len(table) < len(launches):
        raise ncu.Failure("ncu counted %d of %d launches" % (len(table), len(launches)))
    for traced, counted in zip(launches, table):
        ncu.same_launch(traced["launch"], counted)
    use = use_of(table[:len(launches)])
    floor = row["derived"].get("floor") or {"resource": None, "share": None}
    return {"variant": name_of(row), "pmpp": ours(row), "limited_by": row["derived"]["limited_by"],
            "floor": floor["resource"], "share": floor["share"], "ncu": answer_of(use),
            "use_percent": use}


def agreement(rows):
    return sum(row["pmpp"] == row["ncu"] for row in rows)


def is_good(rows):
    latency = [sum(row[side] == "latency" for row in rows) for side in ("pmpp", "ncu")]
    return bool(rows) and agreement(rows) >= AGREEMENT * len(rows) and latency[0] <= latency[1]


# ---- Variants -------------------------------------------------------------------------------

def name_of(row):
    return "%s/%s" % (row["family"], row["variant"])


def steps_of(row):
    """The launches of a result row, as ncu_compare.count() needs them."""
    launches = [step for step in row["launches"] if "kernel" in step]
    choices = " ".join(word for word in (row["dtype"], row["op"], row["data"]) if word)
    return [{"family": row["family"], "problem": row["problem"], "choices": choices,
             "launch": {"kernel": step["kernel"], "grid": step["grid"], "block": step["block"]}}
            for step in launches]


def load_rows(options):
    """The timed rows of the CUDA backend."""
    path = options.run
    if not path:
        path = os.path.join(options.results, "run.json")
        ncu.say("timing %s" % " ".join(options.targets))
        status, output = ncu.call([options.pmpp_run, "run", "--backend=cuda", "--quiet",
                                   "--json=" + path] + options.targets, 1800)
        if status not in (0, 3):
            raise ncu.Unavailable("run failed with exit status %d: %s" %
                                  (status, output.strip()[-400:]))
    with open(path, encoding="utf-8") as file:
        results = json.load(file)["results"]
    return [row for row in results if row["backend"] == "cuda" and row["status"] == "ok" and
            any(t in ("all", row["family"], name_of(row)) for t in options.targets)]


def compare_all(options, results, choices):
    metrics = list(METRICS)
    rows, failed = [], {}
    for index, row in enumerate(results, 1):
        try:
            text = ncu.count(options, choices, metrics, name_of(row), steps_of(row))
            rows.append(compare(row, ncu.parse_table(text, METRICS)))
            outcome = "%(pmpp)s, ncu: %(ncu)s" % rows[-1]
        except ncu.Failure as failure:
            failed[name_of(row)] = outcome = str(failure)
        ncu.say("[%d/%d] %s: %s" % (index, len(results), name_of(row), outcome))
    return rows, failed


# ---- Output ---------------------------------------------------------------------------------

def format_rows(rows):
    lines = ["%-30s %-22s %-11s %s" % ("variant", "pmpp", "ncu", "use in percent by ncu")]
    for row in rows:
        limit = row["limited_by"] or "unknown"
        if row["floor"] and row["floor"] != limit:
            limit += " (%s %.0f %%)" % (row["floor"], 100 * row["share"])
        use = ", ".join("%s %.0f" % item for item in row["use_percent"].items())
        lines.append("%-30s %-22s %-11s %s%s" % (row["variant"], limit, row["ncu"], use,
                                                 "" if row["pmpp"] == row["ncu"] else "  differs"))
    return lines


def format_table(rows):
    """A table of counts. Rows: answers of ncu. Columns: answers of pmpp-run."""
    used = [a for a in ANSWERS if any(a in (row["pmpp"], row["ncu"]) for row in rows)]
    lines = ["%-14s" % "ncu \\ pmpp" + "".join("%12s" % a for a in used)]
    for answer in used:
        counts = [sum(row["ncu"] == answer and row["pmpp"] == a for row in rows) for a in used]
        lines.append("%-14s" % answer + "".join("%12s" % (n or "-") for n in counts))
    return lines


def write(options, counted_by, rows, failed):
    lines = format_rows(rows) + [""] + format_table(rows) + [""]
    lines += ["not counted: %s: %s" % item for item in failed.items()]
    lines.append("%d of %d agree; %d not counted" % (agreement(rows), len(rows), len(failed)))
    with open(os.path.join(options.results, "limits.txt"), "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    with open(os.path.join(options.results, "limits.json"), "w", encoding="utf-8") as out:
        json.dump({"schema": "pmpp-ncu-limits/1", "versions": counted_by, "rows": rows,
                   "failed": failed}, out, indent=1)
        out.write("\n")
    print("\n".join(lines), flush=True)


def parse_options(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pmpp-run", default="build/pmpp-run", metavar="PATH")
    parser.add_argument("--ncu", default="ncu", metavar="PATH")
    parser.add_argument("--results", default="build/ncu-limits", metavar="FOLDER")
    parser.add_argument("--run", metavar="FILE", help="result file of `run --backend=cuda`")
    parser.add_argument("--reuse", action="store_true", help="read the tables in FOLDER/ncu")
    parser.add_argument("targets", nargs="*", metavar="FAMILY[/VARIANT]")
    options = parser.parse_args(arguments)
    options.targets = options.targets or ["all"]
    return options


def main(arguments):
    options = parse_options(arguments)
    os.makedirs(os.path.join(options.results, "ncu"), exist_ok=True)
    try:
        results = load_rows(options)
        if not results:
            raise ncu.Unavailable("no variant of %s was timed" % " ".join(options.targets))
        choices = {} if options.reuse else ncu.load_choices(options)
        rows, failed = compare_all(options, results, choices)
        counted_by = ncu.versions(options, "limits.json")
    except (OSError, ValueError, KeyError, ncu.Failure, ncu.Unavailable) as error:
        ncu.say("ncu_limits.py: %s" % error)
        return 2
    write(options, counted_by, rows, failed)
    return 0 if is_good(rows) and not failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
