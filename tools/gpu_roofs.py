#!/usr/bin/env python3
"""Checks the roofs of an NVIDIA GPU, and the shares of them that rows reach. Used by gpu_summary.py.

usage: gpu_roofs.py FOLDER BACKENDS

For each of the BACKENDS ("cuda,opencl"), FOLDER has roofs-BACKEND-1.json, roofs-BACKEND-2.json (two
measurements of `roofline`) and families-BACKEND.json (`run all`). memory-peers.json is a run of
coalesce and reduce with --peers; without it the memory is not checked. Prints a line for each check.
"""
import json
import os
import sys

MIN_OF_UNITS = 0.95   # roof / (units x clock)
MIN_OF_PEER = 0.98    # roof / the best peer in the same session
MAX_L2_SPREAD = 0.02  # largest / smallest roof of the second-level cache - 1, all measurements
MAX_SHARE = 102       # %roof
MEASUREMENTS = (1, 2)

# Work per cycle and multiprocessor, by compute capability. Arithmetic: CUDA C++ Programming Guide,
# table "Throughput of Native Arithmetic Instructions"; a multiply-add is two operations. Integers: 64
# logic operations, and 64 multiply-adds in other units. Shared memory: 32 banks of 4 bytes.
UNITS = {"sm_90": {"fma_gflops.f32": 2 * 128, "fma_gflops.f16": 2 * 256, "fma_gflops.f64": 2 * 64,
                   "integer_gops": 64 + 64, "special_gops": 16, "shared_gbps": 32 * 4}}
# The same for dense products of tensor cores, and the clock in MHz of the published rates (NVIDIA H100
# Tensor Core GPU data sheet, SXM: 989.4 and 494.7 TFLOP/s of 132 multiprocessors). At full rate the
# power limit lowers the clock below the maximum.
TENSOR = {"sm_90": {"tensor_gflops.f16": 4096, "tensor_gflops.tf32": 2048}}
TENSOR_MHZ = {"sm_90": 1830}


def figure(roofs, name):
    for part in name.split("."):
        roofs = (roofs or {}).get(part)
    return roofs


def check_units(backend, view):
    """Each roof against units x clock. OpenCL may have no roofs of f16 and of tensor cores."""
    arch, limits, roofs = view["arch"], view["limits"], view.get("roofs")
    gigahertz = limits["clock_mhz"] / 1e3
    peaks = {name: units * gigahertz for name, units in UNITS[arch].items()}
    peaks.update({name: units * TENSOR_MHZ[arch] / 1e3 for name, units in TENSOR[arch].items()})
    for name, peak in peaks.items():
        peak *= limits["compute_units"]
        value = figure(roofs, name)
        title = "%s: roof of %s / (units x clock)" % (backend, name)
        if value is None:
            optional = backend == "opencl" and (name in TENSOR[arch] or name == "fma_gflops.f16")
            yield (None if optional else False), title, "unknown"
        else:
            yield value >= MIN_OF_UNITS * peak, title, "%.0f of %.0f, %.3f" % (
                value, peak, value / peak)


def check_memory(backend, roofs, peers):
    for name, peer in peers.items():
        value = figure(roofs, name + "_gbps")
        yield (value or 0) >= MIN_OF_PEER * peer, "%s: roof of %s / best peer" % (backend, name), (
            "%s of %.0f GB/s, %.3f" % ("%.0f" % value if value else "unknown", peer,
                                       (value or 0) / peer))


def check_l2(values):
    known = [value for value in values if value]
    spread = max(known) / min(known) - 1 if known else None
    return (spread is not None and len(known) == len(values) and spread <= MAX_L2_SPREAD,
            "roof of the second-level cache: spread",
            "%s GB/s" % ", ".join("%.0f" % value if value else "unknown" for value in values))


def share(row):
    """%roof. A row that a cache limits shows its share of the memory roof; its floor counts here."""
    derived = row.get("derived") or {}
    if derived.get("limited_by") == "cache":
        return 100 * ((derived.get("floor") or {}).get("share") or 0)
    return derived.get("pct_roof") or 0


def check_shares(backend, rows):
    shares = sorted(((share(row), "%s/%s" % (row["family"], row["variant"])) for row in rows
                     if row["status"] == "ok"), reverse=True)
    above = [name for value, name in shares if value > MAX_SHARE]
    yield not above, "%s: no %%roof above %d" % (backend, MAX_SHARE), ", ".join(
        "%s %.1f" % (name, value) for value, name in shares[:max(3, len(above))])


def read_peers(path):
    """{"copy": GB/s of the driver's copy, "read": GB/s of CUB's sum}; empty without the file."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        rates = {row["variant"]: row["derived"].get("gbps") for row in json.load(file)["results"]
                 if row.get("peer") and row["status"] == "ok"}
    return {name: rates[peer] for name, peer in (("copy", "driver-copy"), ("read", "cub"))
            if rates.get(peer)}


def check(folder, backends):
    """Yields (passed, name, detail) of each check; passed is None for a check that is skipped."""
    def load(name):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return json.load(file)

    peers = read_peers(os.path.join(folder, "memory-peers.json"))
    l2 = []
    for backend in backends:
        views = [load("roofs-%s-%d.json" % (backend, number))["devices"][0]["views"][backend]
                 for number in MEASUREMENTS]
        yield from check_shares(backend, load("families-%s.json" % backend)["results"])
        if views[0].get("arch") not in UNITS:
            yield None, "%s: roofs" % backend, "no table of units for %s" % views[0].get("arch")
            continue
        l2 += [figure(view.get("roofs"), "l2_gbps") for view in views]
        for view in views:
            yield from check_units(backend, view)
            yield from check_memory(backend, view.get("roofs"), peers)
    if l2 and not peers:
        yield None, "roofs of the memory / best peer", "no memory-peers.json"
    if l2:
        yield check_l2(l2)


def main():
    failed = 0
    for passed, name, detail in check(sys.argv[1], sys.argv[2].split(",")):
        failed += passed is False
        print("%-7s %s: %s" % ("skipped" if passed is None else "passed" if passed else "failed",
                               name, detail))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
