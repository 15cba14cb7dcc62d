"""--kernel-dir: a file that cannot be read is one error, exit 1, and nothing is run or written. Rows of
kernels that differ from the project's are marked."""
import json
import os
import shutil
import re
import subprocess

from command import (
    LIMIT_S, PROGRAM, ROOT, environment, expect, json_file, kernel_tree, need, need_nvrtc, new_path, pmpp,
    read_text, refused)
import rows

FINE = {"opencl": "cl_kernels/vecadd/fine.cl", "cuda-emu": "cuda_kernels/vecadd/fine.cu",
        "opencl-emu": "cl_kernels/vecadd/fine.cl", "cuda": "cuda_kernels/vecadd/fine.cu"}
# Commands that read kernels, with the backend whose kernel files they need.
COMMANDS = [
    ("run", ["run", "vecadd", "--size=100", "--backend=cuda-emu"], "cuda-emu"),
    ("run on two backends", ["run", "vecadd", "--size=100", "--backend=all"], "cuda-emu"),
    ("run without isolation", ["run", "vecadd", "--size=100", "--backend=cuda-emu",
                               "--no-isolate"], "cuda-emu"),
    ("verify", ["verify", "vecadd", "--size=100", "--backend=opencl"], "opencl"),
    ("verify on each backend", ["verify", "vecadd", "--size=100"], "cuda-emu"),
    ("parity, OpenCL side", ["parity", "vecadd", "--size=100", "--backend=cuda-emu"], "opencl"),
    ("parity, CUDA side", ["parity", "vecadd", "--size=100", "--backend=cuda-emu"], "cuda-emu"),
    ("explain", ["explain", "vecadd"], "cuda-emu"),
    ("show", ["show", "vecadd/fine"], "opencl"),
    ("show --diff", ["show", "vecadd/coarse2", "vecadd/fine", "--diff"], "cuda-emu"),
    ("show --ptx", ["show", "vecadd/fine", "--ptx"], "cuda-emu"),
]


def refused_once(parts, tree, arguments, **options):
    """Exit 1, one message on stderr, nothing on stdout, no result file."""
    written = []
    if arguments[0] in ("run", "verify", "parity", "explain"):
        path = new_path("r.json")
        written = ["--json=" + path]
    result = refused(1, parts, *arguments, "--kernel-dir=" + tree, *written, **options)
    messages = [line for line in result.stderr.strip().split("\n") if not line.startswith("note:")]
    rows.equal(len(messages), 1, "messages: " + result.stderr)
    if written:
        rows.equal(os.listdir(os.path.dirname(path)), [], "files made")
    return result


def missing(arguments, backend):
    need(backend)
    tree = kernel_tree({})
    os.remove(os.path.join(tree, FINE[backend]))
    result = refused_once([tree, FINE[backend], "No such file"], tree, arguments)
    rows.check("other kernel file" not in result.stderr, "a count of others: " + result.stderr)


def wrong_folder(arguments, backend):
    """A folder without kernels: the message has the first file and the number of the others."""
    need(backend)
    tree = os.path.dirname(new_path("x"))
    result = refused_once([tree, "_kernels/vecadd/"], tree, arguments)
    if arguments[:2] == ["show", "vecadd/fine"]:
        rows.check("; 1 other kernel file cannot be read" in result.stderr, "the count: " + result.stderr)


def not_a_folder(arguments, backend):
    need(backend)
    tree = new_path("file")
    refused_once([tree, "No such file"], tree, arguments)
    with open(tree, "w", encoding="utf-8"):
        pass
    refused_once([tree, "not a folder"], tree, arguments)


def many_missing():
    """All families: one message, with the right number of missing files."""
    need("cuda-emu")
    tree = kernel_tree({})
    # Each kernel file is the file of a row. Include files are not.
    folders = [os.path.join(tree, "cuda_kernels", family)
               for family in os.listdir(os.path.join(tree, "cuda_kernels"))
               if family not in ("roof", "probe")]
    count = sum(name.endswith(".cu") for folder in folders for name in os.listdir(folder))
    shutil.rmtree(os.path.join(tree, "cuda_kernels"))
    refused_once([tree, "cuda_kernels/", "%d other" % (count - 1)], tree,
                 ["run", "all", "--size=4", "--backend=cuda-emu"])


def only_what_is_needed():
    """Files of backends and families that are not chosen may be missing."""
    need("cuda-emu")
    need("opencl")
    tree = kernel_tree({})
    for folder in ("cl_kernels", "cuda_kernels"):
        for family in os.listdir(os.path.join(tree, folder)):
            if family != "vecadd":
                shutil.rmtree(os.path.join(tree, folder, family))
    expect(0, "verify", "vecadd/fine", "vecadd/coarse2", "--size=100", "--kernel-dir=" + tree)
    shutil.rmtree(os.path.join(tree, "cl_kernels"))
    expect(0, "run", "vecadd/fine", "vecadd/coarse2", "--size=100", "--backend=cuda-emu", "--kernel-dir=" + tree)
    expect(0, "explain", "vecadd/fine", "--size=100", "--kernel-dir=" + tree)
    os.remove(os.path.join(tree, "cuda_kernels/vecadd/coarse.cu"))
    expect(0, "run", "vecadd/fine", "--size=100", "--backend=cuda-emu", "--kernel-dir=" + tree)


def one_language(folder, skipped, traced):
    """A folder with the kernel of one language: the other backends are skipped with a note."""
    need("cuda-emu")
    need("opencl-emu")
    tree = os.path.dirname(new_path("x"))
    for path in set(FINE.values()):
        if path.startswith(folder):
            os.makedirs(os.path.join(tree, os.path.dirname(path)))
            shutil.copy(os.path.join(ROOT, path), os.path.join(tree, path))
    result = expect(0, "verify", "vecadd/fine", "--size=100", "--kernel-dir=" + tree)
    rows.check("note: %s is skipped: --kernel-dir has no file for it in " % skipped in result.stderr,
               result.stderr)
    result = expect(0, "explain", "vecadd/fine", "--size=100", "--kernel-dir=" + tree)
    rows.check(traced in result.stdout, result.stdout)
    result = expect(0, "show", "vecadd/fine", "--kernel-dir=" + tree)
    rows.equal(result.stdout.count("\n---- "), 1, "sources of show")
    result = pmpp("show", "vecadd/fine", "--ptx", "--kernel-dir=" + tree)
    if folder == "cuda":
        rows.check(result.returncode == 2 or "no PTX of the OpenCL file: --kernel-dir has none" in result.stdout,
                   result.stdout[-300:] + result.stderr)
    else:
        rows.check("cuda_kernels/vecadd/fine.cu" in result.stderr, result.stderr)
    refused(1, ["_kernels/vecadd/fine"], "show", "vecadd/fine", "--diff", "--kernel-dir=" + tree)
    wrong, right = ("opencl", "cuda-emu") if folder == "cuda" else ("cuda-emu", "opencl-emu")
    refused(1, ["of the other language only: use --backend=" + right], "run", "vecadd/fine", "--size=100",
            "--backend=" + wrong, "--kernel-dir=" + tree)


def windows_file(text):
    return b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()


def from_windows(backend):
    """A byte order mark and CR LF, also after a backslash: the kernel has the same code and the same lines."""
    need(backend)
    tree = kernel_tree({})
    path = os.path.join(tree, FINE[backend])
    text = read_text(path)
    with open(path, "wb") as file:
        file.write(windows_file("#define SUM(a, b) \\\n\t((a) + (b))\n" + text.replace("+ LOAD", "- LOAD")))
    result = expect(3, "verify", "vecadd/fine", "--size=100", "--backend=" + backend, "--kernel-dir=" + tree)
    rows.check("100 wrong" in result.stdout, result.stdout)
    with open(path, "wb") as file:
        file.write(windows_file(text))
    result = expect(0, "verify", "vecadd/fine", "--size=100", "--backend=" + backend, "--kernel-dir=" + tree)
    rows.check("your kernel" not in result.stdout, "other code: " + result.stdout)


# A file of the kind that tutorials have: host code around the kernel.
WHOLE_PROGRAM = '''// A tutorial's file: main() { in a comment
#include <stdio.h>
#include <iostream>
#include <vector>
#include <cuda_runtime.h>
#include "helper_cuda.h"
using namespace std;

#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { \\
	fprintf(stderr, "CUDA error { %s\\n", cudaGetErrorString(e)); exit(1); } } while (0)
#define DEVICE __device__
#define N 1000

inline void gpuAssert(cudaError_t code, const char *file, int line) { if (code != cudaSuccess) exit(code); }

struct Timer { cudaEvent_t start, stop; float ms() { float x; cudaEventElapsedTime(&x, start, stop); return x; } };
struct pair2 { float a, b; };
static std::vector<float> pool(16);
static float *d_a, *d_b;
static const int table[] = {1, 2, 3};

__host__ __device__ inline float plus2(float a, float b) { return a + b; }
template <typename T> DEVICE T twice(T a) { return a + a; }

extern "C" __global__ void vecadd_fine(const float *A, const float *B, float *C, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		C[i] = twice(0.5f) - 1.0f + plus2(A[i], B[i]);
}

void reference(const float *a, const float *b, float *c, int n)
{
	for (int i = 0; i < n; i++)
		c[i] = plus2(a[i], b[i]);
}

const char *text = R"x(void f() { )" } )x";

template <typename T> void launch(T *a, T *b, T *c, int n)
{
	vecadd_fine<<<(n + 255) / 256, 256>>>(a, b, c, n);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : N;
	char quote = '}';
	vector<float> a(n), b(n), c(n);
#ifdef TWICE
	printf("twice }\\n");
#endif
	CHECK(cudaMalloc(&d_a, n * sizeof(float)));
	launch(d_a, d_b, d_b, n);
	cout << 1'000 << quote << endl;
	return 0;
}
'''
KERNEL = """extern "C" __global__ void vecadd_fine(const float *A, const float *B, float *C, size_t n)
{
	%s
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		C[i] = A[i] + B[i];
}
"""


def verify_text(source, status=0):
    need("cuda-emu")
    tree = kernel_tree({FINE["cuda-emu"]: lambda _: source})
    return expect(status, "verify", "vecadd/fine", "--size=100", "--dtype=f32", "--backend=cuda-emu",
                  "--kernel-dir=" + tree)


def host_code():
    """Host code is skipped with a note; the lines of the kernel keep their numbers. NVRTC also accepts the rest."""
    result = verify_text(WHOLE_PROGRAM)
    rows.check("note: vecadd/fine.cu: host code is skipped: gpuAssert(), reference(), launch(), main()\n"
               in result.stderr, result.stderr)
    rows.check("NVRTC rejects" not in result.stderr, result.stderr)
    wrong = WHOLE_PROGRAM.replace("\tif (i < n)", "\tif (i < no_such_name)")
    result = verify_text(wrong, 5)
    line = wrong[:wrong.index("no_such_name")].count("\n") + 1
    rows.check("fine.cu:%d:" % line in result.stdout, "line %d: %s" % (line, result.stdout))


def no_host_code():
    """A kernel's helper without __device__ is not host code. A file with unmatched braces is not changed."""
    result = verify_text("static float sum(float a) { return a; }\n" + KERNEL % "(void)sum(1.0f);" +
                         "int main() { return 0; }\n")
    rows.check("host code is skipped: main()\n" in result.stderr, result.stderr)
    result = verify_text("#if 1\n#define OPEN {\n#endif\n" + KERNEL % "" + "void f() { {\n", 5)
    rows.check("host code is skipped" not in result.stderr, result.stderr)


# Items before main() that have names, values and braces in other places than most.
HEADS = ["template <class T> __global__ void k(T *x) { x[0] = 1; }", "struct P { int n; };",
         "template <int B = 256> __global__ void k(int *x) { x[0] = B; }",
         "__device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }",
         "__device__ bool operator==(float2 a, float2 b) { return a.x == b.x; }",
         "static __device__ struct int2 make(int n = 1) { return make_int2(n, n); }",
         "struct __align__(16) Q { int n; };", "__constant__ int list[] = {1, 2};",
         "#define KERNEL(name) \\\n\t__global__ void name(int *x) { x[0] = 1; }\nKERNEL(k);",
         "#define N 4 // see src/*.cu"]


def heads():
    """Only main() is skipped after each of these items."""
    for head in HEADS:
        result = verify_text(head + "\n" + KERNEL % "" + "int main() { cudaFree(0); return 0; }\n")
        rows.check("host code is skipped: main()\n" in result.stderr, head + "\n" + result.stderr)


def with_nvrtc(line, part):
    """A note names a file that only one of NVRTC and cuda-emu accepts. part: of the note; "": no note."""
    need_nvrtc()
    result = verify_text(KERNEL % line, 77 if "asm" in line else 0)
    rows.equal(bool(part), "NVRTC" in result.stderr, result.stderr)
    rows.check(part in result.stderr, result.stderr)


MANY_REGISTERS = """extern "C" __global__ void vecadd_fine(const float *A, const float *B, float *C, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	float x[120], sum = 0;
	for (int k = 0; k < 120; k++)
		x[k] = A[(i + k) % n];
	__syncthreads();
	for (int k = 0; k < 120; k++)
		sum += x[k] * x[119 - k];
	if (i < n)
		C[i] = A[i] + B[i] + (sum == -1.0f);
}
"""


def registers():
    """A note says that a block needs more registers than a multiprocessor has."""
    need("cuda-emu")
    need_nvrtc()
    tree = kernel_tree({FINE["cuda-emu"]: lambda _: MANY_REGISTERS})
    for block in (256, 1024):
        result = expect(0, "verify", "vecadd/fine", "--size=100", "--dtype=f32", "--backend=cuda-emu",
                        "--set=BLOCK=%d" % block, "--kernel-dir=" + tree)
        rows.equal("a block of 1024 threads does not fit a multiprocessor of sm_90" in result.stderr, block == 1024,
                   result.stderr)


def make_folder(path):
    os.remove(path)
    os.mkdir(path)


def make_empty(path):
    with open(path, "w", encoding="utf-8"):
        pass


def make_pipe(path):
    """A pipe is refused, because opening a pipe without a writer would wait forever."""
    os.remove(path)
    os.mkfifo(path)


def put_null_byte(path):
    """A NUL byte is refused, because the compiler would read only the text before it."""
    with open(path, "ab") as file:
        file.write(b"\0 more\n")


def damaged(change, part):
    for backend, path in FINE.items():
        need(backend)
        tree = kernel_tree({})
        change(os.path.join(tree, path))
        refused_once([tree, path, part], tree,
                     ["run", "vecadd", "--size=100", "--backend=" + backend])
        refused_once([tree, path, part], tree, ["verify", "vecadd", "--size=100"])


def included_forever():
    """The advice to copy missing files is only for missing files."""
    need("cuda-emu")
    tree = kernel_tree({FINE["cuda-emu"]: lambda text: '#include "a0.h"\n' + text})
    for i in range(40):
        with open(os.path.join(tree, "a%d.h" % i), "w", encoding="utf-8") as file:
            file.write('#include "a%d.h"\n' % (i + 1))
    result = refused_once(["vecadd/fine.cu: too many included files"], tree,
                          ["run", "vecadd/fine", "--size=100", "--backend=cuda-emu"])
    rows.check("copy the missing files" not in result.stderr, result.stderr)


def no_permission():
    need("cuda-emu")
    tree = kernel_tree({})
    path = os.path.join(tree, FINE["cuda-emu"])
    os.chmod(path, 0)
    user = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    folder = tree
    while user and folder != "/":
        os.chmod(folder, os.stat(folder).st_mode | 0o055)
        folder = os.path.dirname(folder)
        if folder == "/tmp":
            break
    try:
        result = subprocess.run(
            [PROGRAM, "vecadd", "--size=100", "--backend=cuda-emu", "--kernel-dir=" + tree],
            capture_output=True, text=True, check=False, timeout=LIMIT_S,
            env=environment(XDG_CACHE_HOME=os.path.dirname(new_path("x"))), **user)
    except PermissionError as error:
        raise rows.Skip("another user cannot start the program: %s" % error)
    rows.equal(result.returncode, 1, "exit code; " + result.stderr)
    rows.check("Permission denied" in result.stderr and FINE["cuda-emu"] in result.stderr,
               result.stderr)


def add_twice(text):
    """The same sum, from another kernel."""
    return text.replace("LOAD(A, i) + LOAD(B, i)", "LOAD(B, i) + LOAD(A, i)")


def comment(text):
    return "// another comment\n" + text.replace("\n\n", "\n\n\n")


def marked(command, options, line):
    """Your kernel is marked. A copy with other comments is the project's kernel."""
    need("cuda-emu")
    tree = kernel_tree({"cuda_kernels/vecadd/fine.cu": add_twice,
                        "cuda_kernels/vecadd/coarse.cu": comment})
    path, page = new_path("r.json"), new_path("r.md")
    result = expect(0, command, "vecadd/fine", "vecadd/coarse2", *options, "--size=100",
                    "--kernel-dir=" + tree, "--json=" + path, "--md=" + page)
    found = {row["variant"]: row for row in json_file(path)["results"] if row["backend"] == "cuda-emu"}
    written = read_text(page)
    for text, pattern in ((result.stdout, line), (written, r"fine \|.*your kernel")):
        rows.check(re.search(pattern, text, re.M), text)
        rows.check("coarse2" in text and not re.search(r"coarse2.*your kernel", text), text)
    # The table of verify has no marks, so it has no legend.
    rows.equal("  = your kernel: " in result.stdout, command == "run", result.stdout)
    own, copied = found["fine"], found["coarse2"]
    rows.equal((own.get("own_kernel"), own["technique"]), (True, "your kernel"))
    rows.equal((copied.get("own_kernel"), copied["technique"]), (None, "coarsening"))
    rows.equal((own["work"]["bytes_issued"], copied["work"]["bytes_issued"] is None), (None, False))


def names_the_data():
    """A maximum that begins at 0 is wrong on negative data only: the reason names them."""
    need("cuda-emu")
    root = kernel_tree({"cuda_kernels/reduce/operation.inc": lambda source: source.replace(
        "#define IDENTITY (-LARGEST - 1)", "#define IDENTITY 0")})
    result = expect(3, "verify", "reduce/sequential", "--op=max", "--dtype=f32", "--size=100",
                    "--backend=cuda-emu", "--kernel-dir=" + root)
    rows.check("data case 'negative': 1 wrong" in result.stdout, result.stdout)


def far_store(store, status, part):
    """PoCL: a store 1 MB after the end of an operand. A new worker shows that only the unmapped pages
    cause the crash, or crashes too: what is there depends on the heap. Later sizes are checked."""
    need("opencl")
    tree = kernel_tree({FINE["opencl"]: lambda text: text.replace(
        "\tif (i < n)", "\tif (i == 0 && n == 64)\n\t\t%s;\n\tif (i < n)" % store)})
    path = new_path("r.json")
    code = pmpp("verify", "vecadd/fine", "--dtype=f32", "--backend=opencl", "--size=63,64,65",
                "--kernel-dir=" + tree, "--json=" + path).returncode
    found, middle, later = json_file(path)["results"]
    rows.equal([found["status"], later["status"]], ["ok", "ok"])
    failed = middle["status"] == "failed"
    rows.check(failed and status == "failed" or middle["status"] == "crashed", str(middle))
    rows.equal(code, 3 if failed else 5)
    rows.check((part if failed else "SIGSEGV") in middle["reason"], middle["reason"])
    rows.equal("far outside" in middle["reason"], failed, middle["reason"])


def quiet_failure(arguments, part):
    """With -q, stderr has only the rows without a right result, and stdout is empty."""
    need("cuda-emu")
    need("opencl")
    tree = kernel_tree({
        FINE["cuda-emu"]: lambda text: text.replace("LOAD(A, i) +", "LOAD(A, i) -"),
        "cuda_kernels/histogram/global_atomic.cu":
            lambda text: text.replace("atomicAdd(&H[value], 1u)", "H[value]++")})
    result = expect(3, "-q", *arguments, "--kernel-dir=" + tree)
    rows.equal(result.stdout, "")
    lines = result.stderr.strip().split("\n")
    rows.check(all(line.startswith("pmpp-run: " + part) for line in lines), result.stderr)
    rows.equal(len(lines), 1, result.stderr)


PRINTS = {"cuda-emu": 'if (i == 0 && printf("%*d %s %.2f %llu %%\\n", 2, -5, "text", 1.5f, 1ull << 40) != 5) return;',
          "opencl": 'if (i == 0) printf("%d %s %.2f %lu %%\\n", -5, "text", 1.5f, 1ul << 40);',
          "opencl-emu": 'if (i == 0 && printf("%d %s %.2f %lu %%\\n", -5, "text", 1.5f, 1ul << 40) != 0) return;'}


def prints(backend, command, *options):
    """printf in a kernel works: its text is on stderr, and the kernel continues."""
    need(backend)
    path = FINE["cuda-emu" if backend == "cuda-emu" else "opencl"]
    tree = kernel_tree({path: lambda text: text.replace("\tif (i < n)", "\t" + PRINTS[backend] + "\n\tif (i < n)")})
    result = expect(0, command, "vecadd/fine", "--dtype=f32", "--size=100", "--backend=" + backend,
                    "--kernel-dir=" + tree, *options)
    if "--json" in options:
        json.loads(result.stdout)
    rows.check("-5 text 1.50 1099511627776 %\n" in result.stderr, result.stderr)
    rows.check("-5 text" not in result.stdout, result.stdout)


GREY = (
    ("by integers", "(21 * from[0] + 72 * from[1] + 7 * from[2] + 50) / 100", 0),
    ("with the fraction cut", "0.21f * from[0] + 0.72f * from[1] + 0.07f * from[2]", 0),
    ("two levels too large", "grey < 250.0f ? grey + 2.0f : grey", 3),
)


def verified(family, kernel, change, status, *options):
    """The rows and the output of a changed CUDA kernel."""
    need("cuda-emu")
    path = new_path("r.json")
    root = kernel_tree({kernel: change})
    result = expect(status, "verify", family, "--backend=cuda-emu", "--kernel-dir=" + root,
                    "--json=" + path, *options)
    return json_file(path)["results"], result.stdout + result.stderr


def grey_level(formula, status):
    """Another rounding of a grey level is right. The row has a note."""
    note = "grayscale/block16x16: some values differ by one grey level from the value rounded to nearest"
    found, printed = verified(
        "grayscale/block16x16", "cuda_kernels/grayscale/block.cu", lambda source: source.replace(
            "(unsigned char)grey", "(unsigned char)(%s)" % formula), status, "--size=400x300")
    rows.equal([row.get("notes", []) for row in found], [[] if status else [note]])
    rows.equal(printed.count(note), 0 if status else 1, printed)


def added_to_output(size):
    """One poison may hide a kernel that adds to its output: 0 does, for example."""
    need("opencl")
    root = kernel_tree({"cl_kernels/grayscale/block.cl": lambda source: source.replace(
        "GRAY[pixel] = (uchar)grey", "GRAY[pixel] += (uchar)grey")})
    expect(3, "verify", "grayscale/block16x16", "--backend=opencl", "--kernel-dir=" + root, "--size=" + size)


def add_atomically(source):
    """The threads of a block add in the order in which they run."""
    return source.replace("	partial[t] = mine;\n	__syncthreads();\n", """	if (t == 0)
		partial[0] = 0;
	__syncthreads();
	atomicAdd(&partial[0], mine);
	__syncthreads();
	if (t == 0)
		B[group] = partial[0];
	return;
""")


def bits_of_runs(options, status):
    """Sums in any order are right, unless --bitwise requires equal bits."""
    note = "reduce/sequential: the bits differ between runs"
    found, printed = verified("reduce/sequential", "cuda_kernels/reduce/tree.cu", add_atomically, status,
                              "--op=sum", "--dtype=f32", "--size=997", *options)
    rows.equal([(row["repro"], row.get("notes", [])) for row in found],
               [("bitwise" if status else "bound", [] if status else [note])] * len(found))
    rows.equal("two runs differ" in printed, status == 3, printed)


def counted(source, reset):
    """A `__device__` variable counts the blocks. Only the first blocks store."""
    head = "__device__ unsigned count = 0;\n"
    at = source.index("{", source.index("__global__")) + 1
    return head + source[:at] + """
	__shared__ unsigned ticket;
	if (threadIdx.x == 0)
		ticket = atomicAdd(&count, 1);
	__syncthreads();
	if (ticket >= gridDim.x)
		return;
	if (%d && threadIdx.x == 0 && ticket == gridDim.x - 1)
		count = 0;
""" % reset + source[at:]


def counts_blocks(reset, status):
    """The variable has its initial value before each run. A run that leaves another value must not break the next."""
    words = "the second run, with the variables of the file as the first run left them: "
    _, printed = verified("vecadd/fine", "cuda_kernels/vecadd/fine.cu",
                          lambda source: counted(source, reset), status, "--size=1000", "--dtype=f32")
    rows.equal(words in printed, status == 3, printed)
    root = kernel_tree({"cuda_kernels/vecadd/fine.cu": lambda source: counted(source, reset)})
    expect(0, "explain", "vecadd/fine", "--backend=cuda-emu", "--kernel-dir=" + root, "--size=3000", "--dtype=f32")


for title, words, side in COMMANDS:
    if words != ["show", "vecadd/fine"]:  # it shows the other language
        rows.row("one missing file: " + title, missing, words, side)
    rows.row("a folder without kernels: " + title, wrong_folder, words, side)
    rows.row("no folder: " + title, not_a_folder, words, side)
rows.row("many missing files", many_missing)
rows.row("a wrong kernel: the reason names the data", names_the_data)
rows.row("only the files that are needed", only_what_is_needed)
rows.row("a folder in the file's place", damaged, make_folder, "not a file")
rows.row("an empty file", damaged, make_empty, "empty")
rows.row("a pipe in the file's place", damaged, make_pipe, "not a file")
rows.row("a file with a NUL byte", damaged, put_null_byte, "NUL")
rows.row("host code in a file", host_code)
rows.row("no host code in a file", no_host_code)
rows.row("items before the host code of a file", heads)
for title, text, part in (
        ("both", "", ""),
        ("only cuda-emu", "__shared__ int cell = 3; (void)cell;",
         "NVRTC rejects vecadd/fine.cu, but cuda-emu accepts it: vecadd/fine.cu(3): error: "),
        ("only NVRTC", 'asm volatile("" ::: "memory");', "NVRTC accepts vecadd/fine.cu, but cuda-emu rejects it")):
    rows.row("cuda-emu and NVRTC: " + title, with_nvrtc, text, part)
rows.row("registers of a block", registers)
rows.row("one language: CUDA", one_language, "cuda", "opencl-emu", "CUDA kernel")
rows.row("one language: OpenCL", one_language, "cl", "cuda-emu", "OpenCL kernel")
for name in ("opencl", "cuda", "cuda-emu", "opencl-emu"):
    (rows.row if name in ("cuda", "cuda-emu") else rows.long_row)("a file from Windows: " + name, from_windows, name)
rows.row("a chain of included files that does not end", included_forever)
rows.row("a file without read permission", no_permission)
for number_, (title, formula, status) in enumerate(GREY):
    rows.sampled_row(number_, 2, "your kernel: grey " + title, grey_level, formula, status)
for number_, size_ in enumerate(("1000x1000", "1000x1001")):
    rows.sampled_row(number_, 2, "your kernel: added to the output, " + size_, added_to_output, size_)
rows.row("your kernel: atomic sums", bits_of_runs, [], 0)
rows.row("your kernel: atomic sums, equal bits required", bits_of_runs, ["--bitwise"], 3)
rows.row("your kernel: a counter that is set back", counts_blocks, 1, 0)
rows.row("your kernel: a counter that keeps its value", counts_blocks, 0, 3)
rows.row("your kernel: run", marked, "run", ["--backend=cuda-emu"], r"^fine  +your kernel +ok [\d.]+ +-=")
rows.row("your kernel: verify", marked, "verify", ["--backend=cuda-emu"],
         r"^cuda-emu:0 +vecadd/fine .*; your kernel$")
for number_, (title, store, status, part) in enumerate((
        ("behind", "C[n + 262144] = 3.0f", "failed", "between unmapped pages, but not without them"),
        ("nowhere", "*(volatile __global int *)8 = 1", "crashed", "SIGSEGV"))):
    rows.sampled_row(number_, 2, "a far store on PoCL: " + title, far_store, store, status, part)
for words, part in (
        (["vecadd/fine", "--size=100", "--backend=cuda-emu"],
         "vecadd/fine on cuda-emu:0: failed at n=100 f32 random: 100 wrong"),
        (["verify", "vecadd/fine", "--size=100", "--backend=cuda-emu"], "vecadd/fine on cuda-emu:0: failed at n="),
        (["parity", "vecadd/fine", "--size=100", "--backend=cuda-emu"],
         "vecadd/fine on cuda-emu: failed at n=100"),
        (["explain", "histogram/global-atomic"], "histogram/global-atomic: a data race in global memory")):
    rows.row("-q: " + words[0], quiet_failure, words, part)
for name in PRINTS:
    for command in ("verify",) if name == "opencl" else ("verify", "explain"):
        rows.row("printf: %s, %s" % (command, name), prints, name, command)
    rows.row("printf: without a worker, " + name, prints, name, "run", "--no-isolate", "--json", "--no-roofs")
rows.finish()
