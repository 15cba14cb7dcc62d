"""run --peers: libraries that are verified and timed in turn with our kernels.

usage: test_peers.py PMPP_RUN SOURCE_ROOT COMPILER...

OpenBLAS, CLBlast and the OpenMP loops run on PoCL, where they are installed. cuBLAS and CUB are fakes beside a fake
driver.
"""
import csv
import io
import json
import os
import re
import subprocess
import sys

from command import (
    FOLDER, ROOT, describe, expect, json_file, json_of, kernel_tree, need, new_path, pmpp, read_text,
    refused)
import rows

COMPILER = sys.argv[3:]
QUICK = ("--max-samples=10", "--min-time=0")
OWN = ("matmul/tiled16", "matmul/cpu-packed")


def peers_of(document):
    return [r for r in document["results"] if r.get("peer") or r["technique"] == "library"]


def run(*arguments, code=0, **options):
    """The result file of a run on PoCL."""
    need("opencl")
    path = new_path("run.json")
    expect(code, *OWN, "--backend=opencl", "--peers", *QUICK, "--json=" + path, *arguments, **options)
    return json_file(path)


def installed(variant, document):
    """The rows of a peer; the test is skipped if its library is not installed."""
    found = [r for r in document["results"] if r["variant"] == variant]
    rows.check(found, "no row of " + variant)
    for row in found:
        if row["status"] == "unsupported" and "is not installed" in row["reason"]:
            rows.skip_backend(variant.split("-")[0], row["reason"])
    return found


def library(variant, text, function, sizes):
    """A peer is verified and timed at all sizes, and our rows have it in `peers`."""
    document = run("--size=" + sizes)
    for row in installed(variant, document):
        rows.equal(row["status"], "ok", "%s at %s: %s" % (variant, row["problem"], row["reason"]))
        rows.check(row["peer"].startswith(text), "peer: %r" % row["peer"])
        rows.equal(row["launches"], [{"function": function}], "launches")
        timing = row["timing"]
        rows.check(0 < timing["cold"]["min"] < 60e9, "times: %r" % timing)
        rows.check("peers" not in row, "a peer has peers")
    own = [r for r in document["results"] if r["variant"] == "tiled16"]
    rows.equal(len(own), len(sizes.split(",")), "rows of tiled16")
    for row in own:
        rows.equal(row["peer"], None, "peer of our row")
        found = [p for p in row["peers"] if p["variant"] == variant]
        rows.equal(len(found), 1, "peers of our row")
        rows.equal(found[0]["library"], text.split(" ")[0], "library")
        low, high = found[0]["ci95"]
        rows.check(low <= found[0]["ratio"] <= high and found[0]["median_ns"] > 0, "ratio: %r" % found)


def openmp(variant, size, *arguments):
    """The loops are verified and timed in turn with a variant."""
    need("opencl")
    path = new_path("run.json")
    expect(0, variant, "--backend=opencl", "--peers", *QUICK, "--size=" + size, "--json=" + path, *arguments)
    document = json_file(path)
    peer, own = installed("openmp", document)[0], document["results"][-1]
    rows.equal(peer["status"], "ok", peer["reason"])
    rows.check(re.match(r"OpenMP \d+, \d+ threads?$", peer["peer"]), peer["peer"])
    rows.check([p["ratio"] > 0 for p in own["peers"] if p["variant"] == "openmp"] == [True], str(own["peers"]))
    if variant.startswith("coalesce"):
        rows.equal([p["library"] for p in own["peers"]], ["driver", "OpenMP"], "peers of a copy")


def core():
    """The user's core type is kept, and reported with the threads."""
    document = run("--size=64", env={"OPENBLAS_CORETYPE": "Haswell"})
    row = installed("openblas-f32", document)[0]
    rows.check(", core Haswell, " in row["peer"] and " thread" in row["peer"], row["peer"])


def hidden():
    """Without --peers there is neither a row nor a column."""
    need("opencl")
    path = new_path("run.json")
    shown = expect(0, "matmul/tiled16", "--backend=opencl", "--size=32", *QUICK, "--json=" + path).stdout
    rows.check("x peer" not in shown, shown)
    rows.equal([r["variant"] for r in json_file(path)["results"]], ["tiled16"], "rows")


def broken():
    """A library that cannot be used has one line. All other rows run, and the exit status is 0."""
    folder = os.path.dirname(new_path("x"))
    for name in ("libopenblas.so.0", "libclblast.so.1"):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("not a library")
    path = new_path("run.json")
    need("opencl")
    shown = expect(0, *OWN, "--backend=opencl", "--peers", "--size=32", *QUICK, "--json=" + path,
                   env={"LD_LIBRARY_PATH": folder}).stdout
    document = json_file(path)
    rows.check(len(peers_of(document)) >= 1, "no row of a peer")
    for row in peers_of(document):
        rows.equal(row["status"], "unsupported", row["variant"])
        rows.check("cannot be used: " in row["reason"], row["reason"])
        rows.equal(shown.count(row["variant"]), 1, "lines of " + row["variant"])
    for row in document["results"][-len(OWN):]:
        rows.equal(row["status"], "ok", row["variant"])
        rows.check("peers" not in row, "peers without a library")
    text = " ".join(expect(0, "doctor", env={"LD_LIBRARY_PATH": folder}).stdout.split())
    rows.check("no --peers: OpenBLAS cannot be used: " in text, text)


def doctor():
    """A line for each library of each device: its version, or what to install. None on an emulator."""
    need("opencl")
    text = " ".join(expect(0, "doctor").stdout.split())
    for name in ("CLBlast", "OpenBLAS", "OpenMP"):
        rows.check(re.search(r"ok --peers: %s \d|no --peers: %s is not installed" % (name, name), text), text)
    rows.check("--peers" not in text.split("cuda-emu:0")[1].split("cache of programs")[0], text)


def table():
    """The column and its interval, in a table, in CSV, Markdown and a page."""
    page = new_path("page.html")
    need("opencl")
    arguments = ("matmul/tiled16", "--backend=opencl", "--peers", "--size=64", *QUICK)
    shown = expect(0, *arguments, "--report=" + page, env={"COLUMNS": "200"}).stdout
    if "is not installed" in shown:
        raise rows.Skip("a library is not installed")
    line = [text for text in shown.split("\n") if text.startswith("tiled16")][0]
    rows.check("  x peer  95 %" in shown and " [" in line, shown)
    legend = r"^x peer = time of the library / time of the variant; fastest library: (clblast|openblas)-f32 \(1 row\)$"
    rows.check(re.search(legend, shown, re.M), shown)
    text = read_text(page)
    rows.check(re.search("<th[^>]*>library</th>", text) and re.search(r"[\d\]] x (clblast|openblas)-f32", text),
               "the page lacks the peers")
    table_rows = list(csv.DictReader(io.StringIO(expect(0, *arguments, "--csv").stdout)))
    own = [r for r in table_rows if r["variant"] == "tiled16"][0]
    rows.check(float(own["peer_ratio"]) > 0 and own["peer_variant"] and own["peer_ci95"], str(own))
    rows.check("| x peer |" in expect(0, *arguments, "--md").stdout, "no column in Markdown")


def emulated():
    """No library supports an emulator. One note reports it, for any number of sizes."""
    note = "no library can be compared with these variants on cuda-emu:0"
    shown = expect(0, "matmul/tiled16", "--peers", "--device=cuda-emu:0", "--size=8,16", *QUICK)
    rows.equal((shown.stdout + shown.stderr).count(note), 1, describe(shown))


def narrow():
    """A table of 80 columns has the ratio and the step."""
    need("opencl")
    shown = expect(0, "matmul/naive-uncoalesced", "matmul/naive", "--backend=opencl", "--peers", "--size=32",
                   *QUICK, env={"COLUMNS": "80"}).stdout
    rows.check("x peer" in shown and "step" in shown, shown)
    for line in shown.split("\n"):
        rows.check(len(line) <= 80, line)


def files():
    """compare joins the rows of both files. A peer is no fastest variant."""
    paths = [new_path("a.json"), new_path("b.json")]
    need("opencl")
    for path, peers in zip(paths, (("--peers", "--repeat=2"), ())):
        expect(0, *OWN, "--backend=opencl", "--size=48", *QUICK, *peers, "--json=" + path)
    merged = json_file(paths[0])
    own = [r for r in merged["results"] if r["variant"] == "cpu-packed"][0]
    if not own.get("peers"):
        raise rows.Skip("no library is installed")
    rows.check("repetitions" in own and own["peers"][0]["ratio"] > 0, "merged: %r" % own["peers"])
    result = pmpp("compare", *paths, "--by=run", "--json")
    document = json_of(result)
    joined = {r["variant"] for r in document["rows"] if all(c["status"] == "ok" for c in r["cells"])}
    rows.equal(joined, {"tiled16", "cpu-packed"}, "joined rows")
    text = pmpp("compare", *paths, "--by=run").stdout
    fastest = re.search(r"^the fastest variant.*(?:\n  matmul .*)*", text, re.M)
    rows.check(fastest and "blas" not in fastest.group(0).lower(), text)
    expect(0, "report", paths[0], "-o", new_path("page.html"))
    merged["results"] = [r for r in merged["results"] if not r.get("peer")]
    with open(paths[1], "w", encoding="utf-8") as file:
        file.write(json.dumps(merged))
    expect(0, "compare", *paths, "--by=run", "--fail-on=missing")


def output():
    """--out has the output of the variant. Without it there is no file, even if a peer has an output."""
    path = new_path("c.npy")
    need("opencl")
    document = new_path("run.json")
    expect(0, "matmul/best", "--backend=opencl", "--peers", "--size=8", *QUICK, "--out", "C=" + path,
           "--json=" + document)
    found = installed("openblas-f32", json_file(document))[0]
    rows.equal(found["status"], "ok", "the peer")
    rows.check(not os.path.exists(path), "the output of a peer was written")
    expect(0, "matmul/tiled16", "--backend=opencl", "--peers", "--size=8", *QUICK, "--out", "C=" + path)
    rows.check(os.path.exists(path), "no output of the variant")


def after_crash():
    """A new worker has verified no peer, so later variants have no ratio to it."""
    line = "float sum = 0.0f;\n"
    tree = kernel_tree({"cl_kernels/matmul/naive.cl":
                        lambda text: text.replace(line, "*(volatile __global float *)0 = 1;\n" + line)})
    path = new_path("run.json")
    need("opencl")
    expect(5, "matmul/naive", "matmul/tiled16", "--backend=opencl", "--peers", "--size=64", *QUICK,
           "--json=" + path, "--kernel-dir=" + tree)
    document = json_file(path)
    installed("openblas-f32", document)
    found = {r["variant"]: r for r in document["results"]}
    rows.equal(found["naive"]["status"], "crashed", "naive")
    rows.equal(found["tiled16"]["status"], "ok", "tiled16")
    rows.equal(found["tiled16"].get("peers", []), [], "peers of tiled16")


def store():
    """The store saves, lists and exports a row with peers."""
    environment = {"PMPP_STORE": new_path("results.db")}
    run("--size=48", "--save", env=environment)
    expect(0, "history", "matmul/tiled16", env=environment)
    exported = new_path("export.json")
    expect(0, "store", "export", exported, env=environment)
    rows.check("tiled16" in json.dumps(json_file(exported)), "exported rows")


# ---- cuBLAS with a fake driver -----------------------------------------------------------------------------

FAKES = os.path.join(FOLDER, "fakes")
CUDA_ROWS = ("matmul/tiled16", "matmul/f16", "matmul/tf32-tensor")
CUBLAS = ("cublas-f32", "cublas-f16", "cublas-tf32")


def compile_library(name, soname, folder, *flags):
    os.makedirs(folder, exist_ok=True)
    source = os.path.join(ROOT, "tests", "support", name) if name else os.devnull
    subprocess.run(COMPILER + ["-shared", "-fPIC", "-I", ROOT, "-Wl,-soname," + soname, *flags, "-x", "c",
                               source, "-o", os.path.join(folder, soname)], check=True)


def fakes():
    """The folder of a fake driver and a fake NVRTC of CUDA 13."""
    if not os.path.exists(FAKES):
        compile_library("fake_cuda.c", "libcuda.so.1", FAKES)
        compile_library("fake_nvrtc.c", "libnvrtc.so.13", FAKES, "-DMAJOR=13", "-DMINOR=0")
        compile_library(None, "libnvrtc-builtins.so.13.0", FAKES)
        os.makedirs(os.path.join(FAKES, "include"))
    return FAKES


def on_cuda(*arguments, variants=CUDA_ROWS, **changes):
    """The process and its result file. The fake kernels write nothing, so our rows fail."""
    path = new_path("run.json")
    env = {"LD_LIBRARY_PATH": fakes(), "HOME": os.path.dirname(path), "PATH": "/usr/bin:/bin",
           "XDG_CACHE_HOME": os.path.dirname(path)}
    env.update(dict.fromkeys(("CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONUSERBASE")))
    env.update(changes)
    result = pmpp("run", *variants, "--backend=cuda", "--peers", *QUICK, "--json=" + path, *arguments,
                  env=env)
    rows.check(result.returncode == 3, describe(result))
    return result, {r["variant"]: r for r in json_file(path)["results"]}


def toolkit(major, *flags):
    """A toolkit with only a fake cuBLAS."""
    root = os.path.dirname(new_path("x"))
    compile_library("fake_cublas.c", "libcublas.so.%d" % major, os.path.join(root, "lib64"), *flags)
    return root


def cublas():
    """Each precision is verified; the arguments are those of a product by rows."""
    log = new_path("log")
    _, found = on_cuda("--size=5x7x11", CUDA_HOME=toolkit(13), FAKE_CUBLAS_LOG=log)
    for name in CUBLAS:
        rows.equal(found[name]["status"], "ok", "%s: %s" % (name, found[name]["reason"]))
        rows.equal(found[name]["peer"], "cuBLAS 13.1.2", "peer")
    with open(log, encoding="utf-8") as file:
        lines = set(file.read().splitlines())
    want = "0 0, 7 x 5 x 11, pitches 7 11 7, types %d %d 0, compute %d, -1"
    rows.equal(lines, {want % (0, 0, 69), want % (2, 2, 68), want % (0, 0, 77)}, "calls")


def other_peer(name, status, text, variant, size, *arguments, **changes):
    """cuBLAS's transpose, CUB, or the driver's copy beside a variant of a family. text: in the peer or in the reason."""
    if name == "cub" and "PMPP_CUB" not in changes:
        folder = os.path.dirname(new_path("x"))
        compile_library("fake_cub.c", "libpmpp_cub.so", folder)
        changes["PMPP_CUB"] = os.path.join(folder, "libpmpp_cub.so")
    _, found = on_cuda("--size=" + size, *arguments, variants=(variant,), CUDA_HOME=toolkit(13), **changes)
    rows.equal(found[name]["status"], status, str(found[name]["reason"]))
    rows.check(text in (found[name]["reason"] or found[name]["peer"]), str(found[name]))


def clblast_codes():
    """The codes of a product: CLBlast's own, and those of OpenCL."""
    need("opencl")
    folder = os.path.dirname(new_path("x"))
    compile_library("fake_clblast.c", "libclblast.so.1", folder)
    for code, symbol in ((-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"), (-54, "CL_INVALID_WORK_GROUP_SIZE"),
                         (-1007, "a code of CLBlast"), (-1011, "CLBlastInsufficientMemoryA"),
                         (-1024, "CLBlastNotImplemented"), (-2040, "CLBlastUnknownError"),
                         (-2050, "CLBlastInsufficientMemoryTemp"), (-3000, "a code of CLBlast")):
        path = new_path("run.json")
        expect(5, "matmul/tiled16", "--backend=opencl", "--peers", "--size=8", *QUICK,
               "--json=" + path, env={"LD_LIBRARY_PATH": folder, "FAKE_CLBLAST_CODE": str(code)})
        row = [r for r in json_file(path)["results"] if r["variant"] == "clblast-f32"][0]
        rows.equal(row["status"], "launch_error", row["reason"])
        rows.check("CLBlastSgemm failed: %s (%d)" % (symbol, code) in row["reason"], row["reason"])
        rows.equal(row["error"]["status"], "out of memory" if code == -4 else "launch failed", str(code))


def wake_ups():
    """Before each sample the threads of OpenBLAS are woken. The sample does not contain the wake-up."""
    need("opencl")
    path, log = new_path("run.json"), new_path("log")
    folder = os.path.dirname(new_path("x"))
    compile_library("fake_openblas.c", "libopenblas.so.0", folder)
    expect(0, "matmul/tiled16", "--backend=opencl", "--peers", "--size=5x7x11", *QUICK, "--json=" + path,
           env={"LD_LIBRARY_PATH": folder, "FAKE_OPENBLAS_LOG": log})
    row = [r for r in json_file(path)["results"] if r["variant"] == "openblas-f32"][0]
    rows.equal(row["status"], "ok", row["reason"])
    with open(log, encoding="utf-8") as file:
        products = [line == "5 7 11\n" for line in file]
    woken = sum(not before and after for before, after in zip(products, products[1:]))
    samples = [row["timing"][kind] for kind in ("cold", "hot", "host")]
    rows.check(woken >= sum(kind["n"] for kind in samples), "%d wake-ups: %r" % (woken, row["timing"]))
    for kind in samples: # a wake-up takes 15 ms
        rows.check(kind["median"] < 10e6, "%r" % kind)


def only(variant, peers):
    """The peers of one precision, for the variants of the same precision."""
    path = new_path("x")
    env = {"LD_LIBRARY_PATH": fakes(), "CUDA_HOME": toolkit(13), "XDG_CACHE_HOME": os.path.dirname(path)}
    shown = pmpp("run", variant, "--backend=cuda", "--peers", *QUICK, "--size=8", env=env).stdout
    rows.equal([name for name in CUBLAS if name in shown], peers, shown)


def packages():
    """The packages of Python: of CUDA 13 and of CUDA 12."""
    for major, folder in ((13, "cu13"), (12, "cublas")):
        home = os.path.dirname(new_path("x"))
        lib = os.path.join(home, ".local", "lib", "python3.11", "site-packages", "nvidia", folder, "lib")
        compile_library("fake_cublas.c", "libcublas.so.%d" % major, lib)
        # They hide libraries of this machine from the linker.
        for hidden_major in (11, 12, 13):
            compile_library(None, "libcublas.so.%d" % hidden_major, os.path.join(home, "empty"))
        _, found = on_cuda("--size=3", HOME=home, FAKE_CUDA_VERSION="%d000" % major,
                           LD_LIBRARY_PATH=fakes() + ":" + os.path.join(home, "empty"))
        rows.equal(found["cublas-f32"]["status"], "ok", str(found["cublas-f32"]["reason"]))


def refusal(text, status, version="13000", major=13, flags=(), **changes):
    """The reason of each peer's row. Our rows run as without peers."""
    result, found = on_cuda("--size=3", CUDA_HOME=toolkit(major, *flags), FAKE_CUDA_VERSION=version, **changes)
    for name in CUBLAS:
        rows.equal(found[name]["status"], status, name)
        rows.check(text in found[name]["reason"], found[name]["reason"])
        rows.check(text.split(":")[0] in " ".join(result.stdout.split()), result.stdout)
    rows.equal(found["tiled16"]["status"], "failed", "the fake kernel")


rows.row("OpenBLAS", library, "openblas-f32", "OpenBLAS ", "cblas_sgemm", "1,37x41x43,129")
rows.row("CLBlast", library, "clblast-f32", "CLBlast", "CLBlastSgemm", "1,37x41x43,129")
rows.row("OpenMP: sum", openmp, "reduce/cpu-wide", "100003")
rows.row("OpenMP: maximum of i32", openmp, "reduce/cpu-wide", "997", "--op=max", "--dtype=i32")
rows.row("OpenMP: histogram", openmp, "histogram/cpu-private", "100003x41")
rows.row("OpenMP: histogram with atomics", openmp, "histogram/cpu-private", "10007x5000", "--dtype=u32")
rows.row("OpenMP: softmax", openmp, "softmax/cpu-rows", "37x1003")
rows.row("OpenMP: transpose", openmp, "transpose/cpu-blocks", "37x129")
rows.row("OpenMP and the driver: copy", openmp, "coalesce/cpu-stream", "100003")
rows.row("OpenBLAS's core", core)
rows.row("hidden without --peers", hidden)
rows.row("a broken library", broken)
rows.row("doctor", doctor)
rows.row("the column", table)
rows.row("80 columns", narrow)
rows.row("no library on an emulator", emulated)
rows.row("files with peers", files)
rows.row("after a crash", after_crash)
rows.row("the store", store)
rows.row("--out", output)
rows.row("a family without peers", refused, 1, ["no library is known for vecadd; families with libraries: matmul, "],
         "vecadd", "--peers")
rows.row("a command without peers", refused, 1, ["--peers"], "verify", "matmul", "--peers")
rows.row("CLBlast fails", clblast_codes)
rows.row("wake-ups of OpenBLAS", wake_ups)
rows.row("cuBLAS", cublas)
rows.row("cuBLAS: transpose", other_peer, "cublas-geam", "ok", "cuBLAS 13.1.2", "transpose/tiled", "5x7")
rows.row("CUDA driver: copy", other_peer, "driver-copy", "ok", "driver", "coalesce/contiguous", "997")
rows.row("CUB: sum", other_peer, "cub", "ok", "CUB 3.1.2", "reduce/vector", "997")
rows.row("CUB: histogram", other_peer, "cub", "ok", "CUB 3.1.2", "histogram/replicated", "997x41")
rows.row("CUB fails", lambda: other_peer("cub", "launch_error", "pmpp_cub_run failed: cudaErrorInvalidValue (1)",
                                         "histogram/replicated", "997x41", "--dtype=u32"))
rows.row("CUB is wrong", lambda: other_peer("cub", "failed", "1 wrong (0 unwritten or not finite), the first B[0,0]",
                                            "reduce/vector", "997", FAKE_CUB_WRONG="1"))
rows.row("CUB is absent", lambda: other_peer(
    "cub", "unsupported", "CUB is not installed: /absent.so not found; build it: meson configure -Dcub=native",
    "reduce/vector", "997", PMPP_CUB="/absent.so"))
rows.row("cuBLAS for f32 only", only, "matmul/tiled16", ["cublas-f32"])
rows.row("cuBLAS for tf32 only", only, "matmul/tf32-tensor", ["cublas-tf32"])
rows.row("cuBLAS in packages of Python", packages)
rows.row("cuBLAS newer than the driver", refusal, "cuBLAS is not installed: no libcublas.so of CUDA 10 or older",
         "unsupported", "10020")
rows.row("cuBLAS without a function", refusal, "has no function cublasGemmEx", "unsupported", "11080", 11,
         ("-DWITHOUT_GEMM",))
rows.row("cuBLAS refuses the device", lambda: refusal("cublasCreate failed: CUBLAS_STATUS_ARCH_MISMATCH (8)",
                                                      "unsupported", FAKE_CUBLAS_CREATE="8"))
rows.row("cuBLAS fails", lambda: refusal("cublasGemmEx failed: CUBLAS_STATUS_EXECUTION_FAILED (13)",
                                         "launch_error", FAKE_CUBLAS_GEMM="13"))
rows.row("cuBLAS is wrong", lambda: refusal("1 wrong (0 unwritten or not finite), the first C[0,0]", "failed",
                                            FAKE_CUBLAS_WRONG="1"))
rows.finish()
