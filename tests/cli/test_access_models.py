"""--model and --width of `explain` and `verify`: counts by hand at 8, 16, 32 and 64 lanes."""
import json
import re

from command import expect, json_file, json_of, need, new_path, pmpp, read_text, refused
import rows

WIDTHS = (8, 16, 32, 64)
EMULATOR = "--backend=cuda-emu"


def explain(variant, *options, backend="cuda-emu"):
    """The only entry. The file fits its schema."""
    need(backend)
    found = json_of(expect(0, "explain", variant, "--backend=" + backend, *options,
                           "--json"))["explanations"]
    rows.equal(len(found), 1, "entries of " + variant)
    return found[0]


def accesses(entry, space):
    return [a for a in entry["accesses"] if a["space"] == space]


# ---- Counts ------------------------------------------------------------------------------------

def contiguous(backend, options, lanes, sectors, lines, moved):
    """A whole warp loads and stores 4 bytes per lane, from the start of a line."""
    entry = explain("coalesce/contiguous", *options, backend=backend)
    found = accesses(entry, "global")
    rows.equal([a["kind"] for a in found], ["load", "store"])
    for access in found:
        rows.equal(access["bytes_requested"], 4 * lanes * access["requests"], "bytes requested")
        rows.equal(access["sectors_per_request"], sectors, "sectors")
        rows.equal(access["lines128_per_request"], lines, "lines")
        rows.equal(access["bytes_moved"], moved * access["requests"], "bytes moved")
        rows.equal(access["coalescing"], "coalesced")
        rows.equal(access["request"]["offsets"], [4 * lane for lane in range(lanes)])
    rows.equal(entry["warps"], 65536 // lanes, "warps")
    rows.equal(entry["simt_efficiency"], 1)


# (options, lanes, sectors, lines, bytes transferred): of one request
CONTIGUOUS = [
    (["--width=8"], 8, 1, 1, 32),
    (["--width=16"], 16, 2, 1, 64),
    ([], 32, 4, 1, 128),
    (["--width=64"], 64, 8, 2, 256),
    (["--model=gfx942"], 64, 4, 2, 256),
    (["--model=gfx1100"], 32, 1, 1, 128),
    (["--model=xe-hpg"], 16, 1, 1, 64),
    (["--model=xe-hpg", "--width=8"], 8, 1, 1, 64),
    (["--model=gfx906"], 64, 4, 4, 256),  # lines of 64 bytes
    (["--model=gfx1200", "--width=64"], 64, 2, 2, 256),
    (["--model=rtx3090"], 32, 4, 1, 128),  # the figures of sm_90
    (["--model=xe-hpc", "--width=32"], 32, 2, 2, 128),
    (["--model=apple-m1"], 32, 1, 1, 128),
    (["--model=mali-g77"], 16, 1, 1, 64),
    (["--model=adreno"], 64, 4, 4, 256),
]

# W lanes load 4 bytes each, S elements apart, from the start of a line: min(W, W * S * 4 / U) units of
# U bytes. (model, S, sectors, lines, bytes used of those transferred).
STRIDED = [
    ("sm_90", 2, 8, 2, 1 / 2),  # 32 * 8 / 32, 32 * 8 / 128
    ("gfx942", 2, 8, 4, 1 / 2),  # 64 * 8 / 64, 64 * 8 / 128
    ("gfx1100", 2, 2, 2, 1 / 2),  # 32 * 8 / 128
    ("xe-hpg", 2, 2, 2, 1 / 2),  # 16 * 8 / 64
    ("apple-m1", 2, 2, 2, 1 / 2),  # 32 * 8 / 128
    # From a stride of 128 bytes on, each lane has a line of its own: 4 bytes of a sector are used.
    ("sm_90", 32, 32, 32, 4 / 32),
    ("gfx942", 32, 64, 64, 4 / 64),
    ("gfx1100", 32, 32, 32, 4 / 128),
    ("xe-hpg", 32, 16, 16, 4 / 64),
    ("apple-m1", 32, 32, 32, 4 / 128),
]


def strided(backend, model, stride, sectors, lines, share):
    entry = explain("coalesce/stride%d" % stride, "--model=" + model, backend=backend)
    load = next(a for a in accesses(entry, "global") if a["kind"] == "load")
    rows.equal((load["sectors_per_request"], load["lines128_per_request"]), (sectors, lines))
    rows.equal(load["efficiency"], share, "bytes used")
    rows.equal(load["coalescing"], "uncoalesced")


def warp_aligned(backend, width):
    """With LANES=32 the branch is equal for 32 neighbouring lanes: 64 lanes have both ways, and a half
    of them waits at each one. By default LANES is the width, so no warp diverges."""
    own = explain("divergence/warp-aligned", "--width=%d" % width, backend=backend)
    rows.equal(own["divergent_warps"], 0, "divergent warps of the default")
    entry = explain("divergence/warp-aligned", "--width=%d" % width, "--set=LANES=32",
                    backend=backend)
    divergent = width > 32
    rows.equal(entry["divergent_warps"], entry["warps"] if divergent else 0, "divergent warps")
    for branch in entry["branches"]:
        if not branch["divergent"]:
            continue
        rows.equal(branch["divergent"], branch["executions"], "divergent executions")
        rows.equal(len(branch["split"]["ways"]), 64, "lanes")
        rows.equal((branch["split"]["first_lanes"], branch["split"]["lanes"]),
                   (32 * branch["divergent"], 64 * branch["divergent"]), "lanes that run first")
    rows.equal(any(b["divergent"] for b in entry["branches"]), divergent, "a divergent branch")


# Tiles of 32 x 32 elements. A warp stores parts of rows and loads parts of columns: (variant, width,
# passes of a store, passes of a load, ways of a load).
TILES = [
    ("tiled", 8, 1, 8, 8),
    ("tiled", 16, 1, 16, 16),
    ("tiled", 32, 1, 32, 32),
    ("tiled", 64, 2, 64, 32),  # two columns; 32 lanes are served at a time
    ("padded", 8, 1, 1, 1),
    ("padded", 16, 1, 1, 1),
    ("padded", 32, 1, 1, 1),
    ("padded", 64, 2, 2, 1),
]


def tiles(backend, variant, width, stored, loaded, ways):
    entry = explain("transpose/" + variant, "--width=%d" % width, backend=backend)
    passes = {a["kind"]: a for a in accesses(entry, "shared")}
    rows.equal(passes["store"]["wavefronts_per_request"], stored, "passes of a store")
    rows.equal(passes["load"]["wavefronts_per_request"], loaded, "passes of a load")
    rows.equal((passes["store"]["ways"], passes["load"]["ways"]), (1, ways), "ways")


# The same tiles in the models of other GPUs. A warp is W lanes of blocks of 32 x 8 threads. (model,
# variant, passes of a store, passes of a load, ways of a load, sectors of a load of A).
MODEL_TILES = [
    # 64 lanes are two rows of 32 words: 32 lanes are served at a time. A column of 32 words is in one
    # bank: 2 * 32 passes. With rows of 33 words it is in 32 banks: 2 passes. Loads of A: two rows of
    # 128 bytes, in sectors of 64.
    ("gfx942", "tiled", 2, 64, 32, 4),
    ("gfx942", "padded", 2, 2, 1, 4),
    # 32 lanes are one row. Sectors have 128 bytes.
    ("gfx1100", "tiled", 1, 32, 32, 1),
    ("gfx1100", "padded", 1, 1, 1, 1),
    # 16 lanes are half a row: 64 bytes. 16 banks: rows of 32 words begin in one bank, rows of 33 in
    # neighbouring banks (33 mod 16 = 1).
    ("xe-hpg", "tiled", 1, 16, 16, 1),
    ("xe-hpg", "padded", 1, 1, 1, 1),
    ("sm_90", "tiled", 1, 32, 32, 4),
]


def model_tiles(backend, model, variant, stored, loaded, ways, sectors):
    entry = explain("transpose/" + variant, "--model=" + model, backend=backend)
    passes = {a["kind"]: a for a in accesses(entry, "shared")}
    rows.equal(passes["store"]["wavefronts_per_request"], stored, "passes of a store")
    rows.equal(passes["load"]["wavefronts_per_request"], loaded, "passes of a load")
    rows.equal((passes["store"]["ways"], passes["load"]["ways"]), (1, ways), "ways")
    load = next(a for a in accesses(entry, "global") if a["kind"] == "load")
    rows.equal(load["sectors_per_request"], sectors, "sectors")


# The tree of 256 threads has rounds of 128, 64, ... 1 pairs. `strided`: round r has 128 / 2^r threads,
# 2^(r + 1) words apart. With 32 banks their words are in 32 / 2^(r + 1) banks: 2, 4, 8 ways, then 16, 8,
# 4, 2, 1 threads have 8, 8, 4, 2, 1. Eight rounds:
#   32 lanes  warps 4 2 1 1 1 1 1 1 = 12; passes 4*2 2*4 8 8 8 4 2 1 = 47
#   64 lanes  warps 2 1 1 1 1 1 1 1 = 9; 32 lanes are served at a time: 2*2*2 2*4 8 8 8 4 2 1 = 47
# With 16 banks: 2, 4, 8, 16 ways for 16 lanes, then 8 4 2 1 threads have 8, 4, 2, 1:
#   16 lanes  warps 8 4 2 1 1 1 1 1 = 19; passes 8*2 4*4 2*8 16 8 4 2 1 = 79
# `interleaved`: a warp works while it has the thread of a pair, neighbouring words: no conflict.
#   32 lanes  8 warps in five rounds, then 4 2 1: 47
#   64 lanes  4 warps in six rounds, then 2 1: 27
#   16 lanes  16 warps in four rounds, then 8 4 2 1: 79
# 255 pairs are added in all. (model, variant, executions of the addition per block, passes, ways).
TREES = [
    ("sm_90", "strided", 12, 47, 8),
    ("gfx942", "strided", 9, 47, 8),
    ("gfx1100", "strided", 12, 47, 8),
    ("xe-hpg", "strided", 19, 79, 16),
    ("sm_90", "interleaved", 47, 47, 1),
    ("gfx1100", "interleaved", 47, 47, 1),
    ("xe-hpg", "interleaved", 79, 79, 1),
    # A wave of 64 lanes has lanes in both halves while the pairs of a half are neighbours: in six
    # rounds of 4 waves, five have both halves active (2 passes), the sixth has lanes 0 only (1 pass).
    ("gfx942", "interleaved", 27, 5 * 4 * 2 + 4 + 2 + 1, 1),
]


def trees(backend, model, variant, executions, passes, ways):
    need(backend)
    entry = json_of(expect(0, "explain", "reduce/" + variant, "--model=" + model,
                           "--backend=" + backend, "--json"))["explanations"][0]
    blocks = entry["launch"]["grid"][0]
    line = next(l for l in entry["lines"] if l["text"].startswith("partial[left] = COMBINE"))
    rows.equal((line["warp_executions"], line["lanes"]), (executions * blocks, 255 * blocks))
    store = next(a for a in accesses(entry, "shared")
                 if a["kind"] == "store" and a["line"] == line["line"])
    rows.equal(store["requests"], executions * blocks, "requests")
    rows.check(abs(store["wavefronts_per_request"] - passes / executions) < 1e-12, store)
    rows.equal(store["ways"], ways, "ways")


def unknown_banks(model):
    """No source has the banks: no passes, no ways, no drawing."""
    entry = explain("transpose/tiled", "--model=" + model)
    rows.equal((entry["model"]["banks"], entry["model"]["bank_bytes"]), (0, 0))
    for access in accesses(entry, "shared"):
        rows.equal((access["ways"], access["wavefronts_per_request"]), (None, None))
        rows.check("banks" not in access["request"], access)
    path = new_path("unknown.json")
    found = expect(0, "explain", "transpose/tiled", EMULATOR, "--model=" + model,
                   "--json=" + path).stdout
    for part in ("banks unknown", "conflicts unknown"):
        rows.check(part in " ".join(found.split()), "%r is missing: %s" % (part, found))
    shown = page_of(path)
    for part in ("conflicts unknown", "the banks of the model are unknown.",
                 "the banks of %s are unknown" % model):
        rows.check(part in shown, "%r is missing in the page" % part)


# ---- Occupancy ---------------------------------------------------------------------------------

# matmul/tiled32 has blocks of 1024 threads and 8 KiB of shared memory. (options, unit, blocks, warps on a
# SIMD or EU, warps, occupancy). The registers of a kernel differ between compilers; they are few.
UNITS = [
    (["--model=gfx942"], "compute unit", 2, 8, 32, 1),  # 2048 threads
    (["--model=gfx906"], "compute unit", 2, 8, 32, 0.8),  # of 40 waves
    (["--model=gfx1100"], "work-group processor", 2, 16, 64, 1),
    (["--model=gfx1100", "--width=64"], "work-group processor", 4, 16, 64, 1),
    (["--model=xe-hpg"], "Xe core", 2, 8, 128, 1),
    (["--model=xe2", "--width=32"], "Xe core", 2, 8, 64, 1),
]


def units(options, unit, blocks, simd, warps, ratio):
    occupancy = explain("matmul/tiled32", *options, "--blocks=1", "--size=64")["occupancy"]
    rows.equal((occupancy["unit"], occupancy["blocks"], occupancy["simd_warps"], occupancy["warps"]),
               (unit, blocks, simd, warps))
    rows.check(abs(occupancy["ratio"] - ratio) < 1e-12, occupancy)


def without_unit():
    """gen9 has blocks of at most 256 threads. The other models have no occupancy."""
    for options, part in ((["--model=gen9"], "a block has 1 to 256 threads, not 1024"),
                          (["--model=apple-m1"], "no model of the occupancy of apple-m1"),
                          (["--model=adreno"], "no model of the occupancy of adreno"),
                          (["--model=gfx942", "--width=32"], "of gfx942 with 32 lanes"),
                          (["--width=16"], "of sm_90 with 16 lanes")):
        entry = explain("matmul/tiled32", *options, "--blocks=1", "--size=64")
        rows.equal(entry["occupancy"], None, options)
        check = {c["item"]: c for c in entry["checklist"]}["occupancy"]
        rows.equal(check["state"], "unknown")
        rows.check(part in check["text"], check["text"])


# Options, backend, variant, status, part of the reason or of the fallback.
LIMITS = [
    (["--model=gen9"], "cuda-emu", "matmul/tiled32", "ok",
     "TILE=16 instead of 32: a block has 1024 threads; this device allows at most 256"),
    (["--model=sm_86"], "cuda-emu", "occupancy/resident1", "unsupported",
     "122880 bytes of dynamic shared memory per block; this device has 101376"),
    (["--model=gfx1100"], "opencl-emu", "occupancy/resident1", "unsupported", "; this device has 65536"),
    (["--model=sm_90"], "opencl-emu", "occupancy/resident1", "unsupported", "; this device has 49152"),
    (["--model=adreno"], "opencl-emu", "occupancy/resident1", "unsupported", "; this device has 32768"),
    (["--model=sm_90"], "cuda-emu", "occupancy/resident1", "ok", ""),
    (["--width=16"], "opencl-emu", "occupancy/resident1", "ok", ""),
]


def limits(options, backend, variant, status, part):
    """verify and explain have the limits of the model's blocks; --width alone changes none."""
    need(backend)
    size = "--size=" + ("40" if variant.startswith("matmul") else "300")
    for row in json_of(expect(77 if status == "unsupported" else 0, "verify", variant, size, *options,
                              "--backend=" + backend, "--json"))["results"]:
        rows.equal(row["status"], status, row["reason"])
        rows.check(part in (row["reason"] or "") + row.get("fallback", ""), row)
    result = pmpp("explain", variant, size, *options, "--backend=" + backend)
    rows.equal(bool(part), "no trace" in result.stdout, "explain: " + result.stdout)
    rows.check(part[part.find("this device"):] in " ".join(result.stdout.split()), result.stdout)


def not_for_the_vendor(variant, model, need):
    """A variant with NVIDIA's instructions has neither resources nor an occupancy on another vendor's
    GPU."""
    entry = explain("matmul/" + variant, "--model=" + model, "--blocks=1", backend="opencl-emu")
    rows.equal((entry["resources"], entry["occupancy"]), (None, None))
    rows.check("does not run on %s: needs %s" % (model, need) in entry["no_resources"],
               entry["no_resources"])
    check = {c["item"]: c for c in entry["checklist"]}["occupancy"]
    rows.equal(check["state"], "unknown")
    rows.check("does not run on " + model in check["text"], check["text"])


def clang_resources(model):
    """clang compiles the OpenCL kernel for the model's GPU, whichever kernel is traced."""
    for backend in ("cuda-emu", "opencl-emu"):
        entry = explain("transpose/tiled", "--model=" + model, backend=backend)
        if entry["resources"] is None:
            rows.skip_backend("amdgcn", entry["no_resources"])
        found = entry["resources"]
        rows.check(0 < found["registers"] <= 64 and 0 < found["sgprs"] <= 102, found)
        rows.equal((found["shared_bytes"], found["spill_bytes"]), (32 * 32 * 4, 0))
        same = backend == "opencl-emu"
        rows.equal(found["source"],
                   "clang " + model + ("" if same else ", the OpenCL kernel"))


# ---- Answers -----------------------------------------------------------------------------------

def verified(width):
    """Shuffles connect 32 lanes at every width: the answers are right."""
    need("cuda-emu")
    options = (EMULATOR, "--width=%d" % width)
    found = json_of(expect(0, "verify", "reduce/shuffle", "reduce/unrolled", *options,
                           "--size=1000", "--json"))
    rows.equal({r["status"] for r in found["results"]}, {"ok"})
    rows.equal(found["devices"][0]["limits"]["warp_size"], width)
    for variant in ("shuffle", "unrolled"):
        entries = json_of(expect(0, "explain", "reduce/" + variant, *options, "--size=1000",
                                 "--json"))["explanations"]
        rows.equal([e["defects"] for e in entries], [[]] * len(entries), "defects")


def sub_groups(width):
    """OpenCL: a sub-group has as many lanes as run in lockstep. The kernel reads its size, so a wide
    one has fewer values for the last step."""
    need("opencl-emu")
    options = ("--backend=opencl-emu", "--width=%d" % width, "--size=1000", "--json")
    found = json_of(expect(0, "verify", "reduce/shuffle", *options))
    rows.equal({r["status"] for r in found["results"]}, {"ok"})
    rows.equal(found["devices"][0]["limits"]["warp_size"], width)
    entry = json_of(expect(0, "explain", "reduce/shuffle", *options))["explanations"][0]
    rows.equal(entry["defects"], [], "defects")
    store = next(line for line in entry["lines"] if line["text"] == "partial[warp] = mine;")
    blocks, threads = entry["launch"]["grid"][0], entry["launch"]["block"][0]
    rows.equal(store["lanes"], blocks * threads // width, "first lanes of sub-groups")


def counts_of(variant, *options):
    """What does not depend on the warps: bytes of whole launches, active lanes of each line."""
    entries = json_of(expect(0, "explain", variant, EMULATOR, "--size=100", "--blocks=all",
                             *options, "--json"))["explanations"]
    return [({k: v for k, v in e["totals"].items() if "moved" not in k},
             [(line["line"], line["lanes"]) for line in e["lines"]]) for e in entries]


def invariant(variant, *fixed):
    """fixed: the kernel that is written for 32 lanes, also where the width is another one."""
    need("cuda-emu")
    want = counts_of(variant, *fixed)
    for options in (["--width=8"], ["--width=16"], ["--width=64"], ["--model=gfx942"]):
        rows.equal(counts_of(variant, *fixed, *options), want, "%s %s" % (variant, options))


# ---- Records and pages -------------------------------------------------------------------------

MODEL = {"name": "gfx942", "width": 64, "sector_bytes": 64, "line_bytes": 128, "banks": 32,
         "bank_bytes": 4}


def record():
    """The default model has no record. Another model has no figures that exist only for NVIDIA."""
    rows.check("model" not in explain("vecadd/fine"), "a record of the default model")
    rows.check("model" not in explain("vecadd/fine", "--model=sm_90", "--width=32"),
               "a record of the default model, given by name")
    entry = explain("vecadd/fine", "--model=gfx942")
    rows.equal(entry["model"], MODEL)
    rows.equal(entry["occupancy"]["target"], "gfx942")
    rows.equal(entry["limited_by"], None)
    rows.check("roofs" not in entry, "roofs of another GPU")
    entry = explain("vecadd/fine", "--model=gfx942", "--width=16")
    rows.equal((entry["occupancy"], entry["resources"]), (None, None))
    rows.check("gfx942 with 16 lanes" in entry["no_resources"], entry["no_resources"])
    for name in ("sm_86", "sm_120"):
        entry = explain("vecadd/fine", "--model=" + name)
        rows.equal((entry["limited_by"], entry.get("limit_text")), (None, None), "floors of " + name)
        rows.check("roofs" not in entry, "roofs of another GPU than " + name)
        target = entry["occupancy"]
        rows.equal(target["target"], "compute capability %s.%s" % (name[3:-1], name[-1]))
        rows.check("unit" not in target and "simd_warps" not in target, target)
    rows.equal(explain("vecadd/fine", "--model=gfx942", "--width=16")["model"],
               {**MODEL, "width": 16})


def text():
    need("cuda-emu")
    found = expect(0, "explain", "vecadd/fine", EMULATOR, "--model=xe-hpg", "-v").stdout
    words = " ".join(found.split())
    for part in ("xe-hpg, 16 lanes; sectors of 64 bytes, lines of 64 bytes, 16 banks of 4 bytes",
                 "lines128_per_request 1, alignment_bytes 64"):
        rows.check(part in words, "%r is missing: %s" % (part, found))
    rows.check("NVIDIA H200" not in found, "roofs of another GPU: " + found)
    low = expect(0, "explain", "divergence/warp-aligned", EMULATOR, "--width=64",
                 "--set=LANES=32", "-v").stdout
    rows.check("of 64 lanes at line" in " ".join(low.split()), low)


def page_of(*documents):
    page = new_path("page.html")
    expect(0, "report", *documents, "-o", page)
    return read_text(page)


def drawings(text):
    """The requests and branches that the page draws."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    return json.loads(found.group(1))["drawings"]


def page():
    """The drawings have the lanes of the model. A page of two models has no common figures."""
    need("cuda-emu")
    paths = [new_path("64.json"), new_path("32.json"), new_path("wrong.json")]
    expect(0, "explain", "transpose/padded", EMULATOR, "--model=gfx942", "--json=" + paths[0])
    expect(0, "explain", "transpose/padded", EMULATOR, "--json=" + paths[1])
    wide, both = page_of(paths[0]), page_of(*paths[:2])
    rows.check("gfx942, 64 lanes; sectors of 64 bytes, lines of 128 bytes" in wide, "the model")
    request = drawings(wide)[0]
    rows.equal((request["lanes"], request["line"], request["sector"], len(set(request["address"]))),
               (64, 128, 64, 64))
    banks = next(drawing for drawing in drawings(wide) if "passes" in drawing)
    rows.equal(max(max(map(max, filter(None, one["banks"]))) for one in banks["passes"]), 63)
    rows.equal({drawing["lanes"] for drawing in drawings(page_of(paths[1]))}, {32})
    rows.equal([(one["first"], sum(map(len, one["banks"]))) for one in banks["passes"]],
               [(True, 32)] * 2, "the lanes of a pass")
    rows.equal({drawing["lanes"] for drawing in drawings(both)}, {32, 64})
    document = json_file(paths[0])
    document["explanations"][0]["model"]["width"] = 12
    with open(paths[2], "w", encoding="utf-8") as file:
        file.write(json.dumps(document))
    rows.check("No drawing: the file has no usable example" in page_of(paths[2]), "an impossible width")


# ---- Command line ------------------------------------------------------------------------------

# (arguments, parts of the message)
REFUSED = [
    (["explain", "vecadd/fine", "--width=12"], ["--width=12", "8, 16, 32 or 64"]),
    (["explain", "vecadd/fine", "--width=0"], ["--width=0"]),
    (["explain", "vecadd/fine", "--width=128"], ["--width=128"]),
    (["explain", "vecadd/fine", "--width=x"], ["--width=x"]),
    (["explain", "vecadd/fine", "--model=gfx94"], ["--model=gfx94", "did you mean gfx942"]),
    (["explain", "vecadd/fine", "--model=gfx942", "--cc=9.0"], ["--model or --cc"]),
    (["verify", "vecadd/fine", "--model=sm_70"], ["--model=sm_70", "sm_90", "did you mean"]),
    (["run", "vecadd/fine", "--width=64"], ["--width", "run"]),
    (["parity", "vecadd/fine", "--model=gfx942"], ["--model", "parity"]),
]


def not_emulated():
    need("opencl")
    for option in ("--width=64", "--model=gfx942"):
        refused(1, ["opencl:", "not emulated", "--backend=cuda-emu"], "verify", "vecadd/fine",
                "--backend=opencl", option)


# Both emulators have one access model. The short form has every eighth row, with the OpenCL kernels, which
# other vendors' GPUs run.
def add_table(emulator, text, function, bars):
    for number, bar in enumerate(bars):
        add = rows.row if emulator == "opencl-emu" and number % 8 == 0 else rows.long_row
        add("%s: %s" % (emulator, text(bar)), function, emulator, *bar)


for emulator in ("opencl-emu", "cuda-emu"):
    add_table(emulator, lambda bar: "coalesce/contiguous " + " ".join(bar[0]), contiguous, CONTIGUOUS)
    add_table(emulator, lambda bar: "divergence/warp-aligned, %d lanes" % bar, warp_aligned,
              [(lanes,) for lanes in WIDTHS])
    add_table(emulator, lambda bar: "transpose/%s, %d lanes" % bar[:2], tiles, TILES)
    add_table(emulator, lambda bar: "%s, stride %d" % bar[:2], strided, STRIDED)
    add_table(emulator, lambda bar: "%s, transpose/%s" % bar[:2], model_tiles, MODEL_TILES)
    add_table(emulator, lambda bar: "%s, reduce/%s" % bar[:2], trees, TREES)
for lanes in WIDTHS:
    rows.long_row("reduce/shuffle and unrolled, %d lanes" % lanes, verified, lanes)
    (rows.row if lanes == 16 else rows.long_row)("reduce/shuffle in OpenCL, %d lanes" % lanes, sub_groups, lanes)
rows.row("matmul/tiled16: the same bytes and lanes at every width", invariant, "matmul/tiled16")
for name in ("divergence/branchy", "histogram/private"):
    rows.long_row("%s: the same bytes and lanes at every width" % name, invariant, name)
rows.long_row("reduce/shuffle, LANES=32: the same bytes and lanes at every width", invariant,
              "reduce/shuffle", "--set=LANES=32")
for name in ("xe2", "apple-m1", "mali-g77"):
    rows.row("unknown banks: " + name, unknown_banks, name)
for number, bar in enumerate(UNITS):
    rows.sampled_row(number, 2, "occupancy: " + " ".join(bar[0]), units, *bar)
for number, bar in enumerate(LIMITS):
    rows.sampled_row(number, 2, "limits: %s, %s" % (bar[0][0], bar[1]), limits, *bar)
rows.row("no occupancy", without_unit)
for bar in (("f16-tensor", "gfx942", "inline PTX"), ("f16-mma", "xe-hpg", "tensor cores by mma.sync")):
    rows.row("no occupancy: %s on %s" % bar[:2], not_for_the_vendor, *bar)
for number, name in enumerate(("gfx90a", "gfx942", "gfx1100", "gfx1200")):
    rows.sampled_row(number, 4, "resources: " + name, clang_resources, name)
rows.row("the record", record)
rows.row("the text", text)
rows.row("the page", page)
for arguments, parts in REFUSED:
    rows.row(" ".join(arguments), refused, 1, parts, *arguments)
rows.row("a device that is not emulated", not_emulated)
rows.finish()
