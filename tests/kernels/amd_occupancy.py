"""Kernels that use given numbers of registers and bytes of LDS, and the occupancy that clang prints
for them. They need no library.

The numbers of vector registers and the LDS of 8252 bytes are those of LLVM's own test
(llvm/test/CodeGen/AMDGPU/occupancy-levels.ll). LLVM_TABLE has its expected waves.
"""
import os
import tempfile

from offline import amdgcn
from offline.programs import Unavailable, run

# (target, width of a wave, oldest clang). gfx950 needs LLVM 20.
SWEEPS = [("gfx900", 64, 19), ("gfx908", 64, 19), ("gfx90a", 64, 14), ("gfx90a", 64, 19),
          ("gfx942", 64, 19)] + [(target, lanes, 19) for lanes in (32, 64) for target in (
              "gfx1010", "gfx1030", "gfx1100", "gfx1102", "gfx1200")]
ACC_TARGETS = ("gfx908", "gfx90a", "gfx942")  # with AccVGPRs
# Target, lanes -> waves of a SIMD, by vector registers (occupancy-levels.ll).
LLVM_TABLE = {
    ("gfx900", 64): {24: 10, 32: 8, 40: 6, 64: 4, 84: 3, 100: 2, 128: 2, 168: 1, 256: 1},
    ("gfx1030", 32): {24: 16, 32: 16, 40: 16, 64: 16, 84: 10, 100: 9, 128: 8, 168: 5, 256: 4},
    ("gfx1030", 64): {24: 16, 32: 16, 40: 12, 64: 8, 84: 5, 100: 4, 128: 4, 168: 3, 256: 2},
    ("gfx1100", 32): {24: 16, 32: 16, 40: 16, 64: 16, 84: 16, 100: 12, 128: 10, 168: 9, 256: 5},
    ("gfx1100", 64): {24: 16, 32: 16, 40: 16, 64: 10, 84: 9, 100: 7, 128: 5, 168: 4, 256: 2},
}
# The same test: waves by the threads of a block, with 8252 bytes of LDS.
LLVM_LDS = {("gfx900", 64): {64: 2, 128: 4}, ("gfx1030", 32): {64: 8, 128: 15},
            ("gfx1030", 64): {64: 4, 128: 8}, ("gfx1100", 32): {64: 8, 128: 15},
            ("gfx1100", 64): {64: 4, 128: 8}}

VECTOR = sorted(set(range(8, 257, 4)) | {9, 24, 25, 27, 33, 84, 100, 168, 169, 255})
SCALAR = (16, 48, 72, 80, 81, 88, 89, 94, 96, 100, 102)
ACC = ((8, 8), (30, 33), (64, 64), (100, 20), (101, 28), (128, 128), (200, 57), (256, 256))
LDS = (256, 1000, 4096, 8252, 16384, 21844, 32768, 65536)
BLOCKS = (32, 64, 96, 128, 256, 320, 512, 1024)


def text_of(name, threads, clobbers=(), lds=0):
    registers = ", ".join('"%s"' % name for name in clobbers)
    body = '\t__asm volatile("" ::: %s);\n' % registers if registers else ""
    if lds:
        body += ("\t__local volatile uchar bytes[%d];\n"
                 "\tbytes[__builtin_amdgcn_workitem_id_x()] = 1;\n" % lds)
    return ("__kernel __attribute__((reqd_work_group_size(%d, 1, 1))) void %s(__global int *a)\n"
            "{\n%s}\n" % (threads, name, body))


def kernels(target):
    """The text of all kernels."""
    texts = [text_of("vector_%d" % n, 64, ["v%d" % (n - 1)]) for n in VECTOR]
    texts += [text_of("scalar_%d" % n, 64, ["s%d" % (n - 1)]) for n in SCALAR]
    if target in ACC_TARGETS:
        texts += [text_of("acc_%d_%d" % pair, 64, ["v%d" % (pair[0] - 1), "a%d" % (pair[1] - 1)])
                  for pair in ACC]
    texts += [text_of("lds_%d_%d" % (lds, block), block, lds=lds) for lds in LDS for block in BLOCKS]
    texts += [text_of("block_%d" % block, block, ["v40"]) for block in BLOCKS]
    return "\n".join(texts)


def compiled(target, lanes, oldest):
    """(figures by kernel, version of clang). Raises Unavailable."""
    found = amdgcn.clangs(oldest, oldest)
    if not found:
        raise Unavailable("no clang-%d (package clang-%d)" % (oldest, oldest))
    clang, version = found[0]
    with tempfile.TemporaryDirectory(prefix="pmpp-offline-") as folder:
        source, output = os.path.join(folder, "a.cl"), os.path.join(folder, "a.s")
        with open(source, "w", encoding="utf-8") as file:
            file.write(kernels(target))
        command = [clang, "-x", "cl", "-target", "amdgcn-amd-amdhsa", "-mcpu=" + target,
                   "-nogpulib", "-O1", "-S", "-o", output, source]
        if target.startswith("gfx1"):
            command.append("-mwavefrontsize64" if lanes == 64 else "-mno-wavefrontsize64")
        status, text = run(command)
        if status != 0:
            raise ValueError(text)
        with open(output, encoding="utf-8") as file:
            return amdgcn.kernel_figures(file.read()), version
