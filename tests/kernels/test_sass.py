"""The machine code of kernels for compute capability 9.0: the longest loop consists of the instructions
that the kernel is about. NVRTC compiles without a GPU; nvdisasm reads its result. Launches that
tools/sass records have the grids of the trace.

usage: test_sass.py SOURCE_ROOT PMPP_RUN
"""
import collections
import ctypes
import fnmatch
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import rows

sys.path.insert(0, os.path.join(sys.argv[1], "tools"))
sys.dont_write_bytecode = True
from sass import record

root = sys.argv[1]
CUDA = os.environ.get("CUDA_HOME", "/usr/local/cuda")
ARCH = "--gpu-architecture=sm_90"

# Kernel, macros, and the minimum share of each instruction in the loop.
# f64, f16: the factor of the multiply-adds is not in a register.
# f16: the units are two pipes, and the compiler uses HFMA2 and HFMA2.MMA in turn. HFMA2 alone has
# half of the rate (126 results a cycle and multiprocessor of an H200).
# integer: multiply-adds use other units than logic. Both are half of the instructions that are issued.
# special: the units calculate 16 results a cycle, and 128 can be issued (CUDA C++ Programming Guide,
# arithmetic instructions, compute capability 9.0). A quarter leaves time to wait for registers.
KERNELS = [
    ("roof/fma", ["BLOCK=256"], {"FFMA *": 0.97}),
    ("roof/fma_f64", ["BLOCK=256"], {"DFMA R*, R*, [02]*, R*": 0.95}),
    ("roof/fma_f16", ["BLOCK=256", "PART_PASSES=512"],
     {"HFMA2 R*, R*, -*, -*, R*": 0.48, "HFMA2.MMA R*, R*, -*, -*, R*": 0.48}),
    ("roof/integer", ["BLOCK=256"],
     {"LOP3.LUT R*, R*, R*, RZ, *": 0.48, "IMAD.IADD R*, R*, 0x1, R*": 0.48}),
    ("roof/special", ["BLOCK=256"], {"MUFU.COS *": 0.24}),
    ("instructions/f16", ["BLOCK=256", "CHAINS=8"], {"HFMA2 *": 0.45, "HFMA2.MMA *": 0.45}),
    ("matmul/f16", ["TILE_M=128", "TILE_N=128", "TILE_K=16"],
     {"HFMA2 *": 0.31, "HFMA2.MMA *": 0.31}),
]


def load_nvrtc():
    names = ["libnvrtc.so"] + sorted(glob.glob(CUDA + "/lib*/libnvrtc.so*"), reverse=True)
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    raise rows.Skip("no NVRTC")


def find_nvdisasm():
    path = shutil.which("nvdisasm") or shutil.which(CUDA + "/bin/nvdisasm")
    if not path:
        raise rows.Skip("no nvdisasm on the PATH or in %s/bin" % CUDA)
    return path


def compile_kernel(nvrtc, path, macros):
    """The machine code."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    options = [ARCH, "--std=c++17", "-I" + CUDA + "/include"] + ["-D" + text for text in macros]
    texts = (ctypes.c_char_p * len(options))(*[text.encode() for text in options])
    with open(path, "rb") as source:
        status = nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.read(), path.encode(), 0,
                                          None, None)
    rows.equal(status, 0, "nvrtcCreateProgram")
    try:
        status = nvrtc.nvrtcCompileProgram(program, len(options), texts)
        if status == 5:
            raise rows.Skip("this NVRTC does not know " + ARCH)
        rows.equal(status, 0, "nvrtcCompileProgram")
        nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
        code = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetCUBIN(program, code)
        return code.raw
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def loops(text):
    """The instructions of each loop without another loop in it."""
    lines = text.split("\n")
    labels = {}
    for number, line in enumerate(lines):
        label = re.match(r"\s*(\.L_x_\d+):", line)
        if label:
            labels[label.group(1)] = number
    spans = []
    for number, line in enumerate(lines):
        branch = re.search(r"\bBRA\S*\s.*\((\.L_x_\d+)\)", line)
        if branch and labels.get(branch.group(1), number) < number:
            spans.append((labels[branch.group(1)], number + 1))
    for first, end in spans:
        if any(first <= other[0] and other[1] <= end for other in spans if other != (first, end)):
            continue
        found = (re.search(r"\*/\s+(?:@!?\w+\s+)?([A-Z][A-Z0-9_.]*\s.*?);", line)
                 for line in lines[first:end])
        yield [instruction.group(1) for instruction in found if instruction]


def mix(kernel, macros, wanted):
    nvdisasm = find_nvdisasm()
    code = compile_kernel(load_nvrtc(), os.path.join(root, "cuda_kernels", kernel + ".cu"), macros)
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(code)
        file.flush()
        text = subprocess.run([nvdisasm, "-c", file.name], capture_output=True, check=True,
                              text=True).stdout
    found = max(loops(text), key=len, default=None)
    rows.check(found, "no loop")
    names = collections.Counter(instruction.split()[0] for instruction in found)
    rows.note("%d instructions: %s" % (len(found), ", ".join(
        "%d %s" % (count, name) for name, count in names.most_common(5))))
    for pattern, least in wanted.items():
        count = len(fnmatch.filter(found, pattern))
        rows.check(count >= least * len(found), "%s: %d of %d, at least %g %% are wanted" %
                   (pattern, count, len(found), 100 * least))


def recorded():
    """The grid of this launch depends on the multiprocessors: 132 in the trace."""
    load_nvrtc()
    with tempfile.TemporaryDirectory() as folder:
        driver, path = record.make_driver(root, folder + "/driver"), folder + "/record"
        record.make_record([sys.argv[2], "verify", "--backend=cuda", "--no-isolate", "--quiet",
                            "--size=n=100003", "reduce/coarse"], driver, path)
        found = [words for words, _ in record.entries(path) if words[0] == "launch"]
    rows.equal(found[0][2:6], ["reduce_coarse", "98", "1", "1"], "kernel and grid")


for kernel_, macros_, wanted_ in KERNELS:
    rows.row(" ".join([kernel_] + macros_), mix, kernel_, macros_, wanted_)
rows.row("recorded grid", recorded)
rows.finish()
