"""try: a kernel of the user in a file of its own."""
import os
import xml.etree.ElementTree

from command import expect, json_file, need, new_file, new_path, pmpp, refused
import rows

ADD = "%s(const float *a, const float *b, float *c, int n)\n{\n\tint i = %s;\n\tif (i < n)\n\t\tc[i] = a[i] + b[i];\n}\n"
CUDA_ADD = ADD % ("__global__ void vecAdd", "blockIdx.x * blockDim.x + threadIdx.x")
OPENCL_ADD = (ADD % ("__kernel void vecAdd", "get_global_id(0)")).replace("const float *", "__global const float *") \
    .replace(", float *c", ", __global float *c")
PRODUCT = """#include <cstdio>
#include <cuda_runtime.h>
#define TILE_WIDTH 16
__global__ void MatrixMulKernel(float *M, float *N, float *P, int Width)
{
	__shared__ float Mds[TILE_WIDTH][TILE_WIDTH], Nds[TILE_WIDTH][TILE_WIDTH];
	int tx = threadIdx.x, ty = threadIdx.y;
	int Row = blockIdx.y * TILE_WIDTH + ty, Col = blockIdx.x * TILE_WIDTH + tx;
	float value = 0;
	for (int ph = 0; ph < (Width + TILE_WIDTH - 1) / TILE_WIDTH; ph++) {
		int k = ph * TILE_WIDTH;
		Mds[ty][tx] = Row < Width && k + tx < Width ? M[Row * Width + k + tx] : 0;
		Nds[ty][tx] = Col < Width && k + ty < Width ? N[(k + ty) * Width + Col] : 0;
		__syncthreads();
		for (int i = 0; i < TILE_WIDTH; i++)
			value += Mds[ty][i] * Nds[i][tx];
		%s
	}
	if (Row < Width && Col < Width)
		P[Row * Width + Col] = value;
}
int main()
{
	int n = 1000;
	dim3 block(TILE_WIDTH, TILE_WIDTH), grid((n + block.x - 1) / block.x, (n + block.y - 1) / block.y);
	MatrixMulKernel<<<grid, block>>>(nullptr, nullptr, nullptr, n);
	printf("done\\n");
}
"""
TRANSPOSE = """//pmpp: problem = transpose
__kernel void t(__global const float *in, __global float *out, const int width, const int height)
{
	int x = get_global_id(0), y = get_global_id(1);
	if (x < width && y < height)
		out[x * height + y] = in[y * width + x];
}
"""
TEMPLATE = """template <typename T, int BLOCK>
__global__ void __launch_bounds__(BLOCK) vecadd(const T *A, const T *B, T *C, int n)
{
	__shared__ T tile[BLOCK];
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= n)
		return;
	tile[threadIdx.x] = A[i];
	C[i] = tile[threadIdx.x] + B[i];
}
void start(const float *a, const float *b, float *c, int n)
{
	vecadd<float, 64><<<(n + 63) / 64, 64>>>(a, b, c, n);
}
"""
REDUCE = """//pmpp: clear = out
//pmpp: op = sum
__global__ void reduce(const float *in, float *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		atomicAdd(out, in[i]);
}
"""

UNTILED = """%s(const float *A, const float *B, float *C, int m, int n, int k)
{
	int col = %s, row = %s;
	if (row < m && col < n) {
		float sum = 0;
		for (int i = 0; i < k; i++)
			sum += A[row * k + i] * B[i * n + col];
		C[row * n + col] = sum;
	}
}
"""
CUDA_UNTILED = UNTILED % ("__global__ void matmul", "blockIdx.x * blockDim.x + threadIdx.x",
                          "blockIdx.y * blockDim.y + threadIdx.y")
OPENCL_UNTILED = (UNTILED % ("__kernel void matmul", "get_global_id(0)", "get_global_id(1)")) \
    .replace("const float *", "__global const float *").replace(", float *C", ", __global float *C")
TILED_TRANSPOSE = """#define TILE 32
//pmpp: block = TILE x TILE
__global__ void transpose(const float *in, float *out, int width, int height)
{
	__shared__ float tile[TILE][TILE];
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
	if (x < width && y < height)
		tile[threadIdx.y][threadIdx.x] = in[y * width + x];
	__syncthreads();
	x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
	if (x < height && y < width)
		out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
"""
CUDA_TRANSPOSE = """__global__ void transpose(const float *in, float *out, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < width && y < height)
		out[x * height + y] = in[y * width + x];
}
"""


SOLVE = """#include <cuda_runtime.h>
__global__ void reduce(const float *input, float *output, int N)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < N)
		atomicAdd(output, input[i]);
}
extern "C" void solve(const float *input, float *output, int N)
{
	cudaMemset(output, 0, sizeof(float));
	reduce<<<(N + 255) / 256, 256>>>(input, output, N);
}
"""
# nvcc accepts this file, with and without its first two lines.
HOST_NAMES = """#include <bits/stdc++.h>
#include <cfloat>
#include <cublas_v2.h>
#include <cuda.h>
#include <math.h>
using namespace std;
__global__ void vecadd(const float *A, const float *B, float *C, uint n, int, unsigned long long)
{
	ushort t = threadIdx.x;
	uint32_t i = blockIdx.x * blockDim.x + t;
	float x = -INFINITY, largest = FLT_MAX;
	if (i < n && i < INT_MAX)
		C[i] = A[i] + B[i] + (x > largest) + (largest < M_PI);
}
"""


def right(name, text, backend, *parts):
    need(backend)
    result = expect(0, "try", new_file(name, text), "--backend=" + backend, "--size=200")
    rows.check("\nmistake" not in result.stdout, "a right kernel has a mistake: " + result.stdout)
    rows.check("NVRTC rejects" not in result.stdout, "not for a GPU: " + result.stdout)
    for part in parts:
        rows.check(part in result.stdout, "no '%s' in: %s" % (part, result.stdout))


def verdict(name, text, backend, limit, following):
    """The limit of the floors of the trace, and the technique to try next."""
    need(backend)
    result = expect(0, "try", new_file(name, text), "--backend=" + backend)
    page = " ".join(result.stdout.split())
    rows.check("limited by predicted: " + limit in page, page)
    rows.check(" next " + following in page, page)


def wrong(name, text, backend, *parts):
    need(backend)
    result = expect(3, "try", new_file(name, text), "--backend=" + backend, "--size=100")
    for part in parts:
        rows.check(part in result.stdout, "no '%s' in: %s" % (part, result.stdout))


def every_backend():
    """Without options: each backend of the language, then the page."""
    need("cuda-emu")
    result = expect(0, "try", new_file("vecadd.cu", CUDA_ADD))
    rows.check("cuda-emu" in result.stdout and "opencl" not in result.stdout, result.stdout)
    rows.check("not timed: no GPU for CUDA" in result.stdout or "cuda:0" in result.stdout, result.stdout)


def included():
    """A header beside the file."""
    need("cuda-emu")
    path = new_file("vecadd.cu", '#include "add.h"\n' + CUDA_ADD.replace("a[i] + b[i]", "ADD(a[i], b[i])"))
    with open(os.path.join(os.path.dirname(path), "add.h"), "w", encoding="utf-8") as file:
        file.write("#define ADD(x, y) ((x) + (y))\n")
    expect(0, "try", path, "--backend=cuda-emu", "--size=1000")


def timed():
    """A device that is named times the ladder with the kernel."""
    need("opencl")
    result = expect(0, "try", new_file("vecadd.cl", OPENCL_ADD), "--backend=opencl", "--size=1000")
    rows.check("your kernel" in result.stdout and "grid-stride" in result.stdout, result.stdout)


def question():
    refused(1, ["the problem of f is not known", "--problem=NAME"], "try",
            new_file("a.cu", "__global__ void f(float *A) {}"))
    refused(1, ["no-such-file.cu"], "try", new_path("no-such-file.cu"))
    refused(1, ["is NAME.cu or NAME.cl"], "try", new_file("a.txt", CUDA_ADD))


GUARDED = "#ifndef TILE_WIDTH\n#define TILE_WIDTH 16\n#endif\n"


def macros(backend):
    """-D wins over a guarded #define, in the kernel and in expressions."""
    need(backend)
    if backend.startswith("cuda"):
        path = new_file("mine.cu", (PRODUCT % SYNC).replace("#define TILE_WIDTH 16\n", GUARDED))
        result = expect(0, "try", path, "--backend=" + backend, "-D", "TILE_WIDTH=8", "--size=100")
        rows.check("block 8x8 (from the launch)" in result.stdout, result.stdout)
    else:
        path = new_file("vecadd.cl", OPENCL_ADD.replace("a[i] + b[i]", "(PLUS)").replace("float", "REAL"))
        expect(0, "try", path, "--backend=" + backend, "-DPLUS=a[i] + b[i]", "-D", "REAL=float", "--size=200")


def wrong_macros():
    refused(1, [":1: '#define TILE' would replace -D TILE"], "try",
            new_file("vecadd.cu", "#define TILE 4\n" + CUDA_ADD), "-D", "TILE=8")
    for bad in ("=1", "A B=1", "3=4", "A="):
        refused(1, ["give NAME=VALUE"], "try", new_file("vecadd.cu", CUDA_ADD), "-D", bad)


def written():
    """--write: the second call needs no options and changes nothing."""
    need("opencl-emu")
    text = "\ufeff// a transpose\r\n//pmpp: block = 7\r\n" + TRANSPOSE.partition("\n")[2].replace("\n", "\r\n")
    path = new_file("mine.cl", "")
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    os.chmod(path, 0o640)
    options = ["--backend=opencl-emu", "--size=32"]
    result = expect(0, "try", path, "--problem=transpose", "--block=8x4", "-DX=1", "--write", *options)
    rows.check("mine.cl: wrote //pmpp: block = 8x4; //pmpp: define = X=1; //pmpp: problem = transpose" in result.stdout,
               result.stdout)
    with open(path, encoding="utf-8", newline="") as file:
        after = file.read()
    rows.equal(after, "\ufeff//pmpp: problem = transpose\r\n//pmpp: define = X=1\r\n" +
               text[1:].replace("block = 7", "block = 8x4"))
    rows.equal(os.stat(path).st_mode & 0o777, 0o640)
    result = expect(0, "try", path, "--write", *options)
    rows.check("has all comments" in result.stdout and "block 8x4 (given)" in result.stdout, result.stdout)
    with open(path, encoding="utf-8", newline="") as file:
        rows.equal(file.read(), after)


def not_written():
    if os.geteuid() == 0:
        raise rows.Skip("root can write every file")
    path = new_file("vecadd.cu", CUDA_ADD)
    os.chmod(path, 0o444)
    refused(1, ["--write: ", "Permission denied"], "try", path, "--block=64", "--write")


def compared():
    """Two files and a variant: a row each, the worst exit code, and the outputs for tools."""
    need("cuda-emu")
    good, bad = new_file("good.cu", PRODUCT % SYNC), new_file("bad.cu", PRODUCT % "")
    paths = [new_path(name) for name in ("out.json", "out.xml", "out.html")]
    result = expect(3, "try", good, bad, "matmul/tiled16", "--backend=cuda-emu", "--size=40", "--annotate=github",
                    "--json=" + paths[0], "--junit=" + paths[1], "--report=" + paths[2])
    cells = {line.split()[0]: line.split()[1:3] for line in result.stdout.splitlines() if line[:1] == "/" or line[:8] == "matmul/t"}
    rows.equal(cells, {good: ["ok", "0"], bad: ["wrong", "1"], "matmul/tiled16": ["ok", "0"]})
    notes = [line for line in result.stdout.splitlines() if line.startswith("::")]
    rows.check(len(notes) == 3 and all(line.startswith("::error file=%s,line=" % bad) for line in notes), notes)
    rows.check("::missing barrier: " in notes[1], notes)
    document = json_file(paths[0])
    rows.equal([row["status"] for row in document["results"]], ["ok", "failed", "ok"])
    rows.equal([row.get("mistake", {}).get("name") for row in document["results"]], [None, "missing barrier", None])
    explained = json_file(paths[0].replace(".json", ".explain.json"))
    rows.equal([len(entry["defects"]) for entry in explained["explanations"]], [0, 1, 0])
    suites = xml.etree.ElementTree.parse(paths[1]).getroot()
    rows.equal([[case.find("failure") is not None for case in suite] for suite in suites], [[False], [True, True, True], [False]])
    expect(0, "report", paths[0], paths[0].replace(".json", ".explain.json"), "--output=" + paths[2])
    with open(paths[2], encoding="utf-8") as file:
        rows.check("bad: missing barrier: " in file.read(), "no mistake on the page")


def differences():
    need("opencl-emu")
    path = new_file("mine.cl", TRANSPOSE)
    result = expect(0, "try", path, "transpose/tiled", "--backend=opencl-emu", "--size=64", "--diff")
    rows.check("shared load: bank passes" in result.stdout and "global store B: sectors" in result.stdout, result.stdout)
    rows.check("global store B: bytes requested" not in result.stdout, result.stdout)
    result = expect(0, "try", path, path, "--backend=opencl-emu", "--size=64", "--diff")
    rows.check("no counter differs" in result.stdout, result.stdout)
    result = expect(5, "try", path, "none.cl", "--problem=transpose", "--backend=opencl-emu", "--size=64")
    rows.check("none.cl: cannot be read" in result.stdout, result.stdout)
    rows.equal([line.split()[:3] for line in result.stdout.split("\n")[-3:-1]], [[path, "ok", "0"], ["none.cl", "not", "read"]])
    refused(1, ["nil.cl: cannot be read"], "try", "none.cl", "nil.cl")


def refused_outputs():
    path = new_file("vecadd.cu", CUDA_ADD)
    refused(1, ["solves another problem"], "try", path, "matmul/tiled16", "-q")
    refused(1, ["is a variant: give a FILE of yours too"], "try", "matmul/tiled16")
    refused(1, ["is a kernel or its problem and would be replaced"], "try", path, "--junit=" + path, "-q")
    other = new_path("out")
    refused(1, ["is also another output"], "try", path, "--junit=" + other, "--report=" + other, "-q")
    refused(1, ["stdout has the pages"], "try", path, "--json", "-q")
    refused(1, ["--diff needs two files"], "try", path, "--diff", "-q")
    refused(1, ["--annotate=gitlab: give one of no, github"], "try", path, "--annotate=gitlab", "-q")
    rows.equal(open(path, encoding="utf-8").read(), CUDA_ADD)


def hint(name, text, size, *parts):
    need("cuda-emu")
    result = expect(3, "try", new_file(name, text), "--backend=cuda-emu", "--size=" + size)
    words = " ".join(result.stdout.split())
    for part in parts:
        rows.check(part in words, "no '%s' in: %s" % (part, result.stdout))


NAIVE = """__global__ void matmul(const float *A, const float *B, float *C, int p, int q, int r)
{
	int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
	if (row >= p || col >= r)
		return;
	const float *a = A + row * q;
	float sum = 0;
	for (int i = 0; i < q; i++)
		sum += a[i] * (B + i * r)[col];
	(C + row * r)[col] = sum;
}
"""
GRAY = """__global__ void grayscale(const unsigned char *in, unsigned char *out, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * width + x;
	if (x < width && y < height)
		out[i] = 0.21f * in[3 * i] + 0.71f * in[3 * i + 1] + 0.07f * in[3 * i + 2];
}
"""


def no_blocks():
    """A launch of 0 blocks fails, as in CUDA; the other sizes are checked."""
    need("cuda-emu")
    result = expect(5, "try", new_file("vecadd.cu", CUDA_ADD), "--grid=n / 256", "--backend=cuda-emu", "--size=100,512")
    rows.check("a grid of 0 blocks (0 x 1 x 1)" in result.stdout and "1 of 2" in result.stdout, result.stdout)


def in_namespace():
    need("cuda-emu")
    expect(0, "try", new_file("vecadd.cu", "namespace a { namespace {\n%s} }\n" % CUDA_ADD), "--backend=cuda-emu",
           "--size=1000")


LONG_COMMENT = "// filler filler filler filler filler filler filler filler filler filler\n" * 150000  # 10 MB
BAD = [
    ("an endless loop with a barrier", "while (n) __syncthreads();", 5, "timeout"),
    ("10 GB of shared memory", "__shared__ float t[2500000000]; t[n] = n; if (t[0] == 7) return;", 5, "File too large"),
    ("100 kB of shared memory", "__shared__ float t[25000]; t[threadIdx.x] = n; if (t[threadIdx.x] == 7) return;", 5,
     "100000 bytes of static shared memory: the limit of a block is 49152 bytes"),
    ("inline PTX", 'asm volatile("mov.u32 %0, %1;" : "=r"(n) : "r"(n));', 77, "does not have inline PTX"),
    ("10 MB of source", LONG_COMMENT, 0, "1 ok"),
]


def bad(statement, code, part):
    """One row with the reason; nothing is lost, and the limits hold."""
    need("cuda-emu")
    path = new_file("vecadd.cu", CUDA_ADD.replace("{\n", "{\n\t" + statement + "\n", 1))
    output = os.path.join(os.path.dirname(path), "out.json")
    result = expect(code, "try", path, "--backend=cuda-emu", "--size=100",
                    "--timeout=" + ("1" if "while" in statement else "60"), "--json=" + output)
    rows.check(part in result.stdout, result.stdout)
    rows.equal(len(json_file(output)["results"]), 1)


def endless():
    """The other sizes are not started."""
    need("cuda-emu")
    path = new_file("vecadd.cu", CUDA_ADD.replace("{\n", "{\n\twhile (n) ;\n", 1))
    result = expect(5, "try", path, "--backend=cuda-emu", "--size=100,200,300", "--timeout=1")
    for part in ("timeout at n=100 f32 random: no end after 1 s", "1 broken", "2 skipped (not started, because",
                 "\nmistake     endless loop: no end after 1 s at n=100"):
        rows.check(part in result.stdout, result.stdout)


def missing_entry():
    declared = CUDA_ADD.replace("\n{", ";\nvoid f(int n)\n{")
    refused(1, ["has no __global__ function with a body"], "try", new_file("vecadd.cu", declared))
    refused(1, ["has no kernel 'other'"], "try", new_file("vecadd.cu", CUDA_ADD), "--kernel=other")
    refused(1, ["no block has so much"], "try", new_file("vecadd.cu", "//pmpp: shared = 1e10\n" + CUDA_ADD))


def not_compiled():
    need("cuda-emu")
    expect(5, "try", new_file("vecadd.cu", CUDA_ADD.replace("a[i] +", "a[i] + x +")), "--backend=cuda-emu")


def quotes():
    """Names of files with characters that are special in C."""
    need("cuda-emu")
    need("opencl-emu")
    for name, text, backend in (('a"\\d.cu', CUDA_ADD, "cuda-emu"), ('a"\\d.cl', OPENCL_ADD, "opencl-emu")):
        wrong = text.replace("i < n", "i <= n")
        rows.check(wrong != text, "no bounds test")
        result = expect(3, "try", new_file(name, wrong), "--problem=vecadd", "--backend=" + backend, "--size=300")
        rows.check("missing bounds test: out-of-bounds" in result.stdout, result.stdout)


def file_as_word():
    """A file where a family is expected."""
    refused(1, ["pmpp-run try mine.cu"], "mine.cu")
    refused(1, ["pmpp-run try mine.cu"], "list", "mine.cu")
    refused(1, ["mine.cu: cannot be read"], "verify", "mine.cu")


SYNC = "__syncthreads();"
for backend in ("cuda-emu", "cuda"):
    rows.row("a sum, " + backend, right, "vecadd.cu", CUDA_ADD, backend, "vecadd by vecAdd(a = A", "your kernel")
    rows.row("the book's product, " + backend, right, "mine.cu", PRODUCT % SYNC, backend,
             "Width = m = n = k), block 16x16 (from the launch)", "Mds[ty][tx] = Row")
    rows.row("a template, " + backend, right, "mine.cu", TEMPLATE, backend, "vecadd<float, 64>(A, B, C, n)",
             "store: no conflict")
    rows.row("an output that is cleared, " + backend, right, "mine.cu", REDUCE, backend, "reduce by reduce(")
rows.row("a missing barrier", wrong, "mine.cu", PRODUCT % "", "cuda-emu", "race", "\nmistake     missing barrier: ")
rows.row("a wrong bound", wrong, "vecadd.cu", CUDA_ADD.replace("i < n", "i <= n"), "cuda-emu", "vecadd.cu:5: out-of-bounds load")
for backend in ("opencl-emu", "opencl"):
    add = rows.long_row if backend == "opencl" else rows.row
    add("a transpose, " + backend, right, "mine.cl", TRANSPOSE, backend, "width = n, height = m")
AT_2048 = "floors at m=n=k=2048 on NVIDIA H200 (for reference): "
rows.row("verdict: an untiled product", verdict, "mine.cu", CUDA_UNTILED, "cuda-emu",
         "l1; " + AT_2048 + "l1 3.18 ms, l2 502 µs, compute 262 µs", "tiling: at most 12.1 times as fast: compute 262 µs")
rows.long_row("verdict: an untiled product, OpenCL", verdict, "mine.cl", OPENCL_UNTILED, "opencl-emu",
         "l1; " + AT_2048 + "l1 3.18 ms", "tiling: at most 12.1 times")
rows.row("verdict: a tiled product", verdict, "mine.cu", PRODUCT % SYNC, "cuda-emu",
         "shared; " + AT_2048 + "shared 1.99 ms, l2 502 µs, compute 262 µs", "coarsening: at most 7.57 times")
rows.long_row("verdict: a tile of 32 columns", verdict, "mine.cu", TILED_TRANSPOSE, "cuda-emu",
              "shared; floors at m=n=8192 on NVIDIA H200 (for reference): shared 289 µs, memory 109 µs",
              "bank conflicts: at most 2.65 times as fast: memory 109 µs")
for name, text, backend in (("mine.cu", CUDA_TRANSPOSE, "cuda-emu"), ("mine.cl", TRANSPOSE, "opencl-emu")):
    add = rows.row if backend == "cuda-emu" else rows.long_row
    add("verdict: uncoalesced stores, " + backend, verdict, name, text, backend,
             "l2; floors at m=n=8192", "coalescing: at most")
rows.row("verdict: a sum", verdict, "vecadd.cu", CUDA_ADD, "cuda-emu",
         "memory; floors at n=67108864 on NVIDIA H200 (for reference): memory 170 µs", "nothing: ")
rows.row("without options", every_backend)
rows.row("an included file", included)
rows.row("an output that the host clears", right, "reduce.cu", SOLVE, "cuda-emu", "reduce by reduce(")
rows.row("names of headers of the host", right, "vecadd.cu", HOST_NAMES, "cuda-emu", "your kernel")
rows.row("times", timed)
for backend in ("cuda-emu", "cuda", "opencl-emu", "opencl"):
    (rows.row if backend == "cuda-emu" else rows.long_row)("macros of options, " + backend, macros, backend)
rows.row("wrong macros", wrong_macros)
rows.row("several files, and outputs for tools", compared)
rows.row("counters that differ", differences)
rows.row("files that are refused", refused_outputs)
rows.row("a hint: clear", hint, "mine.cu", REDUCE.partition("\n")[2], "1000", "hint: the kernel uses atomic operations",
         "//pmpp: clear = out")
rows.row("a hint: roles of sizes", hint, "mine.cu", "//pmpp: grid = ceil(n/16), ceil(m/16)\n" + NAIVE, "32,20x30x40",
         "wrong only if the sizes differ", "//pmpp: r = m")
rows.row("a hint: weights", hint, "mine.cu", GRAY, "64x32", "hint: the weights of grayscale are 0.21, 0.72 and 0.07")
rows.row("a grid of 0 blocks", no_blocks)
rows.row("a kernel in a namespace", in_namespace)
for NAME, STATEMENT, CODE, PART in BAD:
    (rows.long_row if "10 MB" in NAME else rows.row)("bad input: " + NAME, bad, STATEMENT, CODE, PART)
rows.row("an endless loop", endless)
rows.row("bad input: a missing entry", missing_entry)
rows.row("--write", written)
rows.row("--write to a file that cannot be written", not_written)
rows.row("questions", question)
rows.row("a kernel that does not compile", not_compiled)
rows.row("a file in place of a family", file_as_word)
rows.row("names with quotes", quotes)
rows.finish()
