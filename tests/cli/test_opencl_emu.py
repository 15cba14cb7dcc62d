"""The OpenCL emulator on the command line: what is traced, what is missing without clang, messages."""
import os
import shutil
import subprocess
import sys

from command import ROOT, environment, expect, json_of, kernel_tree, need, new_path, pmpp, read_text, refused
import rows

OPENCL = "--backend=opencl-emu"
NO_CLANG = {"CLANG": "/nowhere/clang"}
ADVICE = ("clang 14", "CLANG")
FILE = "cl_kernels/vecadd/fine.cl"


def entries(*arguments, **options):
    return json_of(expect(0, "explain", *arguments, "--json", **options))["explanations"]


def notes(result):
    return [line for line in result.stderr.splitlines() if line.startswith("note:")]


# ---- What is traced ----------------------------------------------------------------------------

# (arguments, emulator, folder)
TRACED = [
    (["vecadd/fine"], "cuda-emu", "cuda_kernels"),
    (["vecadd/fine", "--backend=cuda-emu"], "cuda-emu", "cuda_kernels"),
    (["vecadd/fine", OPENCL], "opencl-emu", "cl_kernels"),
    (["vecadd/fine", "--device=opencl-emu:0"], "opencl-emu", "cl_kernels"),
    (["reduce/cpu-wide"], "opencl-emu", "cl_kernels"),  # there is no CUDA kernel
]


def traced(arguments, emulator, folder):
    need("opencl-emu")
    for entry in entries(*arguments, "--size=1000"):
        rows.equal((entry["no_trace"], entry["traced"]), (None, emulator), "the emulator")
        rows.check(entry["file"].startswith(folder + "/"), entry["file"])
        rows.equal({a["file"] for a in entry["accesses"]}, {entry["file"]}, "files of accesses")


CUDA_HEAD = """extern "C" __global__ void __launch_bounds__(BLOCK) coalesce_contiguous(
	const float *A, float *B, unsigned long long n)
{
	int t = threadIdx.x;
"""
OPENCL_HEAD = """__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void coalesce_contiguous(
	__global const float *A, __global float *B, ulong n)
{
	int t = get_local_id(0);
"""
# The kernel's text, lanes and warp-executions of its counted lines in a block of 128.
EFFICIENCIES = [
    ("return", "	if (t % 8 == 5)\n		return;\n	B[t] = A[t];\n}\n", 128 + 128 + 112, 12),
    ("a branch", "	if (t & 1)\n		B[t] = A[t];\n}\n", 128 + 128 + 64, 12),
    ("braces", "	if (t & 1)\n	{\n		B[t] = A[t];\n	} else {\n		B[t] = 1;\n	}\n}\n",
     128 + 128 + 64 + 64, 16),
]


def simt_efficiency(name, body, lanes, executions):
    """Both emulators have the same SIMT efficiency. It follows from the lines in the file."""
    need("opencl-emu")
    tree = kernel_tree({"cuda_kernels/coalesce/contiguous.cu": lambda text: CUDA_HEAD + body,
                        "cl_kernels/coalesce/contiguous.cl": lambda text: OPENCL_HEAD + body})
    for backend in ("cuda-emu", "opencl-emu"):
        entry = entries("coalesce/contiguous", "--backend=" + backend, "--size=2048", "--set=BLOCK=128",
                        "--blocks=0", "--kernel-dir=" + tree)[0]
        found = [(sum(line["lanes"] for line in entry["lines"])),
                 sum(line["warp_executions"] for line in entry["lines"])]
        rows.equal(found, [lanes, executions], backend + ": %s" % [l["text"] for l in entry["lines"]])
        rows.check(abs(entry["simt_efficiency"] - lanes / 32 / executions) < 1e-6, entry["simt_efficiency"])


def measured():
    """The kernel that is measured is traced."""
    need("opencl-emu")
    need("opencl")
    entry = entries("vecadd/fine", "--backend=opencl", "--size=1000", "--max-samples=20")[0]
    rows.equal((entry["traced"], entry["measured"]["backend"]), ("opencl-emu", "opencl"))
    entry = entries("vecadd/fine", "--backend=opencl", "--size=1000", "--max-samples=20",
                    env=NO_CLANG)[0]
    rows.equal((entry["traced"], entry["measured"]["backend"]), ("cuda-emu", "opencl"))


def only_named():
    """A named emulator is the only one."""
    entry = entries("reduce/cpu-wide", "--backend=cuda-emu", "--size=1000")[0]
    rows.check("needs an OpenCL CPU" in entry["no_trace"], entry["no_trace"])
    rows.check("traced" not in entry, "an emulator without a trace")


def language():
    need("opencl-emu")
    for backend, words in (("opencl-emu", "OpenCL kernel cl_kernels/transpose/tiled.cl"),
                           ("cuda-emu", "CUDA kernel cuda_kernels/transpose/tiled.cu")):
        page = expect(0, "explain", "transpose/tiled", "--backend=" + backend, "-v").stdout
        rows.check(words in page.splitlines(), page)
        rows.check(backend + " only traces" in page, page)


def pairs():
    """parity: the backend is one of the two sides."""
    need("opencl-emu")
    text = expect(0, "parity", "vecadd/fine", "--size=1000", OPENCL).stdout
    rows.check(" opencl-emu:0 " in text and " against cuda" in text and "identical" in text, text)


def verified():
    need("opencl-emu")
    found = json_of(expect(0, "verify", "reduce/shuffle", "--size=100", "--json"))
    rows.check("opencl-emu" in {r["backend"] for r in found["results"]}, "verify: the backends")
    found = json_of(expect(0, "reduce/shuffle", "--size=100", OPENCL, "--json"))["results"]
    rows.equal([(r["backend"], r["timing"]) for r in found], [("opencl-emu", None)])


# ---- Without clang -----------------------------------------------------------------------------

def no_clang(environment):
    """One line has what is missing. Everything else works."""
    result = expect(0, "verify", "vecadd/fine", "--size=100", env=environment)
    found = [note for note in notes(result) if "opencl-emu" in note]
    rows.equal(len(found), 1, "notes: " + result.stderr)
    rows.check(all(part in found[0] for part in ADVICE), found[0])
    rows.check("opencl-emu:" not in result.stdout, result.stdout)
    text = expect(0, "doctor", env=environment).stdout
    line = next(line for line in text.splitlines() if "opencl-emu" in line)
    rows.check(line.startswith("no") and all(part in line for part in ADVICE), line)
    refused(2, ["opencl-emu", *ADVICE], "vecadd/fine", OPENCL, env=environment)
    refused(2, ["opencl-emu", *ADVICE], "explain", "vecadd/fine", OPENCL, env=environment)


# (versions of the programs on the PATH, the program that the emulator uses; None: there is none)
FOUND = [
    ({}, None),
    ({"clang": "clang version 14.0.6"}, "clang"),
    ({"clang": "Ubuntu clang version 19.1.1", "clang-14": "clang version 14.0.0"}, "clang"),
    ({"clang": "clang version 13.0.1"}, None),
    ({"clang": "clang version 13.0.1", "clang-25": "clang version 25.1.0"}, "clang-25"),
    ({"clang-15": "clang version 15.0.6", "clang-19": "clang version 19.1.7"}, "clang-19"),
    ({"clang": "not clang", "clang-30": "clang version 30.0.0"}, "clang-30"),
    ({"clang-13": "clang version 13.0.1"}, None),
]
FIND = "import sys; sys.path.insert(0, %r); import clang; print(clang.find())"
SEARCH = ". %s/tools/setup.sh; have_clang"


def search(programs, expected):
    """The emulator, tools/setup.sh and the tests find clang in one order."""
    folder = os.path.dirname(new_path("x"))
    for name, version in programs.items():
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!%s\necho '%s'\n" % (shutil.which("sh"), version))
        os.chmod(path, 0o755)
    change = {"PATH": folder, "CLANG": None}
    found = json_of(expect(0, "devices", "--json", env=change))
    state = next(b for b in found["backends"] if b["name"] == "opencl-emu")
    rows.equal(state["library"] if state["usable"] else None, expected, "the emulator")
    env = environment(**change)
    done = subprocess.run([shutil.which("sh"), "-c", "root=%s; " % ROOT + SEARCH % ROOT], env=env,
                          capture_output=True, text=True, check=False)
    rows.equal((done.returncode == 0, done.stderr), (expected is not None, ""), "setup.sh")
    text = FIND % os.path.join(ROOT, "tests", "support")
    done = subprocess.run([sys.executable, "-c", text], env=env, capture_output=True, text=True,
                          check=True)
    rows.equal(done.stdout.strip(), str(expected and os.path.join(folder, expected)), "clang.py")


def cuda_alone():
    """Nothing mentions clang in a command that does not use it."""
    need("cuda-emu")
    result = expect(0, "explain", "vecadd/fine", "--size=100", env=NO_CLANG)
    rows.equal(notes(result), [], "notes")
    result = expect(0, "vecadd/fine", "--size=100", "--backend=cuda-emu", env=NO_CLANG)
    rows.check("clang" not in result.stdout + result.stderr, result.stderr)


def other_language():
    """A missing compiler: a note has the reason, and the other emulator traces its kernel instead."""
    need("opencl-emu")
    need("cuda-emu")
    result = expect(0, "explain", "vecadd/fine", "--size=100", env={"CXX": "/nowhere/c++"})
    rows.equal(notes(result), [
        "note: cuda-emu: there is no C++ compiler for kernels: install g++, or set CXX to a compiler "
        "(tried: /nowhere/c++)",
        "note: opencl-emu traces the OpenCL kernels instead"])
    rows.check("OpenCL kernel " + FILE in result.stdout, result.stdout)


def twins_without_clang():
    """Without the pages of one language, the comparison would be incomplete."""
    need("cuda-emu")
    result = expect(2, "explain", "--twins", "vecadd/fine", "--size=100", env=NO_CLANG)
    rows.check("--twins needs both emulators: opencl-emu: " in result.stderr and
               "(tried: " in result.stderr, result.stderr)


def no_clang_for_cpu():
    """The only kernel is in OpenCL: the page has the reason."""
    entry = entries("reduce/cpu-wide", "--size=1000", env=NO_CLANG)[0]
    rows.check(all(part in entry["no_trace"] for part in ADVICE), entry["no_trace"])


# ---- Errors of a user's kernel -----------------------------------------------------------------

def broken(name, *edits):
    def change(text):
        for old, new in edits:
            rows.check(old in text, old)
            text = text.replace(old, new)
        return text
    return name, change


HEAD = ("__kernel ", "float mine(ulong);\n__kernel ")
IMAGE = ("__kernel ", "int wide(read_only image2d_t x) { return get_image_width(x); }\n__kernel ")
CALL = ("LOAD(A, i) + LOAD(B, i)", "LOAD(A, i) + mine(i)")
# (name, edit, status, exit, text at the line of the message, parts)
ERRORS = [
    (*broken("an unknown name", ("if (i < n)", "if (i < m)")), "build_error", 5, "if (i < m)",
     ["undeclared identifier 'm'"]),
    (*broken("a type", ("ulong i =", "ulong2 i = (ulong2)(1, 2, 3) +")), "build_error", 5,
     "ulong2 i", ["error"]),
    (*broken("a function without a body", HEAD, CALL), "build_error", 5, "mine(i)",
     ["the function mine is declared, but not defined"]),
    (*broken("a function that is not emulated", IMAGE), "unsupported", 77,
     "get_image_width", ["does not have the function get_image_width",
                         "define it in the kernel file, or use another function"]),
    (*broken("inline PTX", ("if (i < n)", 'asm volatile("bar.sync 0;"); if (i < n)')), "unsupported", 77,
     None, ["cannot run inline PTX"]),
    (*broken("another size of a block", ("reqd_work_group_size(BLOCK,", "reqd_work_group_size(BLOCK + 1,")),
     "launch_error", 5, None, ["requires blocks of ", "the launch has blocks of "]),
    (*broken("a large local variable", ("if (i < n)",
                                        "__local int cells[300000]; cells[i] = 0; if (i < n)")),
     "build_error", 5, None, ["the limit of a block is 1048576 bytes"]),
]
# The linker writes the whole variable: seconds.
HUGE = (*broken("a local variable of 6 GB", ("if (i < n)",
                                             "__local int cells[1500000000]; cells[i] = 0; if (i < n)")),
        "build_error", 5, None, ["the limit of a block is 1 MiB"])


def error_of_kernel(change, status, code, source, parts):
    """A message has the file's own name, and the line in the user's file."""
    need("opencl-emu")
    root = kernel_tree({FILE: change})
    with open(os.path.join(root, FILE), encoding="utf-8") as file:
        line = next(n for n, text in enumerate(file, 1) if not source or source in text)
    place = ["vecadd/fine.cl:%d:" % line] if source else []
    command = ["vecadd/fine", "--size=100", OPENCL, "--kernel-dir=" + root]
    result = expect(code, *command, "--json")
    found = json_of(result)["results"][0]
    text = "%s %s" % (found["reason"], found.get("log") or "")
    rows.equal(found["status"], status)
    for part in place + parts:
        rows.check(part in text, "%r is not in %s" % (part, text))
    page = pmpp("explain", *command)
    for output in (text, page.stdout, page.stderr):
        rows.check("pmpp_kernel" not in output, output)
    for part in place:
        rows.check(part in page.stdout + page.stderr, page.stdout)


def own_kernels():
    """--kernel-dir needs no CUDA file for the OpenCL emulator."""
    need("opencl-emu")
    root = os.path.dirname(new_path("x"))
    os.makedirs(os.path.join(root, "cl_kernels/vecadd"))
    text = read_text(os.path.join(ROOT, FILE))
    with open(os.path.join(root, FILE), "w", encoding="utf-8") as file:
        file.write("/* one line more */\n" + text)
    options = ["vecadd/fine", "--size=100", OPENCL, "--kernel-dir=" + root]
    for command in ("run", "verify"):
        expect(0, command, *options)
    entry = entries(*options)[0]
    store = next(line for line in entry["lines"] if line["text"].startswith("STORE("))
    with open(os.path.join(root, FILE), encoding="utf-8") as file:
        rows.check("STORE(" in file.read().splitlines()[store["line"] - 1], "the line of the store")
    rows.check("--kernel-dir" in entry["no_resources"], entry["no_resources"])


NEWER = """float at(const float *p, ulong i, ulong n)
{
	return i < n ? p[i] : 0.0f;
}
__kernel void reduce_tree(__global const float *A, __global float *B, ulong n)
{
	float sum = work_group_reduce_add(at(A, get_global_id(0), n));

	if (get_local_id(0) == 0)
		B[get_group_id(0)] = sum;
}
"""


def newer_language():
    """A kernel that is not OpenCL C 1.2 is compiled as 2.0. A kernel that is neither has the error of 2.0."""
    file = "cl_kernels/reduce/tree.cl"
    arguments = ("verify", "reduce/sequential", "--backend=opencl-emu", "--dtype=f32", "--op=sum")
    expect(0, *arguments, "--kernel-dir=" + kernel_tree({file: lambda text: NEWER}))
    result = expect(5, *arguments,
                    "--kernel-dir=" + kernel_tree({file: lambda text: NEWER.replace("sum;", "total;")}))
    rows.check("undeclared identifier 'total'" in result.stdout, result.stdout)


def relative_temporary_folder():
    """The compiler runs in another folder than pmpp-run."""
    need("opencl-emu")
    folder = os.path.dirname(new_path("x"))
    os.mkdir(os.path.join(folder, "temporary"))
    expect(0, "verify", "vecadd/fine", "--size=100", OPENCL, cwd=folder,
           env={"TMPDIR": "temporary", "XDG_CACHE_HOME": os.path.join(folder, "cache")})
    rows.equal(os.listdir(os.path.join(folder, "temporary")), [], "files that are left")


def cuda_kernels_only():
    """--kernel-dir needs no OpenCL file of a variant for CPUs."""
    need("cuda-emu")
    root = kernel_tree({})
    shutil.rmtree(os.path.join(root, "cl_kernels"))
    found = {e["variant"]: e for e in entries("vecadd", "--size=100", "--kernel-dir=" + root)}
    rows.equal(found["fine"]["traced"], "cuda-emu")
    rows.check("needs an OpenCL CPU" in found["cpu-stream"]["no_trace"], "the variant for CPUs")


for case in TRACED:
    rows.row("explain " + " ".join(case[0]), traced, *case)
for number, efficiency in enumerate(EFFICIENCIES):
    rows.sampled_row(number, 3, "SIMT efficiency: " + efficiency[0], simt_efficiency, *efficiency)
rows.row("the measured kernel is traced", measured)
rows.row("a named emulator is the only one", only_named)
rows.row("the page names the language", language)
rows.row("parity", pairs)
rows.row("verify and run", verified)
rows.row("CLANG is not a compiler", no_clang, NO_CLANG)
rows.row("no clang on the PATH", no_clang, {"PATH": "/nonexistent", "CLANG": None})
for versions, program in FOUND:
    rows.row("search for clang: %s" % (", ".join(versions) or "nothing") + " -> %s" % program,
             search, versions, program)
rows.row("without clang: commands that do not use it", cuda_alone)
rows.row("without clang: a variant for CPUs", no_clang_for_cpu)
rows.row("without a C++ compiler", other_language)
rows.row("twins without clang", twins_without_clang)
for number, case in enumerate(ERRORS):
    rows.sampled_row(number, 2, "a kernel with an error: " + case[0], error_of_kernel, *case[1:])
rows.long_row("a kernel with an error: " + HUGE[0], error_of_kernel, *HUGE[1:])
rows.row("--kernel-dir with OpenCL C 2.0", newer_language)
rows.row("--kernel-dir with OpenCL kernels only", own_kernels)
rows.row("--kernel-dir with CUDA kernels only", cuda_kernels_only)
rows.long_row("a relative TMPDIR", relative_temporary_folder)
rows.finish()
