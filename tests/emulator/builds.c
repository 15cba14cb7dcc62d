/* Sources that the compiler takes, and refuses. */
#include "tests/emulator/emulator.h"

/* Each writes out[0] = 1 in one block of 32 threads when it is understood. */
static const struct accepted {
	const char *name;
	uint32_t shared_bytes;
	const char *source;
} accepted[] = {
	{"kernels named in comments", 0,
		"/* a __global__ function (see `extern __shared__ float x[]` above): */\n"
		"// extern \"C\" __global__ void ghost(int *out) {\n"
		"extern \"C\" __global__ void k(int *out) { if (threadIdx.x == 0) out[0] = 1; }\n"},
	{"a declaration before the definition", 0,
		"extern \"C\" __global__ void k(int *out);\n"
		"extern \"C\" __global__ void k(int *out) { if (threadIdx.x == 0) out[0] = 1; }\n"},
	{"a template kernel beside the entry", 0,
		"template <int N> __global__ void t(int *out) { out[0] = N; }\n"
		"extern \"C\" __global__ void k(int *out) { if (threadIdx.x == 0) out[0] = 1; }\n"},
	{"a block of extern \"C\"", 0,
		"extern \"C\" {\n"
		"__global__ void k(int *out) { if (threadIdx.x == 0) out[0] = 1; }\n}\n"},
	{"dynamic shared memory declared outside the kernel", 256,
		"extern __shared__ int cells[];\n"
		"extern \"C\" __global__ void k(int *out)\n{\n"
		"	cells[threadIdx.x] = threadIdx.x;\n	__syncthreads();\n"
		"	if (threadIdx.x == 0) out[0] = cells[31] - 30;\n}\n"},
	{"aligned dynamic shared memory", 512,
		"extern \"C\" __global__ void k(int *out)\n{\n"
		"	extern  __shared__ __align__(16) unsigned char raw[];\n"
		"	float4 *cells = (float4 *)raw;\n"
		"	cells[threadIdx.x] = make_float4(1, 2, 3, threadIdx.x);\n	__syncthreads();\n"
		"	if (threadIdx.x == 0) out[0] = (int)cells[31].w - 30;\n}\n"},
	{"a static __constant__ table", 0,
		"static __constant__ int table[2] = {1, 2};\n"
		"extern \"C\" __global__ void k(int *out) { if (threadIdx.x == 0) out[0] = table[0]; }\n"},
	{"launch bounds of two numbers, written last", 0,
		"extern \"C\" void __launch_bounds__(32 * (1 + 0), 2) __global__ k(int *out)\n"
		"{ if (threadIdx.x == 0) out[0] = 1; }\n"},
	{"the head of a kernel in a macro", 0,
		"#define KERNEL extern \"C\" __global__ void /* a head */\n"
		"KERNEL k(int *out) { if (threadIdx.x == 0) out[0] = __LINE__ - 1; }\n"},
	{"the head of a kernel in a macro of a macro", 0,
		"#define GLOBAL __global__\n#define BOUNDS(n, least) \\\n	__launch_bounds__(n, least)\n"
		"#define KERNEL(name, ...) \\\n	extern \"C\" GLOBAL void BOUNDS(32, 1) name(__VA_ARGS__)\n"
		"KERNEL(k,\n	int *out)\n"
		"{ if (threadIdx.x == 0) out[0] = __LINE__ - 7; }\n"},
	{"the head of a kernel in one of two macros", 0,
		"#ifdef __CUDACC__\n#define KERNEL extern \"C\" __global__\n#else\n#define KERNEL\n#endif\n"
		"KERNEL void k(int *out) { if (threadIdx.x == 0) out[0] = 1; }\n"},
	{"a macro that is empty or shared memory", 0,
		"#if BIG\n#define MEMORY __shared__\n#else\n#define MEMORY\n#endif\n"
		"extern \"C\" __global__ void k(int *out)\n{\n"
		"	MEMORY int own[1];\n	own[0] = 1 - (int)threadIdx.x;\n	__syncthreads();\n"
		"	if (threadIdx.x == 0) out[0] = own[0];\n}\n"},
	{"the head of a kernel in a file that is included twice", 0,
		"#ifndef HEAD_H\n#define HEAD_H\n#define KERNEL extern \"C\" __global__\n#endif\n"
		"#ifndef HEAD_H\n#define HEAD_H\n#define KERNEL extern \"C\" __global__\n#endif\n"
		"KERNEL void k(int *out) { if (threadIdx.x == 0) out[0] = 1; }\n"},
	{"bounds that depend on #if", 0,
		"#if BIG\n#define BOUNDS(n) __launch_bounds__(n) nowhere\n#else\n"
		"#define BOUNDS(n) __launch_bounds__(n, 2)\n#endif\n"
		"extern \"C\" __global__ void BOUNDS(32) k(int *out)\n"
		"{ if (threadIdx.x == 0) out[0] = 1; }\n"},
	{"a macro that is defined again", 0,
		"#define ENTRY __launch_bounds__(32) nowhere\n"
		"#undef ENTRY\n#define GLOBAL __global__\n#define ENTRY GLOBAL\n"
		"template <int> ENTRY void helper() {}\n"
		"extern \"C\" __global__ void k(int *out) { if (threadIdx.x == 0) out[0] = 1; }\n"},
	{"comments in a macro of shared memory", 0,
		"#define TILE(type, name) __shared__/* of a block */type name[32]\n"
		"extern \"C\" __global__ void k(int *out)\n{\n"
		"	TILE(int, // of a cell (4 bytes), :)\n	     /* name, */ own);\n"
		"	own[threadIdx.x] = __LINE__;\n"
		"	if (threadIdx.x == 0) out[0] = own[0] == 6;\n}\n"},
	{"a macro in a comment before the macro", 256,
		"/*\n#define SHARED\n*/\n#define SHARED __shared__\n"
		"extern \"C\" __global__ void k(int *out)\n{\n	extern SHARED int cells[];\n"
		"	cells[threadIdx.x] = threadIdx.x;\n	__syncthreads();\n"
		"	if (threadIdx.x == 0) out[0] = cells[31] - 30;\n}\n"},
	{"macros that expand to each other", 0,
		"#define A B B B B __shared__\n#define B A A A A\n#if NEVER\nA;\n#endif\n"
		"extern \"C\" __global__ void k(int *out) { if (threadIdx.x == 0) out[0] = 1; }\n"},
	{"dynamic shared memory in a macro", 256,
		"#define DYNAMIC(type, name) extern __shared__ type name[]\n"
		"extern \"C\" __global__ void k(int *out)\n{\n	DYNAMIC(int, cells);\n"
		"	cells[threadIdx.x] = threadIdx.x;\n	__syncthreads();\n"
		"	if (threadIdx.x == 0) out[0] = cells[31] - 30;\n}\n"},
	{"half precision", 0,
		"#include <cuda_fp16.h>\n"
		"extern \"C\" __global__ void k(int *out)\n{\n"
		"	__half a = __float2half(1.5f);\n"
		"	__half2 b = __floats2half2_rn(0.25f, 2049.0f);\n"
		"	float f = __half2float(__hadd(a, __low2half(b)));\n"
		"	b = __hfma2(b, __float2half2_rn(2.0f), __half2half2(a));\n"
		"	if (threadIdx.x == 0)\n"
		"		out[0] = f == 1.75f && __low2float(b) == 2.0f &&\n"
		"			__high2float(b) == 4096.0f && sizeof(__half2) == 4;\n}\n"},
	{"asynchronous copies", 0,
		"#include <cuda_pipeline.h>\n"
		"static __device__ int source[32 * 4] = {0, 0, 0, 1};\n"
		"extern \"C\" __global__ void k(int *out)\n{\n"
		"	__shared__ __align__(16) int cells[32 * 4];\n"
		"	__pipeline_memcpy_async(&cells[4 * threadIdx.x], &source[4 * threadIdx.x], 16);\n"
		"	__pipeline_commit();\n	__pipeline_wait_prior(0);\n	__syncthreads();\n"
		"	if (threadIdx.x == 0) out[0] = cells[3];\n}\n"},
	{"vectors from lists", 0,
		"extern \"C\" __global__ void k(int *out)\n{\n"
		"	float4 v = {1.0f, 2.0f, 3.0f, 4.0f};\n	int2 p = {5, 6};\n"
		"	float4 zero = {};\n"
		"	if (threadIdx.x == 0)\n"
		"		out[0] = v.x + v.w == 5.0f && p.y == 6 && zero.z == 0.0f;\n}\n"},
	{"functions of mixed types, rounding and bits", 0,
		"extern \"C\" __global__ void k(int *out)\n{\n"
		"	unsigned u = 7;\n	long long l = -5;\n"
		"	bool ok = min(3, u) == 3 && max(l, 2ll) == 2 && min(1.0f, 2.0f) == 1.0f;\n"
		"	ok = ok && __popc(0xf0u) == 4 && __clz(1) == 31 && __ffs(8) == 4 && "
		"__clzll(1ll) == 63;\n"
		"	ok = ok && isinf(1e300) == 0 && fabsf(-2.0f) == 2.0f && "
		"rintf(2.5f) == 2.0f;\n"
		"	ok = ok && __float2int_rz(-2.7f) == -2 && rsqrtf(0.25f) == 2.0f;\n"
		"	ok = ok && fmaf(0x1.000004p0f, 0x1.000004p0f, -1.0f) == 0x1.000002p-21f;\n"
		"	if (threadIdx.x == 0) out[0] = ok;\n}\n"},
	{"an active mask", 0,
		"extern \"C\" __global__ void k(int *out)\n{\n"
		"	int v = 0;\n"
		"	if (threadIdx.x % 2 == 0) {\n"
		"		unsigned mask = __activemask();\n"
		"		v = __popc(__ballot_sync(mask, 1));\n	}\n"
		"	if (threadIdx.x == 0) out[0] = v >= 1 && v <= 16;\n}\n"},
};

TEST_ROWS_ON_CALL(test_accepted, accepted, true, "build: %s", row->name)
{
	EMU emu = emu_start(EMU_WORKERS_DEFAULT, "10");
	for (int traced = 0; traced < 2; traced++) {
		int out[64] = {0};
		enum pmpp_status status = emu_build_text(&emu, row->source, traced);

		if (status != PMPP_OK && test_error.log)
			test_note("%s", test_error.log);
		test_ok(status);
		test_ok(emu_run(&emu,
			&(struct emu_run){"k", .block = {32}, .shared_bytes = row->shared_bytes,
				.args = {WORDS(out)}, .arg_count = 1}));
		EQUAL(out[0], 1);
	}
}

/* A `__device__` variable is one variable, though each worker has its own copy of the object. */
TEST_ON_CALL(test_device_variable, "device variables are one for all blocks")
{
	int out[64];
	bool seen[65] = {false};

	EMU emu = emu_start("2", NULL);
	test_ok(emu_build_text(&emu,
		"__device__ int counter;\n"
		"extern \"C\" __global__ void k(int *out)\n{\n"
		"	long long spin = 0;\n"
		"	while (spin < 20000) spin += *(volatile int *)out * 0 + 1;\n"
		"	out[blockIdx.x] = atomicAdd(&counter, 1) + 1;\n}\n",
		false));
	EMU_RUN(&emu, "k", 64, 1, WORDS(out));
	for (int i = 0; i < 64; i++) {
		assert_in_range(out[i], 1, 64);
		if (seen[out[i]])
			test_fail("two blocks were given the ticket %d", out[i]);
		seen[out[i]] = true;
	}
}

static const bool plain_and_traced[] = {false, true};

/* The variables of a program keep their values between launches, and can be set to their initial values. */
TEST_ROWS_ON_CALL(test_variables_reset, plain_and_traced, true,
	"device variables are set to their initial values%s", *row ? ", traced" : "")
{
	static const int expected[] = {8, 9, 8};
	int out[1];

	EMU emu = emu_start("2", NULL);
	test_ok(emu_build_text(&emu,
		"__device__ int counter = 7;\n__constant__ int step = 1;\n"
		"extern \"C\" __global__ void k(int *out) { out[0] = counter += step; }\n",
		*row));
	for (int i = 0; i < 3; i++) {
		struct gpu_variables variables = emu.program->variables;

		assert_true(variables.bytes >= sizeof(int));
		if (i == 2)
			memcpy(variables.now, variables.initial, variables.bytes);
		EMU_RUN(&emu, "k", 1, 1, WORDS(out));
		EQUAL(out[0], expected[i]);
	}
}

static const struct refused {
	const char *name;
	enum pmpp_status status;
	const char *log;  /* part of the compiler's log; NULL: any */
	const char *part; /* of the message; NULL: any */
	const char *source;
} refused[] = {
	{"syntax", PMPP_BUILD, "tests/text.cu:3:", NULL,
		"extern \"C\" __global__ void k(int *out)\n{\n	out[0] = nowhere;\n}\n"},
	{"a name that begins like a lack", PMPP_BUILD, NULL, "malloc_bytes",
		"extern \"C\" __global__ void k(int *out)\n{\n	out[0] = malloc_bytes;\n}\n"},
	{"inline PTX", PMPP_UNSUPPORTED, NULL, "PTX",
		"extern \"C\" __global__ void k(int *out)\n{\n	int v;\n"
		"	asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(v));\n	out[0] = v;\n}\n"},
	{"inline PTX, in other words", PMPP_UNSUPPORTED, NULL, "PTX",
		"extern \"C\" __global__ void k(int *out)\n{\n"
		"	__asm__ __volatile__ (\"bar.sync 0;\");\n	out[0] = 1;\n}\n"},
	{"inline PTX for other devices", PMPP_UNSUPPORTED, NULL, "PTX",
		"extern \"C\" __global__ void k(int *out)\n{\n#ifdef __CUDA_ARCH__X\n#else\n"
		"	asm volatile(\"bar.sync 0;\");\n#endif\n	out[0] = 1;\n}\n"},
};

TEST_ROWS_ON_CALL(test_refused_build, refused, true, "refused: %s", row->name)
{
	EMU emu = emu_start(EMU_WORKERS_DEFAULT, NULL);
	for (int traced = 0; traced < 2; traced++) {
		enum pmpp_status status = emu_build_text(&emu, row->source, traced);

		if (status == PMPP_OK)
			test_fail("it was built");
		test_note("%s", test_error.message);
		if (row->log && (!test_error.log || !strstr(test_error.log, row->log)))
			test_fail("the log lacks \"%s\": %s", row->log,
				test_error.log ? test_error.log : "no log");
		test_refused(status, row->status, row->part);
	}
}

/* The emulator takes the #else of a part with PTX. Lines after this part keep their numbers. */
TEST_ON_CALL(test_gpu_part, "inline PTX in a part for GPUs")
{
	static const char source[] =
		"#ifdef __CUDA_ARCH__\n# if 1\n#define FIRST asm(\"\")\n# else\n# endif\n"
		"static __device__ int one() { int v; asm(\"mov.u32 %0, 1;\" : \"=r\"(v)); return v; }\n"
		"#else\nstatic __device__ int one() { return __LINE__; }\n#endif\n"
		"extern \"C\" __global__ void k(int *out)\n{\n	out[threadIdx.x] = one();\n"
		"#ifdef __CUDA_ARCH__\n	__syncwarp();\n#else\n	asm volatile(\"bar.sync 0;\");\n"
		"#endif\n}\n";
	int out[32] = {0};

	EMU emu = emu_start(EMU_WORKERS_DEFAULT, NULL);
	test_ok(emu_build_text(&emu, source, false));
	EMU_RUN(&emu, "k", 1, 32, WORDS(out));
	for (int i = 0; i < 32; i++)
		EQUAL(out[i], 8);
}

/* Static shared memory belongs to a kernel, not to the file, and ends at 48 KiB. */
TEST_ON_CALL(test_static_shared, "static shared memory of a kernel")
{
	static const char source[] =
		"extern \"C\" __global__ void small(int *out)\n{\n"
		"	__shared__ int cells[7 * 1024];\n	cells[threadIdx.x] = 1;\n	__syncthreads();\n"
		"	out[threadIdx.x] = cells[31 - threadIdx.x];\n}\n"
		"extern \"C\" __global__ void other(int *out)\n{\n"
		"	__shared__ int cells[6 * 1024];\n	cells[threadIdx.x] = 2;\n	__syncthreads();\n"
		"	out[threadIdx.x] = cells[31 - threadIdx.x];\n}\n";
	static const char large[] =
		"extern \"C\" __global__ void k(int *out)\n{\n"
		"	__shared__ int cells[12 * 1024 + 1];\n	cells[threadIdx.x] = 1;\n"
		"	__syncthreads();\n	out[threadIdx.x] = cells[31 - threadIdx.x];\n}\n";
	struct gpu_kernel *kernel = NULL;
	int out[32];

	EMU emu = emu_start(EMU_WORKERS_DEFAULT, NULL);
	test_ok(emu_build_text(&emu, source, false));
	EMU_RUN(&emu, "other", 1, 32, WORDS(out));
	EQUAL(out[31], 2);
	test_ok(gpu_kernel_create(emu.program, "small", &kernel, &test_error));
	EQUAL(kernel->resources.shared_bytes, 28 * 1024);
	gpu_kernel_destroy(&kernel);

	enum pmpp_status status = emu_build_text(&emu, large, false);
	if (status == PMPP_OK)
		status = EMU_LAUNCH(&emu, "k", 1, 32, WORDS(out));
	test_refused(status, PMPP_BUILD, "shared memory");
}

/* Threads that have returned are not waited for, and the device notes the line. */
TEST_ON_CALL(test_returned_threads, "threads that have returned")
{
	static const struct returned {
		const char *name, *body;
		int line, wanted; /* what threads 8 to 15 write */
	} kernels[] = {
		{"barrier", "	__syncthreads();\n	out[t] = 1;\n", 5, 1},
		{"counting barrier", "	out[t] = __syncthreads_count(1);\n", 5, 8},
		{"vote", "	out[t] = __popc(__ballot_sync(~0u, 1));\n", 5, 8},
		{"shuffle", "	out[t] = __shfl_sync(~0u, t, 9);\n", 5, 9},
		{"vote in a loop",
			"	for (int i = 0; i < 3; i++)\n		out[t] = __any_sync(~0u, t == 15);\n",
			6, 1},
		{"barrier of a warp", "	__syncwarp();\n	out[t] = 1;\n", 5, 1},
	};
	char source[500], note[20];

	for (size_t i = 0; i < 2 * sizeof kernels / sizeof *kernels; i++) {
		const struct returned *row = &kernels[i / 2];
		int out[32] = {0};
		snprintf(source, sizeof source,
			"extern \"C\" __global__ void k(int *out)\n{\n	int t = threadIdx.x;\n"
			"	if (t < 8 || t >= 16) return;\n%s}\n",
			row->body);
		EMU emu = emu_start(EMU_WORKERS_DEFAULT, NULL);
		test_ok(emu_build_text(&emu, source, i % 2));
		EMU_RUN(&emu, "k", 1, 32, WORDS(out));
		test_note("%s: %s", row->name, emu.device->note);
		for (int t = 8; t < 16; t++)
			EQUAL(out[t], row->wanted);
		snprintf(note, sizeof note, "line %d: ", row->line);
		HAS(emu.device->note, note);
		HAS(emu.device->note, "not portable to OpenCL");
	}
}

/* The last access of a returned thread is on a later line than the barrier, but not behind it. */
TEST_ON_CALL(test_returned_elsewhere, "threads that have returned elsewhere")
{
	static const char *const sources[] = {
		"static __device__ void together() { __syncthreads(); }\n"
		"extern \"C\" __global__ void k(int *out)\n{\n	int t = threadIdx.x;\n"
		"	if (out[t] > 5 || t >= 16) return;\n	together();\n	out[t] = 1;\n}\n",
		"extern \"C\" __global__ void k(int *out)\n{\n	int t = threadIdx.x;\n"
		"	for (int step = 0;; step++) {\n		__syncthreads();\n"
		"		if (step == (t & 1)) {\n			out[t] = 1;\n			return;\n"
		"		}\n	}\n}\n",
	};

	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		int out[32] = {0};
		EMU emu = emu_start(EMU_WORKERS_DEFAULT, NULL);
		test_ok(emu_build_text(&emu, sources[i], true));
		EMU_RUN(&emu, "k", 1, 32, WORDS(out));
		for (int t = 0; t < 16; t++)
			EQUAL(out[t], 1);
	}
}

/* A kernel has the shared memory of the functions that it calls, also through a pointer, and no other. */
TEST_ROWS_ON_CALL(test_used_shared, plain_and_traced, true, "shared memory that a kernel uses%s",
	*row ? ", traced" : "")
{
	static const char source[] =
		"template <int N> static __device__ int last(int v)\n{\n"
		"	__shared__ int cells[N];\n	cells[threadIdx.x] = v;\n	__syncthreads();\n"
		"	return cells[31];\n}\n"
		"static __device__ int first(int v)\n{\n	__shared__ int cells[1000];\n"
		"	cells[threadIdx.x] = v;\n	__syncthreads();\n	return cells[0];\n}\n"
		"static __device__ int named(int v) { return last<100>(v); }\n"
		"__device__ int (*table[2])(int) = {named, first};\n"
		"extern \"C\" __global__ void small(int *out) { out[0] = last<64>(1); }\n"
		"extern \"C\" __global__ void large(int *out) { out[0] = last<10000>(1); }\n"
		"extern \"C\" __global__ void both(int *out) { out[0] = first(last<64>(1)); }\n"
		"extern \"C\" __global__ void pointer(int *out) { out[0] = table[0](1); }\n";
	static const struct {
		const char *entry;
		int64_t bytes;
	} kernels[] = {{"small", 256}, {"large", 40000}, {"both", 4256}, {"pointer", 4400}};

	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
		struct gpu_kernel *kernel = NULL;
		int out[32] = {0};
		EMU emu = emu_start(EMU_WORKERS_DEFAULT, NULL);
		test_ok(emu_build_text(&emu, source, *row));
		test_ok(gpu_kernel_create(emu.program, kernels[i].entry, &kernel, &test_error));
		EQUAL(kernel->resources.shared_bytes, kernels[i].bytes);
		gpu_kernel_destroy(&kernel);
		EMU_RUN(&emu, kernels[i].entry, 1, 32, WORDS(out));
		EQUAL(out[0], 1);
	}
}

/* Shared memory of a template is traced: a race, a read of nothing, and its limit of 48 KiB. */
TEST_ON_CALL(test_template_shared, "shared memory of a template")
{
	static const struct shared {
		const char *body, *part;
		enum pmpp_status status;
	} kernels[] = {
		{"	cells[t] = t;\n	out[t] = cells[63 - t];\n", "a data race in shared memory",
			PMPP_LAUNCH},
		{"	if (t > 99) cells[t] = t;\n	out[t] = cells[t];\n",
			"no thread of the block wrote", PMPP_LAUNCH},
		{"	cells[t] = t;\n	__syncthreads();\n	out[t] = cells[63 - t];\n", NULL,
			PMPP_OK},
	};
	char source[500];

	for (size_t i = 0; i < 2 * sizeof kernels / sizeof *kernels; i++) {
		bool large = i % 2;
		int out[64] = {0};
		snprintf(source, sizeof source,
			"template <int N> static __device__ void run(int *out)\n{\n"
			"	__shared__ int cells[N];\n	int t = threadIdx.x;\n%s}\n"
			"extern \"C\" __global__ void k(int *out)\n{\n	run<%d>(out);\n}\n",
			kernels[i / 2].body, large ? 13 * 1024 : 64);
		EMU emu = emu_start(EMU_WORKERS_DEFAULT, NULL);
		test_ok(emu_build_text(&emu, source, true));
		enum pmpp_status status = EMU_LAUNCH(&emu, "k", 1, 64, WORDS(out));
		if (large)
			test_refused(status, PMPP_BUILD, "53248 bytes of static shared memory");
		else if (kernels[i / 2].part)
			test_refused(status, kernels[i / 2].status, kernels[i / 2].part);
		else
			test_ok(status);
	}
}

TEST_ON_CALL(test_device_info, "what the device says of itself")
{
	EMU emu = emu_start(EMU_WORKERS_DEFAULT, NULL);
	const struct gpu_device_info *info = &emu.device->info;
	CHECK(EQUAL(info->backend, GPU_BACKEND_CUDA_EMU), EQUAL(info->type, GPU_TYPE_EMULATED),
		EQUAL(info->capabilities, PMPP_CAP_FP64 | PMPP_CAP_FP16 | PMPP_CAP_SHUFFLE |
						  PMPP_CAP_WARP_REDUCE | PMPP_CAP_ASYNC_COPY |
						  PMPP_CAP_TENSOR),
		STRING(info->shape.model, access_model_default()->name), STRING(info->index, "0"),
		STRING(info->vendor, "pmpp"), STRING(info->uuid, ""), STRING(info->pci, ""),
		SAME(strstr(info->name, "CUDA emulator on "), info->name),
		IS(strlen(info->name) > strlen("CUDA emulator on ")),
		EQUAL(info->limits.max_block_threads, 1024),
		EQUAL(info->limits.shared_bytes, 48 * 1024),
		EQUAL(info->limits.shared_optin_bytes, 227 * 1024),
		EQUAL(info->limits.warp_size, 32), IS(info->limits.max_groups[0] == 0x7fffffffu),
		IS(info->limits.global_bytes > 0));
}

/* A command with more words than a command line has is an error: no word is left out. */
TEST_ON_CALL(test_long_command, "the compiler's command is too long")
{
	char command[80 * 4 + 4] = "";

	for (int i = 0; i < 80; i++)
		strcat(command, "env ");
	strcat(command, "c++");
	test_variable("CXX", command);
	EMU emu = emu_start(EMU_WORKERS_DEFAULT, NULL);
	enum pmpp_status status = emu_build_text(&emu, "", true);
	test_refused(status, PMPP_BUILD, "the compiler env has more than 95 words");
}

/* CXX may hold words, and may name nothing. */
TEST_ON_CALL(test_compiler, "the compiler that CXX names")
{
	struct gpu_device_info *infos = NULL;
	struct gpu_backend_state state = {0};
	size_t count = 0;

	test_variable("CXX", "/nowhere/c++");
	test_ok(gpu_enumerate(GPU_BACKEND_CUDA_EMU, &infos, &count, &state, &test_error));
	size_t without = count;
	bool told = strstr(state.reason, "install g++") != NULL;
	free(infos);
	infos = NULL;
	test_variable("CXX", "env c++");
	test_ok(gpu_enumerate(GPU_BACKEND_CUDA_EMU, &infos, &count, &state, &test_error));
	free(infos);
	CHECK(EQUAL(without, 0), IS(told), EQUAL(count, 1));
}

void emulator_add_builds(void)
{
	test_accepted_add();
	test_refused_build_add();
	test_device_variable_add();
	test_variables_reset_add();
	test_static_shared_add();
	test_gpu_part_add();
	test_returned_elsewhere_add();
	test_template_shared_add();
	test_used_shared_add();
	test_returned_threads_add();
	test_device_info_add();
	test_long_command_add();
	test_compiler_add();
}
