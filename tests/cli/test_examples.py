"""examples/: each kernel is right on the emulator of its language and on the CPU, and a mistake in it is found."""
import glob
import os
import shutil

from command import ROOT, expect, need, new_path, read_text
import rows

# Problem: a size for the CPU, and a mistake in the first CUDA kernel: a part of the text and its replacement.
PROBLEMS = {
    "conv2d": ("61x127", "x + i < w", "x + i < w - 1"),
    "prefix_sum": ("1000", "k <= i", "k < i"),
    "block_sort": ("1000", "int i = begin + 1", "int i = begin + 2"),
    "spmv": ("513x257x4097", "row_start[i + 1]", "row_start[i + 1] - 1"),
    "layer_norm": ("33x1000", "variance /= columns", "variance /= columns + 1"),
}
FOLDER = os.path.join(ROOT, "examples")


def kernels(problem, ending):
    return sorted(glob.glob(os.path.join(FOLDER, problem + "_*" + ending)))


def right(problem, ending, backend, *options):
    need(backend)
    found = kernels(problem, ending)
    rows.equal(len(found), 2, "kernels of " + problem)
    for path in found:
        with open(path, encoding="utf-8") as file:
            rows.check(file.readline().startswith("// "), path + " does not begin with its idea")
        result = expect(0, "try", path, "--backend=" + backend, *options)
        if path.endswith("conv2d_tiled.cu") and backend == "cuda-emu":
            text = " ".join(result.stdout.split())
            rows.check("so use constant memory" in text and "next constant memory (__constant__): at most" in text, text)


def mistake(problem, _, part, replacement):
    need("cuda-emu")
    source = kernels(problem, "naive.cu")[0]
    path = new_path("wrong.cu")
    text = read_text(source)
    rows.check(part in text, "no '%s' in %s" % (part, source))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(part, replacement, 1))
    shutil.copy(os.path.join(FOLDER, problem + ".c"), os.path.dirname(path))
    result = expect(3, "try", path, "--backend=cuda-emu")
    rows.check("failed at" in result.stdout, result.stdout)


def short(path):
    with open(path, encoding="utf-8") as file:
        rows.check(len(file.readlines()) < 40, path + " has 40 lines or more")


rows.equal(sorted(glob.glob(os.path.join(FOLDER, "*.c"))),
           sorted(os.path.join(FOLDER, name + ".c") for name in PROBLEMS), "problems of examples/")
for number, (name, facts) in enumerate(PROBLEMS.items()):
    rows.row(name + ": short", short, os.path.join(FOLDER, name + ".c"))
    rows.sampled_row(number, 2, name + ": cuda-emu", right, name, ".cu", "cuda-emu")
    rows.sampled_row(number + 1, 2, name + ": opencl-emu", right, name, ".cl", "opencl-emu")
    (rows.row if name == "conv2d" else rows.long_row)(
        name + ": the CPU", right, name, ".cl", "opencl", "--device=cpu", "--size=" + facts[0])
    rows.row(name + ": a GPU", right, name, ".cu", "cuda")
    rows.sampled_row(number, 3, name + ": a mistake", mistake, name, *facts)
rows.finish()
