/*
 * CUB on a CUDA device, through libpmpp_cub.so (cub_api.h). Its runtime library uses the context that is current: the
 * primary one of the device.
 */
#include "host/gpu/cuda/cub_api.h"
#include "host/gpu/cuda/internal.h"
#include "host/io/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "libpmpp_cub.so"
#define VARIABLE "PMPP_CUB"

struct cub_api {
#define XX(name, result, parameters) result(*name) parameters;
	CUB_FUNCTION_MAP(XX)
#undef XX
};

static const struct shared_symbol symbols[] = {
#define XX(name, result, parameters) {#name, offsetof(struct cub_api, name), NULL, false},
	CUB_FUNCTION_MAP(XX)
#undef XX
};

struct cub_library {
	struct gpu_library base;
	struct cub_api api;
	CUdeviceptr scratch; /* of all calls: they are in one stream; 0 = none yet */
	size_t scratch_bytes;
};

/* ---- Opening ------------------------------------------------------------------------------- */

/* The file that the variable names, or the one beside the program. */
static void find_path(char ret_path[PATH_MAX])
{
	const char *chosen = getenv(VARIABLE);
	char *name;

	*ret_path = '\0';
	if (chosen && *chosen) {
		snprintf(ret_path, PATH_MAX, "%s", chosen);
		return;
	}
	os_program_path(ret_path);
	name = strrchr(ret_path, '/');
	name = name ? name + 1 : ret_path;
	snprintf(name, (size_t)(ret_path + PATH_MAX - name), FILE_NAME);
}

static enum pmpp_status open_library(struct gpu_library *library, struct pmpp_error *error)
{
	struct cub_library *self = (struct cub_library *)library;
	char path[PATH_MAX];
	const char *const names[] = {path, NULL};
	const struct shared_library cub = {.title = "CUB",
		.names = names,
		.install =
			"build it: meson configure -Dcub=native, then ninja, with nvcc; or set " VARIABLE
			" to its path",
		.symbols = symbols,
		.symbol_count = sizeof symbols / sizeof *symbols};
	void *handle;

	find_path(path);
	enum pmpp_status status = shared_library_open(&cub, &self->api, &handle, error);
	if (status != PMPP_OK)
		return status;
	int version = self->api.pmpp_cub_version();
	snprintf(library->name, sizeof library->name, "%s", cub.title);
	snprintf(library->version, sizeof library->version, "%d.%d.%d", version / 100000,
		version / 100 % 1000, version % 100);
	return PMPP_OK;
}

/* The library stays loaded: it has registered its kernels with the runtime library. */
static void close_library(struct gpu_library *library)
{
	struct cub_library *self = (struct cub_library *)library;

	if (self->scratch && cuda.cuCtxSetCurrent(cuda_device_of(library->device)->context) == 0)
		cuda.cuMemFree(self->scratch);
}

/* ---- Calls --------------------------------------------------------------------------------- */

static enum pmpp_status run(struct cub_library *self, const struct pmpp_cub_call *call,
	void *scratch, size_t *bytes, struct pmpp_error *error)
{
	int code = self->api.pmpp_cub_run(call, scratch, bytes);

	if (code == 0)
		return PMPP_OK;
	return pmpp_error_set_call(error, PMPP_LAUNCH, __FILE__, __LINE__, "pmpp_cub_run", code,
		self->api.pmpp_cub_error(code));
}

/* The first runs of a problem are not timed, so no sample has an allocation. */
static enum pmpp_status grow_scratch(
	struct cub_library *self, size_t bytes, struct pmpp_error *error)
{
	if (bytes <= self->scratch_bytes)
		return PMPP_OK;
	if (self->scratch)
		cuda.cuMemFree(self->scratch); /* waits for the calls that use it */
	self->scratch = self->scratch_bytes = 0;
	enum pmpp_status status =
		CU_CALL(error, PMPP_OUT_OF_MEMORY, cuMemAlloc, &self->scratch, bytes);
	if (status == PMPP_OK)
		self->scratch_bytes = bytes;
	return status;
}

static enum pmpp_status call_library(
	struct gpu_library *library, const struct gpu_call *call, struct pmpp_error *error)
{
	static const enum pmpp_cub_operation operations[] = {[PEER_SUM] = PMPP_CUB_SUM,
		[PEER_MAX] = PMPP_CUB_MAX,
		[PEER_MIN] = PMPP_CUB_MIN,
		[PEER_COUNT] = PMPP_CUB_COUNT};
	static const enum pmpp_cub_type types[DTYPE_COUNT] = {[DTYPE_F32] = PMPP_CUB_F32,
		[DTYPE_I32] = PMPP_CUB_I32,
		[DTYPE_U8] = PMPP_CUB_U8,
		[DTYPE_U32] = PMPP_CUB_U32};
	struct cub_library *self = (struct cub_library *)library;
	struct cuda_device *device = cuda_device_of(library->device);
	const struct pmpp_cub_call arguments = {.operation = operations[call->work.operation],
		.type = types[call->work.dtype],
		.from = (const void *)((const struct cuda_buffer *)call->buffers[0])->operand,
		.to = (void *)((const struct cuda_buffer *)call->buffers[1])->operand,
		.count = call->work.m,
		.bins = call->work.n,
		.stream = device->stream};
	size_t bytes = 0;

	enum pmpp_status status = cuda_enter(device, error);
	if (status == PMPP_OK)
		status = run(self, &arguments, NULL, &bytes, error);
	if (status == PMPP_OK)
		status = grow_scratch(self, bytes, error);
	if (status == PMPP_OK)
		status = run(self, &arguments, (void *)self->scratch, &self->scratch_bytes, error);
	return status;
}

const struct gpu_library_driver cuda_cub = {
	.operations = 1u << PEER_SUM | 1u << PEER_MAX | 1u << PEER_MIN | 1u << PEER_COUNT,
	.bytes = sizeof(struct cub_library),
	.open = open_library,
	.close = close_library,
	.call = call_library};
