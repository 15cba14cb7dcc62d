"""If memory runs out, the row ends with its reason, and the other rows run.

A limit of address space simulates a small machine. It needs no privileges.
"""
import os
import re
import resource
import subprocess

from command import PROGRAM, environment, expect, json_file, kernel_tree, need, new_path
import rows

ADD = "STORE(C, i, LOAD(A, i) + LOAD(B, i));"
LIMIT = 1 << 30
# The stacks of PoCL's threads must fit in the limit, so a large machine may not use all its CPUs.
FEW_THREADS = {"POCL_MAX_PTHREAD_COUNT": "2", "POCL_CPU_MAX_CU_COUNT": "2"}
# The libraries of other vendors allocate address space when they are loaded.
POCL = "/etc/OpenCL/vendors/pocl.icd"
ONLY_POCL = {"OCL_ICD_VENDORS": POCL} if os.path.exists(POCL) else {}


def limited(*arguments, most=LIMIT, timeout=300):
    """Runs pmpp-run with a limit of address space in bytes. Returns its result and the rows of its file."""
    json_path = new_path("r.json")
    result = subprocess.run(
        [PROGRAM, *arguments, "--json=" + json_path], capture_output=True, text=True, check=False,
        env=environment(**FEW_THREADS, **ONLY_POCL), timeout=timeout,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)))
    rows.check(os.path.exists(json_path), "no result file: exit %d, %s" %
               (result.returncode, result.stderr[-600:]))
    return result, json_file(json_path)["results"]


def sizes(results):
    """[(size, status), ...]"""
    return [(next(iter(r["problem"].values())), r["status"]) for r in results]


def has_both_figures(reason):
    rows.check(re.search(r"needs [\d.]+ [kMG]?B of .*memory; .* [\d.]+ [kMG]?B", reason), reason)


def too_large_row():
    """Each variant has a row in table and file; exit 1; one message for all variants."""
    need("cuda-emu")
    json_path = new_path("r.json")
    result = expect(1, "vecadd", "--size=1099511627776", "--backend=cuda-emu",
                    "--json=" + json_path)
    results = json_file(json_path)["results"]
    rows.check(len(results) > 5, "rows: %d" % len(results))
    for row in results:
        if row["status"] != "skipped":
            rows.equal(row["status"], "unsupported", row["variant"])
            rows.equal(row["error"]["status"], "too large", row["variant"])
            has_both_figures(row["reason"])
    rows.equal(result.stderr.count("needs"), 1, "messages on stderr: " + result.stderr)


def too_large_on_each_device():
    """Each device also skips variants for other reasons. The exit code is still 1."""
    need("opencl")
    need("cuda-emu")
    json_path = new_path("r.json")
    for code, size in ((1, "1000000"), (0, "64")):
        expect(code, "verify", "matmul/naive", "matmul/f16-tensor", "--backend=opencl",
               "--size=" + size)
        expect(code, "verify", "matmul/naive", "matmul/f16-tensor", "--backend=all",
               "--size=" + size, "--json=" + json_path)
        found = {row["status"] for row in json_file(json_path)["results"]
                 if row["backend"] != "cuda"}
        rows.equal(found, {"unsupported" if code else "ok", "skipped"}, "statuses")


def smaller_after_too_large(command, size):
    need("cuda-emu")
    json_path = new_path("r.json")
    expect(1, command, "vecadd/fine", "--dtype=f32", "--backend=cuda-emu",
           "--size=%s,1000" % size, "--json=" + json_path)
    rows.equal(sizes(json_file(json_path)["results"]),
               [(int(size), "unsupported"), (1000, "ok")], "rows")


def host_too_small(command, backend):
    """More memory than this process can allocate: rejected before the allocation."""
    need(backend)
    result, results = limited(command, "vecadd/fine", "--dtype=f32", "--backend=" + backend,
                              "--size=200000000,1000")
    rows.equal(sizes(results), [(200000000, "unsupported"), (1000, "ok")], "rows")
    rows.equal(result.returncode, 1, "exit code")
    has_both_figures(results[0]["reason"])


def default_shrinks(backend):
    """The default size is reduced until it fits, with a note."""
    need(backend)
    free = expect(0, "coalesce/contiguous", "--backend=" + backend, "--json=" + new_path("r.json"))
    rows.check("default size" not in free.stderr, "a note without a reason: " + free.stderr)
    result, results = limited("coalesce/contiguous", "--backend=" + backend)
    rows.equal([status for _, status in sizes(results)], ["ok"], "rows: " + result.stderr)
    rows.equal(result.returncode, 0, "exit code")
    size = sizes(results)[0][0]
    rows.check(size < 1 << 24 and size & (size - 1) == 0, "size %d" % size)
    rows.check("default size" in result.stderr and str(size) in result.stderr,
               "no note: " + result.stderr)


def wrong_before_too_large():
    """A failed verification is never hidden: exit 3."""
    need("cuda-emu")
    tree = kernel_tree({"cuda_kernels/vecadd/fine.cu": lambda text: text.replace(
        ADD, "C[i] = A[i] - B[i];")})
    result, results = limited("vecadd/fine", "--backend=cuda-emu", "--kernel-dir=" + tree,
                              "--size=1000,200000000,500")
    rows.equal(sizes(results), [(1000, "failed"), (200000000, "unsupported"), (500, "failed")],
               "rows")
    rows.equal(result.returncode, 3, "exit code")


def wrong_and_unwritable():
    """The results cannot be written after a failed verification: exit 3, not 5."""
    need("cuda-emu")
    tree = kernel_tree({"cuda_kernels/vecadd/fine.cu": lambda text: text.replace(
        ADD, "C[i] = A[i] - B[i];")})
    result = expect(3, "vecadd/fine", "--backend=cuda-emu", "--kernel-dir=" + tree,
                    "--size=1000", "--json=/dev/full")
    rows.check("/dev/full" in result.stderr, "no message: " + result.stderr)


rows.row("too large: a row, and exit 1", too_large_row)
rows.row("too large for each device", too_large_on_each_device)
for action in ("run", "verify"):
    rows.row(action + ": a smaller size after one that is too large", smaller_after_too_large,
             action, "1099511627776")
    for engine in ("opencl", "cuda-emu"):
        rows.row("%s %s: more than the host allows" % (action, engine), host_too_small, action,
                 engine)
rows.row("opencl: the default size fits", default_shrinks, "opencl")
rows.row("failed before too large", wrong_before_too_large)
rows.row("failed, and the results cannot be written", wrong_and_unwritable)
rows.finish()
