#!/usr/bin/env python3
"""Compares the counts of `pmpp-run explain` with those of NVIDIA Nsight Compute (ncu) on a GPU.

usage: ncu_compare.py [--pmpp-run=PATH] [--ncu=PATH] [--results=FOLDER] [--trace=FILE] [--reuse]
                      [--nvdisasm=PATH] [FAMILY[/VARIANT]...]

Each traced variant runs once under ncu with the traced problem: ncu counts the first launches of
`pmpp-run verify`, which are one run of the variant.

FOLDER receives trace.json, ncu/FAMILY-VARIANT.csv (the output of ncu), comparison.txt and
comparison.json. --trace reads a file of `pmpp-run explain --blocks=all --json` instead of a new
trace. --reuse reads the tables of ncu in FOLDER, or the counters in FOLDER/comparison.json if there
are no tables. With both options no GPU is needed.

The trace counts the accesses of the source. If a counter differs, the machine code is executed
without a GPU (tools/sass), and its instructions are counted. If this count is within 2 % of that of
ncu, it is the reason. Otherwise the difference is unexplained.

Exit status: 0; 1 if a counter that must be equal is not equal, or a variant was not counted; 2 if
there is nothing to compare, or ncu has no permission to read the counters.
"""
import argparse
import csv
import fnmatch
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from sass import counts as machine_code

CLOSE = 0.02           # maximum difference / trace for "within 2 %"
RATIO_DIGITS = 0.0051  # maximum rounding error: ncu prints ratios with two digits
LIMIT_S = 180          # time limit of one call of ncu
# The global requests and sectors of these variants must be equal to those of the trace.
EXACT = ("coalesce/*", "traverse/*", "transpose/*", "matmul/naive*", "matmul/tiled*",
         "matmul/corner-turned")

GLOBAL = "l1tex__t_%s_pipe_lsu_mem_global_op_%s.sum"
SHARED = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_%s.sum"


def summed(space, kind, per_request=None):
    """The sum over the accesses of a launch: requests, or requests times per_request."""
    def value(launch):
        return round(sum(a["requests"] * (a[per_request] if per_request else 1)
                         for a in launch["accesses"]
                         if a["space"] == space and a["kind"] == kind))
    return value


def threads(launch):
    return 32 * launch["simt_efficiency"]


def divergent(launch):
    return sum(branch["divergent"] for branch in launch["branches"])


# (name, value of the trace, metrics of ncu with the same sum)
COUNTERS = (
    ("global load requests", summed("global", "load"), (GLOBAL % ("requests", "ld"),)),
    ("global load sectors", summed("global", "load", "sectors_per_request"),
     (GLOBAL % ("sectors", "ld"),)),
    ("global store requests", summed("global", "store"), (GLOBAL % ("requests", "st"),)),
    ("global store sectors", summed("global", "store", "sectors_per_request"),
     (GLOBAL % ("sectors", "st"),)),
    ("global atomic requests", summed("global", "atomic"),
     (GLOBAL % ("requests", "atom"), GLOBAL % ("requests", "red"))),
    ("global atomic sectors", summed("global", "atomic", "sectors_per_request"),
     (GLOBAL % ("sectors", "atom"), GLOBAL % ("sectors", "red"))),
    ("shared load wavefronts", summed("shared", "load", "wavefronts_per_request"),
     (SHARED % "ld",)),
    ("shared store wavefronts", summed("shared", "store", "wavefronts_per_request"),
     (SHARED % "st",)),
    ("shared atomic wavefronts", summed("shared", "atomic", "wavefronts_per_request"),
     (SHARED % "atom",)),
    ("threads an instruction", threads, ("smsp__thread_inst_executed_per_inst_executed.ratio",)),
    ("threads predicated on", threads,
     ("smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",)),
    ("divergent branches", divergent, ("smsp__sass_branch_targets_threads_divergent.sum",)),
)
UNEXPLAINED = "unexplained"
MUST_BE_EQUAL = ("global load requests", "global load sectors", "global store requests",
                 "global store sectors")
# Further metrics, which explain differences. The trace does not have them. ncu does not count
# asynchronous copies and spills as global loads.
OTHERS = ("smsp__inst_executed.sum",
          "sm__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts.sum",
          "sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum",
          "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
          "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum")
METRICS = tuple(m for _, _, metrics in COUNTERS for m in metrics) + OTHERS


class Failure(Exception):
    """A variant that could not be counted."""


class Unavailable(Exception):
    """Nothing can be counted on this machine."""


def say(text):
    print(text, file=sys.stderr, flush=True)


# ---- Output of ncu --------------------------------------------------------------------------

def number(text):
    """"1,234.5": 1234.5; None where ncu has no value ("n/a", "nan", an empty field)."""
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None


def extents(text):
    """"(64, 2, 1)": [64, 2, 1]; None for an absent field."""
    return [int(digits) for digits in re.findall(r"\d+", text)] if text else None


def parse_table(text, metrics=METRICS):
    """The launches of the raw page of ncu: [{kernel, grid, block, metrics {name: number}}].

    The table has a line of names, a line of units without an ID, and one line for each launch.
    Messages of ncu may be before and after the table."""
    lines = [line for line in text.splitlines() if not line.startswith("==")]
    while lines and not lines[0].replace('"', "").startswith("ID,"):
        lines.pop(0)
    rows = csv.reader(lines)
    names = next(rows, [])
    launches = []
    for fields in rows:
        row = dict(zip(names, fields))
        if not row.get("ID", "").isdigit():
            continue
        launches.append({
            "kernel": row.get("Kernel Name", "").split("(")[0].strip(),
            "grid": extents(row.get("Grid Size")), "block": extents(row.get("Block Size")),
            "metrics": {name: number(row[name]) for name in metrics if name in row}})
    return launches


def complaints(text):
    return [line for line in text.splitlines() if line.startswith("==ERROR==")]


def unknown_metrics(text, metrics):
    """The metrics that ncu reports as unknown."""
    words = {word.strip(".,;:'\"") for line in complaints(text) if "metric" in line
             for word in line.split()}
    return [name for name in metrics if name in words]


# ---- Comparison -----------------------------------------------------------------------------

def judge(trace, counted, ratio):
    """(deviation in percent or None, verdict)"""
    if counted is None:
        return None, "unknown"
    difference = counted - trace
    deviation = 100 * difference / trace if trace else None if difference else 0.0
    if abs(difference) <= (RATIO_DIGITS if ratio else 0):
        return deviation, "equal"
    if trace and abs(difference) <= CLOSE * trace:
        return deviation, "within 2 %"
    return deviation, "differs"


def reason_of(name, counted, code, ratio):
    """The reason of a difference. code: the counts of the executed machine code; None: unknown."""
    if code is None or counted is None:
        return UNEXPLAINED
    value = machine_code.value(code, name)
    text = "machine code: %s%s" % (figure(value), machine_code.instructions(code, name))
    return text if judge(value, counted, ratio)[1] != "differs" else UNEXPLAINED + "; " + text


def same_launch(traced, counted):
    """Checks that ncu counted the traced launch."""
    for field in ("kernel", "grid", "block"):
        if counted[field] is not None and counted[field] != traced[field]:
            raise Failure("ncu counted %s, grid %s, block %s; trace: %s, grid %s, block %s" % (
                counted["kernel"], counted["grid"], counted["block"], traced["kernel"],
                traced["grid"], traced["block"]))


def compare_launch(variant, traced, counted, code):
    """The rows of one launch. A counter that is zero on both sides has no row."""
    same_launch(traced["launch"], counted)
    rows = []
    for name, value, metrics in COUNTERS:
        trace = value(traced)
        parts = [counted["metrics"].get(metric) for metric in metrics]
        total = None if None in parts else sum(parts)
        if trace == 0 and total == 0:
            continue
        deviation, verdict = judge(trace, total, metrics[0].endswith(".ratio"))
        rows.append({
            "variant": variant, "launch": traced["launch"]["index"], "metric": name,
            "trace": trace, "ncu": total, "deviation_percent": deviation, "verdict": verdict,
            "must_be_equal": name in MUST_BE_EQUAL and
            any(fnmatch.fnmatch(variant, pattern) for pattern in EXACT),
            "reason": reason_of(name, total, code, metrics[0].endswith(".ratio"))
            if verdict == "differs" else None})
    return rows


def compare_variant(variant, launches, table, execute):
    """execute: a function that returns the counts of the machine code of the launches."""
    if len(table) < len(launches):
        raise Failure("ncu counted %d of %d launches" % (len(table), len(launches)))
    codes = [None] * len(launches)
    rows = compare_launches(variant, launches, table, codes)
    if any(row["verdict"] == "differs" for row in rows):
        codes = execute(variant, launches) or codes
        rows = compare_launches(variant, launches, table, codes)
    return rows


def compare_launches(variant, launches, table, codes):
    return [row for traced, counted, code in zip(launches, table, codes)
            for row in compare_launch(variant, traced, counted, code)]


def is_unexplained(row):
    return (row["reason"] or "").startswith(UNEXPLAINED)


def is_wrong(row):
    return row["must_be_equal"] and row["verdict"] != "equal"


# ---- Running --------------------------------------------------------------------------------

def call(command, limit_s):
    """(exit status, output). Kills the command and its children after limit_s seconds."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", start_new_session=True,
                               env=dict(os.environ, LC_ALL="C"))
    try:
        output, _ = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise Failure("killed after %d s" % limit_s) from None
    return process.returncode, output


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def make_trace(options, path):
    say("tracing %s" % " ".join(options.targets))
    # cuda-emu: the trace needs no GPU and no times.
    status, output = call([options.pmpp_run, "explain", "--backend=cuda-emu", "--blocks=all",
                           "--quiet", "--json=" + path] + options.targets, 1800)
    if status != 0:
        raise Unavailable("explain failed with exit status %d: %s" %
                          (status, output.strip()[-400:]))


def load_trace(options):
    """{variant: its launches in order}, for the variants with a complete trace."""
    path = options.trace
    if not path:
        path = os.path.join(options.results, "trace.json")
        make_trace(options, path)
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    variants = {}
    for entry in document["explanations"]:
        name = "%s/%s" % (entry["family"], entry["variant"])
        if entry.get("accesses") is None or entry.get("no_trace") or entry.get("estimated"):
            continue
        if any(t in ("all", entry["family"], name) for t in options.targets):
            variants.setdefault(name, []).append(entry)
    return {name: launches for name, launches in variants.items()
            if len(launches) == launches[0]["launch"]["count"]}


def load_choices(options):
    """{family: {value: option}}, such as {"vecadd": {"u8": "--dtype"}}. An option with only one
    value is left out."""
    _, output = call([options.pmpp_run, "list", "--json"], 60)
    fields = (("--dtype", "dtypes"), ("--op", "ops"), ("--data", "data"))
    return {family["name"]: {value: option for option, field in fields
                             if len(family[field]) > 1 for value in family[field]}
            for family in json.loads(output)["families"]}


def launch_command(options, choices, variant, launches):
    """The command whose first launches are those of the trace."""
    first = launches[0]
    problem = ",".join("%s=%d" % item for item in first["problem"].items())
    chosen = ["%s=%s" % (choices[first["family"]][word], word)
              for word in first["choices"].split() if word in choices[first["family"]]]
    return [options.pmpp_run, "verify", "--backend=cuda", "--no-isolate", "--quiet",
            "--size=" + problem] + chosen + [variant]


def ncu_command(options, launches, metrics, log):
    kernels = sorted({entry["launch"]["kernel"] for entry in launches})
    return [options.ncu, "--clock-control", "none", "--csv", "--page", "raw", "--print-units",
            "base", "--log-file", log, "--metrics", ",".join(metrics), "--launch-count",
            str(len(launches)), "--kernel-name", "regex:^(%s)$" % "|".join(kernels)]


def count(options, choices, metrics, variant, launches):
    """The output of ncu for the variant. Removes unknown metrics from the list."""
    log = os.path.join(options.results, "ncu", variant.replace("/", "-") + ".csv")
    if options.reuse:
        return read(log)
    target = launch_command(options, choices, variant, launches)
    while True:
        if os.path.exists(log):
            os.remove(log)
        status, output = call(ncu_command(options, launches, metrics, log) + target, LIMIT_S)
        text = read(log)
        if "ERR_NVGPUCTRPERM" in text + output:
            raise Unavailable("ncu has no permission to read the GPU's counters: run it as root, "
                              "or load the driver with NVreg_RestrictProfilingToAdminUsers=0")
        unknown = unknown_metrics(text + output, metrics)
        if not unknown:
            break
        say("ncu does not know %s" % ", ".join(unknown))
        for name in unknown:
            metrics.remove(name)
    if not parse_table(text):
        said = complaints(text + output) or output.strip().splitlines()[-3:] or ["no message"]
        raise Failure("ncu failed with exit status %d: %s" % (status, " ".join(said)))
    if status != 0:
        say("%s: ncu counted, then failed with exit status %d" % (variant, status))
    return text


def versions(options, document="comparison.json"):
    """The device and the version of ncu as texts, empty if unknown. With --reuse they come from the
    document, because its machine counted the tables."""
    if options.reuse:
        text = read(os.path.join(options.results, document))
        return json.loads(text or "{}").get("versions", {"device": "", "ncu": ""})
    found = {"device": "", "ncu": ""}
    for name, command in (
            ("device", ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]),
            ("ncu", [options.ncu, "--version"])):
        try:
            found[name] = call(command, 60)[1].strip().splitlines()[-1]
        except (OSError, IndexError, Failure):
            pass
    return found


# ---- Output ---------------------------------------------------------------------------------

def figure(value):
    if value is None:
        return "-"
    return "%d" % value if value == int(value) else "%.2f" % value


def format_rows(rows):
    lines = ["%-28s %2s  %-24s %12s %12s %9s  %s" % (
        "variant", "nr", "counter", "trace", "ncu", "deviation", "verdict")]
    for row in rows:
        deviation = row["deviation_percent"]
        verdict = row["verdict"] + (" (must be equal)" if is_wrong(row) else
                                    ": " + row["reason"] if row["reason"] else "")
        lines.append("%-28s %2d  %-24s %12s %12s %9s  %s" % (
            row["variant"], row["launch"], row["metric"], figure(row["trace"]),
            figure(row["ncu"]), "-" if deviation is None else "%.2f %%" % deviation, verdict))
    return lines


def tally(rows):
    verdicts = [row["verdict"] for row in rows]
    return ", ".join("%d %s" % (verdicts.count(word), word)
                     for word in ("equal", "within 2 %", "differs", "unknown")
                     if word in verdicts) or "no counter"


def closing(rows, failed):
    wrong = sum(map(is_wrong, rows))
    unexplained = sum(map(is_unexplained, rows))
    lines = ["not counted: %s: %s" % item for item in failed.items()]
    return lines + ["%s; %d unexplained; %d that must be equal and %s not; %d not counted" % (
        tally(rows), unexplained, wrong, "is" if wrong == 1 else "are", len(failed))]


def write(options, counted_by, rows, counted, failed):
    lines = format_rows(rows) + closing(rows, failed)
    with open(os.path.join(options.results, "comparison.txt"), "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    with open(os.path.join(options.results, "comparison.json"), "w", encoding="utf-8") as out:
        json.dump({"schema": "pmpp-ncu-check/1", "versions": counted_by, "rows": rows,
                   "counted": counted, "failed": failed}, out, indent=1)
        out.write("\n")
    print("\n".join(lines), flush=True)


def tables(options, choices, variants):
    """A function that returns the launches that ncu counted for a variant."""
    saved = {}
    if options.reuse:
        saved = json.loads(read(os.path.join(options.results, "comparison.json")) or "{}").get(
            "counted", {})
    metrics = list(METRICS)

    def table(variant):
        text = count(options, choices, metrics, variant, variants[variant])
        return parse_table(text) or saved.get(variant, [])
    return table


def compare_all(variants, table, execute):
    rows, counted, failed = [], {}, {}
    for index, (variant, launches) in enumerate(variants.items(), 1):
        start = time.monotonic()
        try:
            counted[variant] = table(variant)
            found = compare_variant(variant, launches, counted[variant], execute)
            rows += found
            outcome = tally(found)
        except Failure as failure:
            failed[variant] = outcome = str(failure)
        say("[%d/%d] %s, %.1f s: %s" % (index, len(variants), variant, time.monotonic() - start,
                                        outcome))
    return rows, counted, failed


def executor(options, choices, folder):
    """A function that executes the machine code of the launches of a variant, and returns the
    counts of each launch; None if it cannot be executed."""
    program = shutil.which(options.nvdisasm) or shutil.which(
        os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin", "nvdisasm"))
    if not program:
        say("no nvdisasm: differences are not explained (CUDA Toolkit, or pip install "
            "nvidia-cuda-nvdisasm)")
        return lambda variant, launches: None

    def execute(variant, launches):
        try:
            return machine_code.count(launch_command(options, choices, variant, launches),
                                      program, folder, [entry["launch"] for entry in launches])
        except (machine_code.Failure, OSError, subprocess.SubprocessError) as failure:
            say("%s: machine code: %s" % (variant, failure))
            return None
    return execute


def parse_options(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pmpp-run", default="build/pmpp-run", metavar="PATH")
    parser.add_argument("--ncu", default="ncu", metavar="PATH")
    parser.add_argument("--results", default="build/ncu-check", metavar="FOLDER")
    parser.add_argument("--trace", metavar="FILE", help="JSON file of explain --blocks=all")
    parser.add_argument("--reuse", action="store_true", help="read the tables in FOLDER/ncu")
    parser.add_argument("--nvdisasm", default="nvdisasm", metavar="PATH")
    parser.add_argument("targets", nargs="*", metavar="FAMILY[/VARIANT]")
    options = parser.parse_args(arguments)
    options.targets = options.targets or ["all"]
    return options


def main(arguments):
    options = parse_options(arguments)
    os.makedirs(os.path.join(options.results, "ncu"), exist_ok=True)
    try:
        variants = load_trace(options)
        if not variants:
            raise Unavailable("no trace for any variant of %s" % " ".join(options.targets))
        choices = load_choices(options)
        with tempfile.TemporaryDirectory(prefix="pmpp-ncu-") as folder:
            rows, counted, failed = compare_all(variants, tables(options, choices, variants),
                                                executor(options, choices, folder))
        counted_by = versions(options)
    except (OSError, ValueError, Failure, Unavailable) as error:
        say("ncu_compare.py: %s" % error)
        return 2
    write(options, counted_by, rows, counted, failed)
    return 1 if failed or any(map(is_wrong, rows)) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
