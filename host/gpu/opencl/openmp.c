/* The OpenMP loops of this project on the CPU of an OpenCL device, in native kernels. */
#include "host/gpu/gpu_config.h"
#include "host/gpu/opencl/internal.h"
#include "host/gpu/opencl/openmp_loops.h"

#include <stdio.h>

#include "host/io/os.h"

#define TITLE "OpenMP"

#if PMPP_OPENMP
struct computation {
	const struct peer_work *work;
	void *const *operands;
	int threads;
};

static void run_loops(void *context)
{
	const struct computation *computation = context;

	openmp_compute(computation->work, computation->operands, computation->threads);
}

static void compute(
	const struct gpu_library *library, const struct peer_work *work, void *const *operands)
{
	struct computation computation = {
		work, operands, (int)library->device->info.limits.compute_units};

	os_run_on_all_processors(run_loops, &computation);
}

static void describe(struct gpu_library *library)
{
	unsigned threads = (unsigned)library->device->info.limits.compute_units;

	snprintf(library->version, sizeof library->version, "%d", openmp_version());
	snprintf(library->detail, sizeof library->detail, "%u thread%s", threads,
		threads == 1 ? "" : "s");
}

static enum pmpp_status call_loops(
	struct gpu_library *library, const struct gpu_call *call, struct pmpp_error *error)
{
	return opencl_native_call(library, call, compute, error);
}
#endif

static enum pmpp_status open_library(struct gpu_library *library, struct pmpp_error *error)
{
	snprintf(library->name, sizeof library->name, TITLE);
#if PMPP_OPENMP
	describe(library);
	return opencl_can_call_native(library->device, TITLE, error);
#else
	return PMPP_FAIL(error, PMPP_UNSUPPORTED,
		TITLE " is not installed: the compiler of this program has none; build the program "
		      "with gcc, or with clang and libomp");
#endif
}

static void close_library(struct gpu_library *library)
{
	(void)library;
}

const struct gpu_library_driver opencl_openmp = {.cpu_only = true,
	.operations = 1u << PEER_SUM | 1u << PEER_MAX | 1u << PEER_MIN | 1u << PEER_COUNT |
		      1u << PEER_SOFTMAX | 1u << PEER_TRANSPOSE | 1u << PEER_COPY,
	.bytes = sizeof(struct gpu_library),
	.open = open_library,
	.close = close_library,
#if PMPP_OPENMP
	.call = call_loops
#endif
};
