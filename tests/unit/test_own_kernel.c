/* Kernels of the user: what is found in a file, and the questions that remain. */
#include "common/own/kernel.h"
#include "tests/support/test.h"

#define MATMUL_BODY "{ C[threadIdx.y] = A[0] * B[0]; }\n"

#define TWO_LAUNCHES(last)                                                                       \
	"//pmpp: problem = reduce\n//pmpp: scratch = part[ceil(n / 32)] f32\n"                   \
	"//pmpp: launch = parts block = 32 grid = ceil(n / 32)\n//pmpp: launch = total block = " \
	"1 grid = 1 " last "\n__global__ void parts(const float *A, float *part) {}\n"           \
	"__global__ void total(const float *part, float *B, int blocks) {}"

static const struct {
	const char *name, *path, *text, *summary;
	struct own_wishes wishes;
} found[] = {
	{"names of the family", "vecadd.cu",
		"__global__ void k(const float *A, const float *B, float *C, int n) {}",
		"vecadd.cu: vecadd by k(A, B, C, n), block 256 (the default), grid for one thread per "
		"element"},
	{"marks of device memory", "va.cu",
		"__global__ void vectorAdd(float *d_a, float *b_d, float *dev_c, unsigned long N) {}",
		"va.cu: vecadd by vectorAdd(d_a = A, b_d = B, dev_c = C, N = n), block 256 (the "
		"default), grid for one thread per element"},
	{"the book's product", "m.cu",
		"#define TILE_WIDTH 8\n"
		"__global__ void MatrixMulKernel(float *M, float *N, float *P, int Width)"
		"{ P[blockIdx.y] = M[0] * N[0]; }",
		"m.cu: matmul by MatrixMulKernel(M = A, N = B, P = C, Width = m = n = k), block 8x8 "
		"(TILE_WIDTH), grid for one thread per element"},
	{"sizes by their names", "m.cu",
		"__global__ void gemm(int K, int M, int N, const float *B, float *C, const float *A)" MATMUL_BODY,
		"m.cu: matmul by gemm(K = k, M = m, N = n, B, C, A), block 16x16 (the default), grid "
		"for one thread per element"},
	{"six sizes", "m.cu",
		"__global__ void matmul(float *A, float *B, float *C, int numARows, int numAColumns, "
		"int numBRows, int numBColumns, int numCRows, int numCColumns)" MATMUL_BODY,
		"m.cu: matmul by matmul(A, B, C, numARows = m, numAColumns = k, numBRows = k, "
		"numBColumns = n, numCRows = m, numCColumns = n), block 16x16 (the default), grid for "
		"one thread per element"},
	{"alpha and beta", "m.cu",
		"__global__ void sgemm(int M, int N, int K, float alpha, const float *A, const float "
		"*B, float beta, float *C)" MATMUL_BODY,
		"m.cu: matmul by sgemm(M = m, N = n, K = k, alpha, A, B, beta, C), block 16x16 (the "
		"default), grid for one thread per element"},
	{"operands by order", "t.cl",
		"__kernel void transpose(__global const float *first, __global float *second, int w, "
		"int h) { second[get_global_id(1)] = first[0]; }",
		"t.cl: transpose by transpose(first = A, second = B, w = n, h = m), block 16x16 (the "
		"default), grid for one thread per element"},
	{"a grid from the bounds of the threads", "t.cu",
		"__global__ void transpose(float *in, float *out, int width, int height) { int x = "
		"blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y; if (x >= width || y "
		">= height) return; out[x * height + y] = in[y * width + x]; }",
		"t.cu: transpose by transpose(in = A, out = B, width = n, height = m), block 16x16 (the "
		"default), grid for n x m threads"},
	{"a product of sizes", "g.cu",
		"__global__ void grayscale(unsigned char *in, unsigned char *out, int width, int height) "
		"{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < width * height) out[i] = "
		"in[3 * i]; }",
		"g.cu: grayscale by grayscale(in = RGB, out = GRAY, width, height), block 256 (the "
		"default), grid for width * height threads"},
	{"a block for each row", "s.cu",
		"__global__ void softmax(const float *x, float *y, int M, int N) { int row = blockIdx.x; "
		"if (row >= M) return; for (int c = threadIdx.x; c < N; c += blockDim.x) y[c] = x[c]; }",
		"s.cu: softmax by softmax(x = A, y = B, M = rows, N = columns), block 256 (the default), "
		"grid for rows blocks"},
	{"bounds of other indices", "h.cu",
		"__global__ void histogram(unsigned char *in, unsigned *out, int n, int bins) { int tid = "
		"threadIdx.x; if (tid < bins) out[tid] = 0; int i = blockIdx.x * blockDim.x + tid; if "
		"(2 * tid < n) return; if (i < n) out[in[i]]++; }",
		"h.cu: histogram by histogram(in = A, out = H, n, bins), block 256 (the default), grid "
		"for n threads"},
	{"variables for indices", "m.cu",
		"__global__ void matmul(float *A, float *B, float *C, int m, int n, int k) { int bx = "
		"blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y; int col = bx * 16 + tx; "
		"int row = by * 16 + ty; if (tx < k) return; if (row < m && col < n) C[row * n + col] = "
		"0; }",
		"m.cu: matmul by matmul(A, B, C, m, n, k), block 16x16 (the default), grid for n x m "
		"threads"},
	{"const chooses the output", "v.cu",
		"__global__ void vecadd(float *a, const float *b, const float *c, int n) {}",
		"v.cu: vecadd by vecadd(a = C, b = B, c = A, n), block 256 (the default), grid for one "
		"thread per element"},
	{"a name that is also a type, and no name", "v.cu",
		"__global__ void vecadd(const float *a, const float *b, float *half, int n, int) {}",
		"v.cu: vecadd by vecadd(a = A, b = B, half = C, n, without a name), block 256 (the "
		"default), grid for one thread per element"},
	{"two launches", "r.cu", TWO_LAUNCHES("blocks = ceil(n / 32)"),
		"r.cu: reduce by parts(A, part), block 32 (given), grid ceil(n / 32) (given); then "
		"total(part, B, blocks = ceil(n / 32)), block 1 (given), grid 1 (given)"},
	{"a macro in a comment", "m.cu",
		"//#define TILE 32\n#define TILE 8 /* a tile */\n__global__ void transpose(float *in, "
		"float *out, int rows, int cols) { out[threadIdx.y] = in[0]; }",
		"m.cu: transpose by transpose(in = A, out = B, rows = m, cols = n), block 8x8 (TILE), "
		"grid for one thread per element"},
	{"sizeof and default arguments", "r.cu",
		"__global__ void reduce(const float *in, float *const out, int n = 5) {}\nint main() { "
		"reduce<<<n / 64, 64, 64 * sizeof(float)>>>(a, b, n); }",
		"r.cu: reduce by reduce(in = A, out = B, n), block 64 (from the launch), grid n / 64 "
		"(from the launch), 64 * sizeof(float) bytes of dynamic shared memory"},
	{"a loop over the grid", "h.cl",
		"__kernel void histogram(__global const uchar *data, __global uint *bins, ulong length) "
		"{ for (ulong i = get_global_id(0); i < length; i += get_global_size(0)) "
		"atomic_inc(bins + data[i]); }",
		"h.cl: histogram by histogram(data = A, bins = H, length = n), block 256 (the default), "
		"grid for n threads"},
	{"the launch", "v.cu",
		"__global__ void vadd(float *a, float *b, float *c, int n) {}\n"
		"int main() { int N = 1000, threads = 128; int blocks = (N + threads - 1) / threads;\n"
		"vadd<<<blocks, threads>>>(x, y, z, N); }",
		"v.cu: vecadd by vadd(a = A, b = B, c = C, n), block 128 (from the launch), grid blocks "
		"(from the launch)"},
	{"dim3", "t.cu",
		"#define T 32 // a tile\n"
		"__global__ void transpose(float *in, float *out, int rows, int cols) { out[blockIdx.y] "
		"= in[0]; }\n"
		"void go() { dim3 block(T, T / 4), grid((c + T - 1) / T, (r + T - 1) / T);\n"
		"transpose<<<grid, block, T * 4>>>(i, o, r, c); }",
		"t.cu: transpose by transpose(in = A, out = B, rows = m, cols = n), block 32x8 (from "
		"the launch), grid (c + T - 1) / T, (r + T - 1) / T (from the launch), T * 4 bytes of dynamic "
		"shared memory"},
	{"comments of the file", "x.cl",
		"//pmpp: problem = reduce\n// pmpp: op = max\n//pmpp: block = 4x2\n//pmpp: grid = "
		"ceil(count / 8)\n//pmpp: clear = r\n//pmpp: shared = 32\n//pmpp: r = B\n"
		"__attribute__((reqd_work_group_size(64, 1, 1))) __kernel void f(__global int *r, "
		"__global const int *v, const uint count, __local int *tile) {}",
		"x.cl: reduce by f(r = B, v = A, count = n, tile), block 4x2 (given), grid ceil(count "
		"/ 8) (given), 32 bytes of dynamic shared memory"},
	{"an attribute", "x.cl",
		"__kernel __attribute__((reqd_work_group_size(64, 2, 1)))\nvoid vecadd(__global float "
		"*A, __global float *B, __global float *C, ulong n) {}",
		"x.cl: vecadd by vecadd(A, B, C, n), block 64x2 (from the attribute), grid for one thread per "
		"element"},
	{"launch bounds", "x.cu",
		"extern \"C\" __global__ void __launch_bounds__(64, 2) vecadd(float *A, float *B, float "
		"*C, int n) {}",
		"x.cu: vecadd by vecadd(A, B, C, n), block 64 (__launch_bounds__), grid for one thread "
		"per element"},
	{"a template", "t.cu",
		"template <typename T, int TILE = 8>\n__global__ void vecadd(const T *A, const T *B, T *C, "
		"int n) {}\n//pmpp: instance = unsigned char\n//pmpp: block = TILE * 4",
		"t.cu: vecadd by vecadd<unsigned char, 8>(A, B, C, n), block 32 (given), grid for one "
		"thread per element"},
	{"the instance of the launch", "t.cu",
		"template <int B> __global__ void vecadd(float *A, float *B, float *C, int n) {}\n"
		"int main() { vecadd<128><<<(n + 127) / 128, 128>>>(a, b, c, n); }",
		"t.cu: vecadd by vecadd<128>(A, B, C, n), block 128 (from the launch), grid (n + 127) / 128 "
		"(from the launch)"},
	{"macros of options and comments", "x.cu",
		"#ifndef TILE\n#define TILE 32\n#endif\n//pmpp: define = TILE=4, DEPTH = (TILE, 2), FLAG\n"
		"//pmpp: block = TILE * FLAG x 8\n__global__ void vecadd(float *A, float *B, float *C, int "
		"n) {}",
		"x.cu: vecadd by vecadd(A, B, C, n), block 16x8 (given), grid for one thread per element",
		{.macros = "TILE=16"}},
	{"names of types", "x.cu",
		"typedef unsigned char byte;\nusing pixel = byte;\n#define T pixel\ntypedef unsigned long "
		"long int64;\n#define N int\n__global__ void vecadd(const T *A, pixel *B, byte *C, N n) {}",
		"x.cu: vecadd by vecadd(A, B, C, n), block 256 (the default), grid for one thread per "
		"element"},
	{"a size only in the grid", "s.cu",
		"//pmpp: grid = rows\n__global__ void softmax(const float *A, float *B, int columns) {}",
		"s.cu: softmax by softmax(A, B, columns), block 256 (the default), grid rows (given)"},
	{"a launch without a value", "v.cu",
		"__global__ void vecadd(float *A, float *B, float *C, int n) {}\nvoid f() { "
		"vecadd<<<blocks(n), 64>>>(a, b, c, n); }",
		"v.cu: vecadd by vecadd(A, B, C, n), block 64 (from the launch), grid for one thread per "
		"element (the grid of the launch has no value: no value for 'blocks')"},
	{"the inner size by the loop", "m.cu",
		"__global__ void matmul(const float *A, const float *B, float *C, int M, int N, int K) { int "
		"y = threadIdx.y; float s = 0; for (int i = 0; i < N; i++) s += A[y * N + i] * B[i * K + 1]; "
		"C[y*K] = s; }",
		"m.cu: matmul by matmul(A, B, C, M = m, N = k, K = n), block 16x16 (the default), grid "
		"for one thread per element"},
	{"a loop that ends at the inner size", "m.cu",
		"__global__ void matmul(const float *A, const float *B, float *C, int M, int N, int K) { int "
		"y = threadIdx.y; float s = 0; for (int i = 0; i < K; i++) s += A[i * M + y] * B[i * N + 1]; "
		"C[y*N] = s; }",
		"m.cu: matmul by matmul(A, B, C, M = m, N = n, K = k), block 16x16 (the default), grid "
		"for one thread per element"},
	{"options before the file", "x.cu",
		"__global__ void one(float *A) {}\n//pmpp: block = 32\n"
		"__global__ void two(float *A, float *B, float *C, int n) {}",
		"x.cu: vecadd by two(A, B, C, n), block 64 (given), grid n / 64 (given)",
		{.problem = "vecadd", .kernel = "two", .block = "64", .grid = "n / 64"}},
	{"comments and declarations", "/tmp/some where/vec add.cu",
		"/* __global__ void no(int) {} */ __global__ void vecadd(float *, float *, float *, "
		"int);\n__global__ void vecadd(float *A, float *B, float *C, int n) {}",
		"vec add.cu: vecadd by vecadd(A, B, C, n), block 256 (the default), grid for one thread "
		"per element"},
};

TEST_ROWS(read, found, "%s", row->name)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct own_kernel *kernel = NULL;

	if (own_kernel_read(row->path, row->text, &row->wishes, &kernel, &error) != PMPP_OK)
		fail_msg("%s", error.message);
	assert_string_equal(kernel->summary, row->summary);
	assert_ptr_equal(variant_family(&kernel->variant), kernel->family);
	own_kernel_destroy(kernel);
}

#define VECADD "__global__ void vecadd(float *A, float *B, float *C, int n) {}"

static const struct {
	const char *name, *path, *text, *message;
	struct own_wishes wishes;
} questions[] = {
	{"the ending", "a.c", VECADD, "a.c: the name of a kernel file is NAME.cu or NAME.cl"},
	{"no kernel", "a.cu", "__device__ void f() {}", "has no __global__ function with a body"},
	{"an OpenCL kernel in CUDA", "a.cu", "__kernel void f() {}", "no __global__ function"},
	{"two kernels", "a.cu", "__global__ void f() {}\n__global__ void g() {}",
		"a.cu has several kernels. Its kernels are f, g: give --kernel=NAME"},
	{"another name", "a.cu", VECADD, "a.cu has no kernel 'x'. Its kernels are vecadd",
		{.kernel = "x"}},
	{"a template", "a.cu", "template <int T, typename V> __global__ void f(float *A) {}",
		"f is a template with the parameters T, V: give --instance"},
	{"too many values", "a.cu", "template <int T> __global__ void f(float *A) {}",
		"f is a template", {.instance = "1, 2"}},
	{"no problem", "a.cu", "__global__ void f(float *A) {}",
		"the problem of f is not known: give --problem=NAME"},
	{"an unknown problem", "a.cu", VECADD, "no problem 'x'", {.problem = "x"}},
	{"a problem without one answer", "a.cu", VECADD, "have different results",
		{.problem = "instructions"}},
	{"an unknown parameter", "vecadd.cu",
		"__global__ void f(float *A, float *B, float *C, int n, int other) {}",
		"parameter 'other' of f is not bound: add the line '//pmpp: other = n'"},
	{"too many pointers", "vecadd.cu",
		"__global__ void f(float *A, float *B, float *C, float *D, int n) {}",
		"parameter 'D' of f is not bound: add the line '//pmpp: D = C'"},
	{"no output", "vecadd.cu", "__global__ void f(const float *A, const float *B, int n) {}",
		"no parameter of f is C of vecadd"},
	{"no size", "vecadd.cu", "__global__ void f(float *A, float *B, float *C) {}",
		"no parameter of f is the size n of vecadd"},
	{"another type", "matmul.cu", "__global__ void f(int *A, int *B, int *C, int n) {}",
		"the elements of parameter 'A' have another type than A of matmul"},
	{"two types", "vecadd.cu",
		"__global__ void f(float *A, unsigned char *B, float *C, int n) {}",
		"the elements of parameter 'B' have another type"},
	{"a type without elements", "vecadd.cu", "__global__ void f(long *A, int n) {}",
		"parameter 'A' of f has the type long *: operands cannot have this type"},
	{"a name of a type without elements", "vecadd.cu",
		"typedef long real;\n__global__ void f(real *A, int n) {}",
		"parameter 'A' of f has the type long *: operands cannot have this type"},
	{"a type of itself", "vecadd.cu", "#define T T\n__global__ void f(float *A, T n) {}",
		"has the type T"},
	{"a scalar type", "vecadd.cu", "__global__ void f(float *A, short n) {}",
		"parameter 'n' of f has the type short: sizes and constants cannot have this type"},
	{"a launch of an unknown kernel", "a.cu", "//pmpp: launch = f grid = 1\n" VECADD,
		"a.cu has no kernel 'f'. Its kernels are vecadd"},
	{"an unknown key of a launch", "reduce.cu", TWO_LAUNCHES("blocks = 1 thread = 5"),
		"the launch of total: 'thread' is not a parameter of the kernel, block, grid or shared"},
	{"a parameter without a value", "reduce.cu", TWO_LAUNCHES(""),
		"parameter 'blocks' of total is not bound"},
	{"a scratch buffer without a type", "vecadd.cu", "//pmpp: scratch = p[n]\n" VECADD,
		"'//pmpp: scratch = p[n]': write NAME[ELEMENTS] TYPE"},
	{"a scratch buffer of an unknown size", "vecadd.cu", "//pmpp: scratch = p[m] f32\n" VECADD,
		"the scratch buffer 'p': no value for 'm': use the sizes of the problem"},
	{"an operand without a launch", "vecadd.cu", "//pmpp: launch = vecadd A = B\n" VECADD,
		"no parameter of a launch is A of vecadd"},
	{"an unknown comment", "a.cu", "//pmpp: bloc = 3\n" VECADD,
		"'//pmpp: bloc = 3': give problem"},
	{"a comment without a value", "a.cu", "//pmpp: block\n" VECADD,
		"'//pmpp: block': give problem"},
	{"a value of a parameter", "a.cu", "//pmpp: n = x\n" VECADD,
		"'//pmpp: n = x': vecadd has no such size, and the value is not a number"},
	{"one size of two", "softmax.cu",
		"__global__ void softmax(float *in, float *out, int n) { out[blockIdx.x] = in[0]; }",
		"no parameter of softmax is the size columns of softmax"},
	{"a __local pointer without a size", "vecadd.cl",
		"__kernel void vecadd(__global float *A, __global float *B, __global float *C, int n, "
		"__local float *tile) {}",
		"the size of 'tile' is missing: add the line '//pmpp: shared = BYTES'"},
	{"macros that grow", "a.cu",
		"#define A b+b+b+b\n#define b c+c+c+c\n#define c d+d+d+d\n#define d e+e+e+e\n#define e "
		"f+f+f+f\n#define f g+g+g+g\n#define g 1\n//pmpp: block = A\n" VECADD,
		"no value for"},
	{"a macro without a condition", "a.cu",
		"#ifndef TILES\n#endif\n#define TILE 4\n//pmpp: define = TILE=8\n" VECADD,
		"a.cu:3: '#define TILE' would replace -D TILE: put '#ifndef TILE' before it"},
	{"a macro without a name", "a.cu", VECADD, "a.cu: macro '=3': give NAME=VALUE",
		{.macros = "A=1, =3"}},
	{"pixels of 4 bytes", "grayscale.cu",
		"__global__ void f(uchar4 *in, unsigned char *out, int width, int height) { "
		"out[threadIdx.y] = in[0].x; }",
		"the elements of parameter 'in' have another type than RGB of grayscale"},
	{"a long name of a kernel", "a.cu",
		"__global__ void a234567890123456789012345678901234567890123456789012345678901234(int n) {}",
		"the name of a kernel has at most 63 characters"},
	{"a long name of a file",
		"/tmp/a234567890123456789012345678901234567890123456789012345678901234"
		"56789012345678901234567890123456789012345678901234567890123456789.cu",
		VECADD, "the name of a kernel file has at most 127 characters"},
	{"a long name of a parameter", "vecadd.cu",
		"__global__ void f(float *a234567890123456789012345678901234567890123456789012345678901234) "
		"{}",
		"name and type have at most 62 characters"},
	{"a cleared size", "a.cu", "//pmpp: clear = n\n" VECADD,
		"give the parameter of an operand (here: C)"},
	{"an operation", "a.cu", "//pmpp: op = sum\n" VECADD, "vecadd has no such operation"},
	{"a block without value", "a.cu", "//pmpp: block = n\n" VECADD,
		"a.cu: the block 'n': no value for 'n'"},
	{"a block of 0", "a.cu", "//pmpp: block = 0\n" VECADD,
		"the block '0': each dimension of a block has 1 to 1048576 threads"},
	{"a block of 2000000", "a.cu", "//pmpp: block = 16x2000000\n" VECADD,
		"the block '16x2000000': each dimension of a block has 1 to 1048576 threads"},
	{"a grid without value", "a.cu", "//pmpp: grid = rows\n" VECADD,
		"a.cu: the grid 'rows': no value for 'rows'"},
	{"shared memory without value", "a.cu", "//pmpp: shared = x\n" VECADD,
		"dynamic shared memory 'x': no value for 'x'"},
	{"too much shared memory", "vecadd.cu", "//pmpp: shared = 10000000000\n" VECADD,
		"vecadd.cu: dynamic shared memory of 10000000000 bytes: no block has so much"},
	{"a local pointer in the middle", "vecadd.cl",
		"__kernel void f(__global float *A, __local float *t, __global float *B, __global float "
		"*C, int n) {}",
		"only the last parameter of f can be a __local pointer"},
};

TEST_ROWS(question, questions, "%s", row->name)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct own_kernel *kernel = NULL;

	EQUAL(own_kernel_read(row->path, row->text, &row->wishes, &kernel, &error), PMPP_USAGE);
	assert_null(kernel);
	if (!strstr(error.message, row->message))
		fail_msg("%s", error.message);
	pmpp_error_clear(&error);
}

/* ---- The plan ------------------------------------------------------------------------------- */

static struct own_kernel *read_or_fail(const char *path, const char *text)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct own_kernel *kernel = NULL;

	if (own_kernel_read(path, text, &(struct own_wishes){0}, &kernel, &error) != PMPP_OK)
		fail_msg("%s", error.message);
	return kernel;
}

static struct plan plan_of(const struct own_kernel *kernel, int64_t m, int64_t n, int64_t k)
{
	const struct config config = config_default(&kernel->variant);
	struct problem problem = problem_default(kernel->family);
	struct plan plan = {0};

	problem.dim[0] = m;
	problem.dim[1] = n;
	problem.dim[2] = k;
	config_plan(&config, &problem, &plan);
	return plan;
}

TEST(plan, "a plan")
{
	struct own_kernel *kernel = read_or_fail("m.cu",
		"//pmpp: clear = C\n"
		"__global__ void sgemm(int M, long N, int K, float alpha, const float *A, const float *B, "
		"float *C) { C[threadIdx.y] = 0; }\n"
		"void f() { sgemm<<<dim3((n + 31) / 32, (m + 15) / 16), dim3(32, 16), n * 4>>>(m, n, k, "
		"1, a, b, c); }");
	struct plan plan = plan_of(kernel, 33, 65, 7);
	const struct plan_launch *launch = plan_step_launch(&plan.steps[1]);
	const float one = 1;

	EQUAL(plan.step_count, 2);
	EQUAL(plan.steps[0].kind, PLAN_FILL);
	EQUAL(plan.steps[0].as.fill.buffer.value, 2);
	EQUAL(launch->groups[0], 3);
	EQUAL(launch->groups[1], 3);
	EQUAL(launch->groups[2], 1);
	EQUAL(launch->block[0], 32);
	EQUAL(launch->block[1], 16);
	EQUAL(launch->shared_bytes, 260);
	EQUAL(launch->arg_count, 7);
	EQUAL(launch->args[0].kind, PLAN_ARG_INT);
	EQUAL(launch->args[0].value, 33);
	EQUAL(launch->args[1].kind, PLAN_ARG_ULONG);
	EQUAL(launch->args[1].value, 65);
	EQUAL(launch->args[3].kind, PLAN_ARG_FLOAT);
	assert_memory_equal(&launch->args[3].value, &one, sizeof one);
	EQUAL(launch->args[4].kind, PLAN_ARG_OPERAND);
	EQUAL(launch->args[6].value, 2);
	own_kernel_destroy(kernel);
}

TEST(default_grid, "a grid for one thread per element")
{
	struct own_kernel *kernel = read_or_fail("m.cu",
		"__global__ void matmul(float *A, float *B, float *C, int m, int n, int k)" MATMUL_BODY);
	struct plan plan = plan_of(kernel, 17, 33, 5);
	const struct plan_launch *launch = plan_step_launch(&plan.steps[0]);

	EQUAL(launch->groups[0], 3);
	EQUAL(launch->groups[1], 2);
	own_kernel_destroy(kernel);
	kernel = read_or_fail(
		"reduce.cu", "__global__ void reduce(const float *in, float *out, int n) {}");
	plan = plan_of(kernel, 1000, 0, 0);
	EQUAL(plan_step_launch(&plan.steps[0])->groups[0], 4);
	own_kernel_destroy(kernel);
}

TEST(sizes, "sizes that a kernel can take")
{
	struct own_kernel *kernel = read_or_fail(
		"m.cu", "__global__ void matmul(float *A, float *B, float *C, int n)" MATMUL_BODY);
	const struct config config = config_default(&kernel->variant);
	struct problem problem = problem_default(kernel->family);
	int64_t dim[PMPP_MAX_DIMS] = {61, 83, 97};

	memcpy(problem.dim, dim, sizeof dim);
	assert_non_null(kernel->variant.domain(&config, &problem));
	own_kernel_fit(kernel, dim);
	EQUAL(dim[0], 61);
	EQUAL(dim[1], 61);
	EQUAL(dim[2], 61);
	memcpy(problem.dim, dim, sizeof dim);
	assert_null(kernel->variant.domain(&config, &problem));
	own_kernel_destroy(kernel);
	kernel = read_or_fail(
		"h.cu", "__global__ void histogram(unsigned char *in, unsigned *out, int n) {}");
	dim[1] = 7;
	own_kernel_fit(kernel, dim);
	EQUAL(dim[0], 61);
	EQUAL(dim[1], 256);
	own_kernel_destroy(kernel);
}

/* ---- Linkage -------------------------------------------------------------------------------- */

static const struct {
	const char *name, *text, *expected;
} linkages[] = {
	{"a function", "int x;\n" VECADD, "int x;\nextern \"C\" " VECADD},
	{"a declaration too",
		"__global__ void vecadd(float *A, float *B, float *C, int n);\n" VECADD,
		"extern \"C\" __global__ void vecadd(float *A, float *B, float *C, int n);\nextern "
		"\"C\" " VECADD},
	{"it has it", "extern \"C\" " VECADD, "extern \"C\" " VECADD},
	{"a directive before it", "#define A 1\n" VECADD, "#define A 1\nextern \"C\" " VECADD},
	{"a template",
		"template <typename T, int N = 2>\n__launch_bounds__(N\n) __global__ void "
		"vecadd(const T *A, T *B, T *C, int n) { n += N; }\n//pmpp: instance = float\n",
		"template <typename T, int N = 2>\n                   \n  __device__ void vecadd(const T "
		"*A, T *B, T *C, int n) { n += N; }\n//pmpp: instance = float\n\nextern \"C\" "
		"__global__ void vecadd_instance(const float *A, float *B, float *C, int n) { vecadd<float, "
		"2>(A, B, C, n); }\n"},
	{"a static kernel", "static " VECADD, "extern \"C\"        " VECADD},
	{"namespaces", "namespace a::b {\nstruct s { int i; };\nnamespace {\n" VECADD "\n} }\n",
		"namespace a::b {\nstruct s { int i; };\nnamespace {\nextern \"C\" " VECADD
		"\n} }\n\nusing a::b::vecadd;\n"},
	{"macros", "//pmpp: define = A = 1, B=x y\n" VECADD,
		"#define A 1\n#define B x y\n#line 1\n//pmpp: define = A = 1, B=x y\nextern \"C\" " VECADD},
	{"an attribute before it", "__launch_bounds__(64) " VECADD,
		"extern \"C\" __launch_bounds__(64) " VECADD},
};

TEST_ROWS(linkage, linkages, "linkage: %s", row->name)
{
	struct own_kernel *kernel = read_or_fail("a.cu", row->text);
	char *text = strdup(row->text);

	EQUAL(own_kernel_export(kernel, &text), true);
	assert_string_equal(text, row->expected);
	free(text);
	own_kernel_destroy(kernel);
}

int main(int argc, char **argv)
{
	return test_run(argc, argv);
}
