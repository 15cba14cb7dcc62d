"""`compare` of two explain files: each planted change of a count is found, and nothing else is."""
import copy
import functools
import json
import os
import shutil

from command import ROOT, expect, json_file, need, need_nvrtc, new_file, new_path, read_text, refused
import rows

TILED = "cuda_kernels/matmul/tiled.cu"
BARRIER = "__syncthreads();"


def explained(*arguments):
    """The document of `explain --json`."""
    need("cuda-emu")
    path = new_path("explained.json")
    expect(0, "explain", "-q", "--json=" + path, *arguments)
    return json_file(path)


@functools.lru_cache(maxsize=None)
def base(variant="matmul/tiled16"):
    return explained(variant, "--backend=cuda-emu")


def written(document):
    return new_file("counts.json", json.dumps(document))


def compared(code, before, after, *arguments):
    """(changes, notes) of the comparison."""
    path = new_path("changes.json")
    expect(code, "compare", "-q", written(before), written(after), "--fail-on=counts", "--json=" + path, *arguments)
    found = json_file(path)
    return found["changes"], found["notes"]


def first(document, part, **wanted):
    return next(p for p in document["explanations"][0][part] if all(p[k] == v for k, v in wanted.items()))


def planted(variant, count, change):
    """The change of one count is found; the same change backwards is better."""
    other = copy.deepcopy(base(variant))
    change(other)
    changes, _ = compared(4, base(variant), other)
    rows.check(count in [c["count"] for c in changes], changes)
    rows.check(all(c["effect"] == "worse" for c in changes), changes)
    rows.check(len(changes) <= 3, changes)  # sectors and lines follow from requests
    changes, _ = compared(0, other, base(variant))
    rows.check(changes and all(c["effect"] == "better" for c in changes), changes)


def access(key, add, **wanted):
    def change(document):
        found = first(document, "accesses", **wanted)
        found[key] += add / (found["requests"] if key.endswith("_per_request") else 1)
    return change


def member(part, key, add, **wanted):
    def change(document):
        first(document, part, **wanted)[key] += add
    return change


def whole(*path, add=1):
    def change(document):
        place = document["explanations"][0]
        if path[0] == "resources":
            need_nvrtc()
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] += add
    return change


def lanes(document):
    first(document, "lines")["lanes"] -= 1


def defect(document):
    document["explanations"][0]["defects"].append(
        {"kind": "race", "line": 28, "other_line": 31, "text": "a data race"})


def copied_barrier(document):
    found = document["explanations"][0]["barriers"]
    found.append(dict(found[-1], line=99))


# ---- Kernel files ----------------------------------------------------------------------------

def kernel(*replacements):
    """Explains a changed copy of the kernel file."""
    folder = new_path("kernels")
    path = os.path.join(folder, TILED)
    os.makedirs(os.path.dirname(path))
    text = read_text(os.path.join(ROOT, TILED))
    for old, new in replacements:
        rows.check(old in text, "no '%s' in the kernel" % old)
        text = text.replace(old, new, 1)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return explained("matmul/tiled16", "--backend=cuda-emu", "--kernel-dir=" + folder)


LOAD = "tile_a[ty][tx] = row < m && k0 + tx < k ?"


def edited(count, *replacements):
    changes, _ = compared(4, base(), kernel(*replacements))
    rows.check(count in [c["count"] for c in changes if c["effect"] == "worse"], changes)


def more_memory():
    need_nvrtc()
    edited("static shared bytes", ("tile_a[TILE][TILE]", "tile_a[TILE + 1][TILE]"))


def moved():
    """Comments and other names move lines and change texts, but no count."""
    changes, _ = compared(0, base(), kernel((BARRIER, "// waits\n\n\t\t" + BARRIER), ("float sum", "// sum\n\tfloat sum")))
    rows.equal(changes, [])


# ---- No alarm --------------------------------------------------------------------------------

def repeated(*arguments):
    """Repeats and seeds, of a kernel whose accesses do not depend on the data."""
    for variant in ("matmul/tiled16", "transpose/tiled", "reduce/strided"):
        again = explained(variant, "--backend=cuda-emu", *arguments)
        rows.equal(compared(0, base(variant), again)[0], [], variant)


def same_text():
    before = written(base())
    result = expect(0, "compare", before, before)
    rows.check("no count differs" in result.stdout, result.stdout)


# ---- Other files -----------------------------------------------------------------------------

def compilers():
    other = copy.deepcopy(base())
    other["explanations"][0]["compilers"] = ["another compiler"]
    changes, notes = compared(0, base(), other)
    rows.equal(changes, [])
    rows.check("the compilers differ" in notes[0] and "another compiler" in notes[0], notes)


def older():
    """A file of an older version has no barriers: they are not compared."""
    other = copy.deepcopy(base())
    del other["explanations"][0]["barriers"]
    changes, notes = compared(0, base(), other)
    rows.check(not changes and "barriers are not compared" in notes[0], (changes, notes))


def missing():
    """A variant that is lost, or that only the old file has."""
    both = copy.deepcopy(base())
    both["explanations"] += base("transpose/tiled")["explanations"]
    changes, _ = compared(4, both, base())
    rows.equal([(c["kernel"], c["count"]) for c in changes], [("transpose/tiled", "traces")])


def other_macros():
    changes, notes = compared(4, base("transpose/padded"), base("transpose/tiled"))
    rows.check(any("the macros differ" in n for n in notes), notes)
    rows.check(("bank passes", "worse") in [(c["count"], c["effect"]) for c in changes], changes)


def not_comparable():
    before = written(base())
    for key, value, part in (("problem_text", "m=n=k=64", "the sizes differ"),
                             ("traced", "opencl-emu", "the traced languages differ"),
                             ("sampled", {"blocks": 1, "total": 64, "in_part": False}, "the traced blocks differ")):
        other = copy.deepcopy(base())
        other["explanations"][0][key] = value
        refused(1, [part, "cannot be compared"], "compare", before, written(other))
    refused(1, ["no variant in common"], "compare", before, written(base("transpose/tiled")))
    refused(1, ["two files of `explain --json`"], "compare", before)
    refused(1, ["--fail-on=counts"], "compare", before, before, "--fail-on=slow")
    refused(1, ["counts are compared exactly"], "compare", before, before, "--by=run")
    refused(1, ["would be replaced"], "compare", before, before, "--json=" + before)
    times = os.path.join(ROOT, "docs", "results", "pocl", "matmul.json")
    refused(1, ["two files of `explain --json`"], "compare", before, times)


def tables():
    other = copy.deepcopy(base())
    access("sectors_per_request", 1, operand="A")(other)
    before, after = written(base()), written(other)
    result = expect(0, "compare", before, after, "--csv")
    rows.check("kernel,line,place,count,before,after,effect,text" in result.stdout, result.stdout)
    rows.check("matmul/tiled16,26,load A,sectors,768,769,worse," in result.stdout, result.stdout)
    rows.check("| load A | sectors | 768 | 769 | worse |" in expect(0, "compare", before, after, "--md").stdout, "no row")


PLANTED = (
    ("a request", "matmul/tiled16", "requests", member("accesses", "requests", 1, operand="A")),
    ("a sector", "matmul/tiled16", "sectors", access("sectors_per_request", 1, operand="A")),
    ("a cache line", "matmul/tiled16", "cache lines", access("lines128_per_request", 1, operand="B")),
    ("a bank pass", "matmul/tiled16", "bank passes", access("wavefronts_per_request", 1, space="shared")),
    ("a bank way", "matmul/tiled16", "bank ways", member("accesses", "ways", 1, space="shared")),
    ("bytes", "matmul/tiled16", "bytes", member("accesses", "bytes_requested", 4, operand="C")),
    ("an inactive lane", "matmul/tiled16", "lanes per request", member("accesses", "active_lanes", -1 / 192, operand="A")),
    ("lanes of one address", "reduce/single-pass", "lanes per address", member("accesses", "multiplicity", 1, kind="atomic")),
    ("a branch", "matmul/tiled16", "executions", member("branches", "executions", 1)),
    ("a divergent branch", "matmul/tiled16", "divergent executions", member("branches", "divergent", 1)),
    ("a barrier", "matmul/tiled16", "barriers", member("barriers", "executions", 1)),
    ("a new barrier", "matmul/tiled16", "barriers", copied_barrier),
    ("an execution of a line", "matmul/tiled16", "executions", member("lines", "warp_executions", 1)),
    ("a lane of a line", "matmul/tiled16", "lanes per execution", lanes),
    ("a divergent warp", "matmul/tiled16", "divergent warps", whole("divergent_warps")),
    ("a warp", "matmul/tiled16", "warps", whole("warps")),
    ("a register", "matmul/tiled16", "registers", whole("resources", "registers")),
    ("a spilled byte", "matmul/tiled16", "spilled bytes", whole("resources", "spill_bytes")),
    ("a shared byte", "matmul/tiled16", "static shared bytes", whole("resources", "shared_bytes")),
    ("a dynamic shared byte", "matmul/tiled16", "dynamic shared bytes", whole("launch", "shared_bytes")),
    ("occupancy", "matmul/tiled16", "occupancy", whole("occupancy", "ratio", add=-1 / 64)),
)
for name, variant, count, change in PLANTED:
    rows.row("planted: " + name, planted, variant, count, change)


def planted_defect():
    other = copy.deepcopy(base())
    defect(other)
    changes, _ = compared(4, base(), other)
    rows.equal([(c["count"], c["place"], c["line"]) for c in changes], [("defects", "race", 28)])


rows.row("planted: a defect", planted_defect)
rows.row("a kernel with one more barrier", edited, "barriers", (BARRIER, BARRIER + BARRIER))
rows.row("a kernel with uncoalesced loads", edited, "sectors", (LOAD + " A[(size_t)row * k + (k0 + tx)]",
                                                                LOAD + " A[(size_t)(k0 + tx) * k + row]"))
rows.row("a kernel with bank conflicts", edited, "bank passes", ("tile_a[TILE][TILE]", "tile_a[TILE][2 * TILE]"))
rows.long_row("a kernel with more shared memory", more_memory)
rows.row("a kernel with moved lines", moved)
rows.row("repeats", repeated)
rows.long_row("seeds", repeated, "--seed=7")
rows.row("text of equal files", same_text)
rows.row("another compiler", compilers)
rows.row("a file without barriers", older)
rows.row("a missing variant", missing)
rows.row("other macros", other_macros)
rows.row("files that cannot be compared", not_comparable)
rows.row("tables as CSV and Markdown", tables)
rows.finish()
