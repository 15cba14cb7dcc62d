"""Kernels of tests/styles, in the styles of 42 public kernels. verify accepts the right ones and names the fault
of the wrong ones; explain reports their shared memory. They have only these edits: the name of the file, the name of
the entry, the arguments, and a one-dimensional grid."""
import os
import re
import shutil

from command import ROOT, expect, need, new_path, pmpp
import rows

# Choices of a family: what the kernels compute.
CHOICES = {"reduce": ["--dtype=f32", "--op=sum"], "histogram": ["--dtype=u8", "--data=uniform"],
           "vecadd": ["--dtype=f32"], "softmax": ["--data=outliers"]}
SHARED = "--shared=1024"

# file, file of pmpp, variant, options, sizes, counts of verify, part of the reason, part of the page of explain
# at the first size ("": no explain)
KERNELS = [
    ("sgemm_naive.cu", "naive", "matmul/naive", [], "33x35x37", "1 failed", "reads its output before writing it", ""),
    ("sgemm_shared.cu", "tiled", "matmul/tiled32", [], "64x64x64,33x33x33", "1 ok, 1 failed",
     "out-of-bounds load of 4 bytes at byte 4356 of argument 2", ""),
    ("sgemm_1d_blocktiling.cu", "thread_column", "matmul/thread-column", [], "64x64x32,63x64x32",
     "1 ok, 1 failed", "out-of-bounds load", ""),
    ("sgemm_2d_vectorize.cu", "vector_loads", "matmul/vector-loads", [], "128x128x16", "1 ok", "", "-way conflict"),
    ("sgemm_warptiling.cu", "registers", "matmul/registers", [], "128x128x32", "1 ok", "", "-way conflict"),
    ("book_tiled.cu", "tiled", "matmul/tiled16", [], "37x37x37,17x33x20", "1 ok, 1 failed", "not 0.667505776", ""),
    ("book_coarsened.cu", "coarse", "matmul/coarse4", [], "128x128x128", "1 ok", "", ""),
    ("book_corner_turned.cu", "corner_turned", "matmul/corner-turned", [], "33x35x37", "1 ok", "", ""),
    ("tutorial_gemm.cl", "tiled", "matmul/tiled32", [], "32x64x64,33x33x33", "1 ok, 1 failed",
     "writes outside its operands", ""),
    ("vendor_matrixmul.cl", "tiled", "matmul/tiled16", [], "32x48x64", "1 ok", "", ""),
    ("vendor_transpose_coalesced.cu", "tiled", "transpose/tiled", [], "64x96,33x33", "1 ok, 1 failed",
     "out-of-bounds", "load: 32-way conflict"),
    ("vendor_transpose_padded.cu", "tiled", "transpose/padded", [], "33x65", "1 ok", "", "load: no conflict"),
    ("vendor_transpose_diagonal.cu", "tiled", "transpose/diagonal", [], "64x64,64x96,1x1",
     "2 ok, 1 broken", "tiled.cu:23: an arithmetic error, such as an integer division by zero", "load: no conflict"),
    ("vendor_transpose.cl", "tiled", "transpose/padded", [], "33x65", "1 ok", "", "load: no conflict"),
    ("vector_add.cl", "fine", "vecadd/fine", [], "997", "1 ok", "", ""),
    ("grayscale_book.cu", "block", "grayscale/block16x16", [], "33x17", "1 failed", "GRAY[0,0] = ", ""),
    ("vendor_reduce0.cu", "tree", "reduce/interleaved", [SHARED], "997", "1 ok", "", "no conflict"),
    ("vendor_reduce1.cu", "tree", "reduce/strided", [SHARED], "997", "1 ok", "", "-way conflict"),
    ("vendor_reduce2.cu", "tree", "reduce/sequential", [SHARED], "997", "1 ok", "", "no conflict"),
    ("vendor_reduce3.cu", "tree", "reduce/first-add", [SHARED], "997", "1 ok", "", "no conflict"),
    ("vendor_reduce0.cl", "tree", "reduce/interleaved", [SHARED], "997", "1 ok", "", ""),
    ("vendor_reduce1.cl", "tree", "reduce/strided", [SHARED], "997", "1 ok", "", "-way conflict"),
    ("vendor_reduce2.cl", "tree", "reduce/sequential", [SHARED], "997", "1 ok", "", ""),
    ("vendor_reduce3.cl", "tree", "reduce/first-add", [SHARED], "997", "1 ok", "", ""),
    ("benchmark_reduce.cu", "tree", "reduce/first-add", [], "512,997", "1 ok, 1 failed",
     "out-of-bounds load of 4 bytes at byte 3988 of argument 1, an operand of 3988 bytes", "no conflict"),
    ("tutorial_reduce_volatile.cu", "tree", "reduce/first-add", [], "997", "1 failed",
     "tree.cu:10: a data race in shared memory", ""),
    ("tutorial_reduce_template.cu", "coarse", "reduce/coarse", [SHARED], "997", "1 failed",
     "coarse.cu:7: a data race in shared memory", ""),
    ("tutorial_reduce_in_kernel.cu", "tree", "reduce/sequential", [], "997", "1 failed",
     "tree.cu:35: a data race in shared memory", ""),
    ("tutorial_reduce_syncwarp.cu", "tree", "reduce/first-add", [], "997", "1 ok", "", "no conflict"),
    ("tutorial_reduce_shuffle.cu", "shuffle", "reduce/shuffle", [], "997", "1 ok", "", "no conflict"),
    ("book_reduce_in_place.cu", "tree", "reduce/interleaved", [], "512", "1 failed", "changes its inputs", ""),
    ("book_reduce_segmented.cu", "tree", "reduce/sequential", [], "997", "1 failed", "reads its output before writing it", ""),
    ("histogram_global.cu", "global_atomic", "histogram/global-atomic", [], "4099", "1 ok", "", ""),
    ("histogram_private.cu", "private", "histogram/private", [], "4099", "1 ok", "",
     "atomic: 6-way conflict, 1.9 lanes per address"),
    ("histogram_contiguous.cu", "coarse", "histogram/coarse-contiguous", [], "4099", "1 ok", "",
     "atomic: 5-way conflict, 2 lanes per address"),
    ("histogram_interleaved.cu", "coarse", "histogram/coarse-interleaved", [], "4099", "1 ok", "",
     "atomic: 6-way conflict, 1.9 lanes per address"),
    ("histogram_aggregated.cu", "aggregated", "histogram/aggregated", [], "4099", "1 ok", "",
     "atomic: 4-way conflict, 1.9 lanes per address"),
    ("histogram_warps.cu", "coarse", "histogram/coarse-interleaved", ["--set=BLOCK=256"], "4096,4099",
     "1 ok, 1 failed", " wrong (0 unwritten or not finite)",
     "atomic: 5-way conflict, 1.9 lanes per address"),
    ("softmax_block.cu", "safe", "softmax/safe", [SHARED], "3x997", "1 ok", "", "store: no conflict"),
    ("softmax_warp.cu", "safe", "softmax/safe", ["--set=BLOCK=32"], "3x997", "1 ok", "", ""),
    ("softmax_shuffle_race.cu", "safe", "softmax/safe", [], "3x997", "1 broken", "safe.cu:54: a data race in "
     "shared memory with thread 255: there is no barrier between the two accesses (the other at softmax/safe.cu:47)",
     ""),
    ("softmax_online.cu", "online", "softmax/online", ["--set=BLOCK=32"], "3x997", "1 ok", "", ""),
]
# NVRTC has no headers of the host. These declarations are in their place.
HOST_HEADER = re.compile(r'#(pragma once|include [<"](?!cuda_|cooperative_groups|device_launch_parameters))')
OF_HOST = """
#define FLT_MAX 3.402823466e38f
#define INFINITY __int_as_float(0x7f800000)
typedef unsigned char uint8_t;
typedef unsigned int uint, uint32_t;
typedef unsigned long long uint64_t;
namespace std {}
"""


def tree_of(file, target, variant):
    """A folder for --kernel-dir with this file in the place of pmpp's."""
    stem, extension = os.path.splitext(file)
    tree = os.path.dirname(new_path("x"))
    folder = os.path.join(tree, "cuda_kernels" if extension == ".cu" else "cl_kernels", variant.split("/")[0])
    os.makedirs(folder)
    shutil.copy(os.path.join(ROOT, "tests", "styles", file), os.path.join(folder, target + extension))
    return tree


def judge(file, target, variant, backend, options, sizes, outcome, reason, page):
    need(backend)
    arguments = [variant, *CHOICES.get(variant.split("/")[0], []), *options, "--backend=" + backend,
                 "--kernel-dir=" + tree_of(file, target, variant)]
    code = 3 if "failed" in outcome else 5 if "broken" in outcome else 0
    result = expect(code, "verify", *arguments, "--size=" + sizes)
    rows.check("\n" + outcome in result.stdout and reason in result.stdout, result.stdout)
    # Right at some sizes and wrong at others: the tile is the cause, or one width for all matrices.
    rows.equal("right only where " in result.stdout, " ok, " in outcome and file != "book_tiled.cu", result.stdout)
    if page and backend != "opencl":
        result = expect(0, "explain", "-v", *arguments, "--size=" + sizes.split(",", maxsplit=1)[0])
        rows.check(page in result.stdout and "DEFECT" not in result.stdout, result.stdout)


def by_nvrtc(file, target, variant):
    """NVRTC compiles the kernel too, without the headers of the host."""
    tree = tree_of(file, target, variant)
    shutil.copytree(os.path.join(ROOT, "cl_kernels"), os.path.join(tree, "cl_kernels"))
    path = os.path.join(tree, "cuda_kernels", variant.split("/")[0], target + ".cu")
    with open(path, encoding="utf-8") as text:
        lines = [line for line in text if not HOST_HEADER.match(line)]
    with open(path, "w", encoding="utf-8") as text:
        text.write(OF_HOST + "".join(lines))
    result = pmpp("show", variant, *CHOICES.get(variant.split("/")[0], []), "--ptx", "--kernel-dir=" + tree)
    if result.returncode == 2:
        raise rows.Skip("no NVRTC")
    rows.check(result.returncode == 0 and ".entry" in result.stdout, result.stdout[-1500:] + result.stderr)


# The short form has each fault, and right kernels of different styles. These right kernels are like one of them.
SIMILAR = ("sgemm_2d_vectorize.cu", "book_corner_turned.cu", "vendor_transpose_padded.cu", "vendor_transpose.cl",
           "vendor_reduce1.cu", "vendor_reduce2.cu", "vendor_reduce3.cu", "vendor_reduce0.cl", "vendor_reduce2.cl",
           "vendor_reduce3.cl", "tutorial_reduce_template.cu", "histogram_global.cu",
           "histogram_contiguous.cu", "histogram_interleaved.cu", "histogram_aggregated.cu",
           "softmax_block.cu", "softmax_online.cu", "sgemm_warptiling.cu", "sgemm_shared.cu")
for kernel in KERNELS:
    row = rows.long_row if kernel[0] in SIMILAR else rows.row
    if kernel[0].endswith(".cu"):
        row("cuda-emu: " + kernel[0], judge, *kernel[:3], "cuda-emu", *kernel[3:])
        rows.long_row("NVRTC: " + kernel[0], by_nvrtc, *kernel[:3])
    else:
        row("opencl-emu: " + kernel[0], judge, *kernel[:3], "opencl-emu", *kernel[3:])
        rows.long_row("PoCL: " + kernel[0], judge, *kernel[:3], "opencl", *kernel[3:])
rows.finish()
