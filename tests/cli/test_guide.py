"""Figures in the text of README.md, docs/guide.md, docs/measuring.md and comments: computed again
with pmpp-run, from the sources and from the committed result files, and compared with the text."""
import glob
import json
import math
import os
import re

from command import ROOT, expect, json_of, need
import rows

RESULTS = "docs/results/nvidia-h200"
GUIDE = "docs/guide.md"
MEASURING = "docs/measuring.md"
OCCUPANCY = "common/families/occupancy.c"
N = 1 << 26  # elements of coalesce and occupancy in the tables
# Files of pmpp-timing/2, and the page that links each. All others have the old contract.
NEW_CONTRACT = {"latency-chains-cuda.json": GUIDE, "latency-sizes-cuda.json": GUIDE,
                "softmax-sizes-cuda.json": GUIDE,
                "parity-all.json": "docs/porting.md"}
NEW_FOLDERS = {"docs/results/nvidia-h200/roofs", "docs/results/nvidia-h200/choices", "docs/results/nvidia-h200/book", "docs/results/nvidia-h200/limits", "docs/results/nvidia-h200/compare",
               "docs/results/nvidia-h200/fleet", "docs/results/nvidia-h200/matmul",
               "docs/results/nvidia-h200/peers",
               "docs/results/nvidia-h100", "docs/results/nvidia-h100/matmul",
               "docs/results/pocl/compare", "docs/results/pocl/peers",
               "docs/results/devices", "docs/results/sizes"}


# ---- Pages and files -------------------------------------------------------------------------

def page(path):
    """The text with single blanks, and without the stars of C comments."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        words = file.read().replace("\n * ", "\n").split()
    return " ".join(words)


def says(path, *parts):
    text = page(path)
    for part in parts:
        rows.check(part in text, "%s lacks: %s" % (path, part))


def lacks(path, *parts):
    text = page(path)
    for part in parts:
        rows.check(part not in text, "%s has: %s" % (path, part))


def result(name):
    with open(os.path.join(ROOT, RESULTS, name), encoding="utf-8") as file:
        return json.load(file)


def row_of(document, family, variant, **problem):
    found = [r for r in document["results"] if r["family"] == family and r["variant"] == variant
             and all(r["problem"][k] == v for k, v in problem.items())]
    rows.equal(len(found), 1, "rows of %s/%s" % (family, variant))
    return found[0]


def families():
    """(document with the rows of CUDA, limits, roofs) of the stored results that the tables show."""
    document = result("../devices/h200.json")
    document["results"] = [r for r in document["results"] if r["backend"] == "cuda"]
    view = document["devices"][0]["views"]["cuda"]
    return document, view["limits"], view["roofs"]


def occupancy():
    """(row of occupancy by variant, roofs)"""
    document, _, roofs = families()
    return {r["variant"]: r for r in document["results"] if r["family"] == "occupancy"}, roofs


def median_us(row):
    return row["timing"][row["timing"]["primary"]]["median"] / 1000


def blocks(row):
    """Blocks of each launch."""
    return [math.prod(launch["grid"]) for launch in row["launches"] if "grid" in launch]


# ---- Latency ---------------------------------------------------------------------------------

def chains():
    document, _, _ = families()
    one, many = (row_of(document, "latency", v)["derived"]["metric"] for v in ("chase", "chains"))
    says(GUIDE, "latency of memory: %.0f ns" % one,
         "takes %.1f ns: %.2f times as fast, not 8 times" % (many, one / many))
    ns = {r["macros"]["CHAINS"]: r["derived"]["metric"]
          for r in result("latency-chains-cuda.json")["results"]}
    says(GUIDE, "32 chains gain %.1f" % (ns[1] / ns[32]))
    lacks(GUIDE, "nearly one over the number of chains")
    for path in ("cuda_kernels/latency/chains.cu", "cl_kernels/latency/chains.cl"):
        says(path, "a hop costs 1 / CHAINS of the latency at best")
    says("common/families/latency.c", "eighth of the latency at best")


def partition_camping():
    """Channels that a stride uses, in units of the interleaving."""
    used = [len({i * stride % 4 for i in range(64)}) for stride in (1, 4, 8)]
    rows.equal(used, [4, 1, 1], "channels of 4")
    says(GUIDE, "A stride of one unit uses all channels", "(the number of channels x the unit), or of a multiple, "
         "uses one channel only")
    lacks(GUIDE, "whose stride is a multiple of the interleaving uses few channels")


def books():
    """Prefetching is in no section of the chapter that a row could name; a shared tile is no privatisation."""
    found = {f["name"]: f for f in json_of(expect(0, "list", "--json"))["families"]}
    for variant in found["prefetch"]["variants"]:
        rows.check(not re.search(r"6\.2|5\.1", variant["book"]), variant["book"])
    for variant in found["window"]["variants"]:
        rows.check("6.4" not in variant["book"], variant["book"])
    idea = next(v["idea"] for v in found["reduce"]["variants"] if v["name"] == "interleaved")
    rows.check("then whole warps are idle" in idea, idea)


def bytes_in_flight():
    document, limits, roofs = families()
    ns = row_of(document, "latency", "chase")["derived"]["metric"]
    total = ns * roofs["copy_gbps"]  # ns x GB/s = bytes
    each = total / limits["compute_units"]
    threads = limits["compute_units"] * 2048
    for path in (GUIDE, OCCUPANCY):
        says(path, "%.1f MB" % (total / 1e6), "%.0f ns" % ns, "%.0f GB/s" % roofs["copy_gbps"],
             "minimum", "idle memory")
    says(GUIDE, "%.1f KB for each of %d multiprocessors, %.0f lines"
         % (each / 1e3, limits["compute_units"], each / 128))
    says(OCCUPANCY, "%.1f MB for %d x 2048 threads" % (threads * 4 / 1e6, limits["compute_units"]))
    lacks(OCCUPANCY, "2 to 3 MB")


# ---- Warps and blocks ------------------------------------------------------------------------

def block_starts():
    """Blocks of the rows block96 to block128 per microsecond: all start at one rate."""
    found, _ = occupancy()
    rates = {v: blocks(found[v])[0] / median_us(found[v])
             for v in ("block96", "block100", "block128")}
    rows.check(max(rates.values()) / min(rates.values()) < 1.01, rates)
    says(GUIDE, "at %.0f, %.0f and %.0f blocks per microsecond" % tuple(rates.values()))
    lacks(GUIDE, "A block of 100 threads pays for 128")


def whole_warps():
    """The floors of warps100 and warps128; the claim is about these rows and holds."""
    found, roofs = occupancy()
    listed = json_of(expect(0, "list", "occupancy", "--json"))["families"][0]["variants"]
    claims = {v["name"]: v["claim"]["text"] for v in listed if v["claim"]}
    rows.equal([n for n, text in claims.items() if "whole warps" in text], ["warps128"])
    rate = blocks(found["block100"])[0] / median_us(found["block100"])
    rows.equal(found["warps128"]["claim"]["verdict"], "holds")
    fma_us = 2 * 256 * N / roofs["fma_gflops"]["f32"] / 1e3
    says(GUIDE, "take at least %.0f µs at the FMA roof" % fma_us,
         "start in at most %.0f µs" % (math.ceil(N / 400) / rate),
         "bytes take %.0f µs at the copy roof" % (8 * N / roofs["copy_gbps"] / 1e3),
         "should be %.2f times as fast" % (128 / 100),
         "It is %.2f times as fast: the claim (1.2) holds" % found["warps128"]["derived"]["step"])


def resident_blocks():
    """The steps of the rows resident1 to resident16, and the claims that do not hold."""
    found, _ = occupancy()
    times = [median_us(found["resident%d" % n]) for n in (1, 2, 4, 8)]
    steps = {v: r["derived"]["step"] for v, r in found.items()}
    rows.equal([v for v, r in found.items() if (r["claim"] or {}).get("verdict") == "does not hold"],
               ["resident16", "tile-large"])
    says(GUIDE, "(%.2f, %.2f and %.2f): Little's law" % tuple(a / b for a, b in zip(times, times[1:])),
         "Its step over `resident4` is %.2f, and its claim is 2" % steps["resident16"],
         "Its step over `tile-small` is %.2f, and its claim is 0.7 or less" % steps["tile-large"])


def loads_in_flight():
    """Largest number of bytes in flight, and steps, of coarse1 to coarse16."""
    found, _ = occupancy()
    steps = {v: r["derived"]["step"] for v, r in found.items()}
    _, limits, _ = families()
    each = 4e-6 * 2048 * limits["compute_units"]  # MB of one load of each resident thread
    says(GUIDE, "4 bytes each: at most %.1f MB in flight" % each,
         "four independent loads each: at most %.1f MB in flight" % (4 * each),
         "`coarse4` is %.2f times as fast, and its `%%roof` is %.1f %%"
         % (steps["coarse4"], found["coarse4"]["derived"]["pct_roof"]),
         "(`coarse8` %.2f, `coarse16` %.2f)" % (steps["coarse8"], steps["coarse16"]))
    lacks(GUIDE, "`coarse4` has the same bytes in flight with fewer threads")


def resident_warps():
    arguments = ("model", "occupancy", "--cc=9.0", "--threads=100")
    found = json_of(expect(0, *arguments, "--json"))["result"]
    printed = "%.1f %%" % (100 * found["occupancy"])
    rows.check("Occupancy %s" % printed in expect(0, *arguments).stdout, printed)
    says(GUIDE, "`pmpp-run %s` prints %s" % (" ".join(arguments), printed),
         "(%d of 64), not lanes (%d of 2048 threads)" % (found["warps"], found["threads"]))


def boundary_warps():
    """The table: elements, blocks, warps, warps with data, warps that diverge."""
    found = json_of(expect(0, "model", "boundary", "--size=100,1000,1003,10000", "--block=64",
                           "--json"))["rows"]
    for row in found:
        says(GUIDE, "| %d | %d | %d | %d | %d |" % (row["size"][0], row["blocks"][0], row["warps"],
                                                    row["warps"] - row["off"], row["diverging"]))
    found = json_of(expect(0, "model", "boundary", "--size=76x62,200x150", "--block=16x16",
                           "--json"))["rows"]
    for row in found:
        says(GUIDE, "| %d x %d | %d x %d | %d | %d | %.1f %% |"
             % (*row["size"], *row["blocks"], row["warps"], row["diverging"],
                100 * row["diverging"] / row["warps"]))


def trees():
    document, _, _ = families()
    few, many = (sum(blocks(row_of(document, "reduce", v))) for v in ("coarse", "interleaved"))
    coarse, vector = (row_of(document, "reduce", v) for v in ("coarse", "vector"))
    loads = vector["macros"]["VECTORS"], coarse["macros"]["COARSE"]
    says(GUIDE, "(%d instead of %d), the sums per thread (%d instead of 1), the elements of a tile (%d instead of "
         "%d), and the registers (%d instead of %d)"
         % (16 * loads[0], 4 * loads[1], 4 * loads[0], 4 * loads[0] * vector["macros"]["BLOCK"],
            loads[1] * coarse["macros"]["BLOCK"], vector["resources"]["registers"], coarse["resources"]["registers"]))
    says(GUIDE, "build %d trees instead of %d" % (few, many))
    lacks(GUIDE, "a few thousand trees")


def strided_stores():
    """The page states no cause for a difference without a measured cause."""
    document, _, _ = families()
    totals = ["%.2f" % row_of(document, "transpose", v)["derived"]["total"]
              for v in ("naive-strided-store", "naive-strided-load")]
    says(GUIDE, "Strided stores cost more than strided loads: %s and %s of the copy's speed"
         % tuple(totals),
         "Its cause is not measured here.")
    lacks(GUIDE, "has to be read first")


def strided_bytes():
    """The bytes that a pass transfers beyond the bytes that it needs, and the rates from the times."""
    document, _, roofs = families()
    file = result("strided-dram.json")
    mb = {r["stride"]: r["dram_mb"] for r in file["rows"]}
    ms = {s: median_us(row_of(document, "coalesce", "stride%d" % s, n=N)) / 1000
          for s in mb if s > 1}
    vector = 4 * file["elements"] / 1e6
    rows.equal(file["elements"], N)
    for stride in (2, 4, 8):  # one vector more in each pass
        rows.check(abs(mb[stride] / (3 * vector * stride) - 1) < 0.01, mb)
    says(GUIDE, "A and B have %.0f MB each" % vector,
         "This adds %.0f MB to each pass, half of its %.0f MB" % (vector, 2 * vector),
         "these reads add %.0f MB to %.0f MB" % (8 * vector, 16 * vector),
         "another %.0f MB are counted" % (mb[16] - 24 * vector),
         "move %.0f, %.0f, %.0f and %.0f GB/s" % tuple(mb[s] / ms[s] for s in (2, 4, 8, 16)),
         "the copy roof is %.0f" % roofs["copy_gbps"],
         "takes %.2f times as long" % (ms[32] / ms[16]))
    gb = vector / 1000
    says(MEASURING, "2 x %.0f MB" % vector,
         "| `stride8` | 8 | %.2f GB | %.2f GB: sectors that are written element by element "
         "| %.2f GB |"
         % (16 * gb, 8 * gb, mb[8] / 1000),
         "| `stride16` | 8 | %.2f GB | the same, and %.2f GB more: one sector of each pair is read "
         "| %.2f GB |" % (16 * gb, 8 * gb, mb[16] / 1000))
    for path in ("cuda_kernels/coalesce/strided.cu", "cl_kernels/coalesce/strided.cl"):
        says(path, "a partly written sector is read before it is written", "strided-dram.json")


# ---- The matrix product ----------------------------------------------------------------------

def matmul_result(name):
    """A file of the H100, which README.md quotes."""
    with open(os.path.join(ROOT, "docs/results/nvidia-h100/matmul", name), encoding="utf-8") as file:
        return json.load(file)


def tiles():
    """The figures are those of the table of README.md: the same row has them in the table and in the file."""
    document = matmul_result("ladder-4096-cuda.json")
    copy = document["devices"][0]["views"]["cuda"]["roofs"]["copy_gbps"]
    found = {r["variant"]: r["derived"] for r in document["results"] if r["status"] == "ok"}
    gflops = {v: found[v]["gflops"] for v in ("naive-uncoalesced", "naive", "tiled16", "tiled32")}
    loaded = 4 * gflops["naive"]  # GB/s: 0.25 FLOP a byte
    uncached = copy / 4
    tiled = (gflops["tiled16"], gflops["tiled32"])
    factor = "%.2f" % found["tiled16"]["step"]
    says(GUIDE, "(H100, n = 4096), `tiled16` gains %s over `naive` and `tiled32` %.2f"
         % (factor, tiled[1] / gflops["naive"]),
         "At %.0f GFLOP/s it loads %.1f TB/s, which is %.1f times the copy roof (%.0f GB/s)"
         % (gflops["naive"], loaded / 1e3, loaded / copy, copy),
         "would allow %.0f GFLOP/s, and `tiled16` is %.1f times as fast as that, `tiled32` %.1f times"
         % (uncached, *(t / uncached for t in tiled)),
         "gain %.2f and %.2f, because coalescing alone gains %.2f"
         % tuple(found[v]["total"] for v in ("tiled16", "tiled32", "naive")),
         "`corner-turned` is %.2f times as fast as `colmajor-naive`" % found["corner-turned"]["step"],
         "`coarse2`, `coarse4` and `coarse8` gain %.2f, %.2f and %.2f over `tiled32`"
         % tuple(found[v]["step"] for v in ("coarse2", "coarse4", "coarse8")),
         "### Tiles: %s, not 10 to 30 (5.4)" % factor)
    for variant in gflops:
        in_table(variant, "%.0f" % gflops[variant])
    says("README.md", "of `tiled16` is %s." % factor,
         "docs/guide.md#tiles-%s-not-10-to-30-54" % factor.replace(".", ""))


def in_table(variant, cell):
    """The row of the variant in the table of README.md has the cell."""
    lines = in_source("README.md", r"(?m)^    %s +.*$" % variant)
    rows.check(len(lines) == 1 and cell in lines[0].split(), "README.md: %s: no %s" % (variant, cell))


def peer_ratios(path, variant, peer):
    """{n: record of the peer} of the variant's rows in a file."""
    with open(os.path.join(ROOT, "docs/results", path), encoding="utf-8") as file:
        return {r["problem"]["n"]: p for r in json.load(file)["results"] if r["variant"] == variant
                for p in r.get("peers") or [] if p["variant"] == peer}


def libraries():
    """Rates against cuBLAS and OpenBLAS."""
    ratio = {v: peer_ratios("nvidia-h100/matmul/ladder-4096-cuda.json", v, "cublas-f32")[4096]["ratio"]
             for v in ("prefetch", "best")}
    other = peer_ratios("nvidia-h100/matmul/ladder-cuda.json", "best", "cublas-f32")[4096]["ratio"]
    says("README.md", "`prefetch` has %.2f and `best` %.2f of the rate of cuBLAS. On another H100, `best` "
         "reached %.2f" % (ratio["prefetch"], ratio["best"], other))
    found = {name: peer_ratios("pocl/peers/%s.json" % name, "cpu-packed", "openblas-f32")
             for name in ("intel", "epyc", "intel-cascade-lake")}
    for peers in found.values():
        says(MEASURING, *["| %d | %.3f [%.3f, %.3f] |" % (n, peer["ratio"], *peer["ci95"])
                          for n, peer in peers.items()])
    ends = [end(peer["ratio"] for peer in found[name].values())
            for name in ("epyc", "intel-cascade-lake") for end in (min, max)]
    says("README.md", "%.2f (n = 2048) to %.2f (n = 512) times"
         % (found["intel"][2048]["ratio"], found["intel"][512]["ratio"]),
         "%.2f to %.2f times on an AMD EPYC, and %.2f to %.2f times on an older Xeon" % tuple(ends))


def several_causes():
    """Rows that add more than one technique are named."""
    family = json_of(expect(0, "list", "matmul", "--json"))["families"][0]
    listed = {v["name"]: v for v in family["variants"]}
    shape = "%d x %d" % tuple(listed["prefetch"]["tunables"][t]["default"] for t in ("THREAD_M", "THREAD_N"))
    lacks(GUIDE, "each rung adds one thing", "each rung adds one technique")
    lacks("README.md", "Two steps of this ladder have more than one cause")
    says("README.md", "`corner-turned` adds tiles of A and B to corner turning",
         "doubles the tile per thread to %s" % shape)
    lacks("README.md", "each adding one technique")


def other_choices():
    """Figures of the guide about data, types and sizes that no table shows."""
    def found(name):
        return {r["variant"]: r for r in result("choices/%s.json" % name)["results"] if r["status"] == "ok"}

    total = {v: r["derived"]["total"] for v, r in found("prefetch-trips16").items()}
    even = sorted("%.0f" % median_us(found("divergence-even")[v]) for v in
                  ("branchy", "branchless", "warp-aligned", "uniform-branch", "compiled-branch"))
    equal = {v: median_us(r) for v, r in found("histogram-constant").items()}
    fastest = sorted(equal, key=equal.get)[:2]
    gather = {v: median_us(r) for v, r in found("occupancy-gather").items()}
    widths = [found("vecadd-" + dtype) for dtype in ("f16", "u8")]
    document, _, roofs = families()
    wide = {v: row_of(document, "vecadd", v) for v in ("fine", "vector4")}
    rows.equal(fastest[0], "aggregated")
    says(GUIDE, "`register` then gains %.2f and `double-buffer` %.2f. `async-copy` has three tiles in flight, and "
         "gains %.2f." % (total["register"], total["double-buffer"], total["async-copy"]),
         "no warp diverges, and all of these variants take %s to %s µs" % (even[0], even[-1]),
         "`global-atomic` takes %.0f ms" % (equal["global-atomic"] / 1000),
         "on these data, by %.0f %%." % (100 * (equal[fastest[1]] / equal[fastest[0]] - 1)),
         "the times are %.2f, %.2f, %.2f, %.2f and %.2f ms."
         % tuple(gather["resident%d" % n] / 1000 for n in (1, 2, 4, 8, 16)),
         "`unbounded` takes %.0f %% longer than `bounded`" % (100 * (gather["unbounded"] / gather["bounded"] - 1)),
         "takes %.0f µs in f32, %.0f µs in f16 and %.0f µs in u8"
         % tuple(median_us(f["vector4"]) for f in (wide, *widths)),
         "(`fine`) the times are %.0f, %.0f and %.0f µs" % tuple(median_us(f["fine"]) for f in (wide, *widths)))
    rate = {v: row_of(document, "matmul", v)["derived"] for v in ("f16", "f16-tensor", "tf32-tensor")}
    says(GUIDE, "`f16` is %.2f times as fast as `prefetch` in f32 (n = 2048)" % rate["f16"]["step"],
         "%.0f TFLOP/s with f16 inputs and %.0f TFLOP/s with TF32 at n = 2048"
         % tuple(rate[v]["gflops"] / 1000 for v in ("f16-tensor", "tf32-tensor")))
    rows.check(roofs["copy_gbps"] / max(roofs["h2d_gbps"], roofs["d2h_gbps"]) > 200, "copies to the host")
    few = {v: row_of(result("sizes-cuda.json"), "matmul", v, m=1000)["derived"]["gflops"]
           for v in ("registers", "prefetch")}
    rows.check(few["prefetch"] < few["registers"], "prefetch at n = 1000")


# ---- Counts and contracts --------------------------------------------------------------------

def both_languages():
    variants = [v for f in json_of(expect(0, "list", "--json"))["families"] for v in f["variants"]]
    single = [v["name"] for v in variants if v["one_sided"]]
    rows.check(all(name.startswith("cpu-") for name in single), single)
    cuda = [v["name"] for v in variants if v["cuda_only"]]
    says("README.md", "%d of the %d variants exist in OpenCL C and in CUDA C"
         % (len(variants) - len(single) - len(cuda), len(variants)),
         "%d variants (`cpu-...`) are OpenCL C only" % len(single),
         "%d variants are CUDA C only" % len(cuda))
    lacks("README.md", "Every kernel exists twice")


def languages_compared():
    """Ratios of matmul's variants between the backends, and rows that `verify all` passed."""
    ratios = [p["ratio"] for p in result("parity.json")["parity"] if p["ratio"]]
    says("docs/results/README.md", "%.3f to %.3f of CUDA's time" % (min(ratios), max(ratios)))
    ratios = [p["ratio"] for p in matmul_result("parity.json")["parity"] if p["ratio"]]
    says("README.md", "%.2f to %.2f of CUDA's time" % (min(ratios), max(ratios)))
    passed = []
    for backend in ("cuda", "opencl"):
        with open(os.path.join(ROOT, RESULTS, "verify-all-%s.txt" % backend),
                  encoding="utf-8") as file:
            passed.append(int(file.read().rstrip().split("\n")[-1].split(" ok")[0]))
    says("docs/results/README.md", "`verify all` passed %d rows in CUDA and %d in OpenCL"
         % tuple(passed))


def in_source(path, pattern):
    """All texts that the pattern's group finds in a source."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return re.findall(pattern, file.read())


def sampling_rule():
    """Half-widths at the first checkpoints, and the 99 % interval."""
    width = float(in_source("common/model/sampling.h", r"#define SAMPLING_HALF_WIDTH (\S+)")[0])
    margin = float(in_source("common/model/sampling.c", r"#define WIDTH_MARGIN (\S+)")[0])
    first = int(in_source("common/model/sampling.c", r"#define FIRST_CHECKPOINT (\S+)")[0])
    bounds = ["%.2f %%" % (100 * width * (1 - margin / math.sqrt(first * n))) for n in (1, 2, 4, 8)]
    says(MEASURING, "half-width is below %.1f %% minus a margin (next table)" % (100 * width),
         "| samples | %d | %d | %d | %d |" % tuple(first * n for n in (1, 2, 4, 8)),
         "| half-width is below | %s | %s | %s | %s |" % tuple(bounds),
         "The half-width of the 99 % interval, times 1.96 / 2.58, is below the same limit. For a normal "
         "distribution this factor gives the half-width of the 95 % interval.")
    few = [float(in_source("host/suite/timing.c", r"#define %s (\S+)" % n)[0]) / 1e6
           for n in ("SHORT_RUN_NS", "SLOW_RUN_NS")]
    counts = [in_source("host/suite/timing.c", r"#define %s_SAMPLES (\S+)" % n)[0]
              for n in ("SHORT", "MEDIUM", "FEW")]
    says(MEASURING, "| samples | a run takes up to %.0f ms | over %.0f ms | over %.0f ms |"
         % (few[0], *few), "| hot if not primary | %s | %s | %s |" % tuple(counts),
         "| host | %s | %s | %s |" % tuple(counts))


def floors():
    """The table of floors has a row for each floor, with the passes and launches that count."""
    words = in_source("common/model/floor.h", r'(?m)^\s*XX\(\w+, "(\w+)"\)')
    rows.check(len(words) == 7, words)
    says(MEASURING, *["| `%s` | " % word for word in words],
         "In hot samples all launches count as further launches",
         "It has one floor: the time of the passes of both parts together. The name of the floor is "
         "that of the part with more passes",
         "instructions in which no thread takes part",
         "moves again (a stride) also count, except for those that the last-level cache can hold",
         "On a GPU that is known to overfetch, the overfetched bytes also count")


def older_figures():
    """The table of pmpp-timing/1 has the figures whose meaning changed."""
    text = page(MEASURING).split("## Files of the contract `pmpp-timing/1`")[1].split(" ## ")[0]
    for figure in ("`%roof` | the larger of two shares: GFLOP/s divided by the f32 FMA roof (for all types)",
                   "`limited by` | the first rule of the next table", "`limited by` in `pmpp-timing/1`"):
        rows.check("| " + figure in text, figure)


def contract():
    """Each committed file has the old contract, or is listed above and named in the pages. Each page
    with figures of the old contract says so."""
    names = glob.glob(os.path.join(ROOT, "docs/results/**/*.json"), recursive=True)
    for name in names:
        with open(name, encoding="utf-8") as file:
            found = json.load(file).get("results") or []
        contracts = {r["timing"]["contract"] for r in found if r.get("timing")}
        new = (os.path.basename(name) in NEW_CONTRACT or
               os.path.relpath(os.path.dirname(name), ROOT) in NEW_FOLDERS)
        rows.check(contracts <= {"pmpp-timing/%d" % (2 if new else 1)}, "%s: %s" % (name, contracts))
    rows.check(len(names) > 10, names)
    for name, path in NEW_CONTRACT.items():
        says(path, "(results/nvidia-h200/%s)" % name)
        says("docs/results/README.md", "`%s`" % name)
    for folder in NEW_FOLDERS:
        says("docs/results/README.md", "`%s`" % folder[len("docs/results/"):])
    says("docs/results/README.md", "measured under the timing contract `pmpp-timing/1`; measurements under "
         "`pmpp-timing/2` will replace")


# ---- Links -----------------------------------------------------------------------------------

def anchors(path):
    """Anchors of the headings: lower case, hyphens for blanks, without other signs."""
    with open(path, encoding="utf-8") as file:
        titles = re.findall(r"^#+ (.*)$", file.read(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def pages():
    """The paths of all pages."""
    return [os.path.join(ROOT, "README.md"), os.path.join(ROOT, "CONTRIBUTING.md"),
            *glob.glob(os.path.join(ROOT, "docs/**/*.md"), recursive=True)]


def control_characters():
    """No page has a control character: a terminal hides it, and Markdown then shows no list."""
    for path in pages():
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                found = [c for c in line if (ord(c) < 32 and c not in "\n\t") or ord(c) == 127]
                rows.check(not found, "%s:%d: control characters %r" % (path, number, found))


def links():
    """Each link between the pages has a file, and its anchor a heading."""
    count = 0
    for path in pages():
        with open(path, encoding="utf-8") as file:
            targets = re.findall(r"\]\(([^)\s]+)\)", file.read())
        for target in targets:
            if "://" in target:
                continue
            name, _, anchor = target.partition("#")
            other = os.path.join(os.path.dirname(path), name) if name else path
            rows.check(os.path.exists(other), "%s: no file %s" % (path, target))
            rows.check(not anchor or anchor in anchors(other), "%s: no heading %s" % (path, target))
            count += 1
    rows.check(count > 50, count)


def traced_tables():
    """(arguments, lines) of each table of `explain` in the guide."""
    with open(os.path.join(ROOT, GUIDE), encoding="utf-8") as file:
        text = file.read()
    return re.findall(r"^    pmpp-run (explain [^\n]+)\n\n    (\w+  [^\n]*; floor and limit: [^\n]*\n(?:    .*\n)+)", text,
                      re.MULTILINE)


def traced(arguments, block):
    """The table is printed by the command above it. Passes, lanes and registers depend on the compiler."""
    need("cuda-emu")
    printed = expect(0, *arguments.split(), "--backend=cuda-emu").stdout.split("\n\n")[0].split("\n")[:-1]
    lines = [line.strip() for line in block.rstrip("\n").split("\n")]
    rows.equal(len(lines), len(printed), "lines")
    rows.equal(lines[0], printed[0], "heading")
    for line, want in zip(lines[1:], printed[1:]):
        cells, found = re.split(r" {2,}", line), re.split(r" {2,}", want.strip())
        rows.equal(cells[:3] + cells[-2:], found[:3] + found[-2:], line)


rows.row("latency of 1 and 8 chains", chains)
rows.row("strides and channels", partition_camping)
rows.row("sections of the book", books)
rows.row("bytes in flight by Little's law", bytes_in_flight)
rows.row("blocks start at one rate", block_starts)
rows.row("whole warps: floors and claim", whole_warps)
rows.row("resident blocks", resident_blocks)
rows.row("loads in flight", loads_in_flight)
rows.row("model occupancy --threads=100", resident_warps)
rows.row("warps with data at a boundary", boundary_warps)
rows.row("trees of reduce/coarse", trees)
rows.row("strided stores", strided_stores)
rows.row("bytes that strides move", strided_bytes)
rows.row("tiles against caches", tiles)
rows.row("rates against libraries", libraries)
rows.row("other data, types and sizes", other_choices)
rows.row("rows with several causes", several_causes)
rows.row("variants in both languages", both_languages)
rows.row("languages compared", languages_compared)
rows.row("rule of sampling", sampling_rule)
rows.row("floors", floors)
rows.row("figures of the older contract", older_figures)
rows.row("timing contract of the tables", contract)
rows.row("pages without control characters", control_characters)
rows.row("links between the pages", links)
rows.check(len(traced_tables()) >= 15, "tables of `explain`: %d" % len(traced_tables()))
for table in traced_tables():
    rows.long_row("traced: " + table[0], traced, *table)
rows.finish()
