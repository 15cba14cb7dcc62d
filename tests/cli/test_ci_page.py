"""The table of mistakes in docs/ci.md: each check finds exactly the mistakes that the page lists."""
import os
import re
import shutil

from command import ROOT, expect, json_of, kernel_tree, need, pmpp, read_text
import rows

CL, CU = "cl_kernels/matmul/tiled.cl", "cuda_kernels/matmul/tiled.cu"
LOAD = "row < m && k0 + tx < k ? A[(size_t)row * k + (k0 + tx)] : 0.0f"
# The first cell of each row of the table, and the edits that make the mistake: [(before, after)]
MISTAKES = {
    "the second barrier of the loop is missing": [
        ("\t\tbarrier(CLK_LOCAL_MEM_FENCE);\n\t}\n", "\t}\n"), ("\t\t__syncthreads();\n\t}\n", "\t}\n")],
    "the load of `A` has no `row < m`": [(LOAD, LOAD.replace("row < m && ", ""))],
    "the load of `A` has no bounds at all": [(LOAD, "A[(size_t)row * k + (k0 + tx)]")],
    "the store of `C` has no bounds": [("\tif (row < m && col < n)\n", "")],
}


def page():
    return read_text(os.path.join(ROOT, "docs/ci.md"))


def section():
    return page().split("\n### What each check finds\n")[1].split("\n### ")[0]


def table():
    """{mistake: {check: cell}}"""
    cells = [[cell.strip() for cell in line.strip("|").split("|")]
             for line in section().split("\n") if line.startswith("| ")]
    return {row[0]: dict(zip(cells[0][1:], row[1:])) for row in cells[1:]}


def need_pocl():
    """The only OpenCL device is PoCL in the version of the page. Other devices may hide the race."""
    need("opencl")
    version = re.search(r"PoCL \d+\.\d+", section()).group(0)
    drivers = [device["views"]["opencl"]["driver"]
               for device in json_of(expect(0, "devices", "--json"))["devices"]
               if "opencl" in device["views"]]
    if len(drivers) != 1 or version not in drivers[0]:
        raise rows.Skip("%s is not the only OpenCL device" % version)


def need_oclgrind():
    if not shutil.which("oclgrind"):
        rows.skip_backend("oclgrind", "not installed (package oclgrind)")


EMULATED = {"data race": "a data race in shared memory",
            "load out of bounds": "out-of-bounds load of 4 bytes",
            "store out of bounds": "out-of-bounds store of 4 bytes"}
# Column of the table: requirement, options, file, texts for the words of the cell
CHECKS = {
    "PoCL": (need_pocl, ["--backend=opencl"], CL, {}),
    "cuda-emu": (lambda: need("cuda-emu"), ["--backend=cuda-emu"], CU, EMULATED),
    "opencl-emu": (lambda: need("opencl-emu"), ["--backend=opencl-emu"], CL, EMULATED),
    "Oclgrind": (need_oclgrind, ["--engine=oclgrind"], CL,
                 {"data race": "data race at local memory",
                  "read out of bounds": "invalid read of size 4",
                  "write out of bounds": "invalid write of size 4"}),
}


def verify(options, tree):
    return pmpp("verify", "matmul/tiled16", *options, "--kernel-dir=" + tree)


def finds(mistake, check):
    """The exit status and the reason are those of the cell."""
    need_check, options, path, texts = CHECKS[check]
    need_check()

    def edit(text):
        for before, after in MISTAKES[mistake]:
            text = text.replace(before, after)
        return text

    result = verify(options, kernel_tree({path: edit}))
    verdict, _, reason = table()[mistake][check].partition(": ")
    allowed = {"passes": (0,), "fails": (3, 5)}[verdict]
    rows.check(result.returncode in allowed, "%s, exit %d: %s%s" %
               (verdict, result.returncode, result.stdout, result.stderr))
    rows.equal(bool(reason), verdict == "fails" and bool(texts), "a reason in the cell")
    rows.check(not reason or texts[reason] in result.stdout, "%s: %s" % (reason, result.stdout))
    if mistake == "the load of `A` has no `row < m`" and check.endswith("-emu"):
        rows.equal(result.returncode, 5, "exit status that the page names")


def whole_table():
    """The page has these mistakes and checks. Only the last three columns have reasons."""
    rows.equal(list(table()), list(MISTAKES), "rows")
    for row in table().values():
        rows.equal(list(row), ["PoCL", "Intel", "rusticl", "cuda-emu", "opencl-emu", "Oclgrind"],
                   "columns")
        rows.equal(set(row.values()) - {"passes", "fails"},
                   {row["cuda-emu"], row["opencl-emu"], row["Oclgrind"]}, "cells with a reason")


def one_type():
    """A kernel for f32 passes with --dtype=f32 only."""
    need("opencl")
    tree = kernel_tree({"cl_kernels/vecadd/fine.cl": lambda text: text.replace(
        "LOAD(A, i) + LOAD(B, i)", "((__global const float *)A)[i] + LOAD(B, i)")})
    for options, code in (([], 3), (["--dtype=f32"], 0)):
        expect(code, "verify", "vecadd/fine", "--backend=opencl", "--kernel-dir=" + tree, *options)
    rows.check("`--dtype=f32`" in page(), "the page names no --dtype=f32")


rows.row("rows and columns", whole_table)
for name in MISTAKES:
    for column in CHECKS:
        rows.row("%s: %s" % (column, name), finds, name, column)
rows.row("a kernel of one type", one_type)
rows.finish()
