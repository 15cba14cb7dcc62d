#!/usr/bin/env python3
"""Compares the results of tools/gpu-check.sh with the limits of the project.

usage: gpu_summary.py FOLDER STEPS BACKENDS SIZES LARGE

FOLDER has verify-*.json, run-*.json and families-*.json for each of the BACKENDS ("cuda,opencl"). With
both backends it also has parity.json and families-parity.json. With CUDA it has the files of
gpu_roofs.py. STEPS is a file with one line for each
step: "passed NAME" or "rows N passed, N failed, N skipped". SIZES are the verified sizes of matmul
("1,37"), and LARGE is the size whose times are checked. Writes
FOLDER/summary.json. Prints the figures, and the counts over all rows on the last line.

A row that the device cannot run is skipped, with its reason. On a device without CUDA no time is
checked.
"""
import json
import os
import re
import sys

import gpu_roofs

MIN_ROWS = 11               # rungs of matmul that every NVIDIA GPU runs
MIN_SHARE_OF_CUBLAS = 0.84  # faster of registers and prefetch, at the large size
# Time of cuBLAS / time of the variant, in turn, at the large size. docs/performance.md has the measured
# ratios.
MIN_RATIOS = {"best": 0.99, "f16-wgmma": 0.92, "tf32-wgmma": 0.95, "f16-mma": 0.55, "tf32-mma": 0.50}
MAX_PARITY = 0.03           # abs(OpenCL / CUDA - 1) of each variant of matmul, at the large size
MAX_FAMILY_PARITY = 0.05    # the same for all families at their default sizes
MIN_FAMILY_SHARE = 0.9      # share of the variants within MAX_FAMILY_PARITY

folder, steps_path = sys.argv[1:3]
BACKENDS = sys.argv[3].split(",")
SIZES = [int(size) for size in sys.argv[4].split(",")]
LARGE = int(sys.argv[5])
HAS_CUDA, HAS_BOTH = "cuda" in BACKENDS, {"cuda", "opencl"} <= set(BACKENDS)
counts = {"passed": 0, "failed": 0, "skipped": 0}
summary = {"schema": "pmpp-gpu-check/1", "device": None, "cublas": {}, "matmul": {}, "parity": {},
           "families": {}, "claims": [], "checks": []}


def check(passed, name, detail=""):
    word = "skipped" if passed is None else "passed" if passed else "failed"
    counts[word] += 1
    summary["checks"].append({"name": name, "result": word, "detail": detail})
    print("%-7s %s%s" % (word, name, ": " + detail if detail else ""))


def load(name):
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        check(False, name, str(error))
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
            check({"passed": True, "failed": False, "skipped": None}[word], name)


def side(problem):
    return problem["m"] if len(set(problem.values())) == 1 else None


def skip_row(backend, row, seen):
    """Counts a row that the device cannot run, once for each variant and reason."""
    name = "%s/%s" % (row["family"], row["variant"])
    if (name, row["reason"]) not in seen:
        seen.add((name, row["reason"]))
        check(None, "%s: %s" % (backend, name), row["reason"] or row["status"])


def check_sizes(backend):
    found, seen = {}, set()
    for row in load("verify-%s.json" % backend)["results"]:
        if row["status"] in ("skipped", "unsupported"):
            skip_row(backend, row, seen)
        else:
            found.setdefault(side(row["problem"]), []).append(row["status"])
    for size in SIZES:
        statuses = found.get(size, [])
        enough = len(statuses) >= (MIN_ROWS if HAS_CUDA else 1)
        check(enough and set(statuses) == {"ok"}, "%s: all verified at n = %d" %
              (backend, size), "%d of %d rows" % (statuses.count("ok"), len(statuses)))


def check_parity():
    found = [p for p in load("parity.json")["parity"]
             if p["ratio"] is not None or p["bit_identical"]]
    check(len(found) >= MIN_ROWS, "parity: rows", str(len(found)))
    for row in found:
        ratio = row["ratio"]
        summary["parity"][row["variant"]] = {"ratio": ratio, "ci95": row["ci95"],
                                             "bit_identical": row["bit_identical"]}
        holds = ratio is not None and abs(ratio - 1) <= MAX_PARITY and bool(row["bit_identical"])
        check(holds, "parity %s" % row["variant"], "OpenCL / CUDA %s, bits %s" %
              ("%.3f" % ratio if ratio else "untimed",
               "identical" if row["bit_identical"] else "DIFFER"))


def check_ratio(row, peer):
    """The ratio of a row of MIN_RATIOS to cuBLAS. The bounds are for the large size only."""
    name = "%s / %s at n = %d" % (row["variant"], peer["variant"], side(row["problem"]))
    detail = "%.3f" % peer["ratio"]
    if peer["ci95"]:
        detail += ", 95 %%: %.3f to %.3f" % tuple(peer["ci95"])
    check(peer["ratio"] >= MIN_RATIOS[row["variant"]] or side(row["problem"]) != LARGE, name, detail)


def read_cublas():
    """{n: GFLOP/s} of cuBLAS in full precision. Judges the variants of MIN_RATIOS: at the large size
    each that the device runs needs a ratio, unless cuBLAS did not run."""
    results = load("run-cuda.json")["results"]
    best = {side(row["problem"]): row["derived"]["gflops"] for row in results
            if row.get("peer") and row["variant"] == "cublas-f32" and row["status"] == "ok"}
    for row in results:
        if row["variant"] not in MIN_RATIOS or row["status"] != "ok":
            continue
        peers = [peer for peer in row.get("peers") or []
                 if peer["variant"].startswith("cublas-") and peer["ratio"] is not None]
        for peer in peers:
            check_ratio(row, peer)
        if not peers and side(row["problem"]) == LARGE:
            check(False if best else None, "%s / cuBLAS at n = %d" % (row["variant"], LARGE),
                  "no ratio" if best else "no cuBLAS")
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
        if row["status"] != "ok" or not gflops or row.get("peer"):
            continue
        summary["matmul"].setdefault(backend, {}).setdefault(str(size), {})[row["variant"]] = gflops
        print("        %-7s n = %-5d %-18s %9.1f GFLOP/s" % (backend, size, row["variant"], gflops))
        if row["variant"] in ("registers", "prefetch") or not HAS_CUDA:
            best[size] = max(best.get(size, 0), gflops)
    for size in sorted(best):
        if size not in cublas:
            check(None, "%s: share of cuBLAS at n = %d" % (backend, size), "no cuBLAS")
            continue
        share = best[size] / cublas[size]
        detail = "%.1f of %.1f TFLOP/s, %.3f" % (best[size] / 1e3, cublas[size] / 1e3, share)
        # The limit is for the large size only.
        check(share >= MIN_SHARE_OF_CUBLAS if size == LARGE else True,
              "%s: share of cuBLAS at n = %d" % (backend, size), detail)
    if LARGE not in best:
        check(False, "%s: times at n = %d" % (backend, LARGE), "none")


def rate(row):
    """The rate that the table of the family shows."""
    derived = row.get("derived") or {}
    for field in ("metric", "gbps"):
        if derived.get(field):
            return "%.4g %s" % (derived[field], derived.get("metric_name") or "GB/s"
                                if field == "metric" else "GB/s")
    return "-"


def check_families(backend):
    """No row failed. Rows may be skipped or unsupported. Claims are printed and not checked."""
    bad, seen = [], set()
    for row in load("families-%s.json" % backend)["results"]:
        name = "%s/%s" % (row["family"], row["variant"])
        median = ((row.get("timing") or {}).get((row.get("timing") or {}).get("primary") or "cold")
                  or {}).get("median")
        summary["families"].setdefault(name, {})[backend] = {
            "status": row["status"], "median_ns": median, "reason": row["reason"]}
        if row["status"] in ("skipped", "unsupported"):
            skip_row(backend, row, seen)
        elif row["status"] != "ok":
            bad.append("%s %s" % (name, row["status"]))
        print("        %-7s %-28s %-12s %12s us  %s" % (
            backend, name, row["status"], "%.1f" % (median / 1e3) if median else "-", rate(row)))
        claim = row.get("claim")
        if claim:
            summary["claims"].append(dict(claim, row=name, backend=backend))
            print("        claim   %-28s %s: observed %s, 95 %%: %s, in turn: %s: %s" % (
                name, claim["text"], claim["observed"], claim.get("ci95"),
                claim.get("paired"), claim.get("verdict") or "n/a"))
    check(not bad, "%s: every family" % backend, ", ".join(bad[:8]))


def check_family_parity():
    within, others = 0, []
    for row in load("families-parity.json")["parity"]:
        ratio = row["ratio"]
        if ratio is None:
            continue
        name = "%s/%s" % (row["family"], row["variant"])
        summary["families"].setdefault(name, {})["ratio"] = ratio
        summary["families"][name]["bit_identical"] = row["bit_identical"]
        if abs(ratio - 1) <= MAX_FAMILY_PARITY:
            within += 1
        else:
            others.append("%s %.3f" % (name, ratio))
    count = within + len(others)
    check(count > 0 and within >= MIN_FAMILY_SHARE * count, "families: OpenCL / CUDA within 5 %",
          "%d of %d; outside: %s" % (within, count, ", ".join(others) or "none"))


read_steps()
for name in BACKENDS:
    check_sizes(name)
if HAS_BOTH:
    check_parity()
peer = read_cublas() if HAS_CUDA else {}
for name in BACKENDS:
    check_speed(name, peer)
for name in BACKENDS:
    check_families(name)
if HAS_BOTH:
    check_family_parity()
if HAS_CUDA:
    for finding in gpu_roofs.check(folder, BACKENDS):
        check(*finding)
with open(os.path.join(folder, "summary.json"), "w", encoding="utf-8") as out:
    json.dump(dict(summary, counts=counts), out, indent=1)
    out.write("\n")
print("%(passed)d passed, %(failed)d failed, %(skipped)d skipped" % counts)
sys.exit(1 if counts["failed"] else 0)
