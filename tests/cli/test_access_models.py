"""--model and --width of `explain` and `verify`: counts by hand at 8, 16, 32 and 64 lanes."""
import json

from command import expect, json_file, json_of, need, new_path, refused
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
]


def warp_aligned(backend, width):
    """The branch is equal for 32 neighbouring lanes: 64 lanes have both ways, and a half of them waits
    at each one."""
    entry = explain("divergence/warp-aligned", "--width=%d" % width, backend=backend)
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


def invariant(variant):
    need("cuda-emu")
    want = counts_of(variant)
    for options in (["--width=8"], ["--width=16"], ["--width=64"], ["--model=gfx942"]):
        rows.equal(counts_of(variant, *options), want, "%s %s" % (variant, options))


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
    rows.equal((entry["occupancy"], entry["resources"], entry["limited_by"]), (None, None, None))
    rows.check("roofs" not in entry, "roofs of another GPU")
    rows.check("the model is gfx942 with 64 lanes" in entry["no_resources"], entry["no_resources"])
    check = {c["item"]: c for c in entry["checklist"]}["occupancy"]
    rows.equal(check["state"], "unknown")
    rows.check("gfx942" in check["text"], check["text"])
    rows.equal(explain("vecadd/fine", "--model=gfx942", "--width=16")["model"],
               {**MODEL, "width": 16})


def text():
    need("cuda-emu")
    found = expect(0, "explain", "vecadd/fine", EMULATOR, "--model=xe-hpg", "-v").stdout
    words = " ".join(found.split())
    for part in ("xe-hpg, 16 lanes; sectors of 64 bytes, lines of 64 bytes, 16 banks of 4 bytes",
                 "1 line of 64, aligned to 64"):
        rows.check(part in words, "%r is missing: %s" % (part, found))
    rows.check("NVIDIA H200" not in found, "roofs of another GPU: " + found)
    low = expect(0, "explain", "divergence/warp-aligned", EMULATOR, "--width=64", "-v").stdout
    rows.check("of 64 lanes at line" in " ".join(low.split()), low)


def page_of(*documents):
    page = new_path("page.html")
    expect(0, "report", *documents, "-o", page)
    with open(page, encoding="utf-8") as file:
        return file.read()


def page():
    """The drawings have the lanes of the model. A page of two models has no common figures."""
    need("cuda-emu")
    paths = [new_path("64.json"), new_path("32.json"), new_path("wrong.json")]
    expect(0, "explain", "transpose/padded", EMULATOR, "--model=gfx942", "--json=" + paths[0])
    expect(0, "explain", "transpose/padded", EMULATOR, "--json=" + paths[1])
    wide, both = page_of(paths[0]), page_of(*paths[:2])
    for part in ("warps of 64 threads", "a line of 128 bytes with its sectors of 64 bytes",
                 "64 active lanes request 256 different bytes", "gfx942, 64 lanes",
                 "At 4 bytes per lane, 32 lanes are served at a time", "lanes 32 to 63"):
        rows.check(part in wide, "%r is missing" % part)
    rows.check("warps of 32 threads" in page_of(paths[1]), "the default model")
    rows.check("has their number; without this line it is 32." in both, "two models")
    rows.check("each bank serves one word of 4 bytes. Each" in wide, "the word of a bank")
    rows.check("each bank serves one word. Each" in both, "the word of a bank: two models")
    document = json_file(paths[0])
    document["explanations"][0]["model"]["width"] = 12
    with open(paths[2], "w", encoding="utf-8") as file:
        json.dump(document, file)
    rows.check("the example in the file is not valid" in page_of(paths[2]), "an impossible width")


# ---- Command line ------------------------------------------------------------------------------

# (arguments, parts of the message)
REFUSED = [
    (["explain", "vecadd/fine", "--width=12"], ["--width=12", "8, 16, 32 or 64"]),
    (["explain", "vecadd/fine", "--width=0"], ["--width=0"]),
    (["explain", "vecadd/fine", "--width=128"], ["--width=128"]),
    (["explain", "vecadd/fine", "--width=x"], ["--width=x"]),
    (["explain", "vecadd/fine", "--model=gfx94"], ["--model=gfx94", "did you mean gfx942"]),
    (["run", "vecadd/fine", "--width=64"], ["--width", "run"]),
    (["parity", "vecadd/fine", "--model=gfx942"], ["--model", "parity"]),
]


def not_emulated():
    need("opencl")
    for option in ("--width=64", "--model=gfx942"):
        refused(1, ["opencl:", "not emulated", "--backend=cuda-emu"], "verify", "vecadd/fine",
                "--backend=opencl", option)


for emulator in ("cuda-emu", "opencl-emu"):
    for bar in CONTIGUOUS:
        rows.row("%s: coalesce/contiguous %s" % (emulator, " ".join(bar[0])), contiguous, emulator,
                 *bar)
    for lanes in WIDTHS:
        rows.row("%s: divergence/warp-aligned, %d lanes" % (emulator, lanes), warp_aligned, emulator,
                 lanes)
    for bar in TILES:
        rows.row("%s: transpose/%s, %d lanes" % (emulator, *bar[:2]), tiles, emulator, *bar)
for lanes in WIDTHS:
    rows.row("reduce/shuffle and unrolled, %d lanes" % lanes, verified, lanes)
for lanes in WIDTHS:
    rows.row("reduce/shuffle in OpenCL, %d lanes" % lanes, sub_groups, lanes)
for name in ("reduce/shuffle", "divergence/branchy", "histogram/private", "matmul/tiled16"):
    rows.row("%s: the same bytes and lanes at every width" % name, invariant, name)
rows.row("the record", record)
rows.row("the text", text)
rows.row("the page", page)
for arguments, parts in REFUSED:
    rows.row(" ".join(arguments), refused, 1, parts, *arguments)
rows.row("a device that is not emulated", not_emulated)
rows.finish()
