#!/usr/bin/env python3
"""Judges what tools/gpu-check.sh left, against the project's bars.

usage: gpu_summary.py FOLDER STEPS

FOLDER holds verify-*.json, parity.json, run-*.json and cublas.jsonl; STEPS has a line for each step
("passed NAME", "rows N passed, N failed, N skipped"). Writes FOLDER/summary.json, prints the figures
and, last, the counts over all rows.
"""
import json
import os
import re
import sys

BACKENDS = ("cuda", "opencl")
SIZES = (1, 37, 1000, 2048, 4096)
LEAST_OF_CUBLAS = 0.84  # the best of registers and prefetch, at 4096
PARITY = 0.03           # OpenCL / CUDA within 1 +- this, at 4096

folder, steps_path = sys.argv[1:]
counts = {"passed": 0, "failed": 0, "skipped": 0}
summary = {"schema": "pmpp-gpu-check/1", "device": None, "cublas": {}, "matmul": {}, "parity": {},
           "checks": []}


def judge(passed, name, detail=""):
    word = "skipped" if passed is None else "passed" if passed else "failed"
    counts[word] += 1
    summary["checks"].append({"name": name, "result": word, "detail": detail})
    print("%-7s %s%s" % (word, name, ": " + detail if detail else ""))


def load(name):
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        judge(False, name, str(error))
        return {"results": [], "parity": [], "devices": []}


def read_steps():
    with open(steps_path, encoding="utf-8") as file:
        for line in file:
            match = re.match(r"rows (\d+) passed, (\d+) failed, (\d+) skipped", line)
            if match:
                for word, number in zip(("passed", "failed", "skipped"), match.groups()):
                    counts[word] += int(number)
                continue
            word, name = line.rstrip("\n").split(" ", 1)
            judge({"passed": True, "failed": False, "skipped": None}[word], name)


def side(problem):
    return problem["m"] if len(set(problem.values())) == 1 else None


def check_sizes(backend):
    found = {}
    for row in load("verify-%s.json" % backend)["results"]:
        if row["status"] not in ("skipped", "unsupported"):
            found.setdefault(side(row["problem"]), []).append(row["status"])
    for size in SIZES:
        statuses = found.get(size, [])
        judge(len(statuses) >= 11 and set(statuses) == {"ok"}, "%s: all verified at n = %d" %
              (backend, size), "%d of %d rows" % (statuses.count("ok"), len(statuses)))


def check_parity():
    found = [p for p in load("parity.json")["parity"] if p["ratio"] is not None or p["bit_identical"]]
    judge(len(found) >= 11, "parity: rows", str(len(found)))
    for row in found:
        ratio = row["ratio"]
        summary["parity"][row["variant"]] = {"ratio": ratio, "ci95": row["ci95"],
                                             "bit_identical": row["bit_identical"]}
        judge(ratio is not None and abs(ratio - 1) <= PARITY and bool(row["bit_identical"]),
              "parity %s" % row["variant"], "OpenCL / CUDA %s, bits %s" %
              ("%.3f" % ratio if ratio else "untimed",
               "identical" if row["bit_identical"] else "DIFFER"))


def read_cublas():
    """{n: best GFLOP/s}."""
    best = {}
    try:
        with open(os.path.join(folder, "cublas.jsonl"), encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                best[row["n"]] = max(best.get(row["n"], 0), row["gflops"])
    except (OSError, ValueError) as error:
        judge(False, "cublas.jsonl", str(error))
    summary["cublas"] = {str(n): gflops for n, gflops in best.items()}
    return best


def check_speed(backend, cublas):
    document = load("run-%s.json" % backend)
    names = [d["name"] for d in document["devices"]]
    summary["device"] = names[0] if names else None
    best = {}
    for row in document["results"]:
        gflops = (row.get("derived") or {}).get("gflops")
        size = side(row["problem"])
        if row["status"] != "ok" or not gflops:
            continue
        summary["matmul"].setdefault(backend, {}).setdefault(str(size), {})[row["variant"]] = gflops
        print("        %-7s n = %-5d %-18s %9.1f GFLOP/s" % (backend, size, row["variant"], gflops))
        if row["variant"] in ("registers", "prefetch"):
            best[size] = max(best.get(size, 0), gflops)
    for size in sorted(best):
        if size not in cublas:
            judge(None, "%s: share of cuBLAS at n = %d" % (backend, size), "no cuBLAS")
            continue
        share = best[size] / cublas[size]
        detail = "%.1f of %.1f TFLOP/s, %.3f" % (best[size] / 1e3, cublas[size] / 1e3, share)
        # The bar is at 4096; 2048 is told beside it.
        judge(share >= LEAST_OF_CUBLAS if size == 4096 else True,
              "%s: share of cuBLAS at n = %d" % (backend, size), detail)
    if 4096 not in best:
        judge(False, "%s: times at n = 4096" % backend, "none")


read_steps()
for name in BACKENDS:
    check_sizes(name)
check_parity()
peer = read_cublas()
for name in BACKENDS:
    check_speed(name, peer)
with open(os.path.join(folder, "summary.json"), "w", encoding="utf-8") as out:
    json.dump(dict(summary, counts=counts), out, indent=1)
    out.write("\n")
print("%(passed)d passed, %(failed)d failed, %(skipped)d skipped" % counts)
sys.exit(1 if counts["failed"] else 0)
