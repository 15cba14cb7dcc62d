"""new: files to start from, which `try` accepts."""
import os

from command import expect, json_of, need, new_path, read_text, refused
import rows

EMULATORS = {"cu": "cuda-emu", "cl": "opencl-emu"}
VARIANTS = {
    "matmul/tiled16": 1, "matmul/registers": 1, "matmul/naive-uncoalesced": 1, "matmul/coarse4": 1,
    "transpose/tiled": 0, "transpose/vector": 1, "transpose/diagonal": 1, "vecadd/fine": 1, "vecadd/grid-stride": 0,
    "histogram/global-atomic": 1, "histogram/private": 1, "histogram/replicated": 1, "grayscale/block16x16": 0,
    "grayscale/coarse4": 1, "window/direct": 1, "window/coarse": 0, "softmax/online": 1, "softmax/safe": 1,
    "divergence/uniform-branch": 1, "prefetch/async-copy": 1}


def empty(family, ending):
    """It compiles, nothing is asked, and its result is wrong."""
    need(EMULATORS[ending])
    path = new_path("mine." + ending)
    expect(0, "new", family, path)
    result = expect(3, "try", path, "--backend=" + EMULATORS[ending], "--size=40")
    rows.check("mine.%s: %s by %s(" % (ending, family, family) in result.stdout, result.stdout)
    rows.check(" wrong" in result.stdout, result.stdout)


def variant(name, ending):
    """The kernel of a variant is right in a file of its own."""
    need(EMULATORS[ending])
    path = new_path("mine." + ending)
    expect(0, "new", name, path)
    text = read_text(path)
    rows.check("#line" not in text and "#include \"" not in text, text)
    expect(0, "try", path, "--backend=" + EMULATORS[ending])


def names():
    folder = os.path.dirname(new_path(""))
    result = expect(0, "new", "matmul", cwd=folder)
    rows.check("wrote matmul.cu; check it with: pmpp-run try matmul.cu" in result.stdout, result.stdout)
    expect(0, "new", "matmul", "--backend=opencl", "--from=tiled16", "--quiet", cwd=folder)
    rows.equal(sorted(os.listdir(folder)), ["matmul.cl", "matmul.cu"])
    refused(1, ["matmul.cu: File exists: give another FILE"], "new", "matmul/tiled16", cwd=folder)


def wrong():
    path = new_path("mine.cu")
    refused(1, ["is NAME.cu or NAME.cl"], "new", "matmul", path + "x")
    refused(1, ["/.cu: the name of a kernel file is NAME.cu or NAME.cl"], "new", "matmul", os.path.join(os.path.dirname(path), ".cu"))
    refused(1, ["no-such/mine.cu: No such file"], "new", "matmul", os.path.join(os.path.dirname(path), "no-such/mine.cu"))
    refused(1, ["have different results"], "new", "instructions", path)
    refused(1, ["give one family"], "new", "all", path)
    refused(1, ["matmul has no variant 'tile'"], "new", "matmul", path, "--from=tile")
    refused(1, ["reduce/shuffle cannot be a file for `try`: it uses buffers"], "new", "reduce/shuffle", path)
    refused(1, ["its operands have another layout"], "new", "matmul/colmajor-naive", path)
    refused(1, ["histogram/cpu-private has no CUDA file: give FILE.cl"], "new", "histogram/cpu-private", path)
    rows.check(not os.path.exists(path), "a refused command wrote a file")


rows.row("names of files", names)
rows.row("what is refused", wrong)
for FAMILY in json_of(expect(0, "list", "--json"))["families"]:
    if FAMILY["name"] not in ("instructions", "latency"):
        for ENDING in EMULATORS:
            add = rows.row if FAMILY["name"] in ("matmul", "histogram") else rows.long_row
            add("an empty kernel: %s in .%s" % (FAMILY["name"], ENDING), empty, FAMILY["name"], ENDING)
for NAME, LONG in VARIANTS.items():
    for ENDING in EMULATORS:
        add = rows.long_row if LONG or ENDING == "cl" else rows.row
        add("%s in .%s" % (NAME, ENDING), variant, NAME, ENDING)
rows.finish()
