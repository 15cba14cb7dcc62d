"""`explain`: its command line, and its findings in the JSON file."""
import hashlib
import os
import re

from command import ROOT, expect, json_of, json_file, kernel_tree, need, new_path, pmpp, refused
import rows

# ---- Command line ------------------------------------------------------------------------------

PAIR = ("transpose/tiled", "transpose/padded")

# (arguments after `explain`, exit code, parts of the message)
REFUSED = [
    ((), 1, ["FAMILY"]),
    (("transpos",), 1, ["transpos", "did you mean transpose"]),
    (("transpose/tild",), 1, ["tild", "tiled"]),
    (("transpose", "reduc"), 1, ["reduce"]),
    (("transpose/tiled", "--blocks="), 1, ["--blocks", "all", "N,N"]),
    (("transpose/tiled", "--blocks=some"), 1, ["--blocks=some"]),
    (("transpose/tiled", "--blocks=1,,2"), 1, ["--blocks=1,,2"]),
    (("transpose/tiled", "--blocks=1,"), 1, ["--blocks=1,"]),
    (("transpose/tiled", "--blocks=-1"), 1, ["--blocks=-1"]),
    (("transpose/tiled", "--blocks=0:3"), 1, ["--blocks=0:3"]),
    (("transpose/tiled", "--blocks=99999999999999999999999"), 1, ["--blocks="]),
    (("transpose/tiled", "--blocks=" + ",".join(map(str, range(257)))), 1, ["more than 256"]),
    (("transpose/tiled", "--block=3"), 1, ["--block", "explain"]),
    (("transpose/tiled", "--step-limit=0"), 1, ["--step-limit=0"]),
    (("transpose/tiled", "--step-limit=many"), 1, ["--step-limit=many"]),
    (("transpose/tiled", "--cc=1.0"), 1, ["--cc=1.0", "9.0"]),
    (("transpose/tiled", "--set", "TILE=5"), 1, ["TILE=5"]),
    (("transpose/tiled", "--set", "TIL=16"), 1, ["TILE"]),
    (("transpose/tiled", "--size=0"), 1, ["--size"]),
    (("transpose/tiled", "--size=k=5"), 1, ["k"]),
    (("transpose/tiled", "--csv"), 1, ["--csv", "explain"]),
    (("transpose/tiled", "--in", "A=x.npy"), 1, ["--in", "explain"]),
    (("transpose/tiled", "--backend=all"), 1, ["one backend", "--backend=cuda"]),
    (("transpose/tiled", "--device=all"), 1, ["one device"]),
    (("transpose/tiled", "--backend=opncl"), 1, ["opncl", "opencl"]),
    (("transpose/tiled", "--device=nosuchdevice"), 2, ["nosuchdevice"]),
    (("transpose/tiled", "--json=/nonexistent/x.json"), 1, ["/nonexistent"]),
]

# Options of other commands that explain does not have.
ELSEWHERE = [
    (("run", "transpose", "--blocks=all"), ["--blocks", "run"]),
    (("verify", "transpose", "--step-limit=5"), ["--step-limit", "verify"]),
    (("run", "transpose", "--diff"), ["--diff", "run"]),
    (("explain", "transpose/tiled", "--diff"), ["--diff", "explain"]),
    (("run", "transpose", "--cc=9.0"), ["--cc", "run"]),
]


def refuses(arguments, code, parts):
    refused(code, parts, "explain", *arguments)


def help_text():
    text = " ".join(expect(0, "explain", "--help").stdout.split())
    for part in ("--blocks=", "--step-limit=", "--twins", "--cc=", "Exit status 3"):
        rows.check(part in text, "%r is missing: %s" % (part, text))
    rows.check("explain" in expect(0, "--help").stdout, "the help of all lacks explain")


def document():
    """--json alone writes only JSON to stdout. With a file, the file is complete and the page is on
    stdout. With -q, stdout is empty."""
    result = expect(0, "explain", "transpose/tiled", "--json")
    found = json_of(result)
    rows.equal(found["schema"], "pmpp-explain/1")
    rows.equal(found["tool"]["name"], "pmpp-run")
    rows.equal([(e["family"], e["variant"]) for e in found["explanations"]],
               [("transpose", "tiled")])
    rows.check("transpose/tiled" in result.stderr, "the page is not on stderr: " + result.stderr)
    path = new_path("explain.json")
    result = expect(0, "explain", "transpose/tiled", "--json=" + path)
    rows.check(result.stdout.startswith("transpose/tiled"), "no page: " + result.stdout)
    rows.equal(json_file(path)["explanations"][0]["variant"], "tiled")
    rows.equal(os.listdir(os.path.dirname(path)), ["explain.json"], "left behind")
    rows.equal(expect(0, "-q", "explain", "transpose/tiled").stdout, "", "-q")


def sweep():
    """A page for each point and size."""
    found = json_of(expect(0, "explain", "transpose/copy", "--size=32,64", "--set",
                           "TILE=16,32", "--json"))["explanations"]
    rows.equal(len(found), 4, "pages")


def no_measurement():
    """Without a GPU nothing is measured unless a device is named. With -v the page has a note about this."""
    text = expect(0, "explain", "transpose/tiled", "--backend=cuda-emu", "-v").stdout
    rows.check("cuda-emu only traces" in text, text)


def table():
    """A row for each variant with the figures of the file, then a page of at most 25 lines for each. --report writes
    the page with all of them."""
    path, page = new_path("table.json"), new_path("table.html")
    text = expect(0, "explain", "coalesce", "--json=" + path, "--report=" + page).stdout
    first, *pages = text.split("\n\n")
    found = {line.split()[0]: line.split()[1:] for line in first.splitlines()[2:-1]}
    for entry in json_file(path)["explanations"]:
        means = []
        if entry["variant"] == "cpu-stream":
            rows.equal(" ".join(found["cpu-stream"]), "a kernel for CPUs has no warps")
            continue
        for kind in ("load", "store"):
            accesses = [a for a in entry["accesses"] if (a["space"], a["kind"]) == ("global", kind)]
            means.append("%.1f" % (sum(a["requests"] * a["sectors_per_request"] for a in accesses) /
                                   sum(a["requests"] for a in accesses)))
        rows.equal(found[entry["variant"]][:2], means, entry["variant"])
        rows.equal(found[entry["variant"]][-1], entry["limited_by"] or "unknown", "limit")
    rows.equal(len(pages), len(found), "pages")
    rows.equal([p for p in pages if p.count("\n") >= 25], [], "pages of more than 25 lines")
    with open(page, encoding="utf-8") as file:
        rows.equal(file.read().count('<article class="explained">'), len(found), "explained kernels in the report")


def maps():
    """A character for each lane: the number of its sector, or its bank."""
    text = expect(0, "explain", "transpose/tiled", "--map").stdout
    found = re.findall("^ +(sectors|banks) +([^ ]+)$", text, re.MULTILINE)
    quarters = ("sectors", "0" * 8 + "1" * 8 + "2" * 8 + "3" * 8)
    rows.equal(found, [quarters, ("banks", "0123456789abcdefghijklmnopqrstuv"), ("banks", "0" * 32), quarters])


def shards():
    """All shards together have all variants."""
    whole = json_of(expect(0, "explain", "coalesce", "--json"))["explanations"]
    parts = []
    for i in (1, 2):
        parts += json_of(expect(0, "explain", "coalesce", "--shard=%d/2" % i,
                                "--json"))["explanations"]
    rows.equal(sorted(e["variant"] for e in parts), sorted(e["variant"] for e in whole))


def twins():
    """Each variant has a page for its CUDA kernel, then one for its OpenCL kernel."""
    need("opencl-emu")
    lines = expect(0, "explain", "--twins", *PAIR).stdout.splitlines()
    rows.equal([line.split()[0] for line in lines if re.match("(CUDA|OpenCL) kernel ", line)],
               ["CUDA", "OpenCL"] * 2)
    rows.equal([line.split()[0] for line in lines if line.startswith("transpose/")],
               [PAIR[0]] * 2 + [PAIR[1]] * 2)


def for_cpus():
    """The page of a kernel for CPUs has no advice about lanes, and no roofs of a GPU."""
    for backend in ("opencl-emu", "cuda-emu"):
        need(backend)
        page = expect(0, "explain", "matmul/cpu-packed", "--backend=" + backend).stdout
        for text in ("% of lanes", "SIMT efficiency", "warps diverge", "ridge", "occupancy ", "unknown     "):
            rows.check(text not in page, "%s: %s" % (text, page))


def no_compiler():
    """The trace needs a C++ compiler. Without it the page has the reason, and all other parts."""
    result = expect(0, "explain", "transpose/tiled", env={"PATH": "/nonexistent", "CXX": None})
    rows.check("no trace" in result.stdout and "compiler" in result.stdout, result.stdout)


def in_process():
    rows.equal(expect(0, "explain", "transpose/tiled", "--no-isolate").stdout,
               expect(0, "explain", "transpose/tiled").stdout, "--no-isolate")


# ---- Bars --------------------------------------------------------------------------------------

GLOBAL = {"space": "global"}
LOAD = {"space": "global", "kind": "load"}
STORE = {"space": "global", "kind": "store"}
COLUMN = {"space": "shared", "kind": "load"}

# A block inside of the vector has only full warps
INSIDE = ("--blocks=1",)
ONE_BLOCK = ("--set", "BLOCK=256", "--blocks=0")
TRIP = "sum[c] = fmaf(sum[c], step, step);"
ADDING = "partial[left] = COMBINE(partial[left], partial[left + stride]);"

# (variant, options, fields that select accesses, fields of each selected access)
ACCESSES = [
    ("coalesce/contiguous", INSIDE, GLOBAL, {"sectors_per_request": 4, "lines128_per_request": 1,
                                            "pattern": "contiguous", "coalescing": "coalesced"}),
    ("coalesce/stride2", INSIDE, GLOBAL, {"sectors_per_request": 8, "lines128_per_request": 2,
                                          "pattern": "stride 2", "coalescing": "uncoalesced"}),
    ("coalesce/stride4", INSIDE, GLOBAL, {"sectors_per_request": 16, "lines128_per_request": 4}),
    ("coalesce/stride32", INSIDE, GLOBAL, {"sectors_per_request": 32, "lines128_per_request": 32,
                                           "efficiency": 0.125}),
    ("coalesce/misaligned", INSIDE, GLOBAL, {"sectors_per_request": 5, "lines128_per_request": 2,
                                             "coalescing": "coalesced"}),
    ("coalesce/vector4", INSIDE, GLOBAL, {"sectors_per_request": 16, "width_bytes": 16,
                                          "lines128_per_request": 4}),
    ("transpose/naive-strided-store", (), LOAD, {"sectors_per_request": 4, "operand": "A"}),
    ("transpose/naive-strided-store", (), STORE, {"sectors_per_request": 32, "operand": "B"}),
    ("transpose/tiled", (), LOAD, {"sectors_per_request": 4}),
    ("transpose/tiled", (), STORE, {"sectors_per_request": 4}),
    ("transpose/tiled", (), COLUMN, {"ways": 32, "wavefronts_per_request": 32,
                                     "coalescing": "n/a (shared)"}),
    ("transpose/padded", (), LOAD, {"sectors_per_request": 4}),
    ("transpose/padded", (), STORE, {"sectors_per_request": 4}),
    ("transpose/padded", (), COLUMN, {"ways": 1, "wavefronts_per_request": 1}),
    ("matmul/tiled16", ("--set", "TILE=8"), GLOBAL, {"sectors_per_request": 4}),
    # Exercise 6.3, access by access
    ("audit/foo", (), {"text": "a[i]", "space": "global"}, {"operand": "A", "coalescing": "coalesced"}),
    ("audit/foo", (), {"text": "c[i * 4 + j]", "operand": "B"}, {"coalescing": "coalesced"}),
    ("audit/foo", (), {"text": "c[i * 4 + j]", "operand": "C"},
     {"coalescing": "uncoalesced", "sectors_per_request": 16}),
    ("audit/foo", (), {"text": "d[i + 8]", "space": "global"}, {"coalescing": "coalesced"}),
    ("audit/foo", (), {"text": "e[i * 8]", "space": "global"},
     {"coalescing": "uncoalesced", "sectors_per_request": 32}),
    ("audit/foo", (), {"text": "e[i * 8]", "space": "shared"}, {"ways": 4}),
    ("audit/foo", (), {"space": "shared"}, {"coalescing": "n/a (shared)"}),
]

# (variant, options, text of the line, fields of the line) of the first launch
LINES = [
    ("reduce/interleaved", ONE_BLOCK, ADDING, {"warp_executions": 47, "lanes": 255}),
    ("reduce/sequential", ONE_BLOCK, ADDING, {"warp_executions": 12, "lanes": 255}),
    # 4 warps of a block: 256 trips for each of 4 elements. 100 of 128 lanes are active.
    ("occupancy/warps100", ("--blocks=1",), TRIP, {"warp_executions": 4096, "lanes": 102400}),
    ("occupancy/warps128", ("--blocks=1",), TRIP, {"warp_executions": 4096, "lanes": 131072}),
]

# (variant, options, warps that diverge, warps)
WARPS = [
    ("grayscale/block16x16", ("--size=76x62", "--blocks=all"), 31, 160),
    ("grayscale/block16x16", ("--size=200x150", "--blocks=all"), 75, 1040),
    ("vecadd/fine", ("--size=1003", "--set", "BLOCK=64", "--blocks=all"), 1, 32),
]

# (variant, FLOP a byte of global loads) at n = 128
INTENSITIES = [("matmul/naive", 0.25), ("matmul/tiled32", 8.0), ("matmul/coarse4", 12.8)]
PRODUCT = ("--size=128",)

_documents = {}


def explain_json(variant, *options):
    """The entry of the first launch."""
    need("cuda-emu")
    key = (variant, *options)
    if key not in _documents:
        _documents[key] = json_of(expect(0, "explain", variant, *options, "--json"))
    entry = _documents[key]["explanations"][0]
    rows.check(not entry.get("no_trace"), "no trace: %s" % entry.get("no_trace"))
    rows.equal(entry["defects"], [], "defects")
    return entry


def has(entry, field, want):
    """The text may be a part of the line."""
    return want in entry[field] if field == "text" else entry[field] == want


def chosen(entry, which):
    found = [a for a in entry["accesses"] if all(has(a, f, w) for f, w in which.items())]
    rows.check(found, "no access with %r among %r" % (which, entry["accesses"]))
    return found


# (variant, options, fields that select accesses, offset of a lane, bank of a lane)
REQUESTS = [
    ("coalesce/contiguous", INSIDE, GLOBAL, lambda lane: 4 * lane, None),
    ("coalesce/stride2", INSIDE, LOAD, lambda lane: 8 * lane, None),
    ("coalesce/misaligned", INSIDE, LOAD, lambda lane: 124 + 4 * lane, None),
    ("coalesce/vector4", INSIDE, GLOBAL, lambda lane: 16 * lane, None),
    ("transpose/naive-strided-store", (), STORE, lambda lane: 1024 * lane, None),
    ("transpose/tiled", (), COLUMN, lambda lane: 128 * lane, lambda lane: 0),
    ("transpose/padded", (), COLUMN, lambda lane: 132 * lane, lambda lane: lane),
    ("reduce/interleaved", ONE_BLOCK, {"space": "shared", "text": ADDING, "kind": "store"},
     lambda lane: -1 if lane % 2 else 4 * lane, lambda lane: -1 if lane % 2 else lane),
]


def near(got, want, what):
    rows.check(abs(got - want) <= 1e-9 * abs(want), "%s: got %r, want %r" % (what, got, want))


def access_bar(variant, options, which, want):
    for access in chosen(explain_json(variant, *options), which):
        for field, value in want.items():
            rows.equal(access[field], value, "%s at line %d" % (field, access["line"]))


def request_bar(variant, options, which, offsets, banks):
    """The example of each access: offsets and banks by lane."""
    for access in chosen(explain_json(variant, *options), which):
        request = access["request"]
        rows.equal(request["offsets"], [offsets(lane) for lane in range(32)],
                   "offsets at line %d" % access["line"])
        rows.equal(request.get("banks"), banks and [banks(lane) for lane in range(32)],
                   "banks at line %d" % access["line"])
        rows.check(0 < request["requests"] <= access["requests"], "requests: %r" % access)


def inactive_lanes():
    """The last warp of a vector of 1003 elements has 11 lanes. The example is a full warp."""
    entry = explain_json("vecadd/fine", "--size=1003", "--set", "BLOCK=64", "--blocks=15")
    for access in chosen(entry, GLOBAL):
        rows.equal(access["request"]["offsets"], list(range(0, 128, 4)), "offsets")
        rows.equal((access["request"]["block"], access["request"]["warp"]), (15, 0))
    branch = next(b for b in entry["branches"] if b["divergent"])
    rows.equal(branch["split"]["ways"], [0] * 11 + [1] * 21, "ways")
    rows.equal((branch["split"]["block"], branch["split"]["warp"]), (15, 1))
    rows.equal((branch["split"]["first_lanes"], branch["split"]["lanes"]), (11, 32))


def source_hash():
    """The hash is the hash of the compiled file."""
    need("cuda-emu")
    edited = "/* one line more */\n"
    root = kernel_tree({"cuda_kernels/vecadd/fine.cu": lambda source: edited + source})
    with open(os.path.join(root, "cuda_kernels/vecadd/fine.cu"), "rb") as file:
        want = hashlib.sha256(file.read()).hexdigest()
    rows.equal(explain_json("vecadd/fine", "--kernel-dir=" + root)["source_sha256"], want)


def own_lines():
    """For a kernel that includes other files, line numbers and source_sha256 are those of the kernel
    file itself."""
    for file in ("cuda_kernels/matmul/vector_loads.cu", "cl_kernels/matmul/vector_loads.cl"):
        engine = "cuda-emu" if file.endswith(".cu") else "opencl-emu"
        entry = explain_json("matmul/vector-loads", "--backend=" + engine)
        with open(os.path.join(ROOT, file), "rb") as kernel:
            text = kernel.read()
        lines = text.decode().split("\n")
        rows.check(b'#include "quads.inc"' in text, "the kernel includes no file")
        rows.check(len(entry["accesses"]) >= 6, "only %d accesses" % len(entry["accesses"]))
        for access in entry["accesses"]:
            if access["line"] is not None:
                rows.equal(access["text"], lines[access["line"] - 1].strip(), "line %d of %s" %
                           (access["line"], file))
        rows.equal(entry["source_sha256"], hashlib.sha256(text).hexdigest(), file)


def line_bar(variant, options, text, want):
    found = [l for l in explain_json(variant, *options)["lines"] if text in l["text"]]
    rows.equal(len(found), 1, "lines with %r" % text)
    for field, value in want.items():
        rows.equal(found[0][field], value, field)
    near(found[0]["simt"], want["lanes"] / 32 / want["warp_executions"], "simt")


def warp_bar(variant, options, diverging, warps):
    entry = explain_json(variant, *options)
    rows.equal((entry["divergent_warps"], entry["warps"]), (diverging, warps))


def intensity_bar(variant, want):
    near(explain_json(variant, *PRODUCT)["intensity"]["loads"], want, "FLOP a byte loaded")
    text = expect(0, "explain", variant, *PRODUCT).stdout
    rows.check("of global loads %.*f" % (1 if want >= 10 else 2, want) in text, text)


def coarse_loads():
    """Two columns of tiles a block: A is loaded half as often."""
    loaded = [explain_json(v, *PRODUCT)["totals"]["bytes_loaded_requested"]
              for v in ("matmul/coarse2", "matmul/tiled32")]
    near(loaded[0] / loaded[1], 0.75, "coarse2's loads over tiled32's")


def vector_requests():
    """With 16 bytes an access, there is a quarter of the requests."""
    counts = [sum(a["requests"] for a in chosen(explain_json(v, "--blocks=all"), GLOBAL))
              for v in ("coalesce/vector4", "coalesce/contiguous")]
    rows.equal(4 * counts[0], counts[1], "requests")


def strided_ways():
    """A request has 2 elements of a bank with stride 1, 4 with stride 2, and 8 with stride 4."""
    entry = explain_json("reduce/strided", *ONE_BLOCK)
    rows.equal(max(a["ways"] for a in chosen(entry, {"text": ADDING})), 8, "ways")


def exercise():
    """The page has the word for every access of exercise 6.3."""
    explain_json("audit/foo")
    text = expect(0, "explain", "audit/foo").stdout
    for part in ("; coalesced", "; uncoalesced", "; n/a (shared)"):
        rows.check(part in text, "%r is missing: %s" % (part, text))


def sampling():
    """Totals are marked as estimates if only some blocks were traced."""
    some = explain_json("coalesce/contiguous", *INSIDE)
    rows.equal((some["sampled"]["blocks"], some["estimated"]), (1, True))
    every = explain_json("coalesce/contiguous", "--blocks=all")
    rows.equal((every["sampled"]["blocks"], every["estimated"]), (every["sampled"]["total"], False))
    rows.equal(some["totals"]["bytes_loaded_moved"], every["totals"]["bytes_loaded_moved"],
               "the estimate of a uniform kernel")


# (variant, its file, the edit: from, to; options; exit code, kind of the defect, text of its line)
DEFECTS = [
    ("transpose/tiled", "transpose/tiled.cu", ("\t__syncthreads();\n", ""), (), 3, "race",
     "to[(size_t)j * m] = tile[tx][ty + j];"),
    ("reduce/sequential", "reduce/tree.cu", ("\tpartial[t] = mine;\n\t__syncthreads();\n",
                                            "\tpartial[t] = mine;\n"), (), 3, "race", ADDING),
    ("coalesce/contiguous", "coalesce/contiguous.cu", ("\tif (i < n)\n\t\t", "\t"),
     ("--size=1000", "--blocks=all"), 3, "out", "B[i] = A[i];"),
    ("coalesce/contiguous", "coalesce/contiguous.cu", ("\tif (i < n)\n",
                                                       "\tfor (; n; i = (i + 1) % n)\n"),
     ("--size=1000", "--step-limit=100000"), 5, "runaway", None),
]


def defect(variant, file, edit, options, code, kind, text):
    need("cuda-emu")
    root = kernel_tree({"cuda_kernels/" + file: lambda source: source.replace(*edit)})
    env = {"PMPP_EMU_TIMEOUT_S": "2"} if kind == "runaway" else {}
    result = expect(code, "explain", variant, *options, "--kernel-dir=" + root, "--json", env=env)
    entry = json_of(result)["explanations"][0]
    rows.equal(len(entry["defects"]), 1, "defects")
    found = entry["defects"][0]
    rows.check(found["kind"].startswith(kind), "a defect of another kind: %r" % found)
    with open(os.path.join(root, "cuda_kernels", file), encoding="utf-8") as lines:
        source = lines.read().splitlines()
    named = [source[l - 1] for l in (found["line"], found["other_line"]) if l]
    rows.check(named, "no line: %r" % found)
    rows.check(text is None or any(text in line for line in named), "other lines: %r" % named)
    if kind == "race":
        rows.equal(len(named), 2, "lines of a race")
    rows.check("DEFECT" in result.stderr, "not on the page: " + result.stderr)
    rows.check("blocks traced, up to the defect" in " ".join(result.stderr.split()), result.stderr)
    if kind == "race":
        rows.equal(entry["sampled"]["blocks"], 1, "blocks up to the defect")
    rows.equal(entry["simt_efficiency"], None, "efficiency of a part")


def sampled_in_part():
    """A block that is longer than the limit of the trace is no defect. A block that would exceed the limit is
    not begun."""
    need("cuda-emu")
    for variant, options, blocks, in_part, text in (
            ("coalesce/contiguous", ["--size=1000", "--step-limit=100"], 1, True,
             "1 of 4 blocks traced, sampled in part: no totals"),
            ("matmul/thread-tile", ["--size=m=128,n=128,k=500", "--step-limit=1000000"], 1, True,
             "; sampled in part: no totals"),
            ("matmul/f16-mma", ["--size=m=128,n=128,k=205", "--step-limit=20000"], 1, True,
             "; sampled in part: no totals"),
            ("matmul/registers", ["--size=m=384,n=384,k=100", "--step-limit=6000000"], 2, False,
             "2 of 9 blocks traced: totals are estimates")):
        path = new_path("e.json")
        result = expect(0, "explain", variant, "--backend=cuda-emu", *options, "--json=" + path)
        page = " ".join(result.stdout.split())
        rows.check(text in page and "DEFECT" not in page, result.stdout)
        entry = json_file(path)["explanations"][0]
        rows.equal((entry["sampled"]["blocks"], entry["sampled"]["in_part"], entry["estimated"],
                    entry["defects"], entry["totals"] is None),
                   (blocks, in_part, True, [], in_part), "sample of " + variant)
        rows.check(entry["accesses"] and entry["warps"] > 0, "nothing was traced")


def limits_named():
    """If a limit ends a kernel, the page has the limit and the name that sets it."""
    need("cuda-emu")
    root = kernel_tree({"cuda_kernels/coalesce/contiguous.cu":
                        lambda source: source.replace("\tif (i < n)\n", "\tfor (; n; i += 0)\n")})
    for options in ([], ["--step-limit=100"]):
        result = expect(5, "explain", "coalesce/contiguous", "--size=1000", "--kernel-dir=" + root,
                        *options, env={"PMPP_EMU_TIMEOUT_S": "2"})
        page = " ".join(result.stdout.split())
        rows.check("DEFECT runaway" in page and "ran for more than 2 s (PMPP_EMU_TIMEOUT_S)" in page,
                   result.stdout)


def broken_page(root):
    """The page of a kernel that was not explained has no technique of the project's kernel either."""
    page = pmpp("explain", "vecadd/fine", "--backend=cuda-emu", "--kernel-dir=" + root).stdout
    rows.check("your kernel" in page, page)


def broken():
    """A kernel that does not compile: exit 5 and the compiler's log. The next one is explained."""
    need("cuda-emu")
    root = kernel_tree({"cuda_kernels/vecadd/fine.cu":
                        lambda source: source.replace("LOAD(A, i)", "NO_SUCH_NAME")})
    result = expect(5, "explain", "vecadd", "--backend=cuda-emu", "--size=100", "--json",
                    "--kernel-dir=" + root)
    entries = {e["variant"]: e for e in json_of(result)["explanations"]}
    entry = entries["fine"]
    rows.check(entries["coarse2"]["accesses"], "the next variant: %r" % entries["coarse2"])
    rows.equal(entry["status"], "build_error", "status")
    rows.check("vecadd/fine.cu:" in entry["log"] and "NO_SUCH_NAME" in entry["log"],
               "the log: %s" % entry["log"])
    rows.check("NO_SUCH_NAME" in result.stderr, "the log is not shown: " + result.stderr)
    broken_page(root)


def fault_before_the_last():
    """A launch that fails outside of the watched blocks leaves the next launch without data."""
    need("cuda-emu")
    root = kernel_tree({"cuda_kernels/reduce/tree.cu": lambda source: source.replace(
        ADDING, ADDING + "\n\t\tif (blockIdx.x == 1)\n\t\t\t*(volatile int *)8 = 1;\n", 1)})
    result = expect(5, "explain", "reduce/sequential", "--size=2^22", "--json",
                    "--kernel-dir=" + root)
    entry = json_of(result)["explanations"][0]
    rows.equal(entry["status"], "launch_error", "status")
    rows.check("reduce/tree.cu:" in entry["reason"], "no line: %s" % entry["reason"])


# (variant, options, languages, starts of two lines): the first line runs with all lanes of the second.
LINE_PAIRS = [
    ("occupancy/block100", [], ("cuda", "opencl"), "if (first + c * BLOCK < n)", "B[first"),
    ("grayscale/block16x16", ["--size=76x62"], ("cuda", "opencl"), "int row", "int column"),
    ("grayscale/block16x16", ["--size=76x62"], ("cuda", "opencl"), "if (column < width", "int row"),
    ("reduce/shuffle", ["--size=n=256"], ("cuda", "opencl"), "int lane", "int t "),
    ("transpose/vector", ["--size=64"], ("cuda",), "if (c < cols && 4 * tx < rows)", "*(float4 *)(to"),
]


def line_pair(variant, options, languages, first, second):
    """A condition runs at least as often as its body, and a statement as often as the one before it. The
    checklist names no line with only a brace."""
    for language in languages:
        need(language + "-emu")
        entry = explain_json(variant, *options, "--backend=%s-emu" % language)
        lanes = [sum(l["lanes"] for l in entry["lines"] if l["text"].startswith(text))
                 for text in (first, second)]
        rows.check(lanes[0] >= lanes[1] > 0, "%s: %d lanes, then %d" % (language, *lanes))
        counted = {l["line"] for l in entry["lines"]}
        text = {c["item"]: c["text"] for c in entry["checklist"]}["divergence"]
        named = [int(n) for n in re.findall(r"line (\d+)", text)]
        rows.check(counted.issuperset(named), "%s: %s: not a counted line" % (language, text))


def own_kernels():
    """With --kernel-dir the texts and the counts of lines are of the user's file."""
    need("cuda-emu")
    root = kernel_tree({"cuda_kernels/vecadd/fine.cu": lambda source: "/* one line more */\n" + source})
    ours = explain_json("vecadd/fine")["accesses"]
    theirs = explain_json("vecadd/fine", "--kernel-dir=" + root)["accesses"]
    rows.equal([(a["line"], a["text"]) for a in theirs], [(a["line"] + 1, a["text"]) for a in ours],
               "lines and their texts")


def bank_conflicts():
    """A 32-way conflict is an open item; the padded tile has no conflict."""
    need("cuda-emu")
    found = {}
    for variant in ("tiled", "padded"):
        entry = explain_json("transpose/" + variant)
        found[variant] = {c["item"]: (c["state"], c["text"]) for c in entry["checklist"]}["bank conflicts"]
    rows.equal(found, {"tiled": ("open", "32.0 wavefronts per load, 1.0 needed, line 41"),
                       "padded": ("done", "no conflict")}, "items")
    page = expect(0, "explain", "transpose/tiled", "--backend=cuda-emu").stdout
    rows.check("open        bank conflicts: 32.0 wavefronts per load" in page, page)


def swapped(source):
    return source.replace("fmaf(tile_a[ty][kk], tile_b[kk][tx], sum)",
                          "fmaf(tile_b[kk][tx], tile_a[ty][kk], sum)")


def your_kernel():
    """Nothing is said about your kernel that holds for the project's kernel only. The floors are those of the
    trace, which are the same."""
    need("cuda-emu")
    root = kernel_tree({"cuda_kernels/matmul/tiled.cu": swapped})
    options = ["explain", "matmul/tiled16", "--backend=cuda-emu", "--size=64"]
    page = expect(0, *options, "--kernel-dir=" + root).stdout
    builtin = expect(0, *options).stdout
    for part in ("next rung", "issued ", "tiling: a block loads"):
        rows.check(part in builtin, "the project's page lacks %r: %s" % (part, builtin))
        rows.check(part not in page, "the page has %r: %s" % (part, page))
    for part in ("technique   your kernel: it replaces", "shared", "traced ", "pmpp-run verify"):
        rows.check(part in page, "the page lacks %r: %s" % (part, page))
    entry = json_of(expect(0, *options, "--json", "--kernel-dir=" + root))["explanations"][0]
    rows.equal([entry.get(key) for key in ("own_kernel", "technique", "book", "base", "next", "limited_by")],
               [True, "your kernel", None, None, None, "shared"])
    rows.check(entry["limit_predicted"] and entry["intensity"]["issued"] is None, entry)
    rows.equal((entry["advice"]["item"], entry["advice"]["floor"]), ("coarsening", "compute"))
    rows.check(entry["intensity"]["requested"] > 0 and entry["accesses"], "the trace is missing")
    rows.check("own_kernel" not in explain_json("matmul/tiled16", "--kernel-dir=" + ROOT), "a copy")


# Variants whose copies have the same floors: memory, passes of L1 and of shared memory, and arithmetic within 0.5 %,
# L2 within 10 % (docs/explain.md).
COPIES = [("matmul", "naive"), ("transpose", "tiled"), ("transpose", "naive-strided-store"),
          ("reduce", "shuffle"), ("coalesce", "stride8"), ("vecadd", "grid-stride"),
          ("window", "private")]


def copied_floors(family, variant):
    """The floors of a trace and those of the formulas."""
    path = family + "/" + variant
    file = explain_json(path)["file"]
    root = kernel_tree({file: lambda source: source + "\n__device__ inline void of_mine() {}\n"})
    ours, theirs = explain_json(path), explain_json(path, "--kernel-dir=" + root)
    rows.equal((ours["floors"]["traced"], theirs["floors"]["traced"]), (False, True))
    rows.equal(theirs["limited_by"], ours["limited_by"], "the limit")
    rows.equal(theirs["floors"]["problem"], ours["floors"]["problem"], "the size")
    for key, within in (("launch", 0), ("memory", 0.005), ("l1", 0.005), ("shared", 0.005), ("compute", 0.005), ("l2", 0.1)):
        a, b = ours["floors"][key], theirs["floors"][key]
        rows.check(a == b or abs(a - b) <= within * a, "%s: formula %s, trace %s" % (key, a, b))


for number, (arguments, code, parts) in enumerate(REFUSED):
    rows.row("refused %d: explain %s" % (number, " ".join(arguments)[:60]), refuses, arguments, code,
             parts)
for arguments, parts in ELSEWHERE:
    rows.row("refused: " + " ".join(arguments), refused, 1, parts, *arguments)
rows.row("--help", help_text)
rows.row("--json", document)
rows.row("a sweep", sweep)
rows.row("cuda-emu measures nothing", no_measurement)
rows.row("the table, --report", table)
rows.row("--map", maps)
rows.long_row("shards", shards)
rows.row("--twins", twins)
rows.row("a variant for CPUs", for_cpus)
rows.row("no C++ compiler", no_compiler)
rows.row("--no-isolate", in_process)
for bar in ACCESSES:
    rows.row("%s %s: %s has %s" % (bar[0], " ".join(bar[1]), " ".join(map(str, bar[2].values())),
                                   ", ".join("%s %s" % w for w in bar[3].items())), access_bar, *bar)
for bar in LINES:
    rows.row("%s: the adding line" % bar[0], line_bar, *bar)
for bar in WARPS:
    rows.row("%s %s: warps that diverge" % (bar[0], " ".join(bar[1])), warp_bar, *bar)
for number, bar in enumerate(INTENSITIES):
    rows.sampled_row(number, 3, "%s: FLOP a byte of loads" % bar[0], intensity_bar, *bar)
for bar in REQUESTS:
    rows.row("%s %s: the request of %s" % (bar[0], " ".join(bar[1]), " ".join(bar[2].values())),
             request_bar, *bar)
rows.row("vecadd/fine: inactive lanes", inactive_lanes)
rows.row("source_sha256", source_hash)
rows.row("lines of a kernel that includes files", own_lines)
rows.long_row("matmul/coarse2: bytes loaded", coarse_loads)
rows.row("coalesce/vector4: requests", vector_requests)
rows.row("reduce/strided: ways", strided_ways)
rows.row("audit/foo: exercise 6.3", exercise)
rows.row("sampled blocks", sampling)
rows.row("the checklist: bank conflicts", bank_conflicts)
rows.row("--kernel-dir", own_kernels)
rows.row("--kernel-dir: your kernel", your_kernel)
for number, copied in enumerate(COPIES):
    rows.sampled_row(number, 3, "floors of a copy: %s/%s" % copied, copied_floors, *copied)
rows.long_row("limits of a kernel without an end", limits_named)
rows.row("a block that is sampled in part", sampled_in_part)
rows.long_row("a kernel that does not compile", broken)
rows.row("a fault before the last launch", fault_before_the_last)
for number, bar in enumerate(LINE_PAIRS):
    rows.sampled_row(number, 2, "%s: lanes of %r" % (bar[0], bar[3]), line_pair, *bar)
for bar in DEFECTS:
    (rows.long_row if bar[5] == "runaway" else rows.row)("%s: %s" % (bar[0], bar[5]), defect, *bar)
rows.finish()
