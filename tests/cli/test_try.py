"""try: a kernel of the user in a file of its own."""
import os

from command import expect, need, new_path, pmpp, refused
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


def kernel_file(name, text):
    path = new_path(name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def right(name, text, backend, *parts):
    need(backend)
    result = expect(0, "try", kernel_file(name, text), "--backend=" + backend)
    rows.check("\nmistake" not in result.stdout, "a right kernel has a mistake: " + result.stdout)
    for part in parts:
        rows.check(part in result.stdout, "no '%s' in: %s" % (part, result.stdout))


def wrong(name, text, backend, *parts):
    need(backend)
    result = expect(3, "try", kernel_file(name, text), "--backend=" + backend)
    for part in parts:
        rows.check(part in result.stdout, "no '%s' in: %s" % (part, result.stdout))


def every_backend():
    """Without options: each backend of the language, then the page."""
    need("cuda-emu")
    result = expect(0, "try", kernel_file("vecadd.cu", CUDA_ADD))
    rows.check("cuda-emu" in result.stdout and "opencl" not in result.stdout, result.stdout)
    rows.check("not timed: no GPU for CUDA" in result.stdout or "cuda:0" in result.stdout, result.stdout)


def included():
    """A header beside the file."""
    need("cuda-emu")
    path = kernel_file("vecadd.cu", '#include "add.h"\n' + CUDA_ADD.replace("a[i] + b[i]", "ADD(a[i], b[i])"))
    with open(os.path.join(os.path.dirname(path), "add.h"), "w", encoding="utf-8") as file:
        file.write("#define ADD(x, y) ((x) + (y))\n")
    expect(0, "try", path, "--backend=cuda-emu")


def timed():
    """A device that is named times the ladder with the kernel."""
    need("opencl")
    result = expect(0, "try", kernel_file("vecadd.cl", OPENCL_ADD), "--backend=opencl", "--size=1000")
    rows.check("your kernel" in result.stdout and "grid-stride" in result.stdout, result.stdout)


def question():
    refused(1, ["the problem of f is not known", "--problem=NAME"], "try",
            kernel_file("a.cu", "__global__ void f(float *A) {}"))
    refused(1, ["no-such-file.cu"], "try", new_path("no-such-file.cu"))
    refused(1, ["ends in .cu or .cl"], "try", kernel_file("a.txt", CUDA_ADD))


def not_compiled():
    need("cuda-emu")
    expect(5, "try", kernel_file("vecadd.cu", CUDA_ADD.replace("a[i] +", "a[i] + x +")), "--backend=cuda-emu")


def file_as_word():
    """A file where a family is expected."""
    refused(1, ["pmpp-run try mine.cu"], "mine.cu")
    refused(1, ["pmpp-run try mine.cu"], "verify", "mine.cu")


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
    rows.row("a transpose, " + backend, right, "mine.cl", TRANSPOSE, backend, "width = n, height = m")
rows.row("without options", every_backend)
rows.row("an included file", included)
rows.row("times", timed)
rows.row("questions", question)
rows.row("a kernel that does not compile", not_compiled)
rows.row("a file in place of a family", file_as_word)
rows.finish()
