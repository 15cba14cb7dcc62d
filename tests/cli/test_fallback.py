"""Tiles that do not fit a device. The test runs under other vendors' OpenCL for the CPU, whose local
memory is smaller than PoCL's (tests/support/implementations.py): Intel's has 256 KiB, rusticl 32 KiB."""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from command import expect, json_of, pmpp, rows

# Rows whose default needs more than 32 KiB of local memory on every device that runs them.
ROWS = ["matmul/coarse8", "matmul/prefetch", "matmul/cpu-packed"]
# The point of these rows is the local memory that a block holds: no smaller value is declared.
HELD = re.compile(r"occupancy/resident\d+$")
# The rows that need much local memory; the tests kernels-* run the others on the same drivers.
LARGE = ["matmul", "occupancy", "window", "transpose", "histogram/replicated"]
# Each of rusticl's kernels takes seconds to compile.
LARGE_RUSTICL = ["matmul/coarse8", "matmul/prefetch", "matmul/registers"] + LARGE[1:]


def devices():
    """{"opencl:0.0": (name, bytes of local memory)} of the OpenCL devices."""
    found = {}
    for device in json_of(expect(0, "devices", "--json"))["devices"]:
        for backend, view in device["views"].items():
            if backend == "opencl":
                found["opencl:" + view["index"]] = (device["name"], view["limits"]["shared_bytes"])
    return found


def verified(label, *arguments):
    """{"matmul/tiled16": row} of a verification at one small size."""
    result = pmpp("verify", *arguments, "--device=" + label, "--size=33", "--json=-", "--timeout=600")
    rows.check(result.returncode in (0, 3), result.stderr)
    return {row["family"] + "/" + row["variant"]: row for row in json_of(result)["results"]}


def no_row_is_left(label, name):
    """No row is `unsupported` where a smaller declared tile fits."""
    targets = LARGE_RUSTICL if "llvmpipe" in name else LARGE
    found = verified(label, *targets)
    rows.check(len(found) > 20, "%d rows" % len(found))
    for row_name, row in found.items():
        if row["status"] == "unsupported":
            rows.check(HELD.match(row_name), "%s: %s" % (row_name, row["reason"]))
        if "fallback" in row:
            rows.note("%s: %s" % (row_name, row["fallback"]))
            rows.equal(row["status"], "ok", row_name)


def smaller_tiles(label, shared_bytes):
    """The row has the values that ran, and the replaced values with the limit."""
    for name in ROWS:
        if name == "matmul/cpu-packed" and shared_bytes < 65536:
            continue # rusticl takes a minute to compile it
        row = verified(label, name)[name]
        rows.equal(row["status"], "ok", name)
        fits = row["resources"]["shared_bytes"]
        rows.check(fits is None or fits <= shared_bytes, "%s: %s bytes" % (name, fits))
        for macro, value, larger in re.findall(r"(\w+)=(\d+) instead of (\d+)", row.get("fallback", "")):
            rows.equal(row["macros"][macro], int(value), macro)
            rows.check(int(value) < int(larger), row["fallback"])
        if shared_bytes < 49152 or (name == "matmul/cpu-packed" and shared_bytes < 823296):
            rows.check("fallback" in row, name)
            rows.check(str(shared_bytes) in row["fallback"], row["fallback"])


def texts(label):
    result = expect(0, "verify", "matmul/prefetch", "--device=" + label, "--size=5")
    rows.check("all elements; TILE_N=128 instead of 256: " in " ".join(result.stdout.split()), result.stdout)
    # The user's value stays.
    result = pmpp("verify", "matmul/prefetch", "--device=" + label, "--size=5", "--set", "TILE_N=256",
                  "--set", "TILE_M=128", "--set", "TILE_K=16", "--set", "THREAD_M=8", "--set", "THREAD_N=16")
    rows.check("unsupported" in result.stdout and "fallback" not in result.stdout, result.stdout)


FOUND = devices()
for spec, (title, local_bytes) in FOUND.items():
    rows.row("no row is unsupported where a smaller tile fits: " + title, no_row_is_left, spec, title)
    rows.row("smaller tiles: " + title, smaller_tiles, spec, local_bytes)
    if local_bytes < 49152:
        rows.row("texts: " + title, texts, spec)
rows.finish()
