/*
 * OpenBLAS on the CPU of an OpenCL device. A native kernel calls it (opencl_native_call()).
 */
#include "host/gpu/opencl/internal.h"

#include "host/io/clock.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* cblas.h: CblasRowMajor, CblasNoTrans. */
#define ROW_MAJOR 101
#define NO_TRANSPOSE 111

/* The product of a wake-up. OpenBLAS divides m over its threads, and leaves threads out if their parts
 * have few rows. */
#define WAKE_UP_ROWS 128 /* of each thread */
#define WAKE_UP_N 256
#define WAKE_UP_K 64
#define WAKE_UP_NS 15e6

typedef void sgemm_function(int order, int transpose_a, int transpose_b, int m, int n, int k,
	float alpha, const float *a, int a_pitch, const float *b, int b_pitch, float beta, float *c,
	int c_pitch);

struct openblas_api {
	sgemm_function *sgemm;
	char *(*core_name)(void);
	char *(*config)(void);
	void (*set_threads)(int count);
	int (*threads)(void);
};

static const struct shared_symbol symbols[] = {
	{"cblas_sgemm", offsetof(struct openblas_api, sgemm), NULL, false},
	{"openblas_get_corename", offsetof(struct openblas_api, core_name), NULL, false},
	{"openblas_get_config", offsetof(struct openblas_api, config), NULL, false},
	{"openblas_set_num_threads", offsetof(struct openblas_api, set_threads), NULL, false},
	{"openblas_get_num_threads", offsetof(struct openblas_api, threads), NULL, false},
};

/* Not the versions with 64-bit integers. */
static const char *const names[] = {"libopenblas.so.0", "libopenblas.dylib",
	"/opt/homebrew/opt/openblas/lib/libopenblas.dylib", NULL};

static const struct shared_library openblas = {.title = "OpenBLAS",
	.names = names,
	.install = "on Debian: apt install libopenblas0",
	.symbols = symbols,
	.symbol_count = sizeof symbols / sizeof *symbols};

/* Arguments of the native kernel that multiplies zeros. */
struct wake_up {
	sgemm_function *sgemm;
	int m;
	float *a, *b, *c;
};

struct openblas_library {
	struct gpu_library base;
	struct openblas_api api;
	struct wake_up wake_up;
	float *zeros; /* the matrices of wake_up; owned */
};

/* ---- Opening ------------------------------------------------------------------------------- */

/* Returns whether OpenBLAS uses kernels without AVX-512 on a CPU that has all parts of AVX-512 that
 * the kernels for SkylakeX need. OpenBLAS does this on CPUs that are newer than OpenBLAS. The kernels
 * for Haswell have half the speed of the kernels for SkylakeX. */
static bool is_too_small(const struct openblas_api *api)
{
#if defined(__x86_64__)
	static const char *const cores[] = {"SkylakeX", "Cooperlake", "SapphireRapids"};
	bool wide = false;

	for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
		wide |= strcasecmp(api->core_name(), cores[i]) == 0;
	return !wide && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
#else
	(void)api;
	return false;
#endif
}

/* The library reads its variables once, when it is opened. */
static enum pmpp_status load(struct openblas_api *ret_api, struct pmpp_error *error)
{
	void *handle;
	enum pmpp_status status;

	/* After a call, the threads of OpenBLAS wait in a loop for 2^26 cycles by default. This
	 * would slow the kernel that is timed next. 2^20 cycles are about 0.3 ms. */
	setenv("OPENBLAS_THREAD_TIMEOUT", "20", 0);
	status = shared_library_open(&openblas, ret_api, &handle, error);
	if (status != PMPP_OK || getenv("OPENBLAS_CORETYPE") || !is_too_small(ret_api))
		return status;
	setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
	dlclose(handle);
	return shared_library_open(&openblas, ret_api, &handle, error);
}

/* config: "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..." */
static void describe(const struct openblas_api *api, struct gpu_library *library)
{
	int threads = api->threads();

	if (sscanf(api->config(), "OpenBLAS %23s", library->version) != 1)
		library->version[0] = '\0';
	snprintf(library->name, sizeof library->name, "%s", openblas.title);
	snprintf(library->detail, sizeof library->detail, "core %.32s, %d thread%s",
		api->core_name(), threads, threads == 1 ? "" : "s");
}

/* Returns false for lack of memory. */
static bool make_wake_up(struct openblas_library *library)
{
	size_t m = WAKE_UP_ROWS * (size_t)library->api.threads();
	float *zeros = calloc(m * WAKE_UP_K + WAKE_UP_K * WAKE_UP_N + m * WAKE_UP_N, sizeof *zeros);

	if (!zeros)
		return false;
	library->base.wake_up_ns = WAKE_UP_NS;
	library->zeros = zeros;
	library->wake_up = (struct wake_up){.sgemm = library->api.sgemm,
		.m = (int)m,
		.a = zeros,
		.b = zeros + m * WAKE_UP_K,
		.c = zeros + m * WAKE_UP_K + WAKE_UP_K * WAKE_UP_N};
	return true;
}

static enum pmpp_status open_library(struct gpu_library *library, struct pmpp_error *error)
{
	struct openblas_library *self = (struct openblas_library *)library;

	enum pmpp_status status = opencl_can_call_native(library->device, openblas.title, error);
	if (status == PMPP_OK)
		status = load(&self->api, error);
	if (status != PMPP_OK)
		return status;
	self->api.set_threads((int)library->device->info.limits.compute_units);
	if (!make_wake_up(self))
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	describe(&self->api, library);
	return PMPP_OK;
}

/* The library stays loaded: its threads end with the process. */
static void close_library(struct gpu_library *library)
{
	free(((struct openblas_library *)library)->zeros);
}

/* ---- Products ------------------------------------------------------------------------------ */

static void call_sgemm(
	const struct gpu_library *library, const struct peer_work *work, void *const *operands)
{
	int m = (int)work->m, n = (int)work->n, k = (int)work->k;

	((const struct openblas_library *)library)
		->api.sgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, m, n, k, 1.0f, operands[0], k,
			operands[1], n, 0.0f, operands[2], n);
}

static enum pmpp_status multiply(
	struct gpu_library *library, const struct gpu_call *call, struct pmpp_error *error)
{
	return opencl_native_call(library, call, call_sgemm, error);
}

/* ---- Wake-up ------------------------------------------------------------------------------- */

/* The threads of the library sleep between samples. Linux can then run two of them on the same core,
 * and needs about 10 ms to separate them. WAKE_UP_NS is longer. */
static void CL_CALLBACK multiply_zeros(void *argument)
{
	const struct wake_up *work = argument;
	double start = host_clock_ns();

	do
		work->sgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, work->m, WAKE_UP_N, WAKE_UP_K,
			1.0f, work->a, WAKE_UP_K, work->b, WAKE_UP_N, 0.0f, work->c, WAKE_UP_N);
	while (host_clock_ns() - start < WAKE_UP_NS);
}

/* Queued before the product, so that a thread of the driver calls the library in both cases. */
static enum pmpp_status wake_up(struct gpu_library *library, struct pmpp_error *error)
{
	struct openblas_library *self = (struct openblas_library *)library;

	return CL_CALL(error, PMPP_LAUNCH, clEnqueueNativeKernel,
		opencl_device_of(library->device)->queue, multiply_zeros, &self->wake_up,
		sizeof self->wake_up, 0, NULL, NULL, 0, NULL, NULL);
}

const struct gpu_library_driver opencl_openblas = {.cpu_only = true,
	.operations = 1u << PEER_PRODUCT_F32,
	.bytes = sizeof(struct openblas_library),
	.open = open_library,
	.close = close_library,
	.call = multiply,
	.wake_up = wake_up};
